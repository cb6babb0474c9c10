// SPDX-License-Identifier: Apache-2.0
// Kernels that are correct, or correct only if 32 threads run in lock step. The first argument selects one.
#include "expect.h"

constexpr int kThreads = 32;

// The classic: the last steps of a reduction, without a barrier between them.
__global__ void reduce_unordered(int* out) {
  __shared__ volatile int sum[2 * kThreads];
  const int t = threadIdx.x;
  sum[t] = t;
  sum[t + kThreads] = 0;
  for (int step = kThreads / 2; step > 0; step /= 2) sum[t] = sum[t] + sum[t + step];
  out[t] = sum[0];
}
__global__ void reduce_ordered(int* out) {
  __shared__ volatile int sum[2 * kThreads];
  const int t = threadIdx.x;
  sum[t] = t;
  sum[t + kThreads] = 0;
  __syncwarp();
  for (int step = kThreads / 2; step > 0; step /= 2) {
    const int other = sum[t + step];
    __syncwarp();
    sum[t] = sum[t] + other;
    __syncwarp();
  }
  out[t] = sum[0];
}
// A value handed to the neighbour through global memory, before a barrier or after it.
__global__ void neighbour(int* out, int* scratch, bool barrier) {
  const int t = threadIdx.x;
  scratch[t] = t + 1;
  if (barrier) __syncthreads();
  out[t] = scratch[(t + 1) % kThreads];
}
// Every thread stores the same value, which is no conflict; a different one is.
__global__ void one_place(int* out, bool same) {
  out[kThreads] = same ? 7 : static_cast<int>(threadIdx.x);
  out[threadIdx.x] = 0;
}
// Neighbouring bytes of a word belong to different threads.
__global__ void bytes(unsigned char* out) {
  out[threadIdx.x] = static_cast<unsigned char>(threadIdx.x);
  out[threadIdx.x] += 1;
}
// Atomics order the participating threads; a plain read next to them does not.
__global__ void ticket(int* out, int* counter, bool plain_read) {
  const int mine = atomicAdd(counter, 1);
  out[threadIdx.x] = plain_read ? *counter : mine;
}

int main(int argc, char** argv) {
  const char* what = argc > 1 ? argv[1] : "";
  int *out, *scratch;
  OK(cudaMalloc(&out, 2 * kThreads * sizeof *out));
  OK(cudaMalloc(&scratch, 2 * kThreads * sizeof *scratch));
  OK(cudaMemset(out, 0, 2 * kThreads * sizeof *out));
  OK(cudaMemset(scratch, 0, 2 * kThreads * sizeof *scratch));
  const auto is = [what](const char* name) { return std::strcmp(what, name) == 0; };
  if (is("reduce")) reduce_unordered<<<1, kThreads>>>(out);
  if (is("reduce_ordered")) reduce_ordered<<<1, kThreads>>>(out);
  if (is("neighbour")) neighbour<<<1, kThreads>>>(out, scratch, false);
  if (is("neighbour_barrier")) neighbour<<<1, kThreads>>>(out, scratch, true);
  if (is("one_place")) one_place<<<1, kThreads>>>(out, false);
  if (is("one_value")) one_place<<<1, kThreads>>>(out, true);
  if (is("bytes")) bytes<<<1, kThreads>>>(reinterpret_cast<unsigned char*>(out));
  if (is("ticket")) ticket<<<1, kThreads>>>(out, scratch, false);
  if (is("ticket_read")) ticket<<<1, kThreads>>>(out, scratch, true);
  OK(cudaDeviceSynchronize());
  return finish();
}
