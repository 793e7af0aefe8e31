#!/bin/bash
# Builds the engine for the browser into build/page: engine.wasm, engine-relaxed.wasm and engine.mjs, which makes an
# object of either. Ninja builds what changed and nothing else.
set -euo pipefail
cd "$(dirname "$0")/.."

fail() {
  echo "$0: $1" >&2
  exit 1
}

command -v clang++-19 > /dev/null && command -v wasm-ld-19 > /dev/null && [ -d /usr/share/emscripten/cache/sysroot ] ||
  fail "the engine for the browser is built with clang 19, lld 19 and the libraries of emscripten: run scripts/setup.sh page"
cmake --log-level=WARNING -S wasm -B build/wasm -G Ninja -DCMAKE_TOOLCHAIN_FILE="$PWD/wasm/toolchain.cmake" "$@"
cmake --build build/wasm
mkdir -p build/page
for file in build/wasm/engine.wasm build/wasm/engine-relaxed.wasm wasm/engine.mjs; do
  cmp -s "$file" "build/page/${file##*/}" || cp "$file" build/page/
done
