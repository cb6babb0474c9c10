// SPDX-License-Identifier: Apache-2.0
// The simplest memory: fixed latency and limited bandwidth.
// Source: the memory of docs/sources/branch-and-warp-interweaving.md, 4 (330 ns, 10 GB/s).
#pragma once

#include <memory>
#include <systemc>
#include <vector>

#include "core/config/parameters.h"
#include "core/kernel/base_port.h"
#include "core/kernel/services.h"
#include "core/ring_queue.h"
#include "memory/main_memory.h"
#include "memory/storage_port.h"

namespace heddle::memory {

struct ConstantLatencyParameters {
  unsigned latency = 330;
  unsigned throughput_bytes = 10, throughput_cycles = 1;

  void describe(ParameterVisitor& v);
};

class ConstantLatencyMemory final : public sc_core::sc_module,
                                    public MainMemory,
                                    public Clocked,
                                    private BaseProtocolOwner {
 public:
  using Parameters = ConstantLatencyParameters;
  ConstantLatencyMemory(sc_core::sc_module_name name, ClockDomain& domain, const ConstantLatencyParameters& parameters,
                        const StatisticsGroup& statistics, Services& services, unsigned sockets = 1);
  ConstantLatencyMemory(const Parameters& parameters, const MainMemorySite& site)
      : ConstantLatencyMemory(site.name, site.domain, parameters, site.statistics, site.services, site.sockets) {}
  ~ConstantLatencyMemory() override;

  TargetSocket& in(unsigned i = 0) override { return ports_[i]->port.socket; }
  StoragePort::Socket& storage() { return storage_.socket; }
  AnyInitiator* bytes() override { return &storage_.socket; }
  void tick() override;
  /// Requests accepted and not yet answered.
  unsigned busy() const override { return under_way_; }

  struct Counts {
    explicit Counts(const StatisticsGroup& statistics);
    Counter requests, replies, read_bytes, written_bytes, waited_cycles;
  };
  const Counts& counts() const { return counts_; }

 private:
  struct Reply {
    Payload* payload = nullptr;
    Cycle due = 0;
  };
  struct Port {
    Port(const char* name, ClockDomain& domain, ConstantLatencyMemory& memory, unsigned number)
        : port(name, domain, memory, memory, number, {2, 1}) {}
    TargetPort port;
    RingQueue<Reply> replies;
  };

  Cycle admitted_until(unsigned bytes);
  void blocking(unsigned port, Payload& payload, sc_core::sc_time& delay) override;
  unsigned debug(unsigned, Payload& payload) override { return storage_.debug(payload); }
  bool direct(unsigned, Payload& payload, tlm::tlm_dmi& dmi) override { return storage_.direct(payload, dmi); }

  ClockDomain& domain_;
  ConstantLatencyParameters parameters_;
  StoragePort storage_;
  std::vector<std::unique_ptr<Port>> ports_;
  std::uint64_t free_ = 0;  // when the bytes accepted so far have passed, in 1/throughput_bytes of a cycle
  unsigned turn_ = 0;
  Counts counts_;
  ProbeGroup probe_;
  unsigned under_way_ = 0;
};

}  // namespace heddle::memory
