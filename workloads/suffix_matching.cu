// SPDX-License-Identifier: Apache-2.0
// Matches of short reads of a genome: each thread follows its read down a suffix tree of the genome, and where the two
// part goes on from the suffix link. Chains of dependent loads of unequal length. With --positions, a second launch lists
// where in the genome the matches are: it walks over the leaves below each.
//
//   order dependent:   no
//   digest:            reference
//   blocks:            256
//   shared memory:     0
//   warp instructions: no
//   size:              reads
//
// Options: --genome N, letters of the genome (1000); --positions no|yes; --repeats N, launches of the search (1), for
// machines that learn from one launch for the next.
// Source: docs/sources/dynamic-warp-resizing.md, 5 (MU and MP; its study has a version of its own, genome_search.cu).
#include "suffix_reads.h"

constexpr int kBlock = 256;
constexpr int kRead = 12;              // letters
constexpr int kLeast = 8;              // of a match that counts
constexpr int kStarts = kRead - kLeast + 1;  // where such a match may begin in a read

using workload::SuffixNode;

// By start and read: letters that match, and the node below which all their places are (0: too few letters).
__global__ void match(const SuffixNode* nodes, const unsigned char* genome, const unsigned char* reads, int count, int* lengths,
                      int* below) {
  const int read = blockIdx.x * kBlock + threadIdx.x;
  if (read >= count) return;
  const unsigned char* const letters = reads + read * kRead;
  int node = 0, depth = 0;  // the letters from `start` that lead to the node
  int known = 0;            // letters from `start` that are known to match
  for (int start = 0; start < kStarts; ++start) {
    int child = 0, matched = depth;
    while (start + depth < kRead) {
      child = nodes[node].child[letters[start + depth]];
      if (child == 0) break;
      const int length = nodes[child].length, first = nodes[child].first;
      int i = min(max(known - depth, 0), length);
      while (i < length && start + depth + i < kRead && genome[first + i] == letters[start + depth + i]) ++i;
      matched = depth + i;
      if (i < length) break;
      node = child;
      depth += length;
    }
    lengths[start * count + read] = matched;
    below[start * count + read] = matched < kLeast ? 0 : matched == depth ? node : child;
    known = max(matched - 1, 0);
    if (node != 0) {
      node = nodes[node].link;
      --depth;
    }
  }
}

// The tree as a walk needs it, one array a member. A leaf has no first child, but a place in the genome.
struct Walk {
  const int *first_child, *sibling, *parent, *place;
};

// By start and read: how many places match, and the first of them.
__global__ void find_places(Walk walk, const int* below, int count, int* places, int* first_place) {
  const int read = blockIdx.x * kBlock + threadIdx.x;
  if (read >= count) return;
  for (int start = 0; start < kStarts; ++start) {
    const int top = below[start * count + read];
    int found = 0, first = -1;
    if (top != 0) {
      int node = top;
      do {
        for (int child = walk.first_child[node]; child != 0; child = walk.first_child[node]) node = child;
        const int place = walk.place[node];
        first = found == 0 ? place : min(first, place);
        ++found;
        while (node != top && walk.sibling[node] == 0) node = walk.parent[node];
        if (node != top) node = walk.sibling[node];
      } while (node != top);
    }
    places[start * count + read] = found;
    first_place[start * count + read] = first;
  }
}

int main(int argc, char** argv) {
  const bool with_places = workload::take_choice(argc, argv, "--positions", {"no", "yes"}) == 1;
  const int letters = static_cast<int>(workload::take_number(argc, argv, "--genome", 1000, 64, 1 << 22));
  const long repeats = workload::take_number(argc, argv, "--repeats", 1, 1, 1000);
  const int count = static_cast<int>(workload::parse_size(argc, argv, {300, 8192, 131072, 1, 1 << 22}));
  const workload::Reads made(letters, count, kRead);
  const std::vector<unsigned char>&genome = made.genome, &reads = made.letters;

  const std::size_t items = static_cast<std::size_t>(count) * kStarts;
  std::vector<int> lengths(items), places(items), first_place(items);
  const workload::SuffixReference reference(genome, kLeast);
  for (int read = 0; read < count; ++read)
    for (int start = 0; start < kStarts; ++start) {
      const std::size_t i = static_cast<std::size_t>(start) * count + read;
      reference.find(&reads[read * kRead + start], kRead - start, &lengths[i], &places[i], &first_place[i]);
    }

  std::vector<unsigned char> text = genome;
  text.push_back(workload::kLetters);
  const workload::SuffixTree tree(text);
  workload::DeviceArray<SuffixNode> nodes(tree.nodes());
  workload::DeviceArray<unsigned char> device_genome(text), device_reads(reads);
  workload::DeviceArray<int> device_lengths(items), below(items);
  const unsigned blocks = workload::blocks_for(count, kBlock);
  for (long i = 0; i < repeats; ++i) {
    match<<<blocks, kBlock>>>(nodes.get(), device_genome.get(), device_reads.get(), count, device_lengths.get(), below.get());
    CHECK_LAUNCH();
  }
  workload::Report report("suffix_matching");
  report.expect_equal("length", device_lengths.download(), lengths);
  if (!with_places) return report.finish();

  const workload::WalkArrays walk(tree.nodes());
  workload::DeviceArray<int> first_child(walk.first_child), sibling(walk.sibling), parent(walk.parent), place(walk.place);
  workload::DeviceArray<int> device_places(items), device_first(items);
  find_places<<<blocks, kBlock>>>({first_child.get(), sibling.get(), parent.get(), place.get()}, below.get(), count,
                                  device_places.get(), device_first.get());
  CHECK_LAUNCH();
  report.expect_equal("number of places", device_places.download(), places);
  report.expect_equal("first place", device_first.download(), first_place);
  return report.finish();
}
