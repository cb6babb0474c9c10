// SPDX-License-Identifier: Apache-2.0
// Declarations that nvcc accepts and that clang takes otherwise: variables of types without a name, copies of built-in
// variables. Checks its own results.
#include "expect.h"

__constant__ struct {
  int count;
  float factor[3];
} parameters;
__device__ struct {
  int sum, untouched;
} result = {0, 7};
__managed__ struct {
  int cells[4];
} managed_cells = {{1, 2, 3, 4}};
__device__ union {
  int word;
  unsigned char bytes[4];
} pattern = {0x04030201};

template <typename Index>
__device__ unsigned flat(Index index) {
  return index.x + 10 * index.y;
}

__global__ void add() {
  const auto thread = threadIdx;
  const auto size = blockDim;
  atomicAdd(&result.sum, parameters.count + static_cast<int>(parameters.factor[2]));
  managed_cells.cells[flat(thread)] += static_cast<int>(size.x) * pattern.bytes[flat(threadIdx)];
}

int main() {
  EXPECT(managed_cells.cells[3] == 4);
  const struct {
    int count;
    float factor[3];
  } values = {10, {0, 0, 5}};
  OK(cudaMemcpyToSymbol(parameters, &values, sizeof values));
  add<<<1, 4>>>();
  OK(cudaDeviceSynchronize());
  int answer[2] = {};
  OK(cudaMemcpyFromSymbol(answer, result, sizeof answer));
  EXPECT(answer[0] == 4 * 15 && answer[1] == 7);
  for (int i = 0; i < 4; ++i) EXPECT(managed_cells.cells[i] == i + 1 + 4 * (i + 1));
  void* address = nullptr;
  size_t bytes = 0;
  OK(cudaGetSymbolAddress(&address, parameters));
  OK(cudaGetSymbolSize(&bytes, parameters));
  EXPECT(address != nullptr && bytes == 16);
  EXPECT(cudaCreateChannelDescHalf2().y == 16 && cudaCreateChannelDescHalf2().z == 0 && cudaCreateChannelDescHalf4().w == 16);
  return finish();
}
