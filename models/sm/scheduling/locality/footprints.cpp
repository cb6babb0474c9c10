// SPDX-License-Identifier: Apache-2.0
#include "sm/scheduling/locality/footprints.h"

namespace heddle::sm {

void FootprintTable::set_lines(ContextId c, unsigned lines) {
  const auto stored = static_cast<std::uint16_t>(std::min(lines, kMostFootprint));
  if (entries_[c].lines == stored) return;
  entries_[c].lines = stored;
  with_lines_.assign(c, stored != 0);
  changed_ = true;
}

void FootprintTable::begins(ContextId c, CodeAddress loop, const LoopBounds& outermost, unsigned lines) {
  Footprint& entry = entries_[c];
  changed_ = changed_ || (entry.loop != loop && lines != 0);
  if (!in_loop_.test(c)) entry.outermost = outermost;
  entry.loop = loop;
  entry.tentative = false;
  in_loop_.set(c);
  tentative_.reset(c);
  set_lines(c, lines);
}

void FootprintTable::expects(ContextId c, CodeAddress closest_loop, unsigned lines) {
  if (lines == 0) return;
  entries_[c].loop = closest_loop;
  entries_[c].tentative = true;
  tentative_.set(c);
  set_lines(c, lines);
}

void FootprintTable::clear(ContextId c) {
  set_lines(c, 0);
  entries_[c] = {};
  in_loop_.reset(c);
  tentative_.reset(c);
}

void LoadAdmission::decide(const FootprintTable& table) {
  too_large_.clear();
  for (const ContextId c : order_) {
    if (table[c].lines > rule_.cache_lines) too_large_.push_back(table[c].loop);
  }
  const auto free = [&](ContextId c) {
    return std::find(too_large_.begin(), too_large_.end(), table[c].loop) != too_large_.end();
  };
  blocked_.clear();
  admitted_.clear();
  sum_ = admitted_sum_ = 0;
  for (const ContextId c : order_) {
    if (free(c)) continue;
    const bool first = sum_ == 0;
    // The footprint of a blocked warp stays in the sum: smaller ones behind it wait, too.
    sum_ += table[c].lines;
    if (!first && sum_ > rule_.effective_lines) {
      blocked_.set(c);
      continue;
    }
    admitted_sum_ += table[c].lines;
    if (!table[c].tentative) admitted_.set(c);
  }
}

}  // namespace heddle::sm
