# The engine's own tests, for Node (tests/wasm/tests_test.mjs runs them). A test file of a layer that the engine has is among
# them unless it needs what a page has not: files, threads, the store, or rapidcheck, of which Debian has no sources. So a new
# test file needs no entry here.
set(needs_more "rapidcheck|<filesystem>|<fstream>|<thread>|\"places\\.h\"|\"lab/store/|number_files\\.h|_golden\\.h|counted_new\\.h")

# Tests of what the engine leaves out (stores, sweeps and clusters, figures, calibration), of threads, and of the instruction
# sets that a processor is asked for.
set(untested "/tests/lab/(store|figures|explore|cluster|sweep)/|/results/(calibration|claim_status|verdict_text)_test|/kernels/(target|simd_math)_test"
    "|/base/machine_test|/spec/ensemble_test|/determinism_test")
string(JOIN "" untested ${untested})

set(googletest /usr/src/googletest/googletest)
if(NOT EXISTS ${googletest}/src/gtest-all.cc)
  return()
endif()

set(least_unity_files 1)  # as in the program's tests
add_library(engine_googletest OBJECT EXCLUDE_FROM_ALL ${googletest}/src/gtest-all.cc ${PROJECT_SOURCE_DIR}/tests/wasm/units.cpp)
list(APPEND test_targets engine_googletest)
set(level_engine_googletest -O0)
foreach(layer base kernels math data network training theory spec observe phenomena lab live)
  file(GLOB_RECURSE found CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/${layer}/*_test.cpp)
  list(FILTER found EXCLUDE REGEX "${untested}")
  set(units "")
  foreach(source IN LISTS found)
    file(STRINGS ${source} needed REGEX "^#include.*(${needs_more})" LIMIT_COUNT 1)
    if(NOT needed)
      list(APPEND units ${source})
    endif()
  endforeach()
  add_library(units_${layer} OBJECT EXCLUDE_FROM_ALL ${units})
  atto_unity(units_${layer} ${units})
  # Tests are compiled more often than they are run, so they are optimized little, and not at all where they compute nothing
  # themselves (as in tests/CMakeLists.txt); what they call is the engine's.
  set(level_units_${layer} -O1)
  if(layer MATCHES "^(base|spec|observe|phenomena|lab|live)$")
    set(level_units_${layer} -O0)
  endif()
  list(APPEND test_targets units_${layer})
endforeach()

foreach(target IN LISTS test_targets)
  engine_options(${target} ${level_${target}})
  target_compile_definitions(${target} PRIVATE EIGEN_DEFAULT_DENSE_INDEX_TYPE=int64_t GTEST_HAS_PTHREAD=0 GTEST_HAS_DEATH_TEST=0
                             GTEST_HAS_STREAM_REDIRECTION=0 GTEST_HAS_FILE_SYSTEM=0)
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/tests)
  target_include_directories(${target} SYSTEM BEFORE PRIVATE ${PROJECT_SOURCE_DIR}/tests/wasm/include)
  target_include_directories(${target} SYSTEM PRIVATE ${googletest}/include ${googletest})
  list(APPEND test_objects $<TARGET_OBJECTS:${target}>)
endforeach()

# Most of the time would go into reading the same headers, so they are read once for each level.
foreach(level O0 O1)
  set(first "")
  foreach(target IN LISTS test_targets)
    if(target STREQUAL "engine_googletest" OR NOT level_${target} STREQUAL "-${level}")
      continue()
    endif()
    if(first)
      target_precompile_headers(${target} REUSE_FROM ${first})
    else()
      target_precompile_headers(${target} PRIVATE <gtest/gtest.h> <base/json_library.h>)
      set(first ${target})
    endif()
  endforeach()
endforeach()

# With the kernels of either engine.
function(add_units name kernels)
  add_executable(${name} EXCLUDE_FROM_ALL host.cpp machine.cpp absent.cpp ${shared_objects} $<TARGET_OBJECTS:${kernels}>
                 ${test_objects})
  engine_options(${name} -O1 ${ARGN})
  link_engine(${name})
endfunction()
add_units(units engine_kernels)
add_units(units-relaxed engine-relaxed_kernels -mrelaxed-simd)
add_custom_target(all_units DEPENDS units units-relaxed)
