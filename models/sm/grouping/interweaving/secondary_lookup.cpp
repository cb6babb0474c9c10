// SPDX-License-Identifier: Apache-2.0
#include "sm/grouping/interweaving/secondary_lookup.h"

#include <bit>

#include "sm/blocks/block_site.h"

namespace heddle::sm {

LookupAnswer look_up_secondary(const LookupShape& shape, const LookupRequest& request) {
  LookupAnswer answer;
  int most = -1;
  for (unsigned i = 0; i < shape.ways; ++i) {
    const unsigned way = (request.first + i) % shape.ways;
    const std::uint64_t bit = std::uint64_t{1} << way;
    if ((request.ready & bit) == 0) continue;
    if ((request.same_unit & bit) != 0 && (request.lanes[way] & ~request.free) != 0) continue;
    answer.hits |= bit;
    if (const int lanes = std::popcount(request.lanes[way]); lanes > most) {
      most = lanes;
      answer.best = way;
    }
  }
  return answer;
}

namespace {

class SecondaryLookupModel final : public SecondaryLookup {
 public:
  SecondaryLookupModel(const LookupShape& shape, const BlockSite&) : shape_(shape) {}
  LookupAnswer look_up(const LookupRequest& request) override { return look_up_secondary(shape_, request); }

 private:
  LookupShape shape_;
};

HEDDLE_REGISTER(SecondaryLookup, SecondaryLookupModel, "model", "the model's own logic", "docs/rtl.md");

}  // namespace

}  // namespace heddle::sm
