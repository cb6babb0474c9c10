// SPDX-License-Identifier: Apache-2.0
// Barriers, fences and block-wide votes.
//
// Each ends with a compiler barrier. LLVM 14 assumes that an intrinsic without arguments does not write an internal
// variable whose address does not escape. It would not reload a __shared__ or static __device__ variable afterwards,
// and other threads' stores would be lost. Inline assembly that clobbers memory prevents this.
#pragma once

#include "macros.h"

// A separate namespace, because builtins cannot be redefined in the global one.
namespace heddle_cuda {
HEDDLE_DEVICE void __syncthreads() {
  __nvvm_bar_sync(0);
  HEDDLE_COMPILER_BARRIER();
}
HEDDLE_DEVICE void __nvvm_membar_cta() { asm volatile("membar.cta;" ::: "memory"); }
HEDDLE_DEVICE void __nvvm_membar_gl() { asm volatile("membar.gl;" ::: "memory"); }
HEDDLE_DEVICE void __nvvm_membar_sys() { asm volatile("membar.sys;" ::: "memory"); }
}  // namespace heddle_cuda
using heddle_cuda::__nvvm_membar_cta;
using heddle_cuda::__nvvm_membar_gl;
using heddle_cuda::__nvvm_membar_sys;
using heddle_cuda::__syncthreads;

#define HEDDLE_BLOCK_VOTE(name, builtin)   \
  HEDDLE_DEVICE int name(int predicate) {  \
    const int result = builtin(predicate); \
    HEDDLE_COMPILER_BARRIER();             \
    return result;                         \
  }
HEDDLE_BLOCK_VOTE(__syncthreads_count, __nvvm_bar0_popc)
HEDDLE_BLOCK_VOTE(__syncthreads_and, __nvvm_bar0_and)
HEDDLE_BLOCK_VOTE(__syncthreads_or, __nvvm_bar0_or)
#undef HEDDLE_BLOCK_VOTE

HEDDLE_DEVICE void __syncwarp(unsigned int mask = 0xffffffffu) {
  __nvvm_bar_warp_sync(mask);
  HEDDLE_COMPILER_BARRIER();
}
HEDDLE_DEVICE void __barrier_sync(unsigned int id) {
  __nvvm_barrier_sync(id);
  HEDDLE_COMPILER_BARRIER();
}
HEDDLE_DEVICE void __barrier_sync_count(unsigned int id, unsigned int threads) {
  __nvvm_barrier_sync_cnt(id, threads);
  HEDDLE_COMPILER_BARRIER();
}

HEDDLE_DEVICE void __threadfence_block() { __nvvm_membar_cta(); }
HEDDLE_DEVICE void __threadfence() { __nvvm_membar_gl(); }
HEDDLE_DEVICE void __threadfence_system() { __nvvm_membar_sys(); }
