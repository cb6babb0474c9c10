# SPDX-License-Identifier: Apache-2.0
# CUDA programs compiled with `heddle cc` of this build.

# The clang that `heddle cc` finds, for tests that call it themselves. The golden counts are those of version 14.
find_program(HEDDLE_CLANG NAMES clang++-14 clang++-19 clang++-18 clang++-17 clang++-16 clang++-15)
string(REGEX MATCH "[0-9]+$" HEDDLE_CLANG_VERSION "${HEDDLE_CLANG}")

# heddle_cuda_programs(<target> FOLDER folder PROGRAMS name... [LIBRARIES name...]): custom target that compiles name.cu (or
# name.cpp) of the source folder into folder/name of the build tree, linked with libraries of the runtime's folder. Not
# part of `all`. Programs are recompiled when a source, a header or the compiler driver changes, but not with every change
# of the model, and relinked when the runtime library changes.
function(heddle_cuda_programs target)
  cmake_parse_arguments(CUDA "" "FOLDER" "PROGRAMS;LIBRARIES" ${ARGN})
  set(folder ${CMAKE_BINARY_DIR}/${CUDA_FOLDER})
  set(heddle_cc $<TARGET_FILE:heddle_cli> cc)
  file(MAKE_DIRECTORY ${folder})
  list(TRANSFORM CUDA_LIBRARIES PREPEND -l OUTPUT_VARIABLE libraries)
  set(programs)
  foreach(name ${CUDA_PROGRAMS})
    set(source ${CMAKE_CURRENT_SOURCE_DIR}/${name}.cu)
    if(NOT EXISTS ${source})
      set(source ${CMAKE_CURRENT_SOURCE_DIR}/${name}.cpp)
    endif()
    set(program ${folder}/${name})
    set(object ${program}.o)
    add_custom_command(
      OUTPUT ${object}
      COMMAND ${heddle_cc} -O2 -lineinfo -MD -MF ${object}.d -MT ${object} -c ${source} -o ${object}
      DEPENDS ${source} $<TARGET_OBJECTS:heddle_cc>
      DEPFILE ${object}.d
      COMMENT "heddle cc ${CUDA_FOLDER}/${name}.o"
      VERBATIM)
    add_custom_command(
      OUTPUT ${program}
      COMMAND ${heddle_cc} ${object} ${libraries} -o ${program}
      DEPENDS ${object} ${CMAKE_BINARY_DIR}/lib/libcudart.so ${CUDA_LIBRARIES}
      COMMENT "heddle cc ${CUDA_FOLDER}/${name}"
      VERBATIM)
    list(APPEND programs ${program})
  endforeach()
  add_custom_target(${target} DEPENDS ${programs})
endfunction()
