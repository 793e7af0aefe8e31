#!/bin/bash
# Builds and tests the rooms of src/ whose files differ from a revision: from HEAD unless another is named, as in
# `make check ARGS=main`. What several rooms share counts as all of them.
set -euo pipefail
cd "$(dirname "$0")/.."

changed=$(git diff --name-only "${1:-HEAD}" && git ls-files --others --exclude-standard)
rooms=$(
  while read -r file; do
    case $file in
      src/*/* | tests/*/*)
        room=$(cut -d/ -f2 <<< "$file")
        if [ -d "src/$room" ]; then echo "$room"; elif [ "$room" != bench ] && [ "$room" != web ]; then ls src; fi ;;
      studies/* | docs/examples/*) echo data lab | xargs -n 1 ;;
      CMake* | cmake/* | tests/*.h | tests/*.cpp | tests/CMakeLists.txt) ls src ;;
    esac
  done <<< "$changed" | sort -u
)

targets=() names=layers  # the test of the includes is always worth its moment
for room in $rooms; do
  if [ -d "tests/$room" ]; then
    targets+=("test_$room")
    names+="|$room\\..*"
  else
    targets+=("atto_$room")
  fi
done
echo "changed since ${1:-HEAD}: ${rooms:-no room of src/}" | xargs
[ ${#targets[@]} -eq 0 ] || cmake --build --preset tests --target "${targets[@]}"
ctest --preset tests --parallel "$(nproc)" --tests-regex "^($names)\$"
