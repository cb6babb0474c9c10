# SPDX-License-Identifier: Apache-2.0
# SystemVerilog blocks as C++ classes, if Verilator is installed (HEDDLE_RTL).
option(HEDDLE_WITH_RTL "Build the RTL blocks if Verilator is found" ON)
find_program(HEDDLE_VERILATOR verilator)
set(HEDDLE_RTL OFF)
if(HEDDLE_WITH_RTL AND HEDDLE_VERILATOR)
  execute_process(COMMAND ${HEDDLE_VERILATOR} --getenv VERILATOR_ROOT OUTPUT_VARIABLE verilator_root OUTPUT_STRIP_TRAILING_WHITESPACE)
  find_path(HEDDLE_VERILATED verilated.h PATHS ${verilator_root}/include /usr/share/verilator/include /usr/local/share/verilator/include
    NO_DEFAULT_PATH)
  if(HEDDLE_VERILATED)
    set(HEDDLE_RTL ON)
  endif()
endif()
if(NOT HEDDLE_RTL)
  message(STATUS "Verilator was not found: sm.blocks can only be 'model', and the tests of rtl/ are omitted")
  return()
endif()
set(HEDDLE_RTL_SOURCES ${CMAKE_SOURCE_DIR}/rtl)

# Code that is not ours: no warnings. Checks of undefined behaviour double the time to compile it.
function(heddle_foreign_code target)
  target_compile_options(${target} PRIVATE -w)
  if(CMAKE_CXX_FLAGS MATCHES "-fsanitize=[a-z,]*undefined")
    target_compile_options(${target} PRIVATE -fno-sanitize=undefined)
  endif()
endfunction()

# heddle_verilated_runtime(<target> 0|1): Verilator's own C++ code, with or without coverage. Static archives suffice: nothing
# in them registers itself, and heddle_rtl links them.
function(heddle_verilated_runtime target coverage)
  set(sources ${HEDDLE_VERILATED}/verilated.cpp ${HEDDLE_VERILATED}/verilated_threads.cpp)
  if(coverage)
    list(APPEND sources ${HEDDLE_VERILATED}/verilated_cov.cpp)
  endif()
  add_library(${target} STATIC EXCLUDE_FROM_ALL ${sources})
  target_include_directories(${target} SYSTEM PUBLIC ${HEDDLE_VERILATED} ${HEDDLE_VERILATED}/vltstd)
  target_compile_definitions(${target} PUBLIC VL_TIME_CONTEXT VM_COVERAGE=${coverage} VM_SC=0 VM_TRACE=0)
  heddle_foreign_code(${target})
  # clang calls a function of libatomic where g++ knows the answer.
  target_link_libraries(${target} PUBLIC Threads::Threads $<$<CXX_COMPILER_ID:Clang>:atomic>)
endfunction()
heddle_verilated_runtime(heddle_verilated 0)
heddle_verilated_runtime(heddle_covered 1)

# Verilator's header takes longer to parse than most blocks: once for all blocks of a kind.
foreach(kind verilated covered)
  set(source ${CMAKE_BINARY_DIR}/heddle_precompiled_${kind}.cpp)
  if(NOT EXISTS ${source})
    file(WRITE ${source} "")
  endif()
  add_library(heddle_precompiled_${kind} OBJECT EXCLUDE_FROM_ALL ${source})
  heddle_foreign_code(heddle_precompiled_${kind})
  target_link_libraries(heddle_precompiled_${kind} PRIVATE heddle_${kind})
  target_precompile_headers(heddle_precompiled_${kind} PRIVATE <verilated.h>)
endforeach()

# heddle_includes_verilated(<target> <precompiled>): sources that include classes of Verilator, some of them SystemC as well.
# Verilator's header wants more of SystemC where that was included before it, so it comes first, in a batch too.
function(heddle_includes_verilated target precompiled)
  set_target_properties(${target} PROPERTIES PRECOMPILE_HEADERS_REUSE_FROM ${precompiled}
    UNITY_BUILD_CODE_BEFORE_INCLUDE "#include <verilated.h>")
endfunction()

# heddle_verilate(<class> SOURCE file.sv [PARAMETERS NAME=VALUE...] [COVERAGE]): archive verilated_<class> with the C++ class
# of that name, declared in "<class>.h"; with COVERAGE, archive covered_<class>, whose class of the same name records
# coverage. Submodules are searched for in rtl/.
function(heddle_verilate class)
  cmake_parse_arguments(RTL "COVERAGE" "SOURCE" "PARAMETERS" ${ARGN})
  set(kind verilated)
  if(RTL_COVERAGE)
    set(kind covered)
  endif()
  set(folder ${CMAKE_BINARY_DIR}/${kind}/${class})
  list(TRANSFORM RTL_PARAMETERS PREPEND -G)
  set(flags --cc -O3 --x-assign fast --x-initial fast --noassert -Wall --prefix ${class} ${RTL_PARAMETERS}
    -y ${HEDDLE_RTL_SOURCES})
  if(RTL_COVERAGE)
    list(APPEND flags --coverage --coverage-max-width 4096)
  endif()
  file(GLOB modules CONFIGURE_DEPENDS ${HEDDLE_RTL_SOURCES}/*.sv)
  add_custom_command(OUTPUT ${folder}/all.cpp ${folder}/${class}.h
    COMMAND ${CMAKE_COMMAND} "-DVERILATOR=${HEDDLE_VERILATOR}" "-DFLAGS=${flags}" -DSOURCE=${RTL_SOURCE} -DFOLDER=${folder}
      -P ${CMAKE_SOURCE_DIR}/cmake/Verilate.cmake
    DEPENDS ${RTL_SOURCE} ${modules} ${CMAKE_SOURCE_DIR}/cmake/Verilate.cmake
    COMMENT "Verilating ${class}" VERBATIM)
  add_library(${kind}_${class} STATIC EXCLUDE_FROM_ALL ${folder}/all.cpp)
  heddle_foreign_code(${kind}_${class})
  if(RTL_COVERAGE)
    # One counter per bit: optimising this code takes longer than running it.
    target_compile_options(${kind}_${class} PRIVATE -O0)
  endif()
  target_include_directories(${kind}_${class} SYSTEM PUBLIC ${folder})
  target_link_libraries(${kind}_${class} PUBLIC heddle_${kind})
  target_precompile_headers(${kind}_${class} REUSE_FROM heddle_precompiled_${kind})
  # Targets that include the header depend on its generation.
  add_custom_target(${kind}_header_${class} DEPENDS ${folder}/${class}.h)
  add_dependencies(${kind}_${class} ${kind}_header_${class})
endfunction()
