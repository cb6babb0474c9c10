// SPDX-License-Identifier: Apache-2.0
// Tree pseudo-LRU: one bit an inner node of a binary tree over the ways, pointing at the half that was used less
// recently. With a way count that is no power of two, the tree is that of the next power of two and a pointer into the
// half without candidates is not followed; so are ways that may not go.
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
      // Point away from the way just used: bit set means the upper half goes first.
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
                "one bit an inner node of a binary tree over the ways points at the half used less recently", "");

}  // namespace
}  // namespace heddle::memory
