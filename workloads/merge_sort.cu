// SPDX-License-Identifier: Apache-2.0
// Merge sort of many lists of unequal length, as after a split into buckets: in each pass a thread merges two sorted
// runs, element by element, whichever is smaller; each pass has half as many threads as the one before.
//
//   order dependent:   no
//   digest:            reference
//   blocks:            128
//   shared memory:     0
//   warp instructions: no
//   size:              lists
#include <algorithm>

#include "common.h"

constexpr int kLongest = 64;  // of a list

// Thread t merges runs 2p and 2p + 1 of length `run` of list t / pairs, p being t % pairs. starts: of each list, and
// the end of the last.
__global__ void merge_runs(const float* in, float* out, const int* starts, int lists, int run) {
  const int thread = blockIdx.x * blockDim.x + threadIdx.x;
  const int pairs = kLongest / (2 * run);
  if (thread >= lists * pairs) return;
  const int list = thread / pairs, end = starts[list + 1];
  int left = starts[list] + thread % pairs * 2 * run;
  if (left >= end) return;
  int right = min(left + run, end);
  const int left_end = right, right_end = min(right + run, end);
  int to = left;
  while (left < left_end && right < right_end) {
    const float a = in[left], b = in[right];
    if (a <= b) {
      out[to++] = a;
      ++left;
    } else {
      out[to++] = b;
      ++right;
    }
  }
  while (left < left_end) out[to++] = in[left++];
  while (right < right_end) out[to++] = in[right++];
}

int main(int argc, char** argv) {
  const int lists = static_cast<int>(workload::parse_size(argc, argv, {60, 600, 20000, 1, 1 << 20}));
  workload::Random random(69);
  std::vector<int> starts{0};
  for (int i = 0; i < lists; ++i)
    starts.push_back(starts.back() + 8 + static_cast<int>(random.below(kLongest - 8 + 1)));
  std::vector<float> values(starts.back());
  for (float& value : values) value = random.between(0.0f, 1000.0f);
  workload::DeviceArray<float> first(values), second(values.size());
  workload::DeviceArray<int> device_starts(starts);
  float *in = first.get(), *out = second.get();
  for (int run = 1; run < kLongest; run *= 2) {
    merge_runs<<<workload::blocks_for(static_cast<long>(lists) * (kLongest / (2 * run)), 128), 128>>>(
        in, out, device_starts.get(), lists, run);
    CHECK_LAUNCH();
    std::swap(in, out);
  }
  for (int i = 0; i < lists; ++i) std::sort(values.begin() + starts[i], values.begin() + starts[i + 1]);
  workload::Report report("merge_sort");
  report.expect_equal("value", in == first.get() ? first.download() : second.download(), values);
  return report.finish();
}
