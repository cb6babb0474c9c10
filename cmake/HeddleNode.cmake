# SPDX-License-Identifier: Apache-2.0
# npm packages from a lock file. When included, it finds node and npm and defines heddle_npm_packages(); when run as a
# script (-P), it installs.

if(CMAKE_SCRIPT_MODE_FILE)
  file(MAKE_DIRECTORY ${packages})
  file(COPY ${folder}/package.json ${folder}/package-lock.json ${folder}/.npmrc DESTINATION ${packages})
  execute_process(COMMAND ${npm} ci --ignore-scripts --prefer-offline --no-audit --no-fund --loglevel=error
    WORKING_DIRECTORY ${packages} RESULT_VARIABLE status)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "npm could not install the packages in ${folder}/package-lock.json; it needs its registry once. "
      "Heddle is built without the page of `heddle report` with -DHEDDLE_REPORT_PAGE=OFF")
  endif()
  file(TOUCH ${packages}/installed)
  return()
endif()

find_program(HEDDLE_NODE node)
find_program(HEDDLE_NPM npm)
if(HEDDLE_REPORT_PAGE AND NOT (HEDDLE_NODE AND HEDDLE_NPM))
  message(STATUS "node and npm were not found: the page of heddle report is not built")
  set(HEDDLE_REPORT_PAGE OFF)
endif()

set(HEDDLE_NODE_SCRIPT ${CMAKE_CURRENT_LIST_FILE})

# heddle_npm_packages(<folder> <variable>): a command that installs the packages in the folder's package-lock.json into a
# folder of the build tree, which <variable> receives; dependents depend on its file `installed`. It reruns only when the
# lock file changes, and needs no network if npm's cache holds the packages.
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
