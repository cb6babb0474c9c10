// SPDX-License-Identifier: Apache-2.0
#include <cuda_runtime_api.h>

#include <cstdio>

int sum_of_squares(int count);

int main() {
  int devices = 0;
  std::puts(cudaGetDeviceCount(&devices) == cudaSuccess && devices == 1 && sum_of_squares(10) == 285 ? "PASS" : "FAIL");
}
