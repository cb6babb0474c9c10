// SPDX-License-Identifier: Apache-2.0
#include "gpu/checks/race_clocks.h"

#include <algorithm>

#include "isa/operands.h"

namespace heddle::gpu {
namespace {

using isa::kWordThreads;

const KnownBlock* find(const SharedPast& past, std::uint32_t block) {
  if (past == nullptr) return nullptr;
  const auto found = std::lower_bound(past->begin(), past->end(), block,
                                      [](const KnownBlock& known, std::uint32_t b) { return known.block < b; });
  return found != past->end() && found->block == block ? &*found : nullptr;
}

std::uint32_t beyond(const Clocks& clocks, std::uint32_t warp, std::uint32_t lanes, std::uint32_t clock) {
  std::uint32_t unknown = 0;
  isa::for_each_lane(lanes, [&](unsigned lane) {
    unknown |= std::uint32_t{clocks[std::size_t{warp} * kWordThreads + lane] < clock} << lane;
  });
  return unknown;
}

}  // namespace

SharedClocks joined(const SharedClocks& a, const SharedClocks& b) {
  if (a == b || b == nullptr) return a;
  if (a == nullptr) return b;
  bool a_has_all = true, b_has_all = true;
  for (std::size_t i = 0; i < a->size(); ++i) {
    a_has_all = a_has_all && (*a)[i] >= (*b)[i];
    b_has_all = b_has_all && (*b)[i] >= (*a)[i];
  }
  if (a_has_all) return a;
  if (b_has_all) return b;
  auto both = std::make_shared<Clocks>(*a);
  for (std::size_t i = 0; i < both->size(); ++i) (*both)[i] = std::max((*both)[i], (*b)[i]);
  return both;
}

namespace {

KnownBlock both_of(const KnownBlock& a, const KnownBlock& b) {
  if (a.phase != b.phase) return a.phase > b.phase ? a : b;
  return {a.block, a.phase, joined(a.clocks, b.clocks)};
}

}  // namespace

SharedPast joined(const SharedPast& a, const SharedPast& b) {
  if (a == b || b == nullptr) return a;
  if (a == nullptr) return b;
  auto both = std::make_shared<Past>();
  both->reserve(std::max(a->size(), b->size()));
  bool is_a = true, is_b = true;
  auto left = a->begin(), right = b->begin();
  while (left != a->end() || right != b->end()) {
    if (right == b->end() || (left != a->end() && left->block < right->block)) {
      both->push_back(*left++);
      is_b = false;
    } else if (left == a->end() || right->block < left->block) {
      both->push_back(*right++);
      is_a = false;
    } else {
      both->push_back(both_of(*left, *right));
      const KnownBlock& last = both->back();
      is_a = is_a && last.phase == left->phase && last.clocks == left->clocks;
      is_b = is_b && last.phase == right->phase && last.clocks == right->clocks;
      ++left;
      ++right;
    }
  }
  if (is_a) return a;
  return is_b ? b : both;
}

void View::join(const View& other) {
  others = joined(others, other.others);
  if (phase != other.phase) {
    if (phase > other.phase) return;
    phase = other.phase;
    warp = other.warp;
    block = other.block;
    return;
  }
  for (unsigned i = 0; i < kWordThreads; ++i) warp[i] = std::max(warp[i], other.warp[i]);
  block = joined(block, other.block);
}

void View::acquire(const Viewer& self, const SharedPast& past, bool foreign) {
  if (const KnownBlock* own = find(past, self.block); own != nullptr && own->phase == phase && own->clocks != nullptr) {
    const std::uint32_t* mates = own->clocks->data() + std::size_t{self.warp} * kWordThreads;
    for (unsigned i = 0; i < kWordThreads; ++i) warp[i] = std::max(warp[i], mates[i]);
    block = joined(block, own->clocks);
  }
  if (foreign) others = joined(others, past);
}

SharedPast View::publish(const Viewer& self, std::uint32_t warps) const {
  auto clocks =
      block != nullptr ? std::make_shared<Clocks>(*block) : std::make_shared<Clocks>(std::size_t{warps} * kWordThreads);
  std::copy(warp.begin(), warp.end(), clocks->begin() + static_cast<std::ptrdiff_t>(self.warp * kWordThreads));
  KnownBlock own{self.block, phase, std::move(clocks)};
  auto past = others != nullptr ? std::make_shared<Past>(*others) : std::make_shared<Past>();
  const auto place = std::lower_bound(past->begin(), past->end(), self.block,
                                      [](const KnownBlock& known, std::uint32_t b) { return known.block < b; });
  if (place != past->end() && place->block == self.block) {
    *place = std::move(own);
  } else {
    past->insert(place, std::move(own));
  }
  return past;
}

std::uint32_t View::unknown(const Viewer& self, const Viewer& who, std::uint32_t lanes, std::uint32_t then,
                            std::uint32_t clock) const {
  if (who.block == self.block) {
    if (then < phase) return 0;
    return block == nullptr ? lanes : beyond(*block, who.warp, lanes, clock);
  }
  const KnownBlock* known = find(others, who.block);
  if (known == nullptr || then > known->phase) return lanes;
  if (then < known->phase) return 0;
  return known->clocks == nullptr ? lanes : beyond(*known->clocks, who.warp, lanes, clock);
}

}  // namespace heddle::gpu
