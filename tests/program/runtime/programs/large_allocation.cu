// SPDX-License-Identifier: Apache-2.0
// Allocates more memory than the machine has, and uses both ends of it. Prints the result.
#include "expect.h"

__global__ void store(char* data, size_t last) {
  data[0] = 1;
  data[last] = 2;
}

int main() {
  constexpr size_t kBytes = size_t{2} << 30;
  size_t free_bytes = 0, total = 0;
  char *data = nullptr, ends[2] = {};
  OK(cudaMemGetInfo(&free_bytes, &total));
  EXPECT(total < kBytes);
  if (cudaMalloc(&data, kBytes) != cudaSuccess) {
    std::printf("refused\n");
    return 0;
  }
  OK(cudaMemGetInfo(&free_bytes, &total));
  EXPECT(free_bytes == 0 && total < kBytes);
  store<<<1, 1>>>(data, kBytes - 1);
  OK(cudaMemcpy(ends, data, 1, cudaMemcpyDeviceToHost));
  OK(cudaMemcpy(ends + 1, data + kBytes - 1, 1, cudaMemcpyDeviceToHost));
  EXPECT(ends[0] == 1 && ends[1] == 2);
  OK(cudaFree(data));
  OK(cudaMemGetInfo(&free_bytes, &total));
  EXPECT(free_bytes == total);
  return finish();
}
