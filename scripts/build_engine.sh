#!/bin/bash
# Builds the engine for the browser into build/page: engine.wasm and engine-relaxed.wasm, engine.mjs, which makes an object
# of either, and for pages engines.pack, both in one small file, with unlzma.wasm and unpack.mjs. Ninja builds what changed and nothing else.
set -euo pipefail
cd "$(dirname "$0")/.."

fail() {
  echo "$0: $1" >&2
  exit 1
}

command -v clang++-19 > /dev/null && command -v wasm-ld-19 > /dev/null && command -v xz > /dev/null &&
  [ -d /usr/share/emscripten/cache/sysroot ] ||
  fail "the engine for the browser is built with clang 19, lld 19, xz and the libraries of emscripten: run scripts/setup.sh page"
cmake --log-level=WARNING -S wasm -B build/wasm -G Ninja -DCMAKE_TOOLCHAIN_FILE="$PWD/wasm/toolchain.cmake" "$@"
cmake --build build/wasm
mkdir -p build/page
for file in build/wasm/engine.wasm build/wasm/engine-relaxed.wasm build/wasm/unlzma.wasm wasm/engine.mjs wasm/unpack.mjs; do
  cmp -s "$file" "build/page/${file##*/}" || { rm -f build/page/engines.pack && cp "$file" build/page/; }
done
[ ! -f build/page/engines.pack ] || exit 0

little_endian() {  # NUMBER: its four bytes
  local escaped
  escaped=$(printf '\\x%02x\\x%02x\\x%02x\\x%02x' $(($1 & 255)) $(($1 >> 8 & 255)) $(($1 >> 16 & 255)) $(($1 >> 24)))
  printf '%b' "$escaped"
}
cd build/page
{
  little_endian "$(stat --format=%s engine-relaxed.wasm)"
  little_endian "$(stat --format=%s engine.wasm)"
  cat engine-relaxed.wasm engine.wasm | xz -9e --format=lzma --stdout
} > engines.pack.part
mv engines.pack.part engines.pack
