// SPDX-License-Identifier: Apache-2.0
// A machine's memory hierarchy driven by an access trace instead of SMs: `heddle memtrace`.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/kernel/services.h"
#include "gpu/gpu_parameters.h"
#include "gpu/memory_hierarchy.h"
#include "gpu/recording/recording.h"
#include "memory/trace_player.h"

namespace heddle::gpu {

/// The sockets by which a trace enters. Trace cycles are those of their clock.
enum class TraceEntry : std::uint8_t {
  l1,          ///< the L1 data caches of the SMs; core clock
  l2,          ///< the L2 slices, one socket each; L2 clock
  controller,  ///< the memory controllers, one socket per slice; DRAM command clock
};

struct TraceRequest {
  TraceEntry entry = TraceEntry::l1;
  unsigned under_way = 0;        ///< requests a socket may have in flight; 0: no limit
  std::uint64_t max_cycles = 0;  ///< stop with Error(kLimit) after so many; 0: no limit
  RecordingRequest recording{};
};

class TraceMachine {
 public:
  /// services and trace outlive this. trace: its ports are SMs of the machine. Fails (kConfiguration) if the machine
  /// lacks the entry.
  TraceMachine(const MachineParameters& parameters, Services& services, const std::vector<memory::TraceAccess>& trace,
               const TraceRequest& request);
  ~TraceMachine();

  /// Replays the trace until every access is answered and nothing is in flight. Throws Error(kLimit),
  /// Error(kNoProgress) or Error(kInterrupted) if it does not complete.
  void run();
  /// Completes recordings and statistics, before results are written. Returns a note for the user.
  std::string finish();

  const memory::TracePlayer& player() const { return *player_; }
  memory::MemorySystem& system() { return hierarchy_->system(); }
  /// The clock of the entry.
  const ClockDomain& clock() const { return *clock_; }
  /// Core cycles so far.
  Cycle core_cycles() const { return core_.arrival_cycle() - 1; }
  RecordedDetails details() const { return recording_->details(); }

  /// SMs of a machine, over all classes.
  static unsigned sms_of(const MachineParameters& parameters);

 private:
  bool ended() const { return player_->done() && hierarchy_->idle(); }

  MachineParameters parameters_;
  TraceRequest request_;
  ClockTree clocks_;
  ClockDomain core_;
  std::vector<std::unique_ptr<StatisticsOwner>> owners_;
  std::vector<std::unique_ptr<sc_core::sc_module>> sms_;  ///< parents of the SM caches
  std::unique_ptr<MemoryHierarchy> hierarchy_;
  ClockDomain* clock_ = nullptr;
  std::unique_ptr<memory::TracePlayer> player_;
  CheckedConnections connections_;
  std::unique_ptr<Recording> recording_;
};

}  // namespace heddle::gpu
