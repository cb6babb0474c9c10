// SPDX-License-Identifier: Apache-2.0
// Fetch: looks up the line of each request in the instruction cache and forwards hits; misses wait for their line.
#pragma once

#include <vector>

#include "core/kernel/call.h"
#include "core/kernel/instruction_store.h"
#include "core/kernel/link.h"
#include "sm/messages.h"
#include "sm/sm_context.h"

namespace heddle::sm {

class FetchStage final : public Stage, public InstructionReturn, public FetchAtPick {
 public:
  FetchStage(sc_core::sc_module_name name, SmContext& sm);

  LinkIn<FetchRequest> requests;
  LinkOut<Fetched> fetched;
  CallExport<FetchAtPick> at_pick;
  CallPort<InstructionStore> cache;

  void cycle() override;
  InstructionStore::Answer fetch_at_pick(const FetchRequest& request) override;
  void line_filled(std::uint64_t line, Cycle from) override;

 private:
  struct Waiting {
    std::uint64_t line;
    FetchRequest request;
  };
  std::uint64_t address_of(const FetchRequest& request) const;
  void release_filled();
  /// Looks up the cache. A request that misses is queued until its line arrives.
  InstructionStore::Answer look_up(const FetchRequest& request);

  SmContext& sm_;
  std::vector<Waiting> waiting_;
  struct Line {
    std::uint64_t line;
    Cycle from;  ///< first cycle in which waiting requests may proceed
  };
  std::vector<Line> filled_;
  std::vector<FetchRequest> arrived_;  ///< requests whose line has arrived, oldest first
  StatisticsGroup group_;
  Counter fetched_, missed_;
  ModuleState state_;
  ProbeGroup::SignalId context_, pc_, hit_;
};

}  // namespace heddle::sm
