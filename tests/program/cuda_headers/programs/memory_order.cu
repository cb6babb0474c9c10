// SPDX-License-Identifier: Apache-2.0
// Everything that synchronises or fences, on variables whose accesses the compiler sees completely: __shared__ scalars
// and array elements, and static __device__ scalars. Values written before a barrier must be read after it.
#include <cooperative_groups.h>

#include "check.h"

namespace cg = cooperative_groups;

constexpr int kThreads = 32, kWriter = 31;
static __device__ int in_global;

// Every thread stores 10, all synchronise, the writer stores 20, all synchronise, everyone reads 20.
#define KERNELS(name, meet)                                 \
  __global__ void name##_scalar(int* out) {                 \
    __shared__ int in_shared;                               \
    const cg::thread_block block = cg::this_thread_block(); \
    (void)block;                                            \
    in_shared = 10;                                         \
    meet;                                                   \
    if (threadIdx.x == kWriter) in_shared = 20;             \
    meet;                                                   \
    out[threadIdx.x] = in_shared;                           \
  }                                                         \
  __global__ void name##_array(int* out) {                  \
    __shared__ int in_shared[3];                            \
    const cg::thread_block block = cg::this_thread_block(); \
    (void)block;                                            \
    in_shared[1] = 10;                                      \
    meet;                                                   \
    if (threadIdx.x == kWriter) in_shared[1] = 20;          \
    meet;                                                   \
    out[threadIdx.x] = in_shared[1];                        \
  }                                                         \
  __global__ void name##_global(int* out) {                 \
    const cg::thread_block block = cg::this_thread_block(); \
    (void)block;                                            \
    in_global = 10;                                         \
    meet;                                                   \
    if (threadIdx.x == kWriter) in_global = 20;             \
    meet;                                                   \
    out[threadIdx.x] = in_global;                           \
  }
#define MEETINGS(X)                                                               \
  X(syncthreads, __syncthreads())                                                 \
  X(qualified_syncthreads, ::__syncthreads())                                     \
  X(syncthreads_count, (void)__syncthreads_count(1))                              \
  X(syncthreads_and, (void)__syncthreads_and(1))                                  \
  X(syncthreads_or, (void)__syncthreads_or(1))                                    \
  X(syncwarp, __syncwarp())                                                       \
  X(nvvm_bar_sync, __nvvm_bar_sync(0))                                            \
  X(nvvm_barrier_sync, __nvvm_barrier_sync(0))                                    \
  X(nvvm_bar_warp_sync, __nvvm_bar_warp_sync(0xffffffff))                         \
  X(nvvm_bar0_popc, (void)__nvvm_bar0_popc(1))                                    \
  X(barrier_sync, __barrier_sync(0))                                              \
  X(barrier_sync_count, __barrier_sync_count(1, kThreads))                        \
  X(assembly, asm volatile("bar.sync 0;" ::: "memory"))                           \
  X(assembly_without_clobber, asm volatile("bar.sync 0;"))                        \
  X(block, block.sync())                                                          \
  X(block_by_function, cg::sync(block))                                           \
  X(any_group, cg::thread_group(block).sync())                                    \
  X(any_tile, cg::tiled_partition(block, 32).sync())                              \
  X(tile, cg::tiled_partition<32>(block).sync())                                  \
  X(tile_by_function, cg::sync(cg::tiled_partition<32>(block)))                   \
  X(tile_of_tile, cg::tiled_partition<32>(cg::tiled_partition<32>(block)).sync()) \
  X(coalesced, cg::coalesced_threads().sync())                                    \
  X(labeled, cg::labeled_partition(cg::coalesced_threads(), 1).sync())            \
  X(binary, cg::binary_partition(cg::coalesced_threads(), true).sync())           \
  X(grid, cg::this_grid().sync())
MEETINGS(KERNELS)

// The writer stores 20, fences and sets a flag; the others wait for the flag, fence and read.
#define FENCED(name, fence)               \
  __global__ void name##_flag(int* out) { \
    __shared__ int in_shared;             \
    __shared__ volatile int flag;         \
    in_shared = 10;                       \
    flag = 0;                             \
    __syncwarp();                         \
    const int before = in_shared;         \
    if (threadIdx.x == kWriter) {         \
      in_shared = 20;                     \
      fence;                              \
      flag = 1;                           \
    }                                     \
    fence;                                \
    while (flag == 0) __nanosleep(20);    \
    fence;                                \
    out[threadIdx.x] = in_shared;         \
    out[kThreads + threadIdx.x] = before; \
  }
#define FENCES(X)                               \
  X(threadfence_block, __threadfence_block())   \
  X(threadfence, __threadfence())               \
  X(threadfence_system, __threadfence_system()) \
  X(membar_cta, __nvvm_membar_cta())            \
  X(membar_gl, __nvvm_membar_gl())              \
  X(membar_sys, __nvvm_membar_sys())
FENCES(FENCED)

// A lock by each atomic guards a counter that the compiler could keep in a register. Only one thread of each warp takes
// it, because threads of one warp that wait for each other need independent scheduling.
constexpr int kTakers = 8;
#define LOCKED(name, take, give)                              \
  __global__ void name##_lock(int* out) {                     \
    __shared__ int in_shared;                                 \
    __shared__ unsigned int lock;                             \
    in_shared = 20 - kTakers;                                 \
    lock = 0;                                                 \
    __syncthreads();                                          \
    if (threadIdx.x % 32 == 0) {                              \
      for (bool waiting = true; waiting;) {                   \
        if (take) {                                           \
          in_shared += 1;                                     \
          give;                                               \
          waiting = false;                                    \
        }                                                     \
      }                                                       \
    }                                                         \
    __syncthreads();                                          \
    if (threadIdx.x < kThreads) out[threadIdx.x] = in_shared; \
  }
#define LOCKS(X)                                                                    \
  X(cas, atomicCAS(&lock, 0u, 1u) == 0, atomicExch(&lock, 0u))                      \
  X(cas_block, atomicCAS_block(&lock, 0u, 1u) == 0, atomicExch_block(&lock, 0u))    \
  X(cas_system, atomicCAS_system(&lock, 0u, 1u) == 0, atomicExch_system(&lock, 0u)) \
  X(exchange, atomicExch(&lock, 1u) == 0, atomicSub(&lock, 1u))                     \
  X(or_system, atomicOr_system(&lock, 1u) == 0, atomicAnd_system(&lock, 0u))        \
  X(max_block, atomicMax_block(&lock, 1u) == 0, atomicMin_block(&lock, 0u))         \
  X(xor_mixed, (atomicOr_block(&lock, 1u) & 1u) == 0, atomicXor_block(&lock, 1u))
LOCKS(LOCKED)

// Accesses the compiler may not move across an atomic; `word`, `number` and `half` are one location in global memory.
#define ACROSS(name, atomic)                                        \
  __global__ void name##_atomic(int* out) {                         \
    __shared__ int in_shared;                                       \
    unsigned* word = reinterpret_cast<unsigned*>(out + kThreads);   \
    double* number = reinterpret_cast<double*>(word);               \
    unsigned short* half = reinterpret_cast<unsigned short*>(word); \
    (void)number, (void)half;                                       \
    in_shared = 20;                                                 \
    atomic;                                                         \
    out[threadIdx.x] = in_shared;                                   \
  }
#define ATOMICS(X)                                                      \
  X(add, atomicAdd(word, 1u))                                           \
  X(add_block, atomicAdd_block(word, 1u))                               \
  X(add_system, atomicAdd_system(word, 1u))                             \
  X(sub_block, atomicSub_block(word, 1u))                               \
  X(exch_system, atomicExch_system(word, 1u))                           \
  X(min_block, atomicMin_block(word, 1u))                               \
  X(max_system, atomicMax_system(word, 1u))                             \
  X(and_block, atomicAnd_block(word, 1u))                               \
  X(or_system, atomicOr_system(word, 1u))                               \
  X(xor_block, atomicXor_block(word, 1u))                               \
  X(inc, atomicInc(word, 9u))                                           \
  X(inc_block, atomicInc_block(word, 9u))                               \
  X(dec, atomicDec(word, 9u))                                           \
  X(dec_system, atomicDec_system(word, 9u))                             \
  X(cas, atomicCAS(word, 1u, 2u))                                       \
  X(cas_block, atomicCAS_block(word, 1u, 2u))                           \
  X(cas_system, atomicCAS_system(word, 1u, 2u))                         \
  X(cas_of_half, atomicCAS(half, (unsigned short)1, (unsigned short)2)) \
  X(double_block, atomicAdd_block(number, 1.0))                         \
  X(double_system, atomicAdd_system(number, 1.0))
ATOMICS(ACROSS)

void check(const char* name, void (*kernel)(int*), int threads = kThreads) {
  Mirror<int> out(2 * kThreads);
  void* arguments[] = {&out.device};
  cudaLaunchCooperativeKernel(reinterpret_cast<void*>(kernel), dim3(1), dim3(threads), arguments, 0, nullptr);
  out.fetch();
  for (int t = 0; t < kThreads; ++t) expect_equal(name, out[t], 20);
}

int main() {
#define CHECK_MEETING(name, meet)        \
  check(#name " scalar", name##_scalar); \
  check(#name " array", name##_array);   \
  check(#name " global", name##_global);
#define CHECK_FENCE(name, fence) check(#name, name##_flag);
#define CHECK_ATOMIC(name, atomic) check(#name " atomic", name##_atomic);
#define CHECK_LOCK(name, take, give) check(#name " lock", name##_lock, 32 * kTakers);
  MEETINGS(CHECK_MEETING)
  FENCES(CHECK_FENCE)
  LOCKS(CHECK_LOCK)
  ATOMICS(CHECK_ATOMIC)
  return finish();
}
