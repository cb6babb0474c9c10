// SPDX-License-Identifier: Apache-2.0
// Checks of the test programs: every failure is a line, the number of failures is the exit status.
#pragma once

#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

static int failures = 0;

#define EXPECT(condition)                                                       \
  do {                                                                          \
    if (!(condition)) {                                                         \
      ++failures;                                                               \
      std::printf("%s:%d: %s does not hold\n", __FILE__, __LINE__, #condition); \
    }                                                                           \
  } while (0)

#define EXPECT_CODE(call, code)                                                                             \
  do {                                                                                                      \
    const cudaError_t got = (call);                                                                         \
    if (got != (code)) {                                                                                    \
      ++failures;                                                                                           \
      std::printf("%s:%d: %s gives %s, not %s\n", __FILE__, __LINE__, #call, cudaGetErrorName(got), #code); \
    }                                                                                                       \
  } while (0)

#define OK(call) EXPECT_CODE(call, cudaSuccess)

static int finish() {
  std::printf(failures == 0 ? "PASS\n" : "%d failures\n", failures);
  return failures == 0 ? 0 : 1;
}
