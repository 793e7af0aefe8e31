# Files that stand inside the program: atto_embed(target Name file [Name file]...) makes each readable as the bytes from
# kAtto<Name> to kAtto<Name>End. The assembler copies them as they are, in no time; as C++ a megabyte would take seconds.
function(atto_embed target)
  set(code "")
  set(files "")
  while(ARGN)
    list(POP_FRONT ARGN name file)
    if(NOT EXISTS ${file})
      message(FATAL_ERROR "${file} is missing: run `make`, or scripts/build_web.sh before CMake")
    endif()
    list(APPEND files ${file})
    string(APPEND code ".global kAtto${name}, kAtto${name}End\nkAtto${name}:\n.incbin \"${file}\"\nkAtto${name}End:\n")
  endwhile()
  set(assembly ${CMAKE_CURRENT_BINARY_DIR}/${target}_assets.s)
  # The last section tells the linker that none of this asks for an executable stack.
  file(CONFIGURE OUTPUT ${assembly} CONTENT ".section .rodata\n${code}.section .note.GNU-stack,\"\",%progbits\n" @ONLY)
  set_source_files_properties(${assembly} PROPERTIES OBJECT_DEPENDS "${files}")
  target_sources(${target} PRIVATE ${assembly})
endfunction()
