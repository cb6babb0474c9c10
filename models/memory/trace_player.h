// SPDX-License-Identifier: Apache-2.0
// Replays a trace of accesses at sockets of the memory side, with no SM: each port sends its accesses in the trace's
// order, a request a cycle, none before its cycle, as fast as the target takes them.
#pragma once

#include <memory>
#include <systemc>
#include <vector>

#include "core/kernel/base_port.h"
#include "core/kernel/payload.h"
#include "core/statistics/statistics.h"
#include "memory/access_trace.h"

namespace heddle::memory {

/// What a replay counts: the statistics owner "trace".
struct TraceStatistics {
  explicit TraceStatistics(Statistics& statistics);

  StatisticsOwner owner;
  StatisticsGroup group{owner, "accesses"};
  Counter reads, writes, atomics, bytes, requests, refused;
  Histogram read_latency, write_latency, atomic_latency;
  Maximum longest;
};

/// When an access was under way, in cycles of the clock of the sockets it entered by. Both kNever until then.
struct TraceTimes {
  Cycle begin = kNever;  ///< of its first request (BEGIN_REQ)
  Cycle end = kNever;    ///< of its last reply (BEGIN_RESP)
};

struct TracePlayerSetting {
  /// Bytes of a line: an access that spans several is a request for each. 1 .. 512, a power of two.
  std::uint64_t line_bytes = 128;
  /// Requests a port may have under way; 0: as many as the target takes.
  unsigned under_way = 0;
};

class TracePlayer final : public sc_core::sc_module {
 public:
  TracePlayer(sc_core::sc_module_name name, ClockDomain& domain, unsigned ports, const TracePlayerSetting& setting,
              Statistics& statistics);
  ~TracePlayer() override;

  InitiatorSocket& out(unsigned port);
  /// Gives the trace to be played, which must outlive the player, and says by which port a line of memory is asked for;
  /// before simulation starts. port_of(access, address): 0 .. ports-1.
  template <typename PortOf>
  void play(const std::vector<TraceAccess>& trace, const PortOf& port_of) {
    trace_ = &trace;
    times_.assign(trace.size(), {});
    for (std::size_t i = 0; i < trace.size(); ++i) {
      const std::uint64_t end = trace[i].address + trace[i].bytes;
      for (std::uint64_t at = trace[i].address; at < end; at = next_line(at)) add(i, at, port_of(trace[i], at));
    }
    begin();
  }

  /// Every access has had its last reply.
  bool done() const { return trace_ != nullptr && done_ == trace_->size(); }
  std::size_t accesses_done() const { return done_; }
  /// Whether an access that is next at its socket is not to be sent before `cycle`.
  bool waits_for(Cycle cycle) const;
  const std::vector<TraceTimes>& times() const { return times_; }
  const TraceStatistics& statistics() const { return counts_; }

 private:
  class Port;
  std::uint64_t next_line(std::uint64_t address) const { return (address | (setting_.line_bytes - 1)) + 1; }
  void add(std::size_t access, std::uint64_t address, unsigned port);
  void begin();
  void replied(std::size_t access, Cycle cycle, bool refused);

  TracePlayerSetting setting_;
  TraceStatistics counts_;
  std::vector<std::unique_ptr<Port>> ports_;
  const std::vector<TraceAccess>* trace_ = nullptr;
  std::vector<TraceTimes> times_;
  std::vector<std::uint32_t> left_;  ///< requests of each access that have not been answered
  std::size_t done_ = 0;
};

}  // namespace heddle::memory
