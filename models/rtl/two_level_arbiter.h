// SPDX-License-Identifier: Apache-2.0
// A Verilated two-level round-robin arbiter (rtl/two_level_round_robin.sv) with word-sized ports and a clock.
#pragma once

#include <cstdint>

#include "rtl/ports.h"
#include "rtl/verilated_block.h"

namespace heddle::rtl {

/// Arbitrates up to 32 contexts. In each cycle: cycle(), grant() any number of times, issued() at most once.
class TwoLevelArbiter {
 public:
  virtual ~TwoLevelArbiter() = default;
  /// Ends the previous cycle, if any, with a clock edge and begins the next. running: live contexts that wait neither
  /// for memory nor at a barrier.
  virtual void cycle(std::uint32_t running) = 0;
  /// The best candidate, one-hot; 0: none.
  virtual std::uint32_t grant(std::uint32_t candidates) = 0;
  /// The context that issues in this cycle, one-hot.
  virtual void issued(std::uint32_t context) = 0;
  /// The group with the highest priority, one-hot.
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
    rtl::show(group, "rtl_running", kContexts, "live contexts that wait neither for memory nor at a barrier",
              arbiter_->running);
    rtl::show(group, "rtl_candidates", kContexts, "contexts to choose from", arbiter_->candidates);
    rtl::show(group, "rtl_grant", kContexts, "the context granted", arbiter_->grant);
    rtl::show(group, "rtl_head", kContexts / kGroupSize, "the group with the highest priority", arbiter_->head);
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
