# SPDX-License-Identifier: Apache-2.0
# Packages of npm, as a lock file names them.

# heddle_npm_packages(<folder> <variable>): a command that installs what package-lock.json of the folder names into a folder of
# the build tree, which <variable> is set to; its file `installed` is what others depend on. It runs anew only when the lock file
# changes, and offline where npm's cache holds the packages.
function(heddle_npm_packages folder variable)
  file(RELATIVE_PATH name ${CMAKE_SOURCE_DIR} ${folder})
  set(packages ${CMAKE_BINARY_DIR}/npm/${name})
  add_custom_command(
    OUTPUT ${packages}/installed
    COMMAND ${CMAKE_COMMAND} -E make_directory ${packages}
    COMMAND ${CMAKE_COMMAND} -E copy ${folder}/package.json ${folder}/package-lock.json ${folder}/.npmrc ${packages}
    COMMAND ${HEDDLE_NPM} ci --ignore-scripts --prefer-offline --no-audit --no-fund --loglevel=error --prefix ${packages}
    COMMAND ${CMAKE_COMMAND} -E touch ${packages}/installed
    DEPENDS ${folder}/package-lock.json ${folder}/.npmrc
    COMMENT "npm ci ${name}"
    WORKING_DIRECTORY ${CMAKE_BINARY_DIR}
    VERBATIM)
  set(${variable} ${packages} PARENT_SCOPE)
endfunction()
