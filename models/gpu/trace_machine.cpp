// SPDX-License-Identifier: Apache-2.0
#include "gpu/trace_machine.h"

#include <algorithm>
#include <functional>
#include <string>

#include "core/error.h"
#include "gpu/run_control.h"

namespace heddle::gpu {
namespace {

/// Cycles of the entry's clock without an answer after which a run is abandoned.
constexpr Cycle kPatience = 1'000'000;
/// Cycles between checks of limits and signals.
constexpr Cycle kLook = 10'000;

memory::MemoryEntry entry_of(TraceEntry entry) {
  return entry == TraceEntry::l1   ? memory::MemoryEntry::ports
         : entry == TraceEntry::l2 ? memory::MemoryEntry::l2
                                   : memory::MemoryEntry::controller;
}

/// Stands for an SM, so that the caches built in it are named as in a whole machine.
struct SmPlace final : sc_core::sc_module {
  SmPlace(sc_core::sc_module_name module_name, const std::function<void()>& build) : sc_module(module_name) { build(); }
};

}  // namespace

unsigned TraceMachine::sms_of(const MachineParameters& parameters) {
  unsigned sms = 0;
  for (const SmClass& one : parameters.gpu.sm_classes) sms += one.count;
  return sms;
}

TraceMachine::TraceMachine(const MachineParameters& parameters, Services& services,
                           const std::vector<memory::TraceAccess>& trace, const TraceRequest& request)
    : parameters_(parameters),
      request_(request),
      clocks_(1000.0),
      core_("core_clock", clocks_, parameters.gpu.clocks.core) {
  const unsigned sms = sms_of(parameters_);
  const bool by_sm = request.entry == TraceEntry::l1;
  hierarchy_ = std::make_unique<MemoryHierarchy>(clocks_, core_, sms, parameters_, services, entry_of(request.entry));
  const memory::AddressMap& map = system().map();
  clock_ = by_sm ? &core_ : request.entry == TraceEntry::l2 ? &hierarchy_->l2_clock() : &hierarchy_->dram_clock();
  // A request must stay within a line of the entry level and within one slice.
  std::uint64_t line = std::min<std::uint64_t>(512, map.granule());
  if (by_sm) {
    for (unsigned i = 0; i < sms; ++i) {
      const std::string name = "sm" + std::to_string(i);
      owners_.push_back(
          std::make_unique<StatisticsOwner>(services.statistics, name, hierarchy_->class_of(SmId(i)).name));
      sms_.push_back(
          std::make_unique<SmPlace>(name.c_str(), [&] { hierarchy_->add_caches(SmId(i), *owners_.back(), *clock_); }));
      if (const memory::CacheLevel* l1d = hierarchy_->caches(SmId(i)).cache(memory::SmCacheKind::l1d))
        line = std::min(line, l1d->line_bytes());
    }
  } else if (request.entry == TraceEntry::l2) {
    line = std::min(line, system().slice(0).line_bytes());
  }
  const unsigned ports = by_sm ? sms : map.targets();
  player_ = std::make_unique<memory::TracePlayer>(
      "trace", *clock_, ports, memory::TracePlayerSetting{line, request.under_way}, services.statistics);
  for (unsigned i = 0; i < ports; ++i) {
    if (by_sm) {
      connections_.connect(player_->out(i), hierarchy_->caches(SmId(i)).in(memory::SmCacheKind::l1d));
    } else {
      connections_.connect(player_->out(i), system().in(i));
    }
  }
  player_->play(trace, [&](const memory::TraceAccess& access, std::uint64_t address) {
    return by_sm ? access.port.number() : map.target(address);
  });
  services.statistics.check_classes();
  recording_ = std::make_unique<Recording>(
      request.recording,
      RecordedMachine{
          clocks_, core_, services, &system(), hierarchy_->dram_clock(), "a trace", {}, {}, nullptr, [this] {
            hierarchy_->settle();
          }});
  for (ClockDomain* domain : clocks_.domains()) {
    domain->on_every_cycle([this](Cycle) {
      if (ended()) sc_core::sc_pause();
    });
  }
}

TraceMachine::~TraceMachine() = default;

void TraceMachine::run() {
  std::size_t answered = 0;
  Cycle from = 0, progress_at = 0;
  while (!ended()) {
    Cycle until = from + kLook;
    if (request_.max_cycles != 0) until = std::min(until, request_.max_cycles);
    sc_core::sc_start(clock_->time_of(until) - sc_core::sc_time_stamp());
    if (const std::exception_ptr error = clocks_.take_error()) std::rethrow_exception(error);
    if (ended()) return;
    from = until;
    if (const int signal = interrupt_signal.load(std::memory_order_relaxed); signal != 0)
      fail(ExitCode::interrupted, "interrupted by signal {} at cycle {}", signal, until);
    if (until == request_.max_cycles) {
      fail(ExitCode::limit, "stopped after {} cycles, its limit, with {} of {} accesses answered", until,
           player_->accesses_done(), player_->times().size());
    }
    if (player_->accesses_done() != answered || player_->waits_for(until)) {
      answered = player_->accesses_done();
      progress_at = until;
    }
    if (until - progress_at >= kPatience) {
      fail(ExitCode::no_progress, "no access was answered since about cycle {}; {} of {} are", progress_at, answered,
           player_->times().size());
    }
  }
}

std::string TraceMachine::finish() {
  hierarchy_->settle();
  recording_->finish(!ended());
  return recording_->note();
}

}  // namespace heddle::gpu
