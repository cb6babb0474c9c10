// SPDX-License-Identifier: Apache-2.0
// Replays an access trace into the memory system without SMs. Each port sends its accesses in trace order, at most one
// request per cycle, none before its cycle, as fast as the target accepts them.
#pragma once

#include <memory>
#include <systemc>
#include <vector>

#include "core/kernel/base_port.h"
#include "core/kernel/payload.h"
#include "core/statistics/statistics.h"
#include "memory/access_trace.h"

namespace heddle::memory {

/// Statistics of a replay, under the owner "trace".
struct TraceCounts {
  explicit TraceCounts(Statistics& statistics);

  StatisticsOwner owner;
  StatisticsGroup group{owner, "accesses"};
  Counter reads, writes, atomics, bytes, requests, refused;
  Histogram read_latency, write_latency, atomic_latency;
  Maximum longest;
};

/// Start and end of an access, in cycles of the clock of its sockets; kNever until known.
struct TraceTimes {
  Cycle begin = kNever;  ///< of its first request (BEGIN_REQ)
  Cycle end = kNever;    ///< of its last reply (BEGIN_RESP)
};

struct TracePlayerSetting {
  /// Line size: an access that spans several lines becomes one request per line. 1 .. 512, a power of two.
  std::uint64_t line_bytes = 128;
  /// Requests a port may have in flight; 0: as many as the target accepts.
  unsigned under_way = 0;
};

class TracePlayer final : public sc_core::sc_module {
 public:
  TracePlayer(sc_core::sc_module_name name, ClockDomain& domain, unsigned ports, const TracePlayerSetting& setting,
              Statistics& statistics);
  ~TracePlayer() override;

  InitiatorSocket& out(unsigned port);
  /// Sets the trace to replay, before simulation starts; the trace must outlive the player. port_of(access, address):
  /// the port that requests a line, 0 .. ports-1.
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

  /// Every access has received its last reply.
  bool done() const { return trace_ != nullptr && done_ == trace_->size(); }
  std::size_t accesses_done() const { return done_; }
  /// Whether the next access of some port must not be sent before `cycle`.
  bool waits_for(Cycle cycle) const;
  const std::vector<TraceTimes>& times() const { return times_; }
  const TraceCounts& counts() const { return counts_; }

 private:
  class Port;
  std::uint64_t next_line(std::uint64_t address) const { return (address | (setting_.line_bytes - 1)) + 1; }
  void add(std::size_t access, std::uint64_t address, unsigned port);
  void begin();
  void replied(std::size_t access, Cycle cycle, bool refused);

  TracePlayerSetting setting_;
  TraceCounts counts_;
  std::vector<std::unique_ptr<Port>> ports_;
  const std::vector<TraceAccess>* trace_ = nullptr;
  std::vector<TraceTimes> times_;
  std::vector<std::uint32_t> left_;  ///< unanswered requests of each access
  std::size_t done_ = 0;
};

}  // namespace heddle::memory
