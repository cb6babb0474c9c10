// SPDX-License-Identifier: Apache-2.0
#include "sm/grouping/ganging/gang_issue_table.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "sm/blocks/block_site.h"

namespace heddle::sm {

GangIssueLogic::GangIssueLogic(const GangIssueShape& shape) : shape_(shape) { last_of_size_.fill(kNone); }

void GangIssueLogic::write(unsigned entry, SliceMask members) {
  members_[entry] = members;
  for (unsigned s = 0; s < kMaxSlices; ++s) on_slice_[s].assign(entry, (members >> s & 1) != 0);
  const auto size = static_cast<std::uint8_t>(std::popcount(members));
  GangSet& before = of_size_[sizes_[entry]];
  before.reset(entry);
  if (before.none()) sizes_in_use_ &= ~(1u << sizes_[entry]);
  sizes_[entry] = size;
  if (size != 0) {
    of_size_[size].set(entry);
    sizes_in_use_ |= 1u << size;
  }
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

template <typename Rank>
unsigned GangIssueLogic::least(const GangSet& left, const Rank& rank) {
  unsigned best = kNone;
  decltype(rank(0)) best_rank{};
  left.for_each([&](std::size_t i) {
    const auto entry = static_cast<unsigned>(i);
    const auto own = rank(entry);
    if (best != kNone && best_rank < own) return;
    best = entry;
    best_rank = own;
  });
  return best;
}

inline unsigned GangIssueLogic::least(const GangSet& left, const GangSet& some) const {
  constexpr std::uint64_t kLast = ~std::uint64_t{0};
  constexpr std::size_t kHalf = GangSet::kWords / 2;
  std::uint64_t best = kLast;
  for (std::size_t w = 0, words = shape_.sets * kGangWays > 64 * kHalf ? GangSet::kWords : kHalf; w < words; ++w) {
    for (std::uint64_t word = left.word(w) & some.word(w); word != 0; word &= word - 1)
      best = std::min(best, ranks_[64 * w + static_cast<std::size_t>(std::countr_zero(word))]);
  }
  return best == kLast ? kNone : entry_of(best);
}

unsigned GangIssueLogic::first(const GangCandidates& candidates, const GangSet& left) const {
  switch (shape_.order) {
    case GangOrder::lowest_pc:
      return least(left, [&](unsigned entry) { return std::pair(candidates.pcs[entry], ranks_[entry]); });
    case GangOrder::round_robin:
      // Entries behind the last one come first; kNone is before entry 0.
      return least(left, [&](unsigned entry) { return (entry - last_ - 1) % kMaxGangs; });
    case GangOrder::big_then_oldest:
      // Only those of the largest size can be first.
      for (unsigned sizes = sizes_in_use_; sizes != 0;) {
        const unsigned largest = static_cast<unsigned>(std::bit_width(sizes)) - 1;
        sizes &= ~(1u << largest);
        if (const unsigned found = least(left, of_size_[largest]); found != kNone) return found;
      }
      return kNone;
    default:
      return least(left, left);
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
  GangSet left = candidates.ready;  // of those, the ones that fit beside the gangs picked so far
  remove_on(static_cast<SliceMask>(~free), left);
  while (picks.count < shape_.gangs) {
    unsigned best = first(candidates, left);
    if (best == kNone) break;
    if (const unsigned last = greedy_for(best); last != kNone && left.test(last)) best = last;
    picks.entries[picks.count++] = static_cast<std::uint8_t>(best);
    free = static_cast<SliceMask>(free & ~members_[best]);
    if (picks.count == shape_.gangs || !any_fits(free)) break;
    left.reset(best);
    remove_on(members_[best], left);
    if (kind != 0 || candidates.kinds[best] == 0) continue;
    kind = candidates.kinds[best];
    const GangSet all = left;
    all.for_each([&](std::size_t entry) {
      if (candidates.kinds[entry] != 0 && candidates.kinds[entry] != kind) left.reset(entry);
    });
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
