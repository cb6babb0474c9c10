// SPDX-License-Identifier: Apache-2.0
// One streaming multiprocessor: its stages, their links and its clock gate. External connections use sockets.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "core/kernel/call.h"
#include "core/kernel/services.h"
#include "sm/issue/issue_stage.h"
#include "sm/memory/memory_stage.h"
#include "sm/memory/shared_memory.h"
#include "sm/pipeline/decode_stage.h"
#include "sm/pipeline/execute_stage.h"
#include "sm/pipeline/fetch_stage.h"
#include "sm/pipeline/operand_stage.h"
#include "sm/pipeline/writeback_stage.h"
#include "sm/sm_context.h"

namespace heddle::sm {

class Sm final : public sc_core::sc_module {
 public:
  struct Options {
    bool reverse_construction = false;  ///< order test: stages are built last to first
    std::uint64_t seed = 1;             ///< from the configuration
    /// Called at the end of construction, if set: what it builds belongs to the SM, as its caches do, without being
    /// known to it. Modules that it builds are children of the SM.
    std::function<void(Sm&)> build_inside{};
  };

  /// number: orders effects. class_name: SMs of one class share summed statistics.
  Sm(sc_core::sc_module_name name, SmId number, const SmParameters& parameters, ClockDomain& domain, Services& services,
     const std::string& class_name);
  Sm(sc_core::sc_module_name name, SmId number, const SmParameters& parameters, ClockDomain& domain, Services& services,
     const std::string& class_name, const Options& options);

  // -- sockets. The SystemC names of the first three end in _socket: the caches bear the short ones.
  tlm::tlm_base_initiator_socket<> data, constant, texture;  ///< to the caches, which are inside or outside the SM
  CallPort<InstructionStore> instructions;
  /// See MemoryStage.
  bool wants_misses() const { return memory_->wants_misses(); }
  void expect_misses(CachePath path) { memory_->expect_misses(path); }
  /// To be called by the L1 data cache; null: nobody on this SM subscribed to its events.
  CacheListener* l1d_listener() { return context_.events.l1d.any() ? &l1d_events_ : nullptr; }
  /// Called once the SM is connected to an L1 data cache.
  void has_l1d(const L1dShape& l1d) { context_.events.l1d_built.tell(l1d); }
  LinkIn<BlockLaunch>& launches() { return issue_->launches; }
  LinkOut<BlockDone>& finished() { return issue_->finished; }

  /// Connects the memory and system calls that kernels see, and the sink that applies effects at the end of a cycle.
  /// Call before the first launch.
  void attach(isa::MemoryPort& port, EffectSink& sink, const isa::Environment& environment);
  /// Those of cycles up to `now`.
  void apply_effects(Cycle now) { context_.effects.apply(*context_.memory_port, context_.progress, now); }

  /// Reports all events to the listener from the next cycle on. The listener must outlive the SM's last cycle.
  void listen(SmListener& listener);
  /// State of the endless-loop detection; see ProgressWatch.
  ProgressWatch& progress() { return context_.progress; }

  SmId number() const { return context_.number; }
  /// Of its stages, and of the caches in it.
  ClockDomain& clock() { return gate_.domain(); }
  bool idle() const { return issue_->idle() && memory_->unanswered() == 0; }
  /// As in needs.h.
  bool reads_after_loads() const { return reads_after_loads_; }
  const IssueStage& issue() const { return *issue_; }
  const GroupingUnit& grouping() const { return *grouping_; }
  const ContextTable& contexts() const { return context_.contexts; }
  const SmParameters& parameters() const { return parameters_; }
  StatisticsOwner& statistics() { return statistics_; }
  /// Charges the cycles that the clock gate skipped, up to and including the last one. Call between cycles.
  void settle_account() {
    issue_->settle(gate_.now() + 1);
    memory_->settle(gate_.now());
    fetch_->settle(gate_.now());
    for (ExecuteStage* unit : {alu_.get(), sfu_.get(), fp64_.get()}) unit->settle(gate_.now());
  }
  /// See SmWatch. Only for recorders, at moments of the simulation: they show where a wait was cut.
  void cut_waits() {
    if (watch_ != nullptr) watch_->cut_waits();
  }
  void permute_calls(std::uint64_t seed) { gate_.permute_calls(seed); }
  void set_gating(bool on) { gate_.set_gating(on); }
  /// What its clock calls for the stages.
  const ClockGate& gate() const { return gate_; }

 private:
  struct L1dEvents final : CacheListener {
    explicit L1dEvents(const SmEvents& sm_events) : events(sm_events) {}
    void cache_event(const CacheEvent& event) override { events.l1d.tell(event); }
    const SmEvents& events;
  };
  void connect_stages();

  ClockGate gate_;
  SmParameters parameters_;
  StatisticsOwner statistics_;
  SmContext context_;
  L1dEvents l1d_events_{context_.events};
  std::unique_ptr<SmWatch> watch_;  ///< present if a listener is attached
  std::unique_ptr<GroupingUnit> grouping_;
  bool reads_after_loads_ = false;
  std::unique_ptr<IssueStage> issue_;
  std::unique_ptr<PrefixSumBlock> prefix_sum_;
  std::unique_ptr<FetchStage> fetch_;
  std::unique_ptr<DecodeStage> decode_;
  std::unique_ptr<OperandStage> operands_;
  std::unique_ptr<ExecuteStage> alu_, sfu_, fp64_;
  std::unique_ptr<MemoryStage> memory_;
  std::unique_ptr<SharedMemory> shared_;
  std::unique_ptr<WritebackStage> writeback_;
};

}  // namespace heddle::sm
