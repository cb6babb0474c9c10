// SPDX-License-Identifier: Apache-2.0
// System calls of kernels: printf, assert, malloc, free. They remain calls in the PTX (vprintf, __assertfail, malloc,
// free), as with CUDA's compiler, and the model implements them. memcpy and memset become loops.
#pragma once

#include <assert.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "macros.h"

extern "C" {
__device__ int vprintf(const char* format, const char* arguments);
__device__ int printf(const char* format, ...);
__device__ void* malloc(size_t bytes) __attribute__((malloc, nothrow));
__device__ void free(void* pointer) __attribute__((nothrow));
__device__ void __assertfail(const char* message, const char* file, unsigned int line, const char* function,
                             size_t char_size) __attribute__((noreturn));

// Called by glibc's assert().
__device__ static inline void __assert_fail(const char* message, const char* file, unsigned int line,
                                            const char* function) {
  __assertfail(message, file, line, function, sizeof(char));
}
}

HEDDLE_DEVICE void* memcpy(void* to, const void* from, size_t bytes) { return __builtin_memcpy(to, from, bytes); }
HEDDLE_DEVICE void* memmove(void* to, const void* from, size_t bytes) { return __builtin_memmove(to, from, bytes); }
HEDDLE_DEVICE void* memset(void* to, int value, size_t bytes) { return __builtin_memset(to, value, bytes); }
HEDDLE_DEVICE void abort() {
  asm volatile("trap;");
  __builtin_unreachable();
}
