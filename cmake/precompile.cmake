# Headers that many files include, parsed once per group of targets. A group has a library of its own, which compiles
# nothing else, so that no target has to wait for another. GCC takes a precompiled header only where it would have made the
# same one: the targets of a group are all optimized, or none is (it warns, and warnings are errors).
#   atto_header_group(group library options... HEADERS headers...)    what they need to be found, and how they are compiled
#   atto_precompile(target group)
function(atto_header_group group library)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "" HEADERS)
  add_library(headers_${group} OBJECT EXCLUDE_FROM_ALL ${PROJECT_SOURCE_DIR}/cmake/headers.cpp)
  target_link_libraries(headers_${group} PRIVATE ${library})
  target_compile_options(headers_${group} PRIVATE ${arg_UNPARSED_ARGUMENTS})
  target_precompile_headers(headers_${group} PRIVATE ${arg_HEADERS})
  atto_precompile_options(headers_${group})
endfunction()

function(atto_precompile target group)
  target_precompile_headers(${target} REUSE_FROM headers_${group})
  atto_precompile_options(${target})
endfunction()

function(atto_precompile_options target)
  if(CMAKE_CXX_COMPILER_LAUNCHER AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(${target} PRIVATE -fpch-preprocess)  # or ccache cannot see through a precompiled header
  endif()
  # GCC then warns of overruns inside std::string that cannot happen; the address sanitizer looks for real ones.
  target_compile_options(${target} PRIVATE -Wno-array-bounds -Wno-stringop-overflow -Wno-stringop-overread)
endfunction()
