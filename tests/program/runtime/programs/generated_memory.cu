// SPDX-License-Identifier: Apache-2.0
// Device memory produced by a function: what copies and kernels read, and what is refused. With the argument "store" a
// kernel writes to it, with "beyond" one reads past its end.
#include <heddle.h>

#include <vector>

#include "expect.h"

constexpr size_t kWords = 3u << 28;  // 3 GB, of which a few pages are accessed

struct Numbers {
  unsigned factor;
  unsigned long long calls = 0;
};

static unsigned word_at(const Numbers& numbers, unsigned long long place) {
  return static_cast<unsigned>(place * numbers.factor + (place >> 20));
}

static void produce(void* context, unsigned long long offset, void* to, size_t bytes) {
  Numbers& numbers = *static_cast<Numbers*>(context);
  ++numbers.calls;
  for (size_t i = 0; i < bytes; ++i) {
    const unsigned word = word_at(numbers, (offset + i) / 4);
    static_cast<unsigned char*>(to)[i] = static_cast<unsigned char>(word >> (8 * ((offset + i) % 4)));
  }
}

__global__ void gather(const unsigned* from, const unsigned* places, unsigned* to) {
  to[threadIdx.x] = from[places[threadIdx.x]];
}
__global__ void gather_pairs(const uint2* from, const unsigned* places, unsigned* to) {
  const uint2 pair = from[places[threadIdx.x] / 2];
  to[threadIdx.x] = pair.x ^ pair.y;
}
__global__ void put(unsigned* to) { to[threadIdx.x] = 1; }

int main(int argc, char** argv) {
  Numbers numbers{2654435761u};
  // Allocated before the region, so that nothing follows its end.
  unsigned *places = nullptr, *result = nullptr;
  OK(cudaMalloc(&places, 64 * 4));
  OK(cudaMalloc(&result, 64 * 4));
  void* memory = nullptr;
  EXPECT_CODE(heddleMallocGenerated(nullptr, 4096, produce, &numbers), cudaErrorInvalidValue);
  EXPECT_CODE(heddleMallocGenerated(&memory, 4096, nullptr, &numbers), cudaErrorInvalidValue);
  EXPECT_CODE(heddleMallocGenerated(&memory, size_t{1} << 45, produce, &numbers), cudaErrorMemoryAllocation);
  OK(heddleMallocGenerated(&memory, 4 * kWords, produce, &numbers));
  auto* words = static_cast<unsigned*>(memory);
  EXPECT(reinterpret_cast<unsigned long long>(words) % 4096 == 0);

  if (argc > 1) {
    if (std::strcmp(argv[1], "store") == 0) {
      put<<<1, 64>>>(words + 32);
    } else {
      gather<<<1, 64>>>(words + kWords, places, result);
    }
    std::printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    return 3;
  }

  std::vector<unsigned> asked(64), seen(64);
  for (unsigned pattern = 0; pattern < 3; ++pattern) {
    for (unsigned i = 0; i < 64; ++i)
      asked[i] = pattern == 0   ? 1000 + i
                 : pattern == 1 ? i * 12345677u % kWords
                                : static_cast<unsigned>(kWords - 64 + i);
    OK(cudaMemcpy(places, asked.data(), 64 * 4, cudaMemcpyHostToDevice));
    gather<<<1, 64>>>(words, places, result);
    OK(cudaMemcpy(seen.data(), result, 64 * 4, cudaMemcpyDeviceToHost));
    for (unsigned i = 0; i < 64; ++i) EXPECT(seen[i] == word_at(numbers, asked[i]));
    gather_pairs<<<1, 64>>>(static_cast<const uint2*>(memory), places, result);
    OK(cudaMemcpy(seen.data(), result, 64 * 4, cudaMemcpyDeviceToHost));
    for (unsigned i = 0; i < 64; ++i)
      EXPECT(seen[i] == (word_at(numbers, asked[i] & ~1u) ^ word_at(numbers, asked[i] | 1u)));
  }

  // Copies: to the host and to the device, across pages, not into it.
  std::vector<unsigned> copied(3000);
  OK(cudaMemcpy(copied.data(), words + 5, 4 * copied.size(), cudaMemcpyDeviceToHost));
  for (unsigned i = 0; i < copied.size(); ++i) EXPECT(copied[i] == word_at(numbers, 5 + i));
  OK(cudaMemcpy(result, words + 77, 64 * 4, cudaMemcpyDeviceToDevice));
  OK(cudaMemcpy(seen.data(), result, 64 * 4, cudaMemcpyDeviceToHost));
  EXPECT(seen[63] == word_at(numbers, 140));
  EXPECT_CODE(cudaMemcpy(words, copied.data(), 4, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
  EXPECT_CODE(cudaMemset(words, 0, 4), cudaErrorInvalidValue);
  EXPECT_CODE(cudaMemcpy(copied.data(), words + kWords - 1, 8, cudaMemcpyDeviceToHost), cudaErrorInvalidValue);

  OK(cudaFree(memory));
  EXPECT_CODE(cudaMemcpy(copied.data(), words, 4, cudaMemcpyDeviceToHost), cudaErrorInvalidValue);
  EXPECT_CODE(cudaFree(memory), cudaErrorInvalidValue);
  return failures;
}
