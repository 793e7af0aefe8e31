# Parts of a network, a training or a study that stand in a folder of their own (docs/adding-parts.md):
#   atto_add_parts(target folder)
# compiles the folder's sources into a program or test, and with them the lists of parts, which then have those of the
# folder's parts.h as well. The linker takes these lists and leaves those in the libraries alone.
function(atto_add_parts target folder)
  get_filename_component(folder ${folder} ABSOLUTE BASE_DIR ${PROJECT_SOURCE_DIR})
  if(NOT EXISTS ${folder}/parts.h)
    message(FATAL_ERROR "${folder} has no parts.h; docs/adding-parts.md says what stands in it")
  endif()
  file(GLOB sources CONFIGURE_DEPENDS ${folder}/*.cpp)
  file(GLOB_RECURSE lists CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/*/registry.cpp)
  target_sources(${target} PRIVATE ${sources} ${lists})
  target_compile_definitions(${target} PRIVATE ATTO_MORE_PARTS="${folder}/parts.h")
endfunction()
