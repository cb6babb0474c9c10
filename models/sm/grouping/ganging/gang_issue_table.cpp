// SPDX-License-Identifier: Apache-2.0
#include "sm/grouping/ganging/gang_issue_table.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "sm/blocks/block_site.h"

namespace heddle::sm {

GangIssueLogic::GangIssueLogic(const GangIssueShape& shape) : shape_(shape) {
  last_of_size_.fill(kNone);
  for (unsigned set = 0; set < kMaxGangSets; ++set) older_[set] = GangSet::first_n(set * kGangWays);
}

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
  if (members != 0) return;
  if (last_ == entry) last_ = kNone;
  for (unsigned& last : last_of_size_) {
    if (last == entry) last = kNone;
  }
}

void GangIssueLogic::start(unsigned set) {
  const GangSet own = GangSet::first_n((set + 1) * kGangWays) - GangSet::first_n(set * kGangWays);
  for (GangSet& older : older_) older -= own;
  older_[set] = GangSet::first_n(kMaxGangs) - own;
}

template <std::size_t words>
[[gnu::always_inline]] inline unsigned GangIssueLogic::oldest_of(const GangSet& left, const GangSet& some) const {
  std::array<std::uint64_t, words> rest;
  for (std::size_t w = 0; w < words; ++w) rest[w] = left.word(w) & some.word(w);
  unsigned oldest = kNone;
  for (std::size_t w = 0; w < words; ++w) {
    while (rest[w] != 0) {
      oldest = static_cast<unsigned>(64 * w) + static_cast<unsigned>(std::countr_zero(rest[w]));
      const GangSet& older = older_[oldest / kGangWays];
      for (std::size_t v = w; v < words; ++v) rest[v] &= older.word(v);
    }
  }
  return oldest;
}

inline unsigned GangIssueLogic::oldest(const GangSet& left, const GangSet& some) const {
  constexpr std::size_t kHalf = GangSet::kWords / 2;
  return shape_.sets * kGangWays > 64 * kHalf ? oldest_of<GangSet::kWords>(left, some) : oldest_of<kHalf>(left, some);
}

[[gnu::always_inline]] inline unsigned GangIssueLogic::first(const GangCandidates& candidates,
                                                             const GangSet& left) const {
  GangSet lowest;
  std::uint32_t pc = ~std::uint32_t{0};
  switch (shape_.order) {
    case GangOrder::lowest_pc:
      left.for_each([&](std::size_t entry) {
        if (candidates.pcs[entry] < pc) lowest.clear();
        pc = std::min(pc, candidates.pcs[entry]);
        if (candidates.pcs[entry] == pc) lowest.set(entry);
      });
      return oldest(lowest, lowest);
    case GangOrder::round_robin: {
      // Entries behind the last one come first; kNone is before entry 0.
      std::size_t next = left.next((last_ + 1) % kMaxGangs);
      if (next == GangSet::kBits) next = left.first();
      return next == GangSet::kBits ? kNone : static_cast<unsigned>(next);
    }
    case GangOrder::big_then_oldest:
      for (unsigned sizes = sizes_in_use_; sizes != 0;) {
        const unsigned largest = static_cast<unsigned>(std::bit_width(sizes)) - 1;
        sizes &= ~(1u << largest);
        if (const unsigned found = oldest(left, of_size_[largest]); found != kNone) return found;
      }
      return kNone;
    case GangOrder::little_then_oldest:
      for (unsigned sizes = sizes_in_use_; sizes != 0; sizes &= sizes - 1) {
        const unsigned found = oldest(left, of_size_[static_cast<std::size_t>(std::countr_zero(sizes))]);
        if (found != kNone) return found;
      }
      return kNone;
    default:
      return oldest(left, left);
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
