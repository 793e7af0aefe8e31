#!/bin/bash
# Builds the source distribution into build/sdist, looks at what it carries, and builds a wheel from it in a clean folder
# without Node, as somebody would who has the archive only. The wheel goes to build/wheels.
set -euo pipefail
cd "$(dirname "$0")/.."

fail() {
  echo "$0: $1" >&2
  exit 1
}

python=$PWD/build/python-env/bin/python
build=("$python" -m build --no-isolation --skip-dependency-check)
rm -rf build/sdist
"${build[@]}" --sdist --outdir build/sdist > /dev/null
archive=$(echo build/sdist/attoscope-*.tar.gz)

clean=$(mktemp -d)
trap 'rm -rf "$clean"' EXIT
tar -xzf "$archive" -C "$clean"
source=$(echo "$clean"/attoscope-*)

for file in build/web/{report.js,report.css,licences.txt,page.html} build/page/index.html python/attoscope/py.typed LICENSE README.md; do
  [ -f "$source/$file" ] || fail "$archive lacks $file"
done
for folder in studies tests/python python src cmake; do  # all that is committed there
  missing=$(comm -23 <(git ls-files "$folder" | sort) <(cd "$source" && find "$folder" -type f | sort))
  [ -z "$missing" ] || fail "$archive lacks $missing"
done
rubbish=$(cd "$source" && find . -name '*.o' -o -name '*.so' -o -name '*.a' -o -name '__pycache__' -o -name node_modules -o -name '*.db')
[ -z "$rubbish" ] || fail "$archive carries $rubbish"

mkdir "$clean/no-node"
for tool in node npm; do
  printf '#!/bin/sh\necho "a source distribution is built without %s" >&2\nexit 1\n' "$tool" > "$clean/no-node/$tool"
  chmod +x "$clean/no-node/$tool"
done
# In a folder build/ and by the compiler's usual name, as here: ccache, where it is installed, then knows the objects.
(cd "$source" && PATH="$clean/no-node:$PATH" CXX="${CXX:-c++}" "${build[@]}" --wheel --outdir "$clean/wheel" --config-setting build-dir=build \
  > "$clean/log" 2>&1) ||
  { cat "$clean/log" >&2; fail "no wheel can be built from $archive"; }
scripts/repair_wheel.sh "$clean"/wheel/attoscope-*.whl
