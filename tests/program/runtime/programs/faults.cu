// SPDX-License-Identifier: Apache-2.0
// Faulty kernels. The first argument selects one; with "ignore" as the second, the program does not check for errors.
#include "expect.h"

__global__ void store(int* out, long index) { out[index + threadIdx.x] = 1; }
__global__ void misaligned(char* out) { *reinterpret_cast<int*>(out + 2) = 1; }
__global__ void null_pointer(int* out) { *out = 1; }
__global__ void take_from_heap(int* out) {
  int* room = static_cast<int*>(malloc(1 << 30));
  room[threadIdx.x] = 1;
  *out = room[0];
}
__global__ void shared_overrun(int* out, int index) {
  __shared__ int small[32];
  small[threadIdx.x] = 1;
  __syncthreads();
  small[threadIdx.x + index] = 2;
  out[threadIdx.x] = small[threadIdx.x];
}
__global__ void shared_misaligned(int* out, int offset) {
  __shared__ int small[32];
  small[threadIdx.x] = 1;
  __syncthreads();
  out[threadIdx.x] = *reinterpret_cast<volatile int*>(reinterpret_cast<char*>(small) + 4 * threadIdx.x + offset);
}
__global__ void local_overrun(int* out, int index) {
  volatile int own[8];
  for (int i = 0; i < 8; ++i) own[i] = i;
  own[index + threadIdx.x] = 7;
  out[threadIdx.x] = own[threadIdx.x % 8];
}
__global__ void atomic_overrun(int* out, int index) { atomicAdd(out + index, 1); }
__global__ void divergent_barrier(int* out) {
  // Different texts, or the compiler would merge them into one barrier.
  if (threadIdx.x < 16) {
    asm volatile("bar.sync 0; // low half" ::: "memory");
    out[threadIdx.x] = 1;
  } else {
    asm volatile("bar.sync 0; // high half" ::: "memory");
    out[threadIdx.x] = 2;
  }
}
__global__ void missing_arrival(int* out) {
  if (threadIdx.x < 32) {
    asm volatile("bar.sync 1, 64;");
  } else {
    asm volatile("bar.sync 2, 64;");
  }
  out[threadIdx.x] = 1;
}
__global__ void mask_of_absent(int* out) {
  if (threadIdx.x < 16) {
    __syncwarp(0xffffffff);
  } else {
    asm volatile("bar.sync 0;");
  }
  out[threadIdx.x] = 1;
}
__global__ void endless(volatile int* flag) {
  while (*flag == 0) {
  }
}
__global__ void endless_counting(int* out) {
  volatile int* cell = out;
  for (unsigned i = 1; *cell != -1; i += 2) *cell = i >> 1;
}
// Every thread of the warp takes one lock, and holds it behind the loop: needs threads of a warp to make progress on
// their own.
__global__ void spin_lock(int* lock, int* sum) {
  while (atomicCAS(lock, 0, 1) != 0) {
  }
  *sum += 1;
  __threadfence();
  atomicExch(lock, 0);
}
__device__ __align__(4096) int waiting_blocks;
// Waits for every block of the grid, although not all fit.
__global__ void grid_barrier(int blocks) {
  if (threadIdx.x == 0) {
    atomicAdd(&waiting_blocks, 1);
    while (*(volatile int*)&waiting_blocks < blocks) {
    }
  }
  __syncthreads();
}
// Waits for a block that has not started, and counts its polls.
__global__ void late_writer(volatile int* flag, int* turns) {
  if (blockIdx.x == gridDim.x - 1) *flag = 1;
  int looked = 0;
  while (*flag == 0) ++looked;
  turns[threadIdx.x] = looked;
}
__global__ void trap_kernel(int* out) {
  if (threadIdx.x == 3) asm volatile("trap;");
  out[threadIdx.x] = 1;
}

#include <heddle.h>

__global__ void node_size(int* out, unsigned size) {
  out[threadIdx.x] =
      static_cast<int>(__tree_traverse_sync(0xffffffffu, 0u, threadIdx.x < 3, threadIdx.x == 7 ? size : 32u));
}
__global__ void accumulate(int* out, long index) { __cond_acc_sync(0xffffffffu, out + index, threadIdx.x % 2 == 0, 1); }

int main(int argc, char** argv) {
  const char* what = argc > 1 ? argv[1] : "";
  const bool ignore = argc > 2 && strcmp(argv[2], "ignore") == 0;
  const auto is = [what](const char* name) { return strcmp(what, name) == 0; };
  int* data = nullptr;
  OK(cudaMalloc(&data, 1024));
  OK(cudaMemset(data, 0, 1024));
  if (is("bounds")) store<<<1, 32>>>(data, 256);
  if (is("host")) store<<<1, 32>>>(&failures, 0);
  if (is("freed")) {
    int* gone = nullptr;
    OK(cudaMalloc(&gone, 512));
    OK(cudaFree(gone));
    store<<<1, 32>>>(gone, 0);
  }
  if (is("misaligned")) misaligned<<<1, 1>>>(reinterpret_cast<char*>(data));
  if (is("null")) null_pointer<<<1, 1>>>(nullptr);
  if (is("failed_malloc")) {
    int* none = nullptr;
    cudaMalloc(&none, size_t{1} << 50);
    cudaMemset(none, 0, 4);
    store<<<1, 32>>>(none, 1 << 20);
  }
  if (is("ignored_error")) {
    cudaEventRecord(reinterpret_cast<cudaEvent_t>(data));
    null_pointer<<<1, 1>>>(nullptr);
  }
  if (is("seen_error")) {
    cudaEventRecord(reinterpret_cast<cudaEvent_t>(data));
    cudaGetLastError();
    null_pointer<<<1, 1>>>(nullptr);
  }
  if (is("failed_malloc_bounds")) {
    int* none = nullptr;
    cudaMalloc(&none, size_t{1} << 50);
    store<<<1, 32>>>(data, 256);
  }
  if (is("heap")) take_from_heap<<<1, 1>>>(data);
  if (is("shared")) shared_overrun<<<1, 32>>>(data, 1);
  if (is("shared_misaligned")) shared_misaligned<<<1, 32>>>(data, 2);
  if (is("local")) local_overrun<<<1, 32>>>(data, 1 << 10);
  if (is("atomic")) atomic_overrun<<<1, 32>>>(data, 1 << 20);
  if (is("divergent")) divergent_barrier<<<1, 32>>>(data);
  if (is("arrival")) missing_arrival<<<1, 64>>>(data);
  if (is("absent")) mask_of_absent<<<1, 32>>>(data);
  if (is("endless")) endless<<<2, 32>>>(data);
  if (is("counting")) endless_counting<<<1, 32>>>(data);
  if (is("node_size")) node_size<<<1, 32>>>(data, 48);
  if (is("accumulate")) accumulate<<<1, 32>>>(data, 1L << 30);
  if (is("trap")) trap_kernel<<<1, 32>>>(data);
  if (is("grid_barrier")) grid_barrier<<<2000, 256>>>(2000);
  if (is("late_writer")) late_writer<<<2000, 32>>>(data, data + 16);
  if (is("lock")) {
    spin_lock<<<4, 64>>>(data, data + 1);
    OK(cudaDeviceSynchronize());
    int sum = 0;
    OK(cudaMemcpy(&sum, data + 1, 4, cudaMemcpyDeviceToHost));
    EXPECT(sum == 256);
    return finish();
  }
  const cudaError_t code = cudaDeviceSynchronize();
  if (ignore) return 0;
  printf("%s\n", cudaGetErrorName(code));
  printf("%s\n", cudaGetErrorName(cudaMalloc(&data, 4)));
  return code == cudaSuccess ? 0 : 3;
}
