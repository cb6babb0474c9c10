// SPDX-License-Identifier: Apache-2.0
#include "sm/grouping/ganging/gang_issue_table.h"

#include <bit>

#include "sm/blocks/block_site.h"

namespace heddle::sm {

GangIssueLogic::GangIssueLogic(const GangIssueShape& shape) : shape_(shape) { last_of_size_.fill(kNone); }

void GangIssueLogic::write(unsigned entry, SliceMask members) {
  members_[entry] = members;
  sizes_[entry] = static_cast<std::uint8_t>(std::popcount(members));
  if (members != 0) return;
  if (last_ == entry) last_ = kNone;
  for (unsigned& last : last_of_size_) {
    if (last == entry) last = kNone;
  }
}

void GangIssueLogic::start(unsigned set) { age_[set] = next_age_++; }

bool GangIssueLogic::greedy_before(unsigned last, unsigned a, unsigned b) const {
  if (a == last || b == last) return a == last;
  const std::uint64_t age_a = age_[a / kGangWays], age_b = age_[b / kGangWays];
  return age_a != age_b ? age_a < age_b : a < b;
}

bool GangIssueLogic::before(const GangCandidates& candidates, unsigned a, unsigned b) const {
  const unsigned size_a = sizes_[a], size_b = sizes_[b];
  switch (shape_.order) {
    case GangOrder::big_then_oldest:
      return size_a != size_b ? size_a > size_b : greedy_before(last_of_size_[size_a], a, b);
    case GangOrder::little_then_oldest:
      return size_a != size_b ? size_a < size_b : greedy_before(last_of_size_[size_a], a, b);
    case GangOrder::greedy_then_oldest:
      return greedy_before(last_, a, b);
    case GangOrder::lowest_pc:
      return candidates.pcs[a] != candidates.pcs[b] ? candidates.pcs[a] < candidates.pcs[b]
                                                    : greedy_before(kNone, a, b);
    case GangOrder::round_robin:
      break;
  }
  // Entries behind the last one come first.
  const bool wraps_a = last_ != kNone && a <= last_, wraps_b = last_ != kNone && b <= last_;
  return wraps_a != wraps_b ? wraps_b : a < b;
}

GangPicks GangIssueLogic::pick(const GangCandidates& candidates) {
  GangPicks picks;
  SliceMask free = candidates.free;
  std::uint8_t kind = 0;
  GangSet left = candidates.ready;
  while (picks.count < shape_.gangs && free != 0) {
    unsigned best = kNone;
    left.for_each([&](std::size_t i) {
      const auto entry = static_cast<unsigned>(i);
      const std::uint8_t of_entry = candidates.kinds[entry];
      const bool fits = (members_[entry] & ~free) == 0 && (of_entry == 0 || kind == 0 || of_entry == kind);
      if (fits && (best == kNone || before(candidates, entry, best))) best = entry;
    });
    if (best == kNone) break;
    left.reset(best);
    free = static_cast<SliceMask>(free & ~members_[best]);
    if (candidates.kinds[best] != 0) kind = candidates.kinds[best];
    picks.entries[picks.count++] = static_cast<std::uint8_t>(best);
  }
  // The order of a cycle follows from the state at its start. Of those that issued last, the first one picked counts.
  for (unsigned i = picks.count; i-- > 0;) {
    last_ = picks.entries[i];
    last_of_size_[sizes_[last_]] = last_;
  }
  return picks;
}

namespace {

class GangIssueModel final : public GangIssueTable {
 public:
  GangIssueModel(const GangIssueShape& shape, const BlockSite&) : logic_(shape) {}
  void write(unsigned entry, SliceMask members) override { logic_.write(entry, members); }
  void start(unsigned set) override { logic_.start(set); }
  GangPicks pick(const GangCandidates& candidates) override { return logic_.pick(candidates); }

 private:
  GangIssueLogic logic_;
};

HEDDLE_REGISTER(GangIssueTable, GangIssueModel, "model", "the model's own logic", "docs/rtl.md");

}  // namespace

}  // namespace heddle::sm
