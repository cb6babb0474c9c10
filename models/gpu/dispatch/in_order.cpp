// SPDX-License-Identifier: Apache-2.0
// Launches in order: a launch begins when the one before it has dispatched its last block. At most one block per SM and
// cycle.
#include "gpu/dispatch/dispatch_policy.h"

namespace heddle::gpu {

namespace {

class InOrder : public DispatchPolicy {
 public:
  explicit InOrder(unsigned sms) : sms_(sms) {}
  void begin_cycle() override {
    start_ = first();
    asked_ = 0;
  }
  std::optional<BlockGrant> next(const DispatchView& view) override {
    while (asked_ < sms_) {
      const SmId sm((start_ + asked_++) % sms_);
      const std::optional<unsigned> launch = view.oldest_with_blocks();
      if (!launch) return std::nullopt;
      if (!view.has_room(sm, *launch)) continue;
      next_ = (sm.number() + 1u) % sms_;
      return BlockGrant{sm, *launch};
    }
    return std::nullopt;
  }

 protected:
  /// The SM that is asked first in a cycle.
  virtual unsigned first() const = 0;
  unsigned behind_the_last() const { return next_; }

 private:
  unsigned sms_;
  unsigned start_ = 0, asked_ = 0;
  unsigned next_ = 0;
};

}  // namespace

class RoundRobinDispatch final : public InOrder {
 public:
  using InOrder::InOrder;

 private:
  unsigned first() const override { return behind_the_last(); }
};
HEDDLE_REGISTER(DispatchPolicy, RoundRobinDispatch, "round_robin",
                "launches in order; the next SM with room after the last that got a block",
                "docs/sources/decisions.md 1");

class FillFirstDispatch final : public InOrder {
 public:
  using InOrder::InOrder;

 private:
  unsigned first() const override { return 0; }
};
HEDDLE_REGISTER(DispatchPolicy, FillFirstDispatch, "fill_first", "launches in order; the lowest-numbered SM with room",
                "docs/sources/decisions.md 1");

}  // namespace heddle::gpu
