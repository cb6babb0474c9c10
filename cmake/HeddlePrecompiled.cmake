# SPDX-License-Identifier: Apache-2.0
# Precompiled headers: the standard library and the libraries that most files include, parsed once for all targets of like
# options. Only headers of others, so that no change of ours invalidates them. Every file includes what it uses nevertheless:
# `heddle tidy` and projects that use the package build without them (CMAKE_DISABLE_PRECOMPILE_HEADERS).

set(HEDDLE_STANDARD_HEADERS <algorithm> <array> <bit> <cstddef> <cstdint> <cstring> <filesystem> <fstream> <functional> <limits> <map>
  <memory> <optional> <set> <span> <sstream> <string> <string_view> <unordered_map> <utility> <variant> <vector> <fmt/format.h>)

# g++ forgets what a precompiled header says about warnings: libstdc++ turns these off for its strings.
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND NOT CMAKE_DISABLE_PRECOMPILE_HEADERS)
  target_compile_options(heddle_options INTERFACE -Wno-array-bounds -Wno-stringop-overflow -Wno-stringop-overread)
endif()

# Every file that uses a precompiled header instantiates the templates that the inline functions in it need. Headers that only a
# few files use are therefore left out (nlohmann/json.hpp would cost 0.35 s per file).
#
# heddle_precompile(<name> HEADERS header... [LIBRARIES lib...]): target <name>, for target_precompile_headers(... REUSE_FROM <name>).
function(heddle_precompile name)
  cmake_parse_arguments(PRECOMPILE "" "" "HEADERS;LIBRARIES" ${ARGN})
  set(source ${CMAKE_BINARY_DIR}/${name}.cpp)
  if(NOT EXISTS ${source})
    file(WRITE ${source} "")
  endif()
  add_library(${name} OBJECT ${source})
  target_link_libraries(${name} PRIVATE heddle_options fmt::fmt ${PRECOMPILE_LIBRARIES})
  target_precompile_headers(${name} PRIVATE ${HEDDLE_STANDARD_HEADERS} ${PRECOMPILE_HEADERS})
endfunction()

heddle_precompile(heddle_precompiled)
heddle_precompile(heddle_precompiled_systemc HEADERS <systemc> <tlm> LIBRARIES PkgConfig::SYSTEMC)

# heddle_command_code(<target>): code that runs once a command. Its precompiled headers are compiled likewise: from version 13 on,
# g++ takes a header only at the level of optimisation at which it was compiled.
function(heddle_command_code target)
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>)
endfunction()
heddle_precompile(heddle_precompiled_command)
heddle_precompile(heddle_precompiled_command_systemc HEADERS <systemc> <tlm> LIBRARIES PkgConfig::SYSTEMC)
heddle_command_code(heddle_precompiled_command)
heddle_command_code(heddle_precompiled_command_systemc)

# heddle_test_code(<target> [<precompiled>]): code of tests, which takes longer to optimise than to run. The code under test is
# optimised as usual. The same holds for checks of undefined behaviour, which double the time to compile a file.
function(heddle_test_code target)
  target_compile_options(${target} PRIVATE $<$<NOT:$<CONFIG:Debug>>:-O0>)
  if(CMAKE_CXX_FLAGS MATCHES "-fsanitize=[a-z,]*undefined")
    target_compile_options(${target} PRIVATE -fno-sanitize=undefined)
  endif()
  if(ARGC GREATER 1)
    # A precompiled header fits only code compiled with the same setting; CMake's default differs between library and executable.
    set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
    target_precompile_headers(${target} REUSE_FROM ${ARGV1})
  endif()
endfunction()

# heddle_no_precompiled_headers_with_clang(<target>): for targets with options of floating point, which clang wants to be those
# of the header.
function(heddle_no_precompiled_headers_with_clang target)
  if(CMAKE_CXX_COMPILER_ID MATCHES Clang)
    set_target_properties(${target} PROPERTIES DISABLE_PRECOMPILE_HEADERS ON)
  endif()
endfunction()

if(HEDDLE_TESTS)
  find_package(GTest REQUIRED)
  heddle_precompile(heddle_precompiled_test HEADERS <gmock/gmock.h> <gtest/gtest.h> LIBRARIES GTest::gtest GTest::gmock)
  heddle_precompile(heddle_precompiled_test_systemc HEADERS <gmock/gmock.h> <gtest/gtest.h> <systemc> <tlm>
    LIBRARIES GTest::gtest GTest::gmock PkgConfig::SYSTEMC)
  foreach(target heddle_precompiled_test heddle_precompiled_test_systemc)
    heddle_test_code(${target})
    set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
  endforeach()
endif()
