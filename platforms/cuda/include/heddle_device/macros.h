// SPDX-License-Identifier: Apache-2.0
// How the device headers declare their functions.
#pragma once

#include "../host_defines.h"

#define HEDDLE_DEVICE static inline __attribute__((always_inline, device))
#define HEDDLE_BOTH static inline __attribute__((always_inline, host, device))
// Memory that other threads may write is read again behind this, and what was written is stored before it. Emits
// nothing.
#define HEDDLE_COMPILER_BARRIER() asm volatile("" ::: "memory")
