#!/bin/bash
# Makes build/python-env, the environment that the Python part is built and tested in: the packages of
# python/requirements.txt, each checked against its hash. Does nothing when it is there. ATTO_PYTHON names another interpreter.
set -euo pipefail
cd "$(dirname "$0")/.."

python=${ATTO_PYTHON:-/usr/bin/python3}
environment=build/python-env
state="$("$python" --version) $(sha256sum < python/requirements.txt)"
[ -f "$environment/stamp" ] && [ "$(< "$environment/stamp")" = "$state" ] && exit 0
rm -rf "$environment"
mkdir -p build
"$python" -m venv "$environment"
"$environment/bin/pip" install --quiet --disable-pip-version-check --require-hashes --requirement python/requirements.txt || {
  echo "$0: pip could not install the packages of python/requirements.txt (above is what it says)" >&2
  exit 1
}
echo "$state" > "$environment/stamp"
