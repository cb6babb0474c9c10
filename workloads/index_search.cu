// SPDX-License-Identifier: Apache-2.0
// Index search: a warp looks up one key at a time in a tree of wide nodes, all its threads comparing one line of 128
// bytes. Of the two lines of a row node the second lies in the DRAM row that the first opened.
//
//   order dependent:   no
//   digest:            reference
//   blocks:            256
//   shared memory:     0
//   warp instructions: yes
//   size:              look-ups
//
// Options: --variant base|traverse|hint|both, with the tree traverse and the row-buffer hint of heddle.h; --levels
// 2|1|3 of row nodes, 3 in memory that a function produces (heddle cc only); --threads 256|1024; --counts yes prints
// how often lines are loaded. Source: docs/sources/large-warps-and-database-search.md, 5.4.
#include <heddle.h>

#include "common.h"
#include "index_tree.h"

constexpr unsigned kAll = 0xffffffffu;
constexpr unsigned kAbsent = 0xffffffffu;

template <bool kTraverse, bool kHint>
__global__ void index_search(const unsigned* tree, int levels, const unsigned* keys, unsigned* results,
                             unsigned count) {
  const unsigned lane = threadIdx.x & 31;
  unsigned query = threadIdx.x >> 5;
  do {
    const unsigned key = keys[query];
    unsigned node = 0;
    for (int level = 0; level < levels; ++level) {
      const unsigned first = (node << 10) + lane;
      const unsigned v1 = kHint ? HEDDLE_ROW_HINT tree[first] : tree[first];
      unsigned second = first + 32, c1;
      if (kTraverse) {
        second = __tree_traverse_sync(kAll, second, key > v1, 32);
        c1 = (second - first - 32) >> 5;
      } else {
        c1 = __popc(__ballot_sync(kAll, key > v1));
        second += c1 << 5;
      }
      const unsigned v2 = tree[second];
      if (key == v1) results[query] = first;
      if (key == v2) results[query] = second;
      node = node * 961 + 1 + c1 * 31;
      if (kTraverse) {
        node = __tree_traverse_sync(kAll, node, key > v2, 1);
      } else {
        node += __popc(__ballot_sync(kAll, key > v2));
      }
    }
    query += blockDim.x >> 5;
  } while (query < count);
}

using Kernel = void (*)(const unsigned*, int, const unsigned*, unsigned*, unsigned);

// The tree in device memory: copied there, or produced word by word when it is read.
class DeviceTree {
 public:
  explicit DeviceTree(const workload::IndexTree& tree) {
    if (tree.levels() < 3) {
      std::vector<unsigned> words(tree.bytes() / 4);
      for (std::size_t i = 0; i < words.size(); ++i) words[i] = tree.word(i);
      CHECK_CUDA(cudaMalloc(&data_, tree.bytes()));
      CHECK_CUDA(cudaMemcpy(data_, words.data(), tree.bytes(), cudaMemcpyHostToDevice));
      return;
    }
#if defined(__HEDDLE__)
    const auto produce = [](void* context, unsigned long long offset, void* to, std::size_t bytes) {
      static_cast<const workload::IndexTree*>(context)->read(offset, to, bytes);
    };
    CHECK_CUDA(heddleMallocGenerated(&data_, tree.bytes(), produce, const_cast<workload::IndexTree*>(&tree)));
#else
    std::fprintf(stderr, "a tree of 3 levels needs memory that a function produces\n");
    std::exit(workload::kExitUsage);
#endif
  }
  ~DeviceTree() { cudaFree(data_); }
  const unsigned* get() const { return static_cast<const unsigned*>(data_); }

 private:
  void* data_ = nullptr;
};

int main(int argc, char** argv) {
  const std::size_t variant = workload::take_choice(argc, argv, "--variant", {"base", "traverse", "hint", "both"});
  const std::size_t depth = workload::take_choice(argc, argv, "--levels", {"2", "1", "3"});
  const unsigned threads = workload::take_choice(argc, argv, "--threads", {"256", "1024"}) == 1 ? 1024 : 256;
  const bool counts = workload::take_choice(argc, argv, "--counts", {"no", "yes"}) == 1;
  const auto asked = static_cast<unsigned>(workload::parse_size(argc, argv, {96, 4096, 131072, 1, 1 << 24}));
  const unsigned count = asked < threads / 32 ? threads / 32 : asked;
  const unsigned levels = depth == 0 ? 2 : depth == 1 ? 1 : 3;
  const workload::IndexTree tree(levels);

  workload::Random random(59);
  const std::vector<unsigned> keys = workload::look_ups(tree, count, random);
  const DeviceTree device_tree(tree);
  workload::DeviceArray<unsigned> device_keys(keys), results(std::vector<unsigned>(count, kAbsent));
  const Kernel kernels[] = {index_search<false, false>, index_search<true, false>, index_search<false, true>,
                            index_search<true, true>};
  kernels[variant]<<<1, threads>>>(device_tree.get(), static_cast<int>(levels), device_keys.get(), results.get(),
                                   count);
  CHECK_LAUNCH();

  workload::Report report("index_search");
  const std::vector<unsigned> found = results.download();
  report.add(found);
  // A key stands in one place, so that a place that holds it is the right one.
  bool right = true;
  for (unsigned i = 0; i < count; ++i) {
    const bool inside = std::uint64_t{found[i]} * 4 < tree.bytes();
    right = right && (workload::is_absent(i) ? found[i] == kAbsent : inside && tree.word(found[i]) == keys[i]);
  }
  report.expect_true("places of the keys", right);
  unsigned absent = 0;
  for (unsigned i = 0; i < count; ++i) absent += workload::is_absent(i) ? 1 : 0;
  if (counts) std::printf("counts lookups=%u absent=%u line_loads=%u\n", count, absent, count * 2 * levels);
  return report.finish();
}
