# What was compiled before, here or in another folder, is not compiled again where ccache is installed. Nothing needs it.
# Paths count relative to the build folder, so that two checkouts share what they have in common.
if(NOT CMAKE_CXX_COMPILER_LAUNCHER)
  find_program(ATTO_CCACHE ccache)
  if(ATTO_CCACHE)
    # With these ccache sees through precompiled headers (its manual, "Precompiled headers").
    set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env
        CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime CCACHE_BASEDIR=${PROJECT_SOURCE_DIR}
        CCACHE_NOHASHDIR=true ${ATTO_CCACHE})
  endif()
endif()
