# Everything comes from Debian; `make setup` installs it (scripts/packages.txt lists it).
find_package(Threads REQUIRED)
find_package(Eigen3 REQUIRED NO_MODULE)
find_package(SQLiteCpp REQUIRED)
find_package(ZLIB REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(HWY REQUIRED IMPORTED_TARGET libhwy)

# Headers of others are system headers, so our warnings do not apply to them.
add_library(atto_headers INTERFACE)
get_target_property(eigen_include Eigen3::Eigen INTERFACE_INCLUDE_DIRECTORIES)
target_include_directories(atto_headers SYSTEM INTERFACE ${eigen_include})
target_compile_definitions(atto_headers INTERFACE EIGEN_MPL2_ONLY EIGEN_DONT_PARALLELIZE)

# Kernels are compiled for AVX-512, AVX2 and SSE4 and chosen at run time; SSSE3 would only cost build time. On ARM they are
# compiled for NEON: the scalable sets have no width that the compiler knows, and the kernels count their registers.
add_library(atto_highway INTERFACE)
target_link_libraries(atto_highway INTERFACE PkgConfig::HWY)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "aarch64|arm64")
  target_compile_definitions(atto_highway INTERFACE HWY_DISABLED_TARGETS=HWY_SVE|HWY_SVE2|HWY_SVE_256|HWY_SVE2_128)
else()
  target_compile_definitions(atto_highway INTERFACE HWY_DISABLED_TARGETS=HWY_SSSE3)
endif()
if(ATTO_SANITIZE)
  target_compile_definitions(atto_highway INTERFACE HWY_COMPILE_ONLY_STATIC)
endif()

# The parser is taken compiled: as a header alone it would cost seconds in every file that includes it.
add_library(atto_toml INTERFACE)
target_link_libraries(atto_toml INTERFACE tomlplusplus)
target_compile_definitions(atto_toml INTERFACE TOML_HEADER_ONLY=0 TOML_SHARED_LIB=1)

add_library(atto_sqlite INTERFACE)
target_link_libraries(atto_sqlite INTERFACE SQLiteCpp sqlite3 Threads::Threads)

add_library(atto_hash INTERFACE)
target_link_libraries(atto_hash INTERFACE xxhash)

# Philox is plain arithmetic. Unless told otherwise Random123 includes every intrinsic of the processor for its neighbours,
# 80,000 lines in each file that draws a number.
target_compile_definitions(atto_options INTERFACE R123_USE_SSE=0 R123_USE_SSE4_1=0 R123_USE_SSE4_2=0 R123_USE_AES_NI=0
                           R123_USE_X86INTRIN_H=0)
