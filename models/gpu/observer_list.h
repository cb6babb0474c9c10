// SPDX-License-Identifier: Apache-2.0
// Fans out to several observers of one machine.
#pragma once

#include <utility>
#include <vector>

#include "gpu/functional/functional_warp.h"

namespace heddle::gpu {

class ObserverList final : public ExecutionObserver {
 public:
  explicit ObserverList(std::vector<ExecutionObserver*> observers) : observers_(std::move(observers)) {}

  void started(const isa::WarpState& warp) override {
    for (ExecutionObserver* o : observers_) o->started(warp);
  }
  void memory(const isa::MicroOp& op, const isa::WarpState& warp, const isa::Addresses& addresses) override {
    for (ExecutionObserver* o : observers_) o->memory(op, warp, addresses);
  }
  void met(const isa::WarpState& warp, std::uint32_t mask) override {
    for (ExecutionObserver* o : observers_) o->met(warp, mask);
  }
  void fence(const isa::MicroOp& op, const isa::WarpState& warp, std::uint32_t mask) override {
    for (ExecutionObserver* o : observers_) o->fence(op, warp, mask);
  }
  void copied(const isa::MicroOp& op, const isa::WarpState& warp, const isa::Addresses& addresses) override {
    for (ExecutionObserver* o : observers_) o->copied(op, warp, addresses);
  }
  void copies(const isa::MicroOp& op, const isa::WarpState& warp, std::uint32_t mask) override {
    for (ExecutionObserver* o : observers_) o->copies(op, warp, mask);
  }
  void arrived(const isa::WarpState& warp, std::uint32_t mask, unsigned barrier) override {
    for (ExecutionObserver* o : observers_) o->arrived(warp, mask, barrier);
  }
  void opened(const isa::BlockState& block, unsigned barrier, bool everyone) override {
    for (ExecutionObserver* o : observers_) o->opened(block, barrier, everyone);
  }
  void passed(const isa::WarpState& warp, std::uint32_t mask, unsigned barrier) override {
    for (ExecutionObserver* o : observers_) o->passed(warp, mask, barrier);
  }

 private:
  std::vector<ExecutionObserver*> observers_;
};

}  // namespace heddle::gpu
