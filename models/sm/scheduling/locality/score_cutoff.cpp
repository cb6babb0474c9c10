// SPDX-License-Identifier: Apache-2.0
#include "sm/scheduling/locality/score_cutoff.h"

#include <algorithm>

#include "sm/blocks/block_site.h"

namespace heddle::sm {

std::vector<WarpId> by_descending_score(const WarpSet& active, const std::vector<std::uint32_t>& scores) {
  std::vector<WarpId> order;
  active.for_each([&](std::size_t w) { order.emplace_back(w); });
  std::stable_sort(order.begin(), order.end(), [&](WarpId a, WarpId b) { return scores[a] > scores[b]; });
  return order;
}

WarpSet admit_below_cutoff(CutoffRule rule, const CutoffRequest& request) {
  WarpSet admitted;
  std::uint64_t sum = 0;
  for (const WarpId warp : by_descending_score(request.active, request.scores)) {
    const std::uint64_t end = sum + request.scores[warp];
    const bool below = rule == CutoffRule::crossing_admitted ? sum < request.cutoff : end <= request.cutoff;
    if (!below) break;
    admitted.set(warp);
    sum = end;
  }
  return admitted;
}

namespace {

class ScoreCutoffModel final : public ScoreCutoff {
 public:
  ScoreCutoffModel(const ScoreCutoffShape& shape, const BlockSite&) : rule_(shape.rule) {}
  WarpSet admit(const CutoffRequest& request) override { return admit_below_cutoff(rule_, request); }

 private:
  const CutoffRule rule_;
};

HEDDLE_REGISTER(ScoreCutoff, ScoreCutoffModel, "model", "the model's own logic", "docs/rtl.md");

}  // namespace

}  // namespace heddle::sm
