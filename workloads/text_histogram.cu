// SPDX-License-Identifier: Apache-2.0
// How often each character occurs in a text: persistent threads read four characters at a time and count in shared
// memory, where 32 copies of the counters, one a bank, keep neighbours from colliding.
//
//   order dependent:   no
//   digest:            reference
//   blocks:            256
//   shared memory:     12288
//   warp instructions: no
//   size:              characters
//
// Option: --threads 256|512|1024, threads of a block, 1024 in all.
// Source: docs/sources/large-warps-and-database-search.md, 5.1 (histogram).
#include "persistent.h"

constexpr unsigned kBins = 96;    // the printable characters from the space on; the last bin takes all others
constexpr unsigned kCopies = 32;  // thread t counts in copy t % 32
constexpr unsigned kAbsent = 0;   // fills the text's last word

__host__ __device__ inline unsigned bin_of(unsigned character) {
  const unsigned bin = character - ' ';
  return bin < kBins - 1 ? bin : kBins - 1;
}

__global__ void text_histogram(const unsigned* text, unsigned words, unsigned* bins) {
  __shared__ unsigned counters[kBins * kCopies];  // those of a bin side by side
  for (unsigned i = threadIdx.x; i < kBins * kCopies; i += blockDim.x) counters[i] = 0;
  __syncthreads();
  unsigned* const copy = counters + threadIdx.x % kCopies;
  for (unsigned i = workload::first_item(); i < words; i += workload::kPersistentThreads) {
    const unsigned four = text[i];
    atomicAdd(&copy[bin_of(four & 255) * kCopies], 1u);
    atomicAdd(&copy[bin_of(four >> 8 & 255) * kCopies], 1u);
    atomicAdd(&copy[bin_of(four >> 16 & 255) * kCopies], 1u);
    atomicAdd(&copy[bin_of(four >> 24) * kCopies], 1u);
  }
  __syncthreads();
  if (threadIdx.x >= kBins) return;
  unsigned sum = 0;  // each thread of 32 starts with a copy of its own, so that they read different banks
  for (unsigned i = 0; i < kCopies; ++i) sum += counters[threadIdx.x * kCopies + (threadIdx.x + i) % kCopies];
  atomicAdd(&bins[threadIdx.x], sum);
}

int main(int argc, char** argv) {
  const unsigned threads = workload::take_threads(argc, argv);
  const auto characters = static_cast<unsigned>(workload::parse_size(argc, argv, {3000, 300000, 16777216, 1, 1 << 28}));
  const unsigned words = (characters + 3) / 4;
  workload::Random random(63);
  const char common[] = "eeeeeetttttaaaaooooiiinnnnsshhhrrrddllcumwfgypbvk.,\n";
  std::vector<unsigned> text(words, kAbsent), reference(kBins, 0);
  for (unsigned i = 0; i < words * 4; ++i) {
    const unsigned chance = random.below(64);
    unsigned character = static_cast<unsigned char>(common[random.below(sizeof(common) - 1)]);
    if (chance < 11) character = ' ';
    if (chance >= 62) character = ' ' + random.below(kBins);
    if (i >= characters) character = kAbsent;
    text[i / 4] |= character << i % 4 * 8;
    ++reference[bin_of(character)];
  }
  workload::DeviceArray<unsigned> device_text(text), bins(kBins);
  text_histogram<<<workload::persistent_blocks(threads, words), threads>>>(device_text.get(), words, bins.get());
  CHECK_LAUNCH();
  workload::Report report("text_histogram");
  report.expect_equal("bin", bins.download(), reference);
  return report.finish();
}
