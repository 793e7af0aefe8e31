#!/bin/bash
# Builds the wheel into build/wheels: the objects of build/ are taken, the module is linked, and auditwheel adds the shared
# libraries that not every Linux has.
set -euo pipefail
cd "$(dirname "$0")/.."

python=build/python-env/bin/python
rm -rf build/wheels build/wheels-raw
"$python" -m build --wheel --no-isolation --skip-dependency-check --outdir build/wheels-raw --config-setting build-dir=build
PATH="$PWD/build/python-env/bin:$PATH" "$python" -m auditwheel repair --plat manylinux_2_35_x86_64 --wheel-dir build/wheels \
  build/wheels-raw/attoscope-*.whl
ls build/wheels
