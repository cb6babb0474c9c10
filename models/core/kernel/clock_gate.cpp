// SPDX-License-Identifier: Apache-2.0
#include "core/kernel/clock_gate.h"

#include <algorithm>
#include <bit>

#include "core/error.h"

namespace heddle {

unsigned ClockGate::add(Stage& stage) {
  if (stages_.size() == kMaxStages) fail(ExitCode::internal, "a clock gate holds at most {} stages", kMaxStages);
  stages_.push_back(&stage);
  return static_cast<unsigned>(stages_.size() - 1);
}

void ClockGate::wake_from_outside(unsigned stage, Cycle at) {
  if (Outbox::keeps(domain_, [this, stage, at] { wake_from_outside(stage, at); })) return;
  at = std::max(at, domain_.arrival_cycle());
  set(stage, at);
  domain_.wake(*this, at);
}

void ClockGate::wake_far(unsigned stage, Cycle at) {
  // Stages that work while they wait ask for the same cycle again.
  for (const Far& entry : far_) {
    if (entry.at == at && entry.stage == stage) return;
  }
  far_.push_back({at, stage});
}

std::uint64_t ClockGate::pending() const {
  std::uint64_t word = 0;
  for (std::uint64_t rest = occupied_; rest != 0; rest &= rest - 1)
    word |= near_[static_cast<unsigned>(std::countr_zero(rest))];
  for (const Far& entry : far_) word |= std::uint64_t{1} << entry.stage;
  return word;
}

void ClockGate::tick() {
  const Cycle now = domain_.now();
  const unsigned slot = now % kHorizon;
  std::uint64_t word = near_[slot];
  near_[slot] = 0;
  occupied_ &= ~(std::uint64_t{1} << slot);
  for (std::size_t i = 0; i < far_.size();) {
    if (far_[i].at > now) {
      ++i;
      continue;
    }
    word |= std::uint64_t{1} << far_[i].stage;
    far_[i] = far_.back();
    far_.pop_back();
  }
  if (!gating_) word = stages_.size() == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << stages_.size()) - 1;
  called_ = word;

  ticking_ = true;
  if (permutation_seed_ == 0) {
    while (word != 0) {
      Stage& stage = *stages_[static_cast<unsigned>(std::countr_zero(word))];
      word &= word - 1;
      // The other SMs had their turns since this one's: the next stage is brought near while this one works.
      if (word != 0) __builtin_prefetch(stages_[static_cast<unsigned>(std::countr_zero(word))]);
      stage.cycle();
    }
  } else {
    std::array<unsigned, kMaxStages> order{};
    unsigned count = 0;
    for (; word != 0; word &= word - 1) order[count++] = static_cast<unsigned>(std::countr_zero(word));
    for (unsigned i = count; i > 1; --i) {
      permutation_seed_ = permutation_seed_ * 6364136223846793005ULL + 1442695040888963407ULL;
      std::swap(order[i - 1], order[(permutation_seed_ >> 33) % i]);
    }
    for (unsigned i = 0; i < count; ++i) stages_[order[i]]->cycle();
  }
  ticking_ = false;

  Cycle next = kNever;
  if (occupied_ != 0)
    next = now + 1 +
           static_cast<unsigned>(std::countr_zero(std::rotr(occupied_, static_cast<int>((slot + 1) % kHorizon))));
  for (const Far& entry : far_) next = std::min(next, entry.at);
  if (next != kNever) domain_.wake(*this, next);
}

}  // namespace heddle
