// SPDX-License-Identifier: Apache-2.0
#include "sm/grouping/ganging/gang_issue_table.h"

#include <bit>
#include <utility>

#include "sm/blocks/block_site.h"

namespace heddle::sm {

GangIssueLogic::GangIssueLogic(const GangIssueShape& shape) : shape_(shape) { last_of_size_.fill(kNone); }

void GangIssueLogic::write(unsigned entry, SliceMask members) {
  members_[entry] = members;
  sizes_[entry] = static_cast<std::uint8_t>(std::popcount(members));
  rank_again(entry);
  if (members != 0) return;
  if (last_ == entry) last_ = kNone;
  for (unsigned& last : last_of_size_) {
    if (last == entry) last = kNone;
  }
}

void GangIssueLogic::start(unsigned set) {
  age_[set] = next_age_++;
  for (unsigned way = 0; way < kGangWays; ++way) rank_again(set * kGangWays + way);
}

void GangIssueLogic::rank_again(unsigned entry) {
  // An age is below 2^48.
  const bool big = shape_.order == GangOrder::big_then_oldest, little = shape_.order == GangOrder::little_then_oldest;
  const std::uint64_t size = big ? kMaxSlices - sizes_[entry] : little ? sizes_[entry] : 0;
  ranks_[entry] = (size << 48 | age_[entry / kGangWays]) << 8 | entry;
}

template <typename Fits, typename Rank>
unsigned GangIssueLogic::least(const GangSet& left, const Fits& fits, const Rank& rank) {
  unsigned best = kNone;
  decltype(rank(0)) best_rank{};
  left.for_each([&](std::size_t i) {
    const auto entry = static_cast<unsigned>(i);
    if (!fits(entry)) return;
    const auto own = rank(entry);
    if (best != kNone && best_rank < own) return;
    best = entry;
    best_rank = own;
  });
  return best;
}

template <typename Fits>
unsigned GangIssueLogic::first(const GangCandidates& candidates, const GangSet& left, const Fits& fits) const {
  switch (shape_.order) {
    case GangOrder::lowest_pc:
      return least(left, fits, [&](unsigned entry) { return std::pair(candidates.pcs[entry], ranks_[entry]); });
    case GangOrder::round_robin:
      // Entries behind the last one come first; kNone is before entry 0.
      return least(left, fits, [&](unsigned entry) { return (entry - last_ - 1) % kMaxGangs; });
    default:
      return least(left, fits, [&](unsigned entry) { return ranks_[entry]; });
  }
}

unsigned GangIssueLogic::greedy_for(unsigned entry) const {
  if (shape_.order == GangOrder::greedy_then_oldest) return last_;
  const bool by_size = shape_.order == GangOrder::big_then_oldest || shape_.order == GangOrder::little_then_oldest;
  const unsigned last = by_size ? last_of_size_[sizes_[entry]] : kNone;
  return last != kNone && sizes_[last] == sizes_[entry] ? last : kNone;
}

GangPicks GangIssueLogic::pick(const GangCandidates& candidates) {
  GangPicks picks;
  SliceMask free = candidates.free;
  std::uint8_t kind = 0;
  GangSet left = candidates.ready;
  while (picks.count < shape_.gangs && free != 0) {
    const auto fits = [&](unsigned entry) {
      const std::uint8_t of_entry = candidates.kinds[entry];
      return (members_[entry] & ~free) == 0 && (of_entry == 0 || kind == 0 || of_entry == kind);
    };
    unsigned best = first(candidates, left, fits);
    if (best == kNone) break;
    if (const unsigned last = greedy_for(best); last != kNone && left.test(last) && fits(last)) best = last;
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
