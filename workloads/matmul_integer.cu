// SPDX-License-Identifier: Apache-2.0
// Integer matrix product by persistent threads, an element of the result at a time, straight from global memory: a loop
// of two loads, one the same for all neighbours, one of neighbouring words, through a cache smaller than the operands.
//
//   order dependent:   no
//   digest:            reference
//   blocks:            256
//   shared memory:     0
//   warp instructions: no
//   size:              rows and columns of the square matrices
//
// Option: --threads 256|512|1024, threads of a block, 1024 in all.
// Source: docs/sources/large-warps-and-database-search.md, 5.1 (matrix mult).
#include "persistent.h"

__global__ void matmul_integer(const int* a, const int* b, int* product, unsigned side) {
  for (unsigned i = workload::first_item(); i < side * side; i += workload::kPersistentThreads) {
    const unsigned column = i % side;
    const int *of_row = a + (i - column), *of_column = b + column;
    int sum = 0;
    for (const int* end = of_row + side; of_row < end; ++of_row, of_column += side) sum += *of_row * *of_column;
    product[i] = sum;
  }
}

int main(int argc, char** argv) {
  const unsigned threads = workload::take_threads(argc, argv);
  const auto side = static_cast<unsigned>(workload::parse_size(argc, argv, {24, 72, 256, 1, 1024}));
  workload::Random random(62);
  std::vector<int> a(side * side), b(a.size()), reference(a.size(), 0);
  for (int& value : a) value = static_cast<int>(random.below(2000)) - 1000;
  for (int& value : b) value = static_cast<int>(random.below(2000)) - 1000;
  for (unsigned row = 0; row < side; ++row)
    for (unsigned k = 0; k < side; ++k)
      for (unsigned column = 0; column < side; ++column)
        reference[row * side + column] += a[row * side + k] * b[k * side + column];
  workload::DeviceArray<int> device_a(a), device_b(b), product(a.size());
  matmul_integer<<<workload::persistent_blocks(threads, a.size()), threads>>>(device_a.get(), device_b.get(),
                                                                              product.get(), side);
  CHECK_LAUNCH();
  workload::Report report("matmul_integer");
  report.expect_equal("product", product.download(), reference);
  return report.finish();
}
