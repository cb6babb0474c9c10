# SPDX-License-Identifier: Apache-2.0
# What tests of several folders stand on, whichever folders are built.
add_library(heddle_memory_bench STATIC module/memory/bench.cpp module/memory/cache_fixture.cpp)
target_link_libraries(heddle_memory_bench PUBLIC heddle_options heddle_tb fmt::fmt GTest::gtest)
add_library(heddle_sm_fixture STATIC module/sm/cached_side.cpp module/sm/flat_memory.cpp module/sm/sm_fixture.cpp)
target_include_directories(heddle_sm_fixture PUBLIC ${CMAKE_CURRENT_SOURCE_DIR}/module/sm)
target_link_libraries(heddle_sm_fixture PUBLIC heddle_options heddle_tb fmt::fmt GTest::gtest)
foreach(fixture heddle_memory_bench heddle_sm_fixture)
  heddle_test_code(${fixture} heddle_precompiled_test_systemc)
endforeach()
