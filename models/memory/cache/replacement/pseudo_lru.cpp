// SPDX-License-Identifier: Apache-2.0
// Tree pseudo-LRU: one bit per inner node of a binary tree over the ways points to the half used less recently. If the
// number of ways is not a power of two, the tree is rounded up to the next one. Pointers into a half without candidates
// are not followed.
#include <bit>
#include <vector>

#include "memory/cache/replacement.h"

namespace heddle::memory {
namespace {

class PseudoLru final : public Replacement {
 public:
  explicit PseudoLru(const ReplacementGeometry& geometry)
      : leaves_(std::bit_ceil(geometry.ways)), trees_(geometry.sets, 0) {}

  void touched(unsigned set, unsigned way) override {
    std::uint64_t& tree = trees_[set];
    unsigned node = 1;
    for (unsigned half = leaves_ / 2; half != 0; half /= 2) {
      const bool upper = (way & half) != 0;
      // Point away from the way just used; a set bit selects the upper half as victim.
      tree = upper ? tree & ~(std::uint64_t{1} << node) : tree | (std::uint64_t{1} << node);
      node = 2 * node + (upper ? 1 : 0);
    }
  }
  void filled(unsigned set, unsigned way) override { touched(set, way); }
  unsigned victim(unsigned set, std::uint64_t candidates) const override {
    const std::uint64_t tree = trees_[set];
    unsigned node = 1, first = 0;
    for (unsigned half = leaves_ / 2; half != 0; half /= 2) {
      const std::uint64_t lower = ((std::uint64_t{1} << half) - 1) << first;
      const bool in_lower = (candidates & lower) != 0;
      const bool in_upper = (candidates & (lower << half)) != 0;
      const bool upper = in_upper && (!in_lower || ((tree >> node) & 1) != 0);
      node = 2 * node + (upper ? 1 : 0);
      first += upper ? half : 0;
    }
    return first;
  }

 private:
  unsigned leaves_;
  std::vector<std::uint64_t> trees_;  // node n of a set is bit n; the root is node 1
};

HEDDLE_REGISTER(Replacement, PseudoLru, "pseudo_lru",
                "one bit per inner node of a binary tree over the ways points to the half used less recently", "");

}  // namespace
}  // namespace heddle::memory
