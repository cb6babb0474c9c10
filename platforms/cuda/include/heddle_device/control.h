// SPDX-License-Identifier: Apache-2.0
// Clocks, traps, counters and the lane number.
#pragma once

#include <time.h>

#include "macros.h"

HEDDLE_DEVICE clock_t clock() { return __nvvm_read_ptx_sreg_clock(); }
HEDDLE_DEVICE long long clock64() { return __nvvm_read_ptx_sreg_clock64(); }
HEDDLE_DEVICE void __nanosleep(unsigned int nanoseconds) { asm volatile("nanosleep.u32 %0;" ::"r"(nanoseconds)); }
HEDDLE_DEVICE void __trap() { asm volatile("trap;"); }
HEDDLE_DEVICE void __brkpt(int = 0) { asm volatile("brkpt;"); }
#define __prof_trigger(event) asm volatile("pmevent %0;" ::"n"(event))
#define __assume(condition) __builtin_assume(condition)
