// SPDX-License-Identifier: Apache-2.0
// Shared memory: banks, conflicts, broadcast. The bytes move when the instruction issues; here is the time.
// Source: spec/large-warps-and-database-search.md, 2.2; compute capability 1.x counts conflicts by half-warps.
#pragma once

#include "core/link.h"
#include "sm/event_wheel.h"
#include "sm/sm_context.h"

namespace heddle::sm {

/// Passes over the banks that the packet's addresses need: the most distinct words any bank is asked for. 1 or more.
unsigned bank_passes(const Packet& packet, const SharedMemoryParameters& parameters);

class SharedMemory final : public Stage {
 public:
  SharedMemory(sc_core::sc_module_name name, SmContext& sm);

  LinkIn<Packet*> accesses;
  LinkOut<Packet*> done;

  void cycle() override;

 private:
  SmContext& sm_;
  Cycle free_at_ = 0;
  EventWheel<Packet*> leaving_;
  std::vector<Packet*> left_;
  StatisticsGroup group_;
  Counter accesses_, passes_, conflicts_;
  ModuleState state_;
  ProbeGroup::SignalId pc_, passes_of_access_;
};

}  // namespace heddle::sm
