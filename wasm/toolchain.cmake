# WebAssembly by Debian's clang, with the C and C++ libraries of Debian's emscripten. Its own compiler driver is left out:
# its optimizer is older than the instructions we use, and the page needs none of its JavaScript.
set(CMAKE_SYSTEM_NAME Generic)
set(CMAKE_SYSTEM_PROCESSOR wasm32)
set(ATTO_LLVM 19 CACHE STRING "version of clang and lld")
set(ATTO_SYSROOT /usr/share/emscripten/cache/sysroot CACHE PATH "headers and libraries for WebAssembly")
set(CMAKE_C_COMPILER clang-${ATTO_LLVM})
set(CMAKE_CXX_COMPILER clang++-${ATTO_LLVM})
set(CMAKE_CXX_COMPILER_TARGET wasm32-unknown-emscripten)
set(CMAKE_C_COMPILER_TARGET wasm32-unknown-emscripten)
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
