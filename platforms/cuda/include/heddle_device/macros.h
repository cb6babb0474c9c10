// SPDX-License-Identifier: Apache-2.0
// Declaration macros of the device headers.
#pragma once

#include "../host_defines.h"

#define HEDDLE_DEVICE static inline __attribute__((always_inline, device))
#define HEDDLE_BOTH static inline __attribute__((always_inline, host, device))
// Compiler barrier: completes earlier stores and forces later re-reads of memory that other threads may write. Emits
// nothing.
#define HEDDLE_COMPILER_BARRIER() asm volatile("" ::: "memory")
