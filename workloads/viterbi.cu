// SPDX-License-Identifier: Apache-2.0
// Viterbi decoder of the convolutional code (7, 5) of four states, a stream a thread: for each state of each symbol a
// branch on which of two paths is the better one. The paths lie in shared memory, the streams interleaved by words.
//
//   order dependent:   no
//   digest:            reference
//   blocks:            256
//   shared memory:     8192
//   warp instructions: no
//   size:              encoded bits; rounded up to whole words of all streams
//
// Option: --threads 256|512|1024, threads of a block, 1024 in all.
// Source: docs/sources/large-warps-and-database-search.md, 5.1 (viterbi).
#include <algorithm>

#include "persistent.h"

constexpr int kStates = 4;
constexpr unsigned kSymbols = 16;    // of two bits in a word, the first one lowest
constexpr unsigned kLeastWords = 3;  // of a stream
constexpr int kFar = 1 << 20;        // of states in which no encoder starts

// State: the last two bits, the newer one the higher. The symbol sent when `bit` is next.
__host__ __device__ constexpr unsigned symbol_of(unsigned state, unsigned bit) {
  return ((bit ^ state >> 1 ^ state) & 1) << 1 | ((bit ^ state) & 1);
}

// A decoder's state after any number of symbols. A path holds the last 32 bits of the best way into a state, two copies
// of the four side by side, each word kStride from the next.
template <unsigned kStride>
struct Decoder {
  int metrics[kStates];
  unsigned* paths;

  // Symbols differ from `received` in distances[symbol] bits. `from` and `to` are the copies, 0 and kStates or the
  // other way round.
  __host__ __device__ void step(const int* distances, unsigned from, unsigned to) {
    int next[kStates];
#pragma unroll
    for (unsigned state = 0; state < kStates; ++state) {
      const unsigned bit = state >> 1, first = (state & 1) << 1, second = first | 1;
      const int one = metrics[first] + distances[symbol_of(first, bit)];
      const int other = metrics[second] + distances[symbol_of(second, bit)];
      if (other < one) {
        next[state] = other;
        paths[(to + state) * kStride] = paths[(from + second) * kStride] << 1 | bit;
        KEEP_BRANCH();
      } else {
        next[state] = one;
        paths[(to + state) * kStride] = paths[(from + first) * kStride] << 1 | bit;
        KEEP_BRANCH();
      }
    }
    for (unsigned state = 0; state < kStates; ++state) metrics[state] = next[state];
  }
  __host__ __device__ void start() {
    for (unsigned state = 0; state < kStates; ++state) {
      metrics[state] = state == 0 ? 0 : kFar;
      paths[state * kStride] = 0;
    }
  }
  __host__ __device__ void decode_word(unsigned received) {
    for (unsigned i = 0; i < kSymbols; i += 2, received >>= 4) {
      for (unsigned half = 0; half < 2; ++half) {
        const unsigned symbol = received >> 2 * half & 3;
        const int high = symbol >> 1, low = symbol & 1;
        const int distances[4] = {high + low, high + 1 - low, 1 - high + low, 2 - high - low};
        step(distances, half * kStates, kStates - half * kStates);
      }
    }
  }
  __host__ __device__ unsigned best_path() const {
    int least = metrics[0];
    unsigned path = paths[0];
    for (unsigned state = 1; state < kStates; ++state) {
      if (metrics[state] < least) {
        least = metrics[state];
        path = paths[state * kStride];
      }
    }
    return path;
  }
};

// Word w of stream s is word w * streams + s. The bits of a word are known for good a word later.
template <unsigned kThreads>
__global__ void viterbi(const unsigned* received, unsigned short* bits, unsigned words, unsigned streams) {
  __shared__ unsigned paths[2 * kStates * kThreads];
  const unsigned stream = workload::first_item();
  if (stream >= streams) return;
  Decoder<kThreads> decoder;
  decoder.paths = paths + threadIdx.x;
  decoder.start();
  unsigned place = stream;
  for (const unsigned end = words * streams; place < end; place += streams) {
    decoder.decode_word(received[place]);
    if (place >= streams) bits[place - streams] = static_cast<unsigned short>(decoder.best_path() >> kSymbols);
  }
  bits[place - streams] = static_cast<unsigned short>(decoder.best_path());
}

int main(int argc, char** argv) {
  const unsigned threads = workload::take_threads(argc, argv);
  const auto asked = static_cast<unsigned>(workload::parse_size(argc, argv, {4000, 131072, 4194304, 1, 1 << 28}));
  const unsigned all_words = (asked + 2 * kSymbols - 1) / (2 * kSymbols);
  const unsigned streams = std::min(all_words / kLeastWords + 1, workload::kPersistentThreads);
  const unsigned words = (all_words + streams - 1) / streams;

  // One of 25 bits arrives wrong.
  workload::Random random(66);
  std::vector<unsigned> received(words * streams, 0);
  std::vector<unsigned short> reference(received.size()), sent(received.size(), 0);
  for (unsigned stream = 0; stream < streams; ++stream) {
    unsigned state = 0;
    for (unsigned i = 0; i < words * kSymbols; ++i) {
      const unsigned bit = random.next() >> 23;
      unsigned symbol = symbol_of(state, bit);
      sent[i / kSymbols * streams + stream] |= static_cast<unsigned short>(bit << (kSymbols - 1 - i % kSymbols));
      for (unsigned flip = 1; flip < 4; flip <<= 1) symbol ^= random.below(25) == 0 ? flip : 0;
      received[i / kSymbols * streams + stream] |= symbol << i % kSymbols * 2;
      state = state >> 1 | bit << 1;
    }
    unsigned paths[2 * kStates];
    Decoder<1> decoder;
    decoder.paths = paths;
    decoder.start();
    for (unsigned word = 0; word < words; ++word) {
      const unsigned place = word * streams + stream;
      decoder.decode_word(received[place]);
      if (word > 0) reference[place - streams] = static_cast<unsigned short>(decoder.best_path() >> kSymbols);
      if (word + 1 == words) reference[place] = static_cast<unsigned short>(decoder.best_path());
    }
  }
  workload::DeviceArray<unsigned> device_received(received);
  workload::DeviceArray<unsigned short> bits(received.size());
  const auto kernel = threads == 256 ? viterbi<256> : threads == 512 ? viterbi<512> : viterbi<1024>;
  kernel<<<workload::persistent_blocks(threads, streams), threads>>>(device_received.get(), bits.get(), words, streams);
  CHECK_LAUNCH();
  workload::Report report("viterbi");
  report.expect_equal("decoded bits", bits.download(), reference);
  // The reference decodes by the same code: it must be nearly what was sent.
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < sent.size(); ++i)
    for (int difference = sent[i] ^ reference[i]; difference != 0; difference &= difference - 1) ++wrong;
  report.expect_true("what was sent", wrong * 50 <= sent.size() * kSymbols);
  return report.finish();
}
