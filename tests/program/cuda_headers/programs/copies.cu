// SPDX-License-Identifier: Apache-2.0
// Asynchronous copies to shared memory: by the primitives, with and without zero fill, by a pipeline, by a group.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda_pipeline.h>

#include "check.h"

namespace cg = cooperative_groups;

__global__ void copies(const int* in, int* out) {
  __shared__ __align__(16) int part[64];
  const int t = static_cast<int>(threadIdx.x);
  const auto show = [&](int row) {
    __syncthreads();
    out[row * 64 + t] = part[t];
    __syncthreads();
    part[t] = -1;
    __syncthreads();
  };
  __pipeline_memcpy_async(part + t, in + t, 4);
  __pipeline_commit();
  __pipeline_wait_prior(0);
  show(0);
  if (t < 16) __pipeline_memcpy_async(part + 4 * t, in + 4 * t, 16, t == 3 ? 6 : 0);
  __pipeline_commit();
  __pipeline_wait_prior(0);
  show(1);
  nvcuda::experimental::pipeline pipe;
  nvcuda::experimental::memcpy_async(part[t], in[t], pipe);
  pipe.commit_and_wait();
  show(2);
  const cg::thread_block block = cg::this_thread_block();
  cg::memcpy_async(block, part, in, sizeof(int) * 50);
  cg::wait(block);
  show(3);
  cg::memcpy_async(block, part, 30, in, 40);
  cg::wait_prior<0>(block);
  show(4);
  const auto tile = cg::tiled_partition<16>(block);
  cg::memcpy_async(tile, part + t / 16 * 16, in + t / 16 * 16, sizeof(int) * 16);
  cg::wait(tile);
  show(5);
}

int main() {
  Mirror<int> in(64), out(6 * 64);
  for (int i = 0; i < 64; ++i) in[i] = 0x01020304 * (i + 1);
  in.send();
  copies<<<1, 64>>>(in.device, out.device);
  out.fetch();
  for (int i = 0; i < 64; ++i) {
    const int zeroed = i == 15 ? 0 : i == 14 ? in[i] & 0xffff : in[i];
    const int expected[6] = {in[i], zeroed, in[i], i < 50 ? in[i] : -1, i < 30 ? in[i] : -1, in[i]};
    for (int row = 0; row < 6; ++row) expect_equal("copy", out[row * 64 + i], expected[row]);
  }
  return finish();
}
