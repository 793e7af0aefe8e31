#!/bin/bash
# Builds the wheel into build/wheels: the objects of build/ are taken, and the module is linked.
set -euo pipefail
cd "$(dirname "$0")/.."

rm -rf build/wheels-raw
build/python-env/bin/python -m build --wheel --no-isolation --skip-dependency-check --outdir build/wheels-raw \
  --config-setting build-dir=build
scripts/repair_wheel.sh build/wheels-raw/attoscope-*.whl
