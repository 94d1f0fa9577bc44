# girih_room(NAME SOURCES a.cpp ... LINKS other rooms or libraries ... [EXCEPTIONS])
# One static library per room (docs/architecture.md, "Rooms"); include paths
# are rooted at the repository, so an include line names the room it enters.
function(girih_room name)
  cmake_parse_arguments(ROOM "EXCEPTIONS" "" "SOURCES;LINKS;DEPENDS" ${ARGN})
  add_library(girih_${name} STATIC ${ROOM_SOURCES})
  target_include_directories(girih_${name} PUBLIC ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR})
  target_link_libraries(girih_${name} PUBLIC ${ROOM_LINKS})
  if(ROOM_DEPENDS)
    add_dependencies(girih_${name} ${ROOM_DEPENDS})
  endif()
endfunction()

# girih_unit_test(NAME SOURCES ... LINKS ... [LABEL gpu]): a Catch2 binary and
# one ctest entry. Catch's main is shared by all of them.
function(girih_unit_test name)
  cmake_parse_arguments(UNIT "" "LABEL" "SOURCES;LINKS" ${ARGN})
  add_executable(unit_${name} ${UNIT_SOURCES})
  target_link_libraries(unit_${name} PRIVATE girih_catch_main ${UNIT_LINKS})
  add_test(NAME unit/${name} COMMAND unit_${name})
  set_tests_properties(unit/${name} PROPERTIES LABELS "unit;${UNIT_LABEL}")
endfunction()
