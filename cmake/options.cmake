# How every file of ours is compiled: `atto_options` is linked by each target.
add_library(atto_options INTERFACE)
target_include_directories(atto_options INTERFACE ${PROJECT_SOURCE_DIR}/src)
target_compile_options(atto_options INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion)

# Bits must not depend on what the optimizer fuses: every fused multiply-add is written out. For the same reason there is
# no -ffast-math. The kernels are compiled per instruction set and chosen at run time; SSE4 (x86-64-v2) is the least of them.
target_compile_options(atto_options INTERFACE -ffp-contract=off)
# Under a sanitizer each kernel is compiled once, for AVX2: the memory it touches is the same for every instruction set.
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  set(baseline x86-64-v2)
  if(ATTO_SANITIZE)
    set(baseline x86-64-v3)
  endif()
  target_compile_options(atto_options INTERFACE -march=${baseline} -maes -mpclmul)
elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "aarch64|arm64")
  target_compile_options(atto_options INTERFACE -march=armv8-a+crypto)  # Highway's NEON wants the AES instructions
endif()

# The same objects serve the program and the Python module. Nothing is meant to be replaced at load time, so calls within
# the code stay as direct as in a program.
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
target_compile_options(atto_options INTERFACE -fvisibility=hidden -fno-semantic-interposition)

# Subscripts of the standard containers are checked outside release builds.
target_compile_definitions(atto_options INTERFACE $<$<CONFIG:Debug>:_GLIBCXX_ASSERTIONS>)

# GCC 12 reports an overlapping copy inside `"text" + std::string` that cannot happen (GCC bug 105651, fixed in 13).
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  target_compile_options(atto_options INTERFACE -Wno-restrict)
endif()

# GCC collects its garbage from 128 MB on, which takes a tenth of the build time. Few files need half a gigabyte.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  target_compile_options(atto_options INTERFACE --param=ggc-min-heapsize=524288)
endif()

# Not among the options of a target: they stand first on the command line, so that a target may take some back.
if(ATTO_SANITIZE)
  string(APPEND CMAKE_CXX_FLAGS " -fsanitize=${ATTO_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer")
  if(ATTO_SANITIZE STREQUAL "thread" AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    string(APPEND CMAKE_CXX_FLAGS " -Wno-tsan")  # the fences of Boost.Asio, which the sanitizer does not follow
  endif()
  # An index past the end of a std::array or a span inside a larger object is no overrun to a sanitizer.
  string(APPEND CMAKE_CXX_FLAGS " -D_GLIBCXX_ASSERTIONS")
  # What the address sanitizer finds as well, at half of the build time.
  string(APPEND CMAKE_CXX_FLAGS " -fno-sanitize=null,object-size,vptr")
endif()
