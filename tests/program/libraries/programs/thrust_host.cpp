// SPDX-License-Identifier: Apache-2.0
// Thrust in a plain C++ file, as in projects that also have CUDA files: no kernels, but device memory.
#include <cuda_runtime.h>
#include <thrust/complex.h>
#include <thrust/execution_policy.h>
#include <thrust/host_vector.h>
#include <thrust/reduce.h>
#include <thrust/sort.h>
#include <thrust/system/cpp/execution_policy.h>

#include <algorithm>

#include "reference.h"

int main() {
  const std::vector<int> plain = values<int>(500, 100);
  thrust::host_vector<int> numbers(plain.begin(), plain.end());
  thrust::sort(numbers.begin(), numbers.end());
  std::vector<int> expected = plain;
  std::sort(expected.begin(), expected.end());
  expect_same("sort", numbers, expected);
  expect(thrust::reduce(thrust::host, numbers.begin(), numbers.end()) ==
             thrust::reduce(thrust::cpp::par, expected.begin(), expected.end()),
         "reduce");
  const thrust::complex<double> product = thrust::complex<double>(1, 2) * thrust::complex<double>(3, -1);
  expect(product.real() == 5 && product.imag() == 5, "complex");
  void* memory = nullptr;
  expect(cudaMalloc(&memory, 16) == cudaSuccess && cudaFree(memory) == cudaSuccess, "device memory");
  return finish();
}
