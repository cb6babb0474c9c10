// SPDX-License-Identifier: Apache-2.0
// nvcuda::experimental::awbarrier on top of the primitives.
#ifndef HEDDLE_CUDA_AWBARRIER_H
#define HEDDLE_CUDA_AWBARRIER_H
#define _CUDA_AWBARRIER_H_

#include "cuda_awbarrier_primitives.h"

#if defined(__CUDA__)
#define HEDDLE_AWBARRIER inline __attribute__((always_inline, device))

namespace nvcuda {
namespace experimental {

// Declare as a __shared__ variable. One thread calls init(), followed by a block barrier, before any thread arrives.
class awbarrier {
 public:
  class arrival_token {
   public:
    arrival_token() = default;
    HEDDLE_AWBARRIER uint32_t pending_count() const { return __mbarrier_token_pending_count(token_); }

   private:
    friend class awbarrier;
    HEDDLE_AWBARRIER explicit arrival_token(__mbarrier_token_t token) : token_(token) {}
    __mbarrier_token_t token_;
  };
  awbarrier() = default;
  awbarrier(const awbarrier&) = delete;
  awbarrier& operator=(const awbarrier&) = delete;

  HEDDLE_AWBARRIER arrival_token arrive() { return arrival_token(__mbarrier_arrive(&barrier_)); }
  HEDDLE_AWBARRIER arrival_token arrive_and_drop() { return arrival_token(__mbarrier_arrive_and_drop(&barrier_)); }
  HEDDLE_AWBARRIER void wait(arrival_token token) { heddle_cuda::mbarrier_wait(&barrier_, token.token_); }
  HEDDLE_AWBARRIER void arrive_and_wait() { wait(arrive()); }
  HEDDLE_AWBARRIER bool timed_wait(arrival_token token, uint32_t hint_cycles) {
    const long long begin = clock64();
    do {
      if (__mbarrier_test_wait(&barrier_, token.token_)) return true;
    } while (clock64() - begin < hint_cycles);
    return false;
  }
  HEDDLE_AWBARRIER bool timed_wait_parity(bool phase, uint32_t hint_cycles) {
    const long long begin = clock64();
    do {
      if (__mbarrier_test_wait_parity(&barrier_, phase)) return true;
    } while (clock64() - begin < hint_cycles);
    return false;
  }
  static HEDDLE_AWBARRIER uint32_t max() { return __mbarrier_maximum_count(); }

  friend HEDDLE_AWBARRIER void init(awbarrier* barrier, uint32_t expected_count) {
    __mbarrier_init(&barrier->barrier_, expected_count);
  }
  friend HEDDLE_AWBARRIER void inval(awbarrier* barrier) { __mbarrier_inval(&barrier->barrier_); }

 private:
  __mbarrier_t barrier_;
};
HEDDLE_AWBARRIER void init(awbarrier* barrier, uint32_t expected_count);
HEDDLE_AWBARRIER void inval(awbarrier* barrier);

}  // namespace experimental
}  // namespace nvcuda

#undef HEDDLE_AWBARRIER
#endif

#endif
