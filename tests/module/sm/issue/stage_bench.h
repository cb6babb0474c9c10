// SPDX-License-Identifier: Apache-2.0
// All parts of an issue stage around a scripted grouping and a scripted hazard tracker, with a clock and with receivers
// for the links. One per process.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "issue_bench.h"
#include "sm/issue/issue_kit.h"
#include "sm/issue/issue_schemes.h"

namespace heddle::sm {

/// The stage's side of its links.
struct SendingEnds : Stage {
  SendingEnds(const sc_core::sc_module_name& module_name, ClockGate& g);
  void cycle() override {}
  LinkOut<BlockDone> finished;
  LinkOut<FetchRequest> fetch;
  UnitLinks units;
};

/// Takes nothing by itself.
struct ReceivingEnds : Stage {
  ReceivingEnds(const sc_core::sc_module_name& module_name, ClockGate& g);
  void cycle() override {}
  LinkIn<BlockDone> finished;
  LinkIn<FetchRequest> fetch;
  LinkIn<PacketHandle> alu, sfu, fp64, memory;
};

class StageBench : public IssueBench {
 public:
  /// In order of dependence, as in the stage.
  struct Parts {
    explicit Parts(StageBench& bench);
    IssueUnits units;
    SlotPolicies policies;
    InstructionSupply supply;
    WaitingThreads waiting;
    InstructionEffects effects;
    Regroupings regroupings;
    ContextStates states;
    MeetingUnit meeting_unit;
    BarrierUnit barriers;
    LoopNotes notes;
    BranchUnit branches;
    ResidentBlocks residents;
    PacketTiming timing;
    IssueAccount account;
    IssueKit kit;
  };

  explicit StageBench(const GroupingTraits& traits = {.contexts = 8}, const ResidencyParameters& residency = {})
      : IssueBench(traits, residency) {}

  // -- set before build()
  HazardTraits hazard_traits;
  std::unique_ptr<IssueScheme> scheme;  ///< null: one slot for all contexts, or two with every second context
  std::unique_ptr<FetchScheme> fetch_scheme;
  bool follows_threads = false;

  /// Makes the parts and ends elaboration; the present is cycle 1.
  void build();
  Parts& parts() { return *parts_; }
  IssueKit& kit() { return parts_->kit; }

  /// A block arrives, of which so many granules start; 0: all. Its contexts have their first instruction and are ready.
  BlockSlot arrive(unsigned threads, unsigned granules = 0);
  /// Every context gets the instructions that it asks for, as often as it asks.
  void fetch_all();
  /// Instructions of the requests that are visible arrive.
  void answer_fetches();
  /// Handles the events up to this cycle, each in its cycle.
  void run_to(Cycle cycle);

  /// What was sent and is visible, oldest first: it is taken.
  template <typename T>
  static std::vector<T> received(LinkIn<T>& link) {
    std::vector<T> all;
    for (; T* one = link.front(); link.pop()) all.push_back(*one);
    return all;
  }

  SendingEnds out{sc_core::sc_module_name("out"), gate};
  ReceivingEnds in{sc_core::sc_module_name("in"), gate};

 private:
  void handle(const IssueEvent& event);
  std::unique_ptr<Parts> parts_;
  std::uint64_t next_block_ = 0;
};

}  // namespace heddle::sm
