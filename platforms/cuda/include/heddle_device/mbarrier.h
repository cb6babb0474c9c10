// SPDX-License-Identifier: Apache-2.0
// mbarrier objects: 8 bytes of shared memory that count the arrivals of successive phases.
#pragma once

#include "macros.h"

namespace heddle_cuda {

HEDDLE_DEVICE void mbarrier_init(unsigned long long* object, unsigned int count) {
  asm volatile("mbarrier.init.b64 [%0], %1;" ::"l"(object), "r"(count) : "memory");
}
HEDDLE_DEVICE void mbarrier_inval(unsigned long long* object) {
  asm volatile("mbarrier.inval.b64 [%0];" ::"l"(object) : "memory");
}
// The state identifies the phase of the arrival.
HEDDLE_DEVICE unsigned long long mbarrier_arrive(unsigned long long* object) {
  unsigned long long state;
  asm volatile("mbarrier.arrive.b64 %0, [%1];" : "=l"(state) : "l"(object) : "memory");
  return state;
}
HEDDLE_DEVICE unsigned long long mbarrier_arrive_drop(unsigned long long* object) {
  unsigned long long state;
  asm volatile("mbarrier.arrive_drop.b64 %0, [%1];" : "=l"(state) : "l"(object) : "memory");
  return state;
}
HEDDLE_DEVICE bool mbarrier_test_wait(unsigned long long* object, unsigned long long state) {
  unsigned int complete;
  asm volatile("{ .reg .pred p; mbarrier.test_wait.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
               : "=r"(complete)
               : "l"(object), "l"(state)
               : "memory");
  return complete != 0;
}
HEDDLE_DEVICE bool mbarrier_test_wait_parity(unsigned long long* object, unsigned int parity) {
  unsigned int complete;
  asm volatile("{ .reg .pred p; mbarrier.test_wait.parity.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
               : "=r"(complete)
               : "l"(object), "r"(parity)
               : "memory");
  return complete != 0;
}
// Polls with exponential back-off, so that rarely scheduled warps get a turn.
HEDDLE_DEVICE void mbarrier_wait(unsigned long long* object, unsigned long long state) {
  for (unsigned int nanoseconds = 20; !mbarrier_test_wait(object, state); nanoseconds += nanoseconds < 1000 ? nanoseconds : 0)
    asm volatile("nanosleep.u32 %0;" ::"r"(nanoseconds));
}
// Arrivals still pending in the phase when the state was taken.
HEDDLE_DEVICE unsigned int mbarrier_pending_count(unsigned long long state) {
  unsigned int count;
  asm("mbarrier.pending_count.b64 %0, %1;" : "=r"(count) : "l"(state));
  return count;
}

}  // namespace heddle_cuda
