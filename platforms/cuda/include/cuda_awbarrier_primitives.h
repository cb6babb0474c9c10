// SPDX-License-Identifier: Apache-2.0
// Split arrive/wait barriers in shared memory, as functions.
#ifndef HEDDLE_CUDA_AWBARRIER_PRIMITIVES_H
#define HEDDLE_CUDA_AWBARRIER_PRIMITIVES_H
#define _CUDA_AWBARRIER_PRIMITIVES_H_

#include "cuda_runtime.h"
//
#include <stdint.h>

#if defined(__CUDA__)
#include "heddle_device/mbarrier.h"

typedef unsigned long long __mbarrier_t;
typedef unsigned long long __mbarrier_token_t;

HEDDLE_DEVICE uint32_t __mbarrier_maximum_count() { return (1u << 20) - 1; }
HEDDLE_DEVICE void __mbarrier_init(__mbarrier_t* barrier, uint32_t expected_count) {
  heddle_cuda::mbarrier_init(barrier, expected_count);
}
HEDDLE_DEVICE void __mbarrier_inval(__mbarrier_t* barrier) { heddle_cuda::mbarrier_inval(barrier); }
HEDDLE_DEVICE __mbarrier_token_t __mbarrier_arrive(__mbarrier_t* barrier) {
  return heddle_cuda::mbarrier_arrive(barrier);
}
HEDDLE_DEVICE __mbarrier_token_t __mbarrier_arrive_and_drop(__mbarrier_t* barrier) {
  return heddle_cuda::mbarrier_arrive_drop(barrier);
}
HEDDLE_DEVICE bool __mbarrier_test_wait(__mbarrier_t* barrier, __mbarrier_token_t token) {
  return heddle_cuda::mbarrier_test_wait(barrier, token);
}
HEDDLE_DEVICE bool __mbarrier_test_wait_parity(__mbarrier_t* barrier, bool phase_parity) {
  return heddle_cuda::mbarrier_test_wait_parity(barrier, phase_parity);
}
HEDDLE_DEVICE uint32_t __mbarrier_token_pending_count(__mbarrier_token_t token) {
  return heddle_cuda::mbarrier_pending_count(token);
}
// The time hint may be ignored: these return at once.
HEDDLE_DEVICE bool __mbarrier_try_wait(__mbarrier_t* barrier, __mbarrier_token_t token, uint32_t) {
  return heddle_cuda::mbarrier_test_wait(barrier, token);
}
HEDDLE_DEVICE bool __mbarrier_try_wait_parity(__mbarrier_t* barrier, bool phase_parity, uint32_t) {
  return heddle_cuda::mbarrier_test_wait_parity(barrier, phase_parity);
}
#endif

#endif
