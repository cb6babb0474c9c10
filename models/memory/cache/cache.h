// SPDX-License-Identifier: Apache-2.0
// The cache module: L1 data, constant, texture and instruction caches and the slices of the L2 are this one model with
// other parameters. Base-protocol sockets above and below; tags only, no bytes. The module gives its parts (cache/)
// sockets and time.
#pragma once

#include <cstdint>
#include <memory>
#include <systemc>
#include <vector>

#include "core/kernel/base_port.h"
#include "core/kernel/call.h"
#include "memory/cache/cache_level.h"
#include "memory/cache/line_traffic.h"
#include "memory/cache/look_up.h"

namespace heddle::memory {

class Cache final : public sc_core::sc_module,
                    public CacheLevel,
                    public Clocked,
                    public CacheUse,
                    private BaseProtocolOwner {
 public:
  Cache(sc_core::sc_module_name name, ClockDomain& domain, const CacheParameters& parameters,
        const StatisticsGroup& statistics, Services& services, const CacheSetting& setting = {});
  explicit Cache(const CacheSite& site)
      : Cache(site.name, site.domain, site.parameters, site.statistics, site.services, site.setting) {}
  ~Cache() override;

  /// Requests come in here. i: 0 .. setting.sockets - 1.
  TargetSocket& in(unsigned i = 0) override { return ports_[i]->socket; }
  /// Misses and what is passed on go out here.
  InitiatorSocket& out() override { return below_.socket; }
  /// For a reader that knows by listening which lines are here, and asks only for those that are not.
  CallExport<CacheUse> uses;

  /// One cycle: fills, look-ups, requests below, replies.
  void tick() override;

  /// Drops all lines, as at the end of a kernel; what is dirty in them is not written below (local memory dies with its
  /// threads). Lines on their way still arrive.
  void invalidate() override;
  /// Makes a line present and clean without time, as after a copy by the host.
  void preload(std::uint64_t address) override;
  void used(std::uint64_t address) override;
  /// One more listener, called behind those there are.
  bool reports_misses() const override { return true; }
  bool listen(CacheListener& listener) override {
    parts_.observers.listen(listener);
    return true;
  }
  CacheUse* use_call() override { return this; }

  const CacheStatistics& statistics() const { return parts_.counts; }
  std::uint64_t line_bytes() const override { return parts_.lines.line_bytes(); }
  /// Bytes it holds.
  std::uint64_t capacity() const override { return line_bytes() * parts_.lines.tags.sets() * parts_.lines.tags.ways(); }
  /// Requests taken and not yet answered, and lines on their way: nothing to do when 0.
  unsigned busy() const override { return parts_.open.count() + parts_.misses.used(); }

 private:
  // Steps of a cycle.
  void take_replies_from_below();
  void look_up();
  void send_below();
  void reply();

  bool look_up_oldest(unsigned socket);
  bool refuses(const CacheRequest& request) const {
    return parts_.parameters.read_only && request.action != CacheAction::read;
  }
  /// Bytes of a foreign request.
  void move_bytes(Payload& payload) {
    bytes_.move(payload, [this](Payload& run) { return below_.socket->transport_dbg(run); });
  }
  void learn_uses(Cycle before);

  // Untimed access.
  void blocking(unsigned port, Payload& payload, sc_core::sc_time& delay) override;
  unsigned debug(unsigned, Payload& payload) override { return below_.socket->transport_dbg(payload); }
  bool direct(unsigned, Payload& payload, tlm::tlm_dmi& dmi) override {
    return below_.socket->get_direct_mem_ptr(payload, dmi);
  }
  void direct_invalid(unsigned, std::uint64_t first, std::uint64_t last) override;

  ClockDomain& domain_;
  const bool of_one_sm_;
  CacheParts parts_;
  LineTraffic traffic_{parts_};
  CacheLookUp look_up_{parts_, traffic_};
  std::vector<std::unique_ptr<TargetPort>> ports_;
  InitiatorPort below_;
  BytesBelow bytes_{name()};
  unsigned turn_ = 0;  // socket whose request is looked up first
  bool fill_waits_ = false;
  Cycle bank_wake_ = kNever;         // in this cycle: when the first of the banks frees that a socket waits for
  std::vector<std::uint64_t> uses_;  // lines used in cycle uses_at_, of which the tags have not learnt
  Cycle uses_at_ = 0;
};

}  // namespace heddle::memory
