# SPDX-License-Identifier: Apache-2.0
# Compile options shared by all targets, and the functions that declare a layer and a test.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()

# ccache cannot tell which macros of a precompiled header a file uses, and caches such files only with these settings.
find_program(HEDDLE_CCACHE ccache)
if(HEDDLE_CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER env CCACHE_SLOPPINESS=pch_defines,time_macros ${HEDDLE_CCACHE})
endif()

# Links in a third of the time that the usual linker takes, which counts for a hundred test programs.
find_program(HEDDLE_LLD ld.lld)
if(HEDDLE_LLD AND CMAKE_CXX_COMPILER_ID MATCHES "GNU|Clang")
  add_link_options(-fuse-ld=lld)
endif()

find_package(PkgConfig REQUIRED)
pkg_check_modules(SYSTEMC REQUIRED IMPORTED_TARGET systemc)
pkg_check_modules(ZSTD REQUIRED IMPORTED_TARGET libzstd)
find_package(ZLIB REQUIRED)
find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(Threads REQUIRED)

add_library(heddle_options INTERFACE)
# Position-independent code without interposition, so that functions of one file may be inlined into each other.
target_compile_options(heddle_options INTERFACE -fno-semantic-interposition)
# An instruction that counts bits, which all 64-bit x86 processors since 2009 have.
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  target_compile_options(heddle_options INTERFACE -mpopcnt)
endif()
target_compile_options(heddle_options INTERFACE -Wall -Wextra -Wshadow -Wnon-virtual-dtor -Wno-missing-field-initializers)
# g++ 12 reports overlapping copies in "literal" + std::string by mistake (GCC bug 105651).
target_compile_options(heddle_options INTERFACE $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>)
if(HEDDLE_WERROR)
  target_compile_options(heddle_options INTERFACE -Werror)
endif()
# g++ collects garbage from 128 MB on, which costs a tenth of the time; no file of ours needs 1 GB.
target_compile_options(heddle_options INTERFACE $<$<CXX_COMPILER_ID:GNU>:--param=ggc-min-heapsize=1048576>)
# The distribution's libsystemc is built as C++17, which its version check must be told.
target_compile_definitions(heddle_options INTERFACE SC_CPLUSPLUS=201703L SC_INCLUDE_DYNAMIC_PROCESSES)
target_include_directories(heddle_options INTERFACE ${CMAKE_SOURCE_DIR}/models)

include(HeddlePrecompiled)

# Sources in batches of one compilation: what they include is parsed once, and templates are instantiated once. Names of a
# layer's anonymous namespaces must therefore differ, as must those of a test program's.
# In large sources g++ inlines less, which would make what runs every cycle 2 % slower; large-unit-insns lifts that limit.
set(HEDDLE_UNITY "ON" CACHE STRING "Sources compiled in batches: ON: all; COLD: tests and code that no cycle runs; OFF: none. Batches take a clean build less time, and a change in one source more")
set_property(CACHE HEDDLE_UNITY PROPERTY STRINGS OFF COLD ON)
# heddle_in_batches(<target> [COLD])
function(heddle_in_batches target)
  cmake_parse_arguments(BATCHES "COLD" "" "" ${ARGN})
  set(batches OFF)
  if(HEDDLE_UNITY STREQUAL ON OR (BATCHES_COLD AND HEDDLE_UNITY STREQUAL COLD))
    set(batches ON)
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ${batches} UNITY_BUILD_BATCH_SIZE 8)
  # g++ takes the anonymous namespace of a batch's source for that of a header.
  if(batches AND CMAKE_CXX_COMPILER_ID STREQUAL GNU)
    target_compile_options(${target} PRIVATE -Wno-subobject-linkage --param=large-unit-insns=1000000)
  endif()
endfunction()

# heddle_layer(<name> SOURCES file... [SYSTEMC] [COLD | COMMAND]): object library heddle_<name>. Object libraries, because a
# linker drops self-registering objects from a static archive. COLD: code that no cycle runs, compiled in batches. COMMAND: code
# that runs once a command, optimised only as far as it compiles fast as well.
function(heddle_layer name)
  cmake_parse_arguments(LAYER "SYSTEMC;COLD;COMMAND" "" "SOURCES" ${ARGN})
  add_library(heddle_${name} OBJECT ${LAYER_SOURCES})
  target_link_libraries(heddle_${name} PUBLIC heddle_options fmt::fmt)
  set(precompiled heddle_precompiled)
  if(LAYER_COLD OR LAYER_COMMAND)
    heddle_in_batches(heddle_${name} COLD)
  else()
    heddle_in_batches(heddle_${name})
  endif()
  if(LAYER_COMMAND)
    heddle_command_code(heddle_${name})
    string(APPEND precompiled _command)
  endif()
  if(LAYER_SYSTEMC)
    target_link_libraries(heddle_${name} PUBLIC PkgConfig::SYSTEMC)
    string(APPEND precompiled _systemc)
  endif()
  target_precompile_headers(heddle_${name} REUSE_FROM ${precompiled})
endfunction()

# Run by `./heddle test --fast`: the unit and module tests.
add_custom_target(fast_tests)

# In tests, every machine checks the protocol between all sockets of its memory side, and its hazard trackers. Expands
# unquoted after ENVIRONMENT to two properties, because a list in one does not survive gtest_discover_tests.
set(HEDDLE_TEST_ENVIRONMENT HEDDLE_CHECK_PROTOCOL=1 ENVIRONMENT_MODIFICATION HEDDLE_CHECK_TRACKERS=set:1)

# heddle_test(<name> LAYER unit|module|program SOURCES file... [LIBRARIES lib...] [PER_CASE | SAMPLE n] [SYSTEMC]): a GoogleTest
# program. PER_CASE runs every case in a separate process: SystemC elaborates once per process, and long cases run beside each
# other. SAMPLE runs every n-th case, different ones for each commit, and as <name>_whole (`long`) all of them.
# SYSTEMC: most sources include SystemC, as all of layer module do.
function(heddle_test name)
  cmake_parse_arguments(TEST "PER_CASE;SYSTEMC" "LAYER;SAMPLE" "SOURCES;LIBRARIES" ${ARGN})
  add_executable(${name} ${TEST_SOURCES})
  heddle_in_batches(${name} COLD)
  target_link_libraries(${name} PRIVATE heddle_options ${TEST_LIBRARIES} GTest::gtest GTest::gmock GTest::gtest_main fmt::fmt Threads::Threads)
  if(TEST_SYSTEMC OR TEST_LAYER STREQUAL module)
    heddle_test_code(${name} heddle_precompiled_test_systemc)
  else()
    heddle_test_code(${name} heddle_precompiled_test)
  endif()
  if(TEST_LAYER MATCHES "^(unit|module)$")
    add_dependencies(fast_tests ${name})
  endif()
  if(TEST_PER_CASE)
    gtest_discover_tests(${name} PROPERTIES LABELS ${TEST_LAYER} TIMEOUT 300 ENVIRONMENT ${HEDDLE_TEST_ENVIRONMENT} DISCOVERY_TIMEOUT 60)
    return()
  endif()
  if(TEST_SAMPLE)
    find_package(Python3 REQUIRED COMPONENTS Interpreter)
    add_test(NAME ${name} COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/tools/gtest_shard.py ${TEST_SAMPLE} $<TARGET_FILE:${name}>)
    add_test(NAME ${name}_whole COMMAND ${name})
    set_tests_properties(${name}_whole PROPERTIES LABELS long TIMEOUT 900 ENVIRONMENT ${HEDDLE_TEST_ENVIRONMENT})
  else()
    add_test(NAME ${name} COMMAND ${name})
  endif()
  set_tests_properties(${name} PROPERTIES LABELS ${TEST_LAYER} TIMEOUT 300 ENVIRONMENT ${HEDDLE_TEST_ENVIRONMENT})
endfunction()
