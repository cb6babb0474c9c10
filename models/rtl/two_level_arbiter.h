// SPDX-License-Identifier: Apache-2.0
// A Verilated two-level round-robin arbiter (rtl/two_level_round_robin.sv): words in, words out, and a clock.
#pragma once

#include <cstdint>

#include "rtl/ports.h"
#include "rtl/verilated_block.h"

namespace heddle::rtl {

/// Of up to 32 contexts. In a cycle: cycle(), grant() any number of times, issued() at most once.
class TwoLevelArbiter {
 public:
  virtual ~TwoLevelArbiter() = default;
  /// Ends the cycle before, if there was one, by an edge of the clock, and begins the next. running: live contexts that
  /// wait for no memory and at no barrier.
  virtual void cycle(std::uint32_t running) = 0;
  /// The best of the candidates, one bit; 0: there is none.
  virtual std::uint32_t grant(std::uint32_t candidates) = 0;
  /// The context that issues in this cycle, one bit.
  virtual void issued(std::uint32_t context) = 0;
  /// The group of highest priority, one bit.
  virtual std::uint32_t head() = 0;
  virtual void show(ProbeGroup& group) = 0;
};

/// Arbiter: the Verilated class; kContexts, kGroupSize: its parameters CONTEXTS and GROUP_SIZE.
template <typename Arbiter, unsigned kContexts, unsigned kGroupSize>
class TwoLevelArbiterOf final : public TwoLevelArbiter {
 public:
  explicit TwoLevelArbiterOf(std::uint32_t timeout) {
    put(arbiter_->timeout, 0, timeout);
    arbiter_->reset = 1;
    edge();
    arbiter_->reset = 0;
  }

  void cycle(std::uint32_t running) override {
    if (begun_) edge();
    begun_ = true;
    changed_ |= put(arbiter_->running, 0, running);
  }
  std::uint32_t grant(std::uint32_t candidates) override {
    changed_ |= put(arbiter_->candidates, 0, candidates);
    settle();
    return get(arbiter_->grant, 0);
  }
  void issued(std::uint32_t context) override { changed_ |= put(arbiter_->issued, 0, context); }
  std::uint32_t head() override {
    settle();
    return get(arbiter_->head, 0);
  }
  void show(ProbeGroup& group) override {
    rtl::show(group, "rtl_running", kContexts, "live contexts that wait for no memory and at no barrier",
              arbiter_->running);
    rtl::show(group, "rtl_candidates", kContexts, "contexts it was asked to choose from", arbiter_->candidates);
    rtl::show(group, "rtl_grant", kContexts, "the best of them", arbiter_->grant);
    rtl::show(group, "rtl_head", kContexts / kGroupSize, "the group of highest priority", arbiter_->head);
  }

 private:
  void edge() {
    settle();
    arbiter_->clock = 1;
    arbiter_->eval();
    arbiter_->clock = 0;
    arbiter_->issued = 0;
    changed_ = true;
  }
  void settle() {
    if (changed_) arbiter_->eval();
    changed_ = false;
  }

  VerilatedBlock<Arbiter> arbiter_;
  bool changed_ = true, begun_ = false;
};

}  // namespace heddle::rtl
