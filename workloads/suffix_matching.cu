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
// Source: docs/sources/dynamic-warp-resizing.md, 5 (MU and, with positions in a larger genome, MP).
#include "common.h"
#include "suffix_tree.h"

constexpr int kBlock = 256;
constexpr int kRead = 12;              // letters
constexpr int kLeast = 8;              // of a match that counts
constexpr int kStarts = kRead - kLeast + 1;  // where such a match may begin in a read

// Before each loop of a kernel. A program that includes this one may define it, to have them as they are written.
#ifndef SUFFIX_LOOP
#define SUFFIX_LOOP
#endif

using workload::SuffixNode;

// By start and read: letters that match, and the node below which all their places are (0: too few letters).
__global__ void match(const SuffixNode* nodes, const unsigned char* genome, const unsigned char* reads, int count, int* lengths,
                      int* below) {
  const int read = blockIdx.x * kBlock + threadIdx.x;
  if (read >= count) return;
  const unsigned char* const letters = reads + read * kRead;
  int node = 0, depth = 0;  // the letters from `start` that lead to the node
  int known = 0;            // letters from `start` that are known to match
  SUFFIX_LOOP
  for (int start = 0; start < kStarts; ++start) {
    int child = 0, matched = depth;
    SUFFIX_LOOP
    while (start + depth < kRead) {
      child = nodes[node].child[letters[start + depth]];
      if (child == 0) break;
      const int length = nodes[child].length, first = nodes[child].first;
      int i = min(max(known - depth, 0), length);
      SUFFIX_LOOP
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
  SUFFIX_LOOP
  for (int start = 0; start < kStarts; ++start) {
    const int top = below[start * count + read];
    int found = 0, first = -1;
    if (top != 0) {
      int node = top;
      SUFFIX_LOOP
      do {
        SUFFIX_LOOP
        for (int child = walk.first_child[node]; child != 0; child = walk.first_child[node]) node = child;
        const int place = walk.place[node];
        first = found == 0 ? place : min(first, place);
        ++found;
        SUFFIX_LOOP
        while (node != top && walk.sibling[node] == 0) node = walk.parent[node];
        if (node != top) node = walk.sibling[node];
      } while (node != top);
    }
    places[start * count + read] = found;
    first_place[start * count + read] = first;
  }
}

struct WalkArrays {
  std::vector<int> first_child, sibling, parent, place;

  explicit WalkArrays(const std::vector<SuffixNode>& nodes)
      : first_child(nodes.size(), 0), sibling(nodes.size(), 0), parent(nodes.size(), 0), place(nodes.size(), 0) {
    std::vector<int> depth(nodes.size(), 0), open{0};
    while (!open.empty()) {
      const int node = open.back();
      open.pop_back();
      int* at = &first_child[node];
      for (const int child : nodes[node].child) {
        if (child == 0) continue;
        *at = child;
        at = &sibling[child];
        parent[child] = node;
        depth[child] = depth[node] + nodes[child].length;
        place[child] = nodes[child].first - depth[node];
        open.push_back(child);
      }
    }
  }
};

// Matches by binary search in the sorted suffixes of the genome.
class Reference {
 public:
  explicit Reference(const std::vector<unsigned char>& genome) : genome_(genome), order_(genome.size()) {
    for (std::size_t i = 0; i < order_.size(); ++i) order_[i] = static_cast<int>(i);
    std::sort(order_.begin(), order_.end(), [&](int a, int b) {
      return std::lexicographical_compare(genome_.begin() + a, genome_.end(), genome_.begin() + b, genome_.end());
    });
  }
  // The longest beginning of letters[0 .. length) that is in the genome; how often, and where first.
  void find(const unsigned char* letters, int length, int* matched, int* places, int* first_place) const {
    const auto from = std::lower_bound(order_.begin(), order_.end(), letters, [&](int suffix, const unsigned char* text) {
      return std::lexicographical_compare(genome_.begin() + suffix, genome_.end(), text, text + length);
    });
    const auto common = [&](std::vector<int>::const_iterator at) {
      int same = 0;
      while (same < length && *at + same < static_cast<int>(genome_.size()) && genome_[*at + same] == letters[same]) ++same;
      return same;
    };
    *matched = std::max(from == order_.end() ? 0 : common(from), from == order_.begin() ? 0 : common(from - 1));
    *places = 0;
    *first_place = -1;
    if (*matched < kLeast) return;
    const auto take = [&](std::vector<int>::const_iterator at) {
      if (common(at) < *matched) return false;
      *first_place = *places == 0 ? *at : std::min(*first_place, *at);
      ++*places;
      return true;
    };
    for (auto at = from; at != order_.end() && take(at); ++at) {
    }
    for (auto at = from; at != order_.begin() && take(at - 1); --at) {
    }
  }

 private:
  const std::vector<unsigned char>& genome_;
  std::vector<int> order_;
};

int main(int argc, char** argv) {
  const bool with_places = workload::take_choice(argc, argv, "--positions", {"no", "yes"}) == 1;
  const int letters = static_cast<int>(workload::take_number(argc, argv, "--genome", 1000, 64, 1 << 22));
  const long repeats = workload::take_number(argc, argv, "--repeats", 1, 1, 1000);
  const int count = static_cast<int>(workload::parse_size(argc, argv, {300, 8192, 131072, 1, 1 << 22}));
  workload::Random random(97);
  std::vector<unsigned char> genome(letters);
  for (int i = 0; i < letters; ++i)  // with repetitions
    genome[i] = i >= 64 && random.below(16) != 0 && i / 64 % 4 == 3 ? genome[i - 64] : static_cast<unsigned char>(random.below(4));
  std::vector<unsigned char> reads(static_cast<std::size_t>(count) * kRead);
  for (int read = 0; read < count; ++read) {
    const int from = static_cast<int>(random.below(static_cast<std::uint32_t>(letters - kRead)));
    for (int i = 0; i < kRead; ++i)
      reads[read * kRead + i] = random.below(12) == 0 ? static_cast<unsigned char>(random.below(4)) : genome[from + i];
  }

  const std::size_t items = static_cast<std::size_t>(count) * kStarts;
  std::vector<int> lengths(items), places(items), first_place(items);
  const Reference reference(genome);
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

  const WalkArrays walk(tree.nodes());
  workload::DeviceArray<int> first_child(walk.first_child), sibling(walk.sibling), parent(walk.parent), place(walk.place);
  workload::DeviceArray<int> device_places(items), device_first(items);
  find_places<<<blocks, kBlock>>>({first_child.get(), sibling.get(), parent.get(), place.get()}, below.get(), count,
                                  device_places.get(), device_first.get());
  CHECK_LAUNCH();
  report.expect_equal("number of places", device_places.download(), places);
  report.expect_equal("first place", device_first.download(), first_place);
  return report.finish();
}
