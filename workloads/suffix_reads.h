// SPDX-License-Identifier: Apache-2.0
// What programs that match reads with a genome share on the host: the letters, and the right matches.
#pragma once
#include "common.h"
#include "suffix_tree.h"

namespace workload {

// A genome with repetitions, and reads of it with errors.
struct Reads {
  std::vector<unsigned char> genome, letters;

  Reads(int genome_letters, int count, int length)
      : genome(genome_letters), letters(static_cast<std::size_t>(count) * length) {
    Random random(97);
    for (int i = 0; i < genome_letters; ++i)
      genome[i] = i >= 64 && random.below(16) != 0 && i / 64 % 4 == 3 ? genome[i - 64]
                                                                      : static_cast<unsigned char>(random.below(4));
    for (int read = 0; read < count; ++read) {
      const int from = static_cast<int>(random.below(static_cast<std::uint32_t>(genome_letters - length)));
      for (int i = 0; i < length; ++i)
        letters[read * length + i] =
            random.below(12) == 0 ? static_cast<unsigned char>(random.below(4)) : genome[from + i];
    }
  }
};

// The tree as a walk over the leaves below a node needs it, one array a member. A leaf has no first child, but a place
// in the genome.
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
class SuffixReference {
 public:
  SuffixReference(const std::vector<unsigned char>& genome, int least)
      : genome_(genome), least_(least), order_(genome.size()) {
    for (std::size_t i = 0; i < order_.size(); ++i) order_[i] = static_cast<int>(i);
    std::sort(order_.begin(), order_.end(), [&](int a, int b) {
      return std::lexicographical_compare(genome_.begin() + a, genome_.end(), genome_.begin() + b, genome_.end());
    });
  }
  // The longest beginning of letters[0 .. length) that is in the genome; how often, and where first.
  void find(const unsigned char* letters, int length, int* matched, int* places, int* first_place) const {
    const auto from =
        std::lower_bound(order_.begin(), order_.end(), letters, [&](int suffix, const unsigned char* text) {
          return std::lexicographical_compare(genome_.begin() + suffix, genome_.end(), text, text + length);
        });
    const auto common = [&](std::vector<int>::const_iterator at) {
      int same = 0;
      while (same < length && *at + same < static_cast<int>(genome_.size()) && genome_[*at + same] == letters[same])
        ++same;
      return same;
    };
    *matched = std::max(from == order_.end() ? 0 : common(from), from == order_.begin() ? 0 : common(from - 1));
    *places = 0;
    *first_place = -1;
    if (*matched < least_) return;
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
  int least_;
  std::vector<int> order_;
};

}  // namespace workload
