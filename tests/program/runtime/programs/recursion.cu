// SPDX-License-Identifier: Apache-2.0
// Recursive functions: every thread takes its own path to its own depth. "deep": deeper than the stack.
#include "expect.h"

__device__ __noinline__ unsigned fibonacci(unsigned n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }

// Ackermann's function cannot be converted to a loop.
__device__ __noinline__ unsigned ackermann(unsigned m, unsigned n) {
  if (m == 0) return n + 1;
  return ackermann(m - 1, n == 0 ? 1 : ackermann(m, n - 1));
}

// Each activation has an array of its own whose address it passes down.
__device__ __noinline__ int chain(int depth, const int* from, volatile int* trace) {
  int mine[4];
  for (int i = 0; i < 4; ++i) mine[i] = from[3 - i] + depth;
  if (depth == 0) return mine[0];
  const int below = chain(depth - 1, mine, trace);
  if ((depth & 1) != 0) *trace += mine[depth & 3];
  return below * 3 + mine[1];
}

__device__ __noinline__ void sort(int* first, int* last) {
  if (last - first < 2) return;
  const int pivot = *first;
  int *low = first, *high = last - 1;
  while (low <= high) {
    while (*low < pivot) ++low;
    while (*high > pivot) --high;
    if (low <= high) {
      const int swapped = *low;
      *low++ = *high;
      *high-- = swapped;
    }
  }
  sort(first, high + 1);
  sort(low, last);
}

__global__ void numbers(unsigned* out) {
  const unsigned t = threadIdx.x;
  out[t] = (t & 1) != 0 ? fibonacci(t % 9) : ackermann(2, t % 5);
}
__global__ void chains(int* out) {
  const int t = threadIdx.x, start[4] = {t, t + 1, t * 2, 7};
  int trace = 0;
  const int got = chain(t % 7, start, &trace);
  out[2 * t] = got;
  out[2 * t + 1] = trace;
}
__global__ void sorts(int* data, int each) { sort(data + threadIdx.x * each, data + (threadIdx.x + 1) * each); }
__device__ __noinline__ int endless_depth(int n, int* out) { return n == out[0] ? 0 : endless_depth(n + 1, out) * 3 + n; }
__global__ void deep(int* out) { out[1] = endless_depth(1, out); }

static unsigned host_fibonacci(unsigned n) { return n < 2 ? n : host_fibonacci(n - 1) + host_fibonacci(n - 2); }
static unsigned host_ackermann(unsigned m, unsigned n) {
  if (m == 0) return n + 1;
  return host_ackermann(m - 1, n == 0 ? 1 : host_ackermann(m, n - 1));
}
static int host_chain(int depth, const int* from, int* trace) {
  int mine[4];
  for (int i = 0; i < 4; ++i) mine[i] = from[3 - i] + depth;
  if (depth == 0) return mine[0];
  const int below = host_chain(depth - 1, mine, trace);
  if ((depth & 1) != 0) *trace += mine[depth & 3];
  return below * 3 + mine[1];
}

int main(int argc, char**) {
  constexpr int kThreads = 48, kEach = 20;
  OK(cudaDeviceSetLimit(cudaLimitStackSize, 4096));
  int* data = nullptr;
  OK(cudaMalloc(&data, kThreads * kEach * sizeof(int)));
  static int host[kThreads * kEach];
  if (argc > 1) {
    OK(cudaMemset(data, 0, 4));
    deep<<<1, 1>>>(data);
    EXPECT_CODE(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
    return finish();
  }

  numbers<<<1, kThreads>>>(reinterpret_cast<unsigned*>(data));
  OK(cudaMemcpy(host, data, kThreads * sizeof(int), cudaMemcpyDeviceToHost));
  for (unsigned t = 0; t < kThreads; ++t) {
    EXPECT(static_cast<unsigned>(host[t]) == ((t & 1) != 0 ? host_fibonacci(t % 9) : host_ackermann(2, t % 5)));
  }
  chains<<<1, kThreads>>>(data);
  OK(cudaMemcpy(host, data, 2 * kThreads * sizeof(int), cudaMemcpyDeviceToHost));
  for (int t = 0; t < kThreads; ++t) {
    const int start[4] = {t, t + 1, t * 2, 7};
    int trace = 0;
    EXPECT(host[2 * t] == host_chain(t % 7, start, &trace));
    EXPECT(host[2 * t + 1] == trace);
  }
  for (int i = 0; i < kThreads * kEach; ++i) host[i] = static_cast<int>(i * 2654435761u >> 16) % 100;
  OK(cudaMemcpy(data, host, sizeof host, cudaMemcpyHostToDevice));
  sorts<<<1, kThreads>>>(data, kEach);
  OK(cudaMemcpy(host, data, sizeof host, cudaMemcpyDeviceToHost));
  for (int i = 0; i < kThreads * kEach; ++i) EXPECT(i % kEach == 0 || host[i - 1] <= host[i]);
  return finish();
}
