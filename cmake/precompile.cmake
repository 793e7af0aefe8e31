# Headers that most files of a target include, parsed once. Targets that name the same group share the result, so they must
# be compiled with the same options.
function(atto_precompile target group)
  if(CMAKE_CXX_COMPILER_LAUNCHER AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(${target} PRIVATE -fpch-preprocess)  # or ccache cannot see through a precompiled header
  endif()
  # GCC then warns of overruns inside std::string that cannot happen; the address sanitizer looks for real ones.
  target_compile_options(${target} PRIVATE -Wno-array-bounds -Wno-stringop-overflow -Wno-stringop-overread)
  get_property(first GLOBAL PROPERTY atto_precompiled_${group})
  if(first)
    target_precompile_headers(${target} REUSE_FROM ${first})
  else()
    target_precompile_headers(${target} PRIVATE ${ARGN})
    set_property(GLOBAL PROPERTY atto_precompiled_${group} ${target})
  endif()
endfunction()
