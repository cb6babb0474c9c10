// SPDX-License-Identifier: Apache-2.0
// Least recently used: the victim is the line that was hit or filled longest ago.
#include <bit>
#include <vector>

#include "memory/cache/replacement.h"

namespace heddle::memory {
namespace {

class LeastRecentlyUsed final : public Replacement {
 public:
  explicit LeastRecentlyUsed(const ReplacementGeometry& geometry)
      : ways_(geometry.ways), last_use_(std::size_t{geometry.sets} * geometry.ways, 0) {}

  void touched(unsigned set, unsigned way) override { last_use_[std::size_t{set} * ways_ + way] = ++uses_; }
  void filled(unsigned set, unsigned way) override { touched(set, way); }
  unsigned victim(unsigned set, std::uint64_t candidates) const override {
    const std::uint64_t* use = &last_use_[std::size_t{set} * ways_];
    auto oldest = static_cast<unsigned>(std::countr_zero(candidates));
    for (std::uint64_t rest = candidates & (candidates - 1); rest != 0; rest &= rest - 1) {
      const auto way = static_cast<unsigned>(std::countr_zero(rest));
      if (use[way] < use[oldest]) oldest = way;
    }
    return oldest;
  }

 private:
  unsigned ways_;
  std::uint64_t uses_ = 0;
  std::vector<std::uint64_t> last_use_;
};

HEDDLE_REGISTER(Replacement, LeastRecentlyUsed, "lru", "the line that was hit or filled longest ago", "");

}  // namespace
}  // namespace heddle::memory
