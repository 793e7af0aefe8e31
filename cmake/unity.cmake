# The files of a folder compiled as one: what they all include and instantiate is compiled once, which is most of what a
# file costs. A folder with fewer than `least_unity_files`, counting those below it, goes with the one that it stands in.
# So names in the anonymous namespaces of such a group must differ; a test file that shares one with a neighbour stands in
# a namespace of its own (atto::circle_test). Files with options of their own stay alone. The presets `debug` and `lint`
# compile each file by itself, which shows a missing include.
set(least_unity_files 12)
function(atto_unity target)
  if(NOT ATTO_UNITY)
    return()
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  list(TRANSFORM ARGN REPLACE "^${PROJECT_SOURCE_DIR}/" "" OUTPUT_VARIABLE files)
  foreach(file IN LISTS files)
    cmake_path(GET file PARENT_PATH folder)
    while(folder MATCHES "/.*/")  # not the layer itself
      set(company ${files})
      list(FILTER company INCLUDE REGEX "^${folder}/")
      list(LENGTH company count)
      if(NOT count LESS least_unity_files)
        break()
      endif()
      cmake_path(GET folder PARENT_PATH folder)
    endwhile()
    string(REPLACE / _ group ${folder})
    set_source_files_properties(${PROJECT_SOURCE_DIR}/${file} PROPERTIES UNITY_GROUP ${group})
  endforeach()
endfunction()

# The same for kernels, which Highway compiles once per instruction set: a file includes them and is itself what Highway's
# foreach_target.h includes again; in them that header then does nothing. They name themselves to it, so the name is set
# back after them. Highway and the intrinsics below it take two seconds to read, so the groups are few.
#   atto_unity_kernels(target group files...)
function(atto_unity_kernels target group)
  if(NOT ATTO_UNITY)
    return()
  endif()
  set(made ${CMAKE_CURRENT_BINARY_DIR}/${target}_unity)
  target_include_directories(${target} PRIVATE ${made})
  foreach(source IN LISTS ARGN)
    cmake_path(RELATIVE_PATH source BASE_DIRECTORY ${PROJECT_SOURCE_DIR}/src OUTPUT_VARIABLE file)
    string(APPEND includes "#include \"${file}\"\n")
    set_source_files_properties(${source} PROPERTIES HEADER_FILE_ONLY ON)
  endforeach()
  set(name "#undef HWY_TARGET_INCLUDE\n#define HWY_TARGET_INCLUDE \"${group}.cpp\"\n")
  file(CONFIGURE OUTPUT ${made}/${group}.cpp CONTENT "${name}#include <hwy/foreach_target.h>\n${includes}${name}" @ONLY)
  target_sources(${target} PRIVATE ${made}/${group}.cpp)
endfunction()
