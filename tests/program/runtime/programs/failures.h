// SPDX-License-Identifier: Apache-2.0
// Failure counting shared by all test programs: each failure prints a line, and their number is the exit status.
#pragma once

#include <cstdio>

static int failures = 0;

#define EXPECT(condition)                                                       \
  do {                                                                          \
    if (!(condition)) {                                                         \
      ++failures;                                                               \
      std::printf("%s:%d: %s does not hold\n", __FILE__, __LINE__, #condition); \
    }                                                                           \
  } while (0)

/// Expects a call to return `code`; `name_of` converts codes to text.
#define EXPECT_RESULT(call, code, name_of)                                                         \
  do {                                                                                             \
    const auto got = (call);                                                                       \
    if (got != (code)) {                                                                           \
      ++failures;                                                                                  \
      std::printf("%s:%d: %s gives %s, not %s\n", __FILE__, __LINE__, #call, name_of(got), #code); \
    }                                                                                              \
  } while (0)

static int finish() {
  std::printf(failures == 0 ? "PASS\n" : "%d failures\n", failures);
  return failures == 0 ? 0 : 1;
}
