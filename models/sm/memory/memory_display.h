// SPDX-License-Identifier: Apache-2.0
// Visibility into the memory stage: waveform signals and declared storage.
#pragma once

#include "core/kernel/link.h"
#include "core/kernel/module_state.h"
#include "sm/memory/memory_requests.h"
#include "sm/memory/packet_completion.h"
#include "sm/memory/transaction_queue.h"
#include "sm/sm_context.h"

namespace heddle::sm {

class MemoryDisplay {
 public:
  /// What it shows; outlives it.
  struct Shown {
    const LinkIn<PacketHandle>& packets;
    const AccessTable& table;
    const TransactionQueue& queue;
    const MemoryRequests& requests;
    const PacketCompletion& completion;
  };
  MemoryDisplay(const SmContext& sm, const Shown& shown);
  /// The group's next transaction is being sent.
  void sending(const AccessGroup& group) {
    if (state_.signals.on()) show(group);
  }

 private:
  void show(const AccessGroup& group);

  ModuleState state_;
  ProbeGroup::SignalId address_, kind_, pc_;
};

}  // namespace heddle::sm
