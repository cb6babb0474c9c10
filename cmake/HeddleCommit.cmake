# SPDX-License-Identifier: Apache-2.0
# The commit of the sources, for `heddle --version` and for the driver, which compares a prebuilt program with its clone.
# In a build: target heddle_commit, which looks again in each build. As a script: writes the two files if they change.
if(CMAKE_SCRIPT_MODE_FILE)
  execute_process(COMMAND ${source}/tools/source_commit.sh OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE)
  file(CONFIGURE OUTPUT ${build}/commit/source_commit.h CONTENT "#define HEDDLE_COMMIT \"${commit}\"\n")
  file(CONFIGURE OUTPUT ${build}/commit/commit CONTENT "${commit}\n")
  return()
endif()

add_custom_target(heddle_commit
  COMMAND ${CMAKE_COMMAND} -Dsource=${CMAKE_SOURCE_DIR} -Dbuild=${CMAKE_BINARY_DIR} -P ${CMAKE_CURRENT_LIST_FILE}
  BYPRODUCTS ${CMAKE_BINARY_DIR}/commit/source_commit.h ${CMAKE_BINARY_DIR}/commit/commit
  COMMENT "Commit of the sources")
install(FILES ${CMAKE_BINARY_DIR}/commit/commit DESTINATION share/heddle)
