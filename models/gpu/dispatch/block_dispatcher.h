// SPDX-License-Identifier: Apache-2.0
// Assigns the blocks of running launches to SMs with free resources, each launch's blocks in grid order. A policy
// chooses the SM and the launch.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <vector>

#include "core/kernel/link.h"
#include "core/kernel/module_state.h"
#include "core/kernel/services.h"
#include "gpu/dispatch/dispatch_policy.h"
#include "gpu/gpu_parameters.h"
#include "isa/state.h"
#include "sm/messages.h"
#include "sm/residency/residency.h"

namespace heddle::gpu {

class BlockDispatcher final : public Stage, private DispatchView {
 public:
  /// Resources of one SM, as tracked by the dispatcher.
  struct SmDescription {
    sm::ResidencyParameters residency;
    unsigned granule = 32;  ///< threads per slot of its grouping
  };

  BlockDispatcher(sc_core::sc_module_name name, ClockGate& gate, const DispatcherParameters& parameters,
                  const std::vector<SmDescription>& sms, StatisticsOwner& statistics, Services& services);

  std::vector<std::unique_ptr<LinkOut<sm::BlockLaunch>>> to_sms;  ///< one per SM
  std::vector<std::unique_ptr<LinkIn<sm::BlockDone>>> from_sms;

  /// Queues a launch. Its blocks are dispatched in order, after all blocks of earlier launches.
  void enqueue(std::shared_ptr<const isa::LaunchState> launch);
  /// callback: called when the last block of a launch has finished.
  void on_launch_done(std::function<void(const isa::LaunchState&)> callback) { done_ = std::move(callback); }
  /// Most blocks of the launch that any SM can hold; if 0, `limit` receives the limiting resource.
  unsigned capacity(const isa::LaunchState& launch, std::string* limit) const;
  bool idle() const { return running_.empty(); }
  std::string state_dump() const;
  /// Whether any block has not started.
  bool blocks_wait() const;

  void cycle() override;

 private:
  struct Running {
    std::shared_ptr<const isa::LaunchState> launch;
    std::uint64_t next = 0, blocks = 0, done = 0;
    Cycle from = 0;
    std::vector<sm::BlockNeed> need;  ///< by SM
  };
  void take_finished();
  void dispatch();
  /// Sends the launch's next block to the SM.
  void send(const BlockGrant& grant);

  // DispatchView
  unsigned sms() const override { return static_cast<unsigned>(ledgers_.size()); }
  unsigned launches() const override { return static_cast<unsigned>(running_.size()); }
  std::uint64_t launch_id(unsigned launch) const override { return running_[launch].launch->id; }
  bool has_blocks(unsigned launch) const override {
    return running_[launch].next != running_[launch].blocks && running_[launch].from <= now();
  }
  bool has_room(SmId sm, unsigned launch) const override { return room(sm, launch) != 0; }
  bool has_room_for_all(SmId sm, unsigned launch) const override {
    return room(sm, launch) == running_[launch].need[sm].granules;
  }
  /// Granules of the launch's next block that can start on the SM in this cycle.
  unsigned room(SmId sm, unsigned launch) const {
    return to_sms[sm]->can_send() ? ledgers_[sm]->room(running_[launch].need[sm]) : 0;
  }

  void declare_state();

  DispatcherParameters parameters_;
  std::unique_ptr<DispatchPolicy> policy_;
  std::vector<SmDescription> descriptions_;
  std::vector<std::unique_ptr<sm::Residency>> ledgers_;  ///< by SM: what its own residency will come to know
  std::deque<Running> running_;
  std::function<void(const isa::LaunchState&)> done_;
  StatisticsGroup group_;
  Counter launches_, blocks_;
  ModuleState state_;
};

}  // namespace heddle::gpu
