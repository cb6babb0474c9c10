# SPDX-License-Identifier: Apache-2.0
# Packages of npm, as a lock file names them. Included, it finds node and npm and defines heddle_npm_packages(); run as a script
# (-P), it installs.

if(CMAKE_SCRIPT_MODE_FILE)
  file(MAKE_DIRECTORY ${packages})
  file(COPY ${folder}/package.json ${folder}/package-lock.json ${folder}/.npmrc DESTINATION ${packages})
  execute_process(COMMAND ${npm} ci --ignore-scripts --prefer-offline --no-audit --no-fund --loglevel=error
    WORKING_DIRECTORY ${packages} RESULT_VARIABLE status)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "npm could not install what ${folder}/package-lock.json names; it needs its registry once. "
      "Heddle is built without the page of `heddle report` with -DHEDDLE_REPORT_PAGE=OFF")
  endif()
  file(TOUCH ${packages}/installed)
  return()
endif()

find_program(HEDDLE_NODE node)
find_program(HEDDLE_NPM npm)
if(HEDDLE_REPORT_PAGE AND NOT (HEDDLE_NODE AND HEDDLE_NPM))
  message(STATUS "node and npm are not there: the page of heddle report is not built")
  set(HEDDLE_REPORT_PAGE OFF)
endif()

set(HEDDLE_NODE_SCRIPT ${CMAKE_CURRENT_LIST_FILE})

# heddle_npm_packages(<folder> <variable>): a command that installs what package-lock.json of the folder names into a folder of
# the build tree, which <variable> is set to; its file `installed` is what others depend on. It runs anew only when the lock file
# changes, and without a network where npm's cache holds the packages.
function(heddle_npm_packages folder variable)
  file(RELATIVE_PATH name ${CMAKE_SOURCE_DIR} ${folder})
  set(packages ${CMAKE_BINARY_DIR}/npm/${name})
  add_custom_command(
    OUTPUT ${packages}/installed
    COMMAND ${CMAKE_COMMAND} -Dnpm=${HEDDLE_NPM} -Dfolder=${folder} -Dpackages=${packages} -P ${HEDDLE_NODE_SCRIPT}
    DEPENDS ${folder}/package-lock.json ${folder}/.npmrc
    COMMENT "npm ci ${name}"
    VERBATIM)
  set(${variable} ${packages} PARENT_SCOPE)
endfunction()
