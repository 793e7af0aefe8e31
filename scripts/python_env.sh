#!/bin/bash
# Makes an environment for the Python part, with each package checked against its hash. Does nothing when it is there.
# ATTO_PYTHON names another interpreter.
#   scripts/python_env.sh             build/python-env, which it is built and tested in: python/requirements.txt
#   scripts/python_env.sh executors   build/executors-env, with Dask and submitit: python/requirements-executors.txt
#   scripts/python_env.sh lens        build/lens-env, with Debian's PyTorch and TransformerLens: python/requirements-lens.txt
set -euo pipefail
cd "$(dirname "$0")/.."

python=${ATTO_PYTHON:-/usr/bin/python3}
case "${1:-}" in
  "") environment=build/python-env requirements=python/requirements.txt of_venv=() of_pip=() ;;
  # Debian's packages stay what they are: nothing that depends on torch may replace it.
  lens) environment=build/lens-env requirements=python/requirements-lens.txt of_venv=(--system-site-packages) of_pip=(--no-deps) ;;
  executors) environment=build/executors-env requirements=python/requirements-executors.txt of_venv=() of_pip=() ;;
  *) echo "usage: $0 [executors|lens]" >&2; exit 2 ;;
esac
state="$("$python" --version) $(sha256sum < "$requirements")"
[ -f "$environment/stamp" ] && [ "$(< "$environment/stamp")" = "$state" ] && exit 0
rm -rf "$environment"
mkdir -p build
"$python" -m venv "${of_venv[@]}" "$environment"
"$environment/bin/pip" install --quiet --disable-pip-version-check --require-hashes "${of_pip[@]}" --requirement "$requirements" || {
  echo "$0: pip could not install the packages of $requirements (above is what it says)" >&2
  exit 1
}
echo "$state" > "$environment/stamp"
