// SPDX-License-Identifier: Apache-2.0
// First in, first out: the victim is the line allocated first, regardless of hits.
#include <bit>
#include <vector>

#include "memory/cache/replacement.h"

namespace heddle::memory {
namespace {

class FirstInFirstOut final : public Replacement {
 public:
  explicit FirstInFirstOut(const ReplacementGeometry& geometry)
      : ways_(geometry.ways), filled_(std::size_t{geometry.sets} * geometry.ways, 0) {}

  void touched(unsigned, unsigned) override {}
  void filled(unsigned set, unsigned way) override { filled_[std::size_t{set} * ways_ + way] = ++fills_; }
  unsigned victim(unsigned set, std::uint64_t candidates) const override {
    const std::uint64_t* fill = &filled_[std::size_t{set} * ways_];
    auto oldest = static_cast<unsigned>(std::countr_zero(candidates));
    for (std::uint64_t rest = candidates & (candidates - 1); rest != 0; rest &= rest - 1) {
      const auto way = static_cast<unsigned>(std::countr_zero(rest));
      if (fill[way] < fill[oldest]) oldest = way;
    }
    return oldest;
  }

 private:
  unsigned ways_;
  std::uint64_t fills_ = 0;
  std::vector<std::uint64_t> filled_;
};

HEDDLE_REGISTER(Replacement, FirstInFirstOut, "fifo", "the line allocated first, regardless of hits", "");

}  // namespace
}  // namespace heddle::memory
