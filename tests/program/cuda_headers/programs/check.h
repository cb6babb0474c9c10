// SPDX-License-Identifier: Apache-2.0
// Checks for the test programs: each prints differences, and the program exits with 1 if there were any.
#pragma once

#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

inline int& failures() {
  static int count = 0;
  return count;
}

template <class A, class B>
void expect_equal(const char* what, A got, B expected) {
  if (got == static_cast<A>(expected)) return;
  ++failures();
  std::printf("%s: %.17g instead of %.17g\n", what, static_cast<double>(got), static_cast<double>(expected));
}

/// Device memory with a copy on the host: filled there, sent, and read back after kernels.
template <class T>
class Mirror {
 public:
  explicit Mirror(size_t count) : host(count) {
    if (cudaMalloc(&device, count * sizeof(T)) != cudaSuccess) std::abort();
    send();
  }
  ~Mirror() { cudaFree(device); }
  void send() { cudaMemcpy(device, host.data(), host.size() * sizeof(T), cudaMemcpyHostToDevice); }
  void fetch() {
    const cudaError_t error = cudaMemcpy(host.data(), device, host.size() * sizeof(T), cudaMemcpyDeviceToHost);
    if (error != cudaSuccess) {
      ++failures();
      std::printf("fetch: %s\n", cudaGetErrorString(error));
    }
  }
  T& operator[](size_t i) { return host[i]; }

  T* device = nullptr;
  std::vector<T> host;
};

inline int finish() {
  std::printf(failures() == 0 ? "all right\n" : "%d differences\n", failures());
  return failures() == 0 ? 0 : 1;
}
