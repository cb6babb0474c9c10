// SPDX-License-Identifier: Apache-2.0
// The machine: clocks, SMs with their caches, the memory system, the dispatcher. Built once from the configuration.
#pragma once

#include <cstdint>
#include <exception>
#include <memory>
#include <string>
#include <vector>

#include "core/kernel/clock.h"
#include "core/kernel/clock_gate.h"
#include "core/kernel/services.h"
#include "gpu/gpu_parameters.h"
#include "gpu/memory_side.h"
#include "isa/state.h"
#include "sm/effects.h"

namespace heddle::sm {
class Sm;
enum class Standstill : std::uint8_t;
}  // namespace heddle::sm

namespace heddle::gpu {

class BlockDispatcher;

/// Order of construction and of calls, for tests that show the order does not matter.
struct BuildOptions {
  bool reverse_construction = false;
  std::uint64_t permute_calls = 0;  ///< seed; 0: declared order
  bool gating = true;
  std::uint64_t seed = 1;    ///< of the configuration, for random policies
  unsigned threads = 1;      ///< of the host, for parts of the machine; >= 1; results do not depend on it
  Cycle thread_cycles = 16;  ///< most that several threads work on in a round; >= 1; nor do they depend on this
};

class Gpu final : public sc_core::sc_module, public sm::EffectSink, public EndOfCycle {
 public:
  Gpu(sc_core::sc_module_name name, const GpuParameters& parameters, Services& services, MemorySideFactory memory_side,
      const BuildOptions& options);
  ~Gpu() override;

  /// Connects what kernels access outside the machine: device memory, textures, system calls. device: memory that
  /// nobody else writes while a kernel runs; loops that read beyond it are exempt from endless-loop detection. Call
  /// before the first launch.
  void attach(isa::MemoryPort& port, const isa::DeviceRange& device = {});

  /// Cycles without an issue after which run() gives up.
  static constexpr Cycle kPatience = 1'000'000;
  /// Cycles of a launch before the first check for endless loops; the interval doubles up to kMostPatience.
  static constexpr Cycle kSuspicion = 100'000, kMostPatience = 12'800'000;
  /// Cycles between checks of an instruction limit.
  static constexpr Cycle kLimitCheck = 1'000;
  /// Cycles between checks for an interrupt signal.
  static constexpr Cycle kSignalCheck = 10'000;

  struct Outcome {
    Cycle start = 0, end = 0;  ///< core cycles
  };
  /// Limits that stop a launch with Error(kLimit); 0: no limit.
  struct Limits {
    std::uint64_t cycles = 0, thread_instructions = 0;
  };
  /// Runs one launch to its end, until its memory traffic has drained. Throws the kernel's fault, or
  /// Error(kNoProgress) if nothing more can happen.
  Outcome run(std::shared_ptr<const isa::LaunchState> launch, const Limits& limits);
  Outcome run(std::shared_ptr<const isa::LaunchState> launch) { return run(std::move(launch), Limits{}); }

  // -- run() in steps, for callers inside the simulation: see ClockTree::on_attention()
  /// Begins a launch; throws as run() does before it simulates anything.
  void begin(std::shared_ptr<const isa::LaunchState> launch, const Limits& limits);
  /// Between cycles, when attention was called: whether the launch has ended. Throws if an error ended it.
  bool look();
  /// Outcome of the launch, once look() has returned true.
  const Outcome& outcome() const { return under_way_.outcome; }
  /// The core clock's last edge at or before the present, even if nothing has ticked for long.
  Cycle present() const { return core_.arrival_cycle() - 1; }
  ClockTree& clocks() { return clocks_; }

  /// Between launches: empties the caches.
  void reset() { memory_->reset(); }

  BlockDispatcher& dispatcher() { return *dispatcher_; }
  ClockDomain& core_clock() { return core_; }
  const ClockTree& clocks() const { return clocks_; }
  const std::vector<std::unique_ptr<sm::Sm>>& sms() const { return sms_; }
  std::uint64_t warp_instructions() const;
  std::uint64_t thread_instructions() const;
  /// Accounts for skipped cycles, before statistics are read.
  void settle();
  /// Fails (kInternal) if the issue slots of an SM do not add up. Call after settle().
  void check_accounts() const;
  /// Describes what each part waits for.
  std::string state_dump() const;

  // -- effects
  void gathered(SmId sm, bool waits) override;
  void end_of_cycle() override;

 private:
  bool drained() const;
  /// Endless-loop detection, between cycles: whether the launch will never end by itself.
  struct Look {
    Cycle patience = kSuspicion, begin = 0, end = 0;
    bool on = false;
  };
  sm::Standstill look_for_loops(Look& look);
  void end_look();

  /// The current launch, and when it last made progress.
  struct UnderWay {
    std::shared_ptr<const isa::LaunchState> launch;
    Limits limits;
    Outcome outcome;
    bool windows = false;  ///< its kernel may run ahead of its effects on memory
    std::uint64_t issued = 0, threads_before = 0;
    Cycle progress_at = 0;
    Look look;
  };
  void set_alarm();
  Cycle last_of_window(Cycle from) const;
  void check_limits() const;
  void check_progress();

  /// Keeps the core clock running up to the cycle in which run() checks limits, even if all else is idle.
  class Alarm final : public Clocked {
   public:
    explicit Alarm(Gpu& gpu) : gpu_(gpu) {}

   private:
    /// A wake-up may be left over from an earlier launch.
    void tick() override {
      if (gpu_.pause_at_ != kNever && gpu_.core_.now() < gpu_.pause_at_) gpu_.core_.wake(*this, gpu_.pause_at_);
    }
    Gpu& gpu_;
  };

  GpuParameters parameters_;
  const Structures& structures_;
  ClockTree clocks_;
  ClockDomain core_;
  StatisticsOwner statistics_;
  ClockGate gate_;
  std::vector<std::unique_ptr<ClockDomain>> sm_clocks_;  ///< parts of core_; none on one thread
  std::vector<std::unique_ptr<sm::Sm>> sms_;
  std::unique_ptr<BlockDispatcher> dispatcher_;
  std::unique_ptr<MemorySide> memory_;
  ContextSet gathered_;  ///< SMs with effects in this cycle
  bool requested_ = false;
  isa::MemoryPort* port_ = nullptr;
  bool launch_done_ = false;
  UnderWay under_way_;
  Alarm alarm_{*this};
  Cycle pause_at_ = kNever;  ///< core cycle at which run() checks for progress
};

}  // namespace heddle::gpu
