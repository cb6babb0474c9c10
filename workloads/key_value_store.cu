// SPDX-License-Identifier: Apache-2.0
// Look-ups in a key-value store, one thread a request: it hashes the key of its request word by word, then goes through
// a chain of items and compares keys. Keys have unequal lengths, chains too; some items are wanted far more than
// others.
//
//   order dependent:   no
//   digest:            reference
//   blocks:            128
//   shared memory:     0
//   warp instructions: no
//   size:              requests
//
// Options: --items N, items in the store (4096).
// Source: docs/sources/cache-conscious-and-divergence-aware.md, 5 (MEMC).
#include <algorithm>

#include "common.h"

constexpr int kBlock = 128;
constexpr int kKeyWords = 15;      // the longest key
constexpr int kRequestWords = 16;  // the length of the key in bytes, then the key
constexpr int kItemWords = 32;     // next item of the chain or -1, hash, length of the key, key, value
constexpr int kItemKey = 3, kItemValue = kItemKey + kKeyWords;
constexpr unsigned kNotFound = 0xffffffffu;

__host__ __device__ inline int words_of(unsigned bytes) { return static_cast<int>((bytes + 3) / 4); }

// Loops are not unrolled: most keys are short.
__host__ __device__ inline unsigned hash_of(const unsigned* key, unsigned bytes) {
  unsigned hash = 2166136261u ^ bytes;
#pragma unroll 1
  for (int word = 0; word < words_of(bytes); ++word) {
    hash = (hash ^ key[word]) * 16777619u;
    hash ^= hash >> 15;
  }
  return hash;
}

__host__ __device__ inline bool same_key(const unsigned* a, const unsigned* b, int words) {
#pragma unroll 1
  for (int word = 0; word < words; ++word)
    if (a[word] != b[word]) return false;
  return true;
}

// The first word of the value, or kNotFound.
__host__ __device__ inline unsigned look_up(const unsigned* request, const int* buckets, unsigned bucket_mask,
                                            const unsigned* items) {
  const unsigned bytes = request[0], hash = hash_of(request + 1, bytes);
  for (int item = buckets[hash & bucket_mask]; item >= 0;) {
    const unsigned* const found = items + item * kItemWords;
    if (found[1] == hash && found[2] == bytes && same_key(request + 1, found + kItemKey, words_of(bytes)))
      return found[kItemValue];
    item = static_cast<int>(found[0]);
  }
  return kNotFound;
}

__global__ void answer(const unsigned* requests, const int* buckets, unsigned bucket_mask, const unsigned* items,
                       unsigned* answers, int count) {
  const int request = blockIdx.x * kBlock + threadIdx.x;
  if (request < count) answers[request] = look_up(requests + request * kRequestWords, buckets, bucket_mask, items);
}

// A title of a page in some language: letters, then the number of the title, so that no two are the same.
std::string title(unsigned number) {
  workload::Random random(7919u * number + 11);
  std::string text(1, "edfjp"[random.below(5)]);
  text += "n:";
  const unsigned letters = 3 + random.below(12) + (random.below(4) == 0 ? random.below(32) : 0);
  for (unsigned letter = 0; letter < letters; ++letter) text += static_cast<char>('a' + random.below(26));
  return text + std::to_string(number);
}

void write_key(const std::string& key, unsigned* words) { std::memcpy(words, key.data(), key.size()); }

int main(int argc, char** argv) {
  const int items = static_cast<int>(workload::take_number(argc, argv, "--items", 4096, 16, 1 << 20));
  const int count = static_cast<int>(workload::parse_size(argc, argv, {700, 16384, 262144, 1, 1 << 22}));
  unsigned buckets = 1;
  while (buckets < static_cast<unsigned>(items)) buckets *= 2;
  std::vector<unsigned> store(static_cast<std::size_t>(items) * kItemWords);
  std::vector<int> first(buckets, -1);
  for (int item = 0; item < items; ++item) {
    unsigned* const words = &store[static_cast<std::size_t>(item) * kItemWords];
    const std::string key = title(item);
    write_key(key, words + kItemKey);
    words[2] = static_cast<unsigned>(key.size());
    words[1] = hash_of(words + kItemKey, words[2]);
    words[kItemValue] = 1000000u + item;
    int& bucket = first[words[1] & (buckets - 1)];
    words[0] = static_cast<unsigned>(bucket);
    bucket = item;
  }
  // Each octave of ranks is wanted equally often: the page of rank n about 1/n as often as the first. One request in
  // sixteen is for a page that the store does not have.
  workload::Random random(132);
  unsigned octaves = 0;
  while ((2u << octaves) <= static_cast<unsigned>(items)) ++octaves;
  std::vector<unsigned> requests(static_cast<std::size_t>(count) * kRequestWords), reference(count);
  for (int request = 0; request < count; ++request) {
    unsigned* const words = &requests[static_cast<std::size_t>(request) * kRequestWords];
    const unsigned octave = 1u << random.below(octaves + 1);
    const unsigned rank = std::min(octave + random.below(octave), static_cast<unsigned>(items)) - 1;
    // Ranks are scattered over the store.
    const unsigned wanted = random.below(16) == 0 ? items + rank : (rank * 2654435761u) % items;
    const std::string key = title(wanted);
    words[0] = static_cast<unsigned>(key.size());
    write_key(key, words + 1);
    reference[request] = look_up(words, first.data(), buckets - 1, store.data());
  }
  workload::DeviceArray<unsigned> device_requests(requests), device_items(store), answers(count);
  workload::DeviceArray<int> device_buckets(first);
  answer<<<workload::blocks_for(count, kBlock), kBlock>>>(device_requests.get(), device_buckets.get(), buckets - 1,
                                                          device_items.get(), answers.get(), count);
  CHECK_LAUNCH();
  workload::Report report("key_value_store");
  report.expect_equal("answer", answers.download(), reference);
  return report.finish();
}
