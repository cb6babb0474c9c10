// SPDX-License-Identifier: Apache-2.0
// Fetch: looks up the line of each request in the instruction cache, or in a store in front of it, and forwards hits;
// misses wait for their line.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "core/kernel/call.h"
#include "core/kernel/instruction_store.h"
#include "core/kernel/link.h"
#include "sm/messages.h"
#include "sm/pipeline/unseen_fetches.h"
#include "sm/sm_context.h"

namespace heddle::sm {

class DecodeStage;

class FetchStage final : public Stage, public InstructionReturn, public FetchAtPick {
 public:
  /// stores: number of stores in front of the instruction cache.
  FetchStage(sc_core::sc_module_name name, SmContext& sm, std::size_t stores = 0);

  LinkIn<FetchRequest> requests;
  LinkOut<Fetched> fetched;
  CallExport<FetchAtPick> at_pick;
  CallPort<InstructionStore> cache;
  /// Number `store` of FetchRequest, from 1.
  CallPort<InstructionStore>& store(std::size_t number) { return stores_[number - 1]->port; }

  /// `fetched` leads to `decode`, and from there to a link of this latency, without anything between. Returns what
  /// then skips decode, to be taken by whoever receives on that link.
  UnseenFetches& leads_to(DecodeStage& decode, Cycle latency);
  /// Counts instructions decoded up to and including cycle `now`. Call between cycles.
  void settle(Cycle now) {
    if (unseen_) unseen_->settle(now);
  }

  void cycle() override;
  InstructionStore::Answer fetch_at_pick(const FetchRequest& request) override;
  void line_filled(std::uint64_t line, Cycle from) override { filled(0, line, from); }

 private:
  /// A store in front of the cache.
  struct Store final : InstructionReturn {
    Store(FetchStage& owner, std::uint8_t own_number);
    void line_filled(std::uint64_t line, Cycle from) override { stage.filled(number, line, from); }
    FetchStage& stage;
    const std::uint8_t number;
    CallPort<InstructionStore> port;
  };
  struct Waiting {
    std::uint64_t line;
    FetchRequest request;
  };
  std::uint64_t address_of(const FetchRequest& request) const;
  void filled(std::uint8_t store, std::uint64_t line, Cycle from);
  void release_filled();
  void try_again();
  /// Looks up the request and forwards it if it hits. False: its store was busy.
  bool serve(const FetchRequest& request);
  /// Looks up the request's store. A request that misses is queued until its line arrives.
  InstructionStore::Answer look_up(const FetchRequest& request);
  /// Whether what is forwarded in this cycle skips decode: nobody watches.
  bool unseen() const;
  bool can_forward();
  /// Forwards the instructions of a request. There must be room.
  void forward(const FetchRequest& request);

  SmContext& sm_;
  std::vector<std::unique_ptr<Store>> stores_;
  std::vector<Waiting> waiting_;
  struct Line {
    std::uint8_t store;
    std::uint64_t line;
    Cycle from;  ///< first cycle in which waiting requests may proceed
  };
  std::vector<Line> filled_;
  std::vector<FetchRequest> arrived_;  ///< requests whose line has arrived, oldest first
  std::vector<FetchRequest> put_off_;  ///< requests that found their store busy, in order; only with several stores
  std::vector<bool> busy_;             ///< by store: answered so in this cycle
  std::optional<UnseenFetches> unseen_;
  StatisticsGroup group_;
  Counter fetched_, missed_;
  ModuleState state_;
  ProbeGroup::SignalId context_, pc_, hit_;
};

}  // namespace heddle::sm
