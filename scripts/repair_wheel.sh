#!/bin/bash
# Puts the shared libraries that not every Linux has into a wheel, and the wheel into build/wheels. Fails where it would not
# run on the systems that its name promises.
set -euo pipefail
cd "$(dirname "$0")/.."

rm -rf build/wheels
PATH="$PWD/build/python-env/bin:$PATH" build/python-env/bin/python -m auditwheel repair --plat manylinux_2_35_x86_64 \
  --wheel-dir build/wheels "$1"
ls build/wheels
