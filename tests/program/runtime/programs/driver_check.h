// SPDX-License-Identifier: Apache-2.0
// Checks of programs that use the driver API alone.
#pragma once

#include <cuda.h>

#include <cstdio>

static int failures = 0;

#define EXPECT(condition)                                                       \
  do {                                                                          \
    if (!(condition)) {                                                         \
      ++failures;                                                               \
      std::printf("%s:%d: %s does not hold\n", __FILE__, __LINE__, #condition); \
    }                                                                           \
  } while (0)

#define EXPECT_CODE(call, code)                                                                         \
  do {                                                                                                  \
    const CUresult result_of_call = (call);                                                             \
    if (result_of_call != (code)) {                                                                     \
      ++failures;                                                                                       \
      const char* name = nullptr;                                                                       \
      cuGetErrorName(result_of_call, &name);                                                            \
      std::printf("%s:%d: %s gives %s, not %s\n", __FILE__, __LINE__, #call, name ? name : "?", #code); \
    }                                                                                                   \
  } while (0)

#define OK(call) EXPECT_CODE(call, CUDA_SUCCESS)

static int finish() {
  std::printf(failures == 0 ? "PASS\n" : "%d failures\n", failures);
  return failures == 0 ? 0 : 1;
}
