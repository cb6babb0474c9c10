# SPDX-License-Identifier: Apache-2.0
# Script: Verilates one module into FOLDER and writes all.cpp, which includes all generated files.
file(REMOVE_RECURSE ${FOLDER})
file(MAKE_DIRECTORY ${FOLDER})
execute_process(COMMAND ${VERILATOR} ${FLAGS} ${SOURCE} RESULT_VARIABLE status)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "Verilator failed on ${SOURCE}")
endif()
file(GLOB parts RELATIVE ${FOLDER} ${FOLDER}/*.cpp)
list(SORT parts)
list(TRANSFORM parts REPLACE "(.+)" "#include \"\\1\"\n")
list(JOIN parts "" text)
file(WRITE ${FOLDER}/all.cpp "${text}")
