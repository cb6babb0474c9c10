// SPDX-License-Identifier: Apache-2.0
// nvcuda::experimental::pipeline on top of the primitives: copies complete on issue.
#ifndef HEDDLE_CUDA_PIPELINE_H
#define HEDDLE_CUDA_PIPELINE_H
#define _CUDA_PIPELINE_H_

#include "cuda_pipeline_primitives.h"

#if defined(__CUDA__)
namespace nvcuda {
namespace experimental {

class pipeline {
 public:
  pipeline(const pipeline&) = delete;
  pipeline& operator=(const pipeline&) = delete;
  inline __attribute__((device)) pipeline() : committed_(0) {}
  inline __attribute__((device)) size_t commit() {
    __pipeline_commit();
    return committed_++;
  }
  inline __attribute__((device)) void commit_and_wait() {
    commit();
    wait_prior<0>();
  }
  inline __attribute__((device)) void wait(size_t) { __pipeline_wait_prior(0); }
  template <unsigned n>
  inline __attribute__((device)) void wait_prior() {
    __pipeline_wait_prior(n);
  }

 private:
  size_t committed_;
};

template <class T>
inline __attribute__((device)) void memcpy_async(T& dst, const T& src, pipeline&) {
  dst = src;
}
template <class D, class S>
inline __attribute__((device)) void memcpy_async(D* dst, const S* src, size_t size, pipeline&) {
  memcpy(dst, src, size);
}

}  // namespace experimental
}  // namespace nvcuda
#endif

#endif
