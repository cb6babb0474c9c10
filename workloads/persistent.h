// SPDX-License-Identifier: Apache-2.0
// The launch shape of programs whose threads stay: 1024 of them in all, in blocks of `--threads`, each taking item
// after item. Source: docs/sources/large-warps-and-database-search.md, 2.0 and 5.1.
#pragma once
#include "common.h"

namespace workload {

constexpr unsigned kPersistentThreads = 1024;

// Removes `--threads 256|512|1024`, the threads of a block, from the command line; 256 when it is not there.
inline unsigned take_threads(int& argc, char** argv) {
  return 256u << take_choice(argc, argv, "--threads", {"256", "512", "1024"});
}

// As many blocks of `threads` as all threads make; fewer where there are fewer `items` than threads, but at least one.
inline unsigned persistent_blocks(unsigned threads, std::size_t items) {
  const std::size_t needed = (items + threads - 1) / threads, most = kPersistentThreads / threads;
  return static_cast<unsigned>(needed < 1 ? 1 : needed < most ? needed : most);
}

// The thread's number in the grid: its first item. The next one is kPersistentThreads further.
__device__ inline unsigned first_item() { return blockIdx.x * blockDim.x + threadIdx.x; }

// The thread's number in the block, read anew at each call: what a kernel computes from it in one phase need not stay
// in registers until the next.
__device__ inline unsigned thread_anew() {
  unsigned thread;
  asm volatile("mov.u32 %0, %%tid.x;" : "=r"(thread));
  return thread;
}

// Bytes of dynamic shared memory above 48 KB must be asked for.
template <class Kernel>
inline void allow_shared(Kernel* kernel, std::size_t bytes) {
  CHECK_CUDA(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes)));
}

}  // namespace workload

// Ends the sides of a branch that is to stay one: compilers turn short ones into selects.
#ifdef __CUDA_ARCH__
#define KEEP_BRANCH() asm volatile("")
#else
#define KEEP_BRANCH() static_cast<void>(0)
#endif
