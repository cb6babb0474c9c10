// SPDX-License-Identifier: Apache-2.0
// Votes, shuffles and matches within 32 threads, with full masks, with the masks of diverged halves, and with narrower
// widths, and the bit intrinsics that go with them.
//
//   order dependent:   no
//   digest:            reference
//   blocks:            96
//   shared memory:     384
//   warp instructions: yes
//   size:              threads; rounded up to whole warps
#include "common.h"

constexpr int kBlock = 96;
constexpr int kResults = 14;
constexpr unsigned kAll = 0xffffffffu;

// Result r of thread t is out[r * count + t].
__global__ void warp_primitives(const unsigned* in, unsigned* out, int count) {
  __shared__ unsigned exchange[kBlock];
  const int i = blockIdx.x * kBlock + threadIdx.x;
  if (i >= count) return;  // `count` is a multiple of 32: whole warps leave
  const int lane = threadIdx.x % 32;
  const unsigned value = in[i];
  out[0 * count + i] = __ballot_sync(kAll, value & 1);
  out[1 * count + i] = __any_sync(kAll, value % 64 == 3);
  out[2 * count + i] = __all_sync(kAll, value % 64 != 3);
  out[3 * count + i] = __shfl_sync(kAll, value, (lane * 5 + 3) % 32);
  out[4 * count + i] = __shfl_up_sync(kAll, value, 3);
  out[5 * count + i] = __shfl_down_sync(kAll, value, 7, 16);
  out[6 * count + i] = __shfl_xor_sync(kAll, value, 4, 8);
  out[7 * count + i] = __match_any_sync(kAll, value % 5);
  int same = 0;
  const unsigned matched = __match_all_sync(kAll, value / 4096, &same);
  out[8 * count + i] = matched ^ static_cast<unsigned>(same);
  // Odd and even lanes part; each half meets under its own mask.
  if (lane % 2 != 0) {
    const unsigned mask = 0xaaaaaaaau;
    out[9 * count + i] = __shfl_sync(mask, value, 31 - (lane & 14)) + __popc(__ballot_sync(mask, value % 3 == 0));
  } else {
    const unsigned mask = 0x55555555u;
    out[9 * count + i] = __shfl_xor_sync(mask, value, 6) - __popc(__ballot_sync(mask, value % 3 == 0));
  }
  // A sum over all lanes by exchange, then a neighbour's word through shared memory ordered by __syncwarp.
  unsigned sum = value;
  for (int distance = 16; distance > 0; distance /= 2) sum += __shfl_xor_sync(kAll, sum, distance);
  out[10 * count + i] = sum;
  exchange[threadIdx.x] = value ^ sum;
  __syncwarp();
  out[11 * count + i] = exchange[threadIdx.x ^ 1];
  // The rank of a lane among those that agree, as stream compaction uses it; then bit intrinsics.
  const unsigned voters = __ballot_sync(kAll, value % 3 == 1);
  out[12 * count + i] = __popc(voters & ((1u << lane) - 1)) * 64 + __ffs(static_cast<int>(voters));
  out[13 * count + i] = __brev(value) + __clz(static_cast<int>(value)) + __byte_perm(value, sum, 0x5140);
}

// The same from the values of one warp, lane by lane.
void reference_warp(const unsigned* in, unsigned* out, int count) {
  unsigned odd_bits = 0, sum = 0, voters = 0, thirds[2] = {0, 0};
  bool any = false, same = true;
  for (int lane = 0; lane < 32; ++lane) {
    odd_bits |= (in[lane] & 1) << lane;
    any = any || in[lane] % 64 == 3;
    same = same && in[lane] / 4096 == in[0] / 4096;
    sum += in[lane];
    voters |= (in[lane] % 3 == 1 ? 1u : 0u) << lane;
    thirds[lane % 2] += in[lane] % 3 == 0;
  }
  for (int lane = 0; lane < 32; ++lane) {
    unsigned results[kResults], equal = 0, reversed = 0, before = 0, leading = 32, first = 0;
    for (int other = 0; other < 32; ++other) {
      equal |= (in[other] % 5 == in[lane] % 5 ? 1u : 0u) << other;
      reversed |= ((in[lane] >> other) & 1u) << (31 - other);
      if (other < lane) before += voters >> other & 1u;
      if (in[lane] >> other & 1u) leading = 31 - other;
      if (first == 0 && (voters >> other & 1u)) first = other + 1;
    }
    results[0] = odd_bits;
    results[1] = any;
    results[2] = !any;
    results[3] = in[(lane * 5 + 3) % 32];
    results[4] = lane >= 3 ? in[lane - 3] : in[lane];
    results[5] = lane % 16 + 7 < 16 ? in[lane + 7] : in[lane];
    results[6] = in[lane ^ 4];
    results[7] = equal;
    results[8] = same ? 0xfffffffeu : 0u;
    results[9] = lane % 2 != 0 ? in[31 - (lane & 14)] + thirds[1] : in[lane ^ 6] - thirds[0];
    results[10] = sum;
    results[11] = in[lane ^ 1] ^ sum;
    results[12] = before * 64 + first;
    // Bytes 0, 4, 1, 5 of (sum, value), lowest first.
    const unsigned mixed =
        (in[lane] & 0xffu) | (sum & 0xffu) << 8 | (in[lane] >> 8 & 0xffu) << 16 | (sum >> 8 & 0xffu) << 24;
    results[13] = reversed + leading + mixed;
    for (int result = 0; result < kResults; ++result) out[result * count + lane] = results[result];
  }
}

int main(int argc, char** argv) {
  const long asked = workload::parse_size(argc, argv, {512, 8000, 200000, 1, 1 << 22});
  const int count = static_cast<int>((asked + 31) / 32 * 32);
  workload::Random random(22);
  std::vector<unsigned> in(count), reference(kResults * count);
  for (int i = 0; i < count; ++i) {
    // Every third warp agrees on the high bits.
    in[i] = random.next();
    if (i / 32 % 3 == 0) in[i] = 4096 * 77 + in[i] % 4096;
  }
  for (int first = 0; first < count; first += 32) reference_warp(&in[first], &reference[first], count);
  workload::DeviceArray<unsigned> device_in(in), out(reference.size());
  warp_primitives<<<workload::blocks_for(count, kBlock), kBlock>>>(device_in.get(), out.get(), count);
  CHECK_LAUNCH();
  workload::Report report("warp_primitives");
  report.expect_equal("result", out.download(), reference);
  return report.finish();
}
