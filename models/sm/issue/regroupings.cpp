// SPDX-License-Identifier: Apache-2.0
#include "sm/issue/regroupings.h"

#include <algorithm>

namespace heddle::sm {

void Regroupings::add(WarpId warp) {
  if (std::find(warps_.begin(), warps_.end(), warp) == warps_.end()) warps_.push_back(warp);
}

void Regroupings::changed(const ContextSet& some) {
  warps_.clear();
  some.for_each([this](std::size_t c) {
    const Context& context = contexts_[c];
    const Known& known = known_[c];
    if (context.threads == known.threads && context.warp == known.warp) return;
    if (known.threads.any()) add(known.warp);
    if (context.threads.any()) add(context.warp);
  });
  for (const WarpId warp : warps_) tell(warp);
  some.for_each([this](std::size_t c) { known_[c] = {contexts_[c].warp, contexts_[c].threads}; });
}

void Regroupings::tell(WarpId warp) {
  regrouping_.warp = warp;
  regrouping_.parts.clear();
  waiting_.contexts_of(warp).for_each([&](ContextId c) {
    Regrouping::Part part{.context = c, .before = {}, .after = {}};
    if (known_[c].warp == warp) part.before = known_[c].threads;
    if (contexts_[c].warp == warp) part.after = contexts_[c].threads;
    if (part.before.any() || part.after.any()) regrouping_.parts.push_back(part);
  });
  hazards_.regrouped(regrouping_);
}

}  // namespace heddle::sm
