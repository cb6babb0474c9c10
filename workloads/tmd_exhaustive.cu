// SPDX-License-Identifier: Apache-2.0
// Hard cases of rounding (the table maker's dilemma) of the exponential function, by trying every argument: polynomials by
// their differences, in a loop to whose head, where it ends, the common and the rare way of a branch go back.
//
//   order dependent:   no
//   digest:            reference
//   blocks:            128
//   shared memory:     0
//   warp instructions: no
//   size:              intervals of 64 arguments
//
// The ways meet again at the head, which lies before the branch. Where code is laid out like that, a machine that runs the
// lowest program counter first lets threads of the common way run on without those on the rare way.
#include "tmd.h"

using workload::Polynomial;

constexpr unsigned kCount = workload::kPart;
constexpr unsigned kPerGroup = workload::kInterval * workload::kGroup / kCount;
constexpr std::uint64_t kBorder = std::uint64_t{1} << 57;  // 2^-7 of the last place: one case in 64 arguments

// Binary digits beyond kBorder that are needed to round a hard case.
__host__ __device__ inline unsigned char digits_needed(std::uint64_t distance) {
  unsigned char digits = 0;
  while (distance < kBorder && digits < 64) {
    distance *= 2;
    ++digits;
  }
  return digits;
}

// `digits` has kCount elements for each interval; those of easy cases stay zero.
__global__ void search(const Polynomial* polynomials, unsigned char* digits, unsigned intervals) {
  const unsigned interval = blockIdx.x * blockDim.x + threadIdx.x;
  if (interval >= intervals) return;
  Polynomial at = polynomials[interval / kPerGroup];
  workload::move_on(at, interval % kPerGroup * kCount);
  unsigned long long distance = 0;
  unsigned n = 0;
head:
  distance = at.start < 0ull - at.start ? at.start : 0ull - at.start;
  at.start += at.first;
  at.first += at.second;
  ++n;
  asm volatile("" : "+l"(at.start), "+l"(at.first), "+r"(n));  // keeps the step and the test of the end in the head
  if (n > kCount) return;
  if (distance >= kBorder) goto head;
  digits[interval * kCount + n - 1] = digits_needed(distance);
  goto head;
}

int main(int argc, char** argv) {
  const long intervals = workload::parse_size(argc, argv, {700, 12000, 200000, 1, 1 << 20});
  std::vector<Polynomial> polynomials(workload::blocks_for(intervals, kPerGroup));
  std::vector<unsigned char> reference;
  for (std::size_t group = 0; group < polynomials.size(); ++group) {
    Polynomial at = workload::group_polynomial(group);
    polynomials[group] = at;
    for (unsigned n = 0; n < kPerGroup * kCount; ++n, workload::step(at))
      reference.push_back(digits_needed(workload::distance_of(at.start)));
  }
  reference.resize(intervals * kCount);
  workload::DeviceArray<Polynomial> device_polynomials(polynomials);
  workload::DeviceArray<unsigned char> digits(reference.size());
  search<<<workload::blocks_for(intervals, 128), 128>>>(device_polynomials.get(), digits.get(),
                                                        static_cast<unsigned>(intervals));
  CHECK_LAUNCH();
  workload::Report report("tmd_exhaustive");
  report.expect_equal("argument", digits.download(), reference);
  return report.finish();
}
