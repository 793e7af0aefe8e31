# The files of a folder compiled as one: what they all include and instantiate is compiled once, which is most of what a
# file costs. So names in the anonymous namespaces of a folder must differ; a test file that shares one with a neighbour
# stands in a namespace of its own (atto::circle_test). Files with options of their own stay alone. The presets `debug`
# and `lint` compile each file by itself, which shows a missing include.
function(atto_unity target)
  if(NOT ATTO_UNITY)
    return()
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  foreach(source IN LISTS ARGN)
    cmake_path(RELATIVE_PATH source BASE_DIRECTORY ${PROJECT_SOURCE_DIR} OUTPUT_VARIABLE folder)
    cmake_path(GET folder PARENT_PATH folder)
    string(REPLACE / _ folder ${folder})
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${folder})
  endforeach()
endfunction()
