# Headers that most files of a target include, parsed once. Targets that name the same group share the result, so they must
# be compiled with the same options. Not with ccache, which cannot see through a precompiled header.
function(atto_precompile target group)
  if(CMAKE_CXX_COMPILER_LAUNCHER)
    return()
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
