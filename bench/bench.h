// SPDX-License-Identifier: Apache-2.0
// What the benchmark programs share: random numbers, device arrays, the line they end with.
//
// The programs of this folder are kept as they are, kernels, sizes and names, so that figures measured at different
// times and on other simulators compare; `workloads/` has the programs that tests run.
#pragma once
#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

static inline unsigned lcg(unsigned& state) {
  state = state * 1664525u + 1013904223u;
  return state >> 8;
}

template <class T>
T* dalloc(size_t count) {
  T* pointer = nullptr;
  cudaMalloc((void**)&pointer, count * sizeof(T));
  return pointer;
}

template <class T>
T* upload(const std::vector<T>& values) {
  T* pointer = dalloc<T>(values.size());
  cudaMemcpy(pointer, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice);
  return pointer;
}

template <class T>
std::vector<T> download(T* pointer, size_t count) {
  std::vector<T> values(count);
  cudaMemcpy(values.data(), pointer, count * sizeof(T), cudaMemcpyDeviceToHost);
  return values;
}

// Prints the line that says how it went and gives the exit status: 0 without a mismatch, else 1.
static inline int report(const char* name, int mismatches) {
  printf("BENCH %s %s mismatches=%d\n", name, mismatches ? "FAIL" : "PASS", mismatches);
  return mismatches ? 1 : 0;
}
