// SPDX-License-Identifier: Apache-2.0
// The cache module. L1 data, constant, texture and instruction caches and L2 slices are all this model with different
// parameters. Base-protocol sockets above and below; tags only, no data. The module supplies sockets and time to its
// parts (cache/).
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

class Cache : public sc_core::sc_module, public CacheLevel, public Clocked, public CacheUse, private BaseProtocolOwner {
 public:
  Cache(sc_core::sc_module_name name, ClockDomain& domain, const CacheParameters& parameters,
        const StatisticsGroup& statistics, Services& services, const CacheSetting& setting = {});
  explicit Cache(const CacheSite& site)
      : Cache(site.name, site.domain, site.parameters, site.statistics, site.services, site.setting) {}
  ~Cache() override;

  /// Requests from above. i: 0 .. setting.sockets - 1.
  TargetSocket& in(unsigned i = 0) override { return ports_[i]->socket; }
  /// Misses and requests passed on to the level below.
  InitiatorSocket& out() override { return below_.socket; }
  /// For a reader that tracks the cached lines through a listener and requests only absent ones.
  CallExport<CacheUse> uses;

  /// One cycle: fills, look-ups, requests below, replies.
  void tick() override;

  /// Drops all lines, as at the end of a kernel, without writing back dirty data (local memory dies with its threads).
  /// Fills in flight still arrive.
  void invalidate() override;
  /// Makes a line present and clean in zero time, as after a host copy.
  void preload(std::uint64_t address) override;
  void used(std::uint64_t address) override;
  bool reports_misses() const override { return true; }
  /// Adds a listener, called after the existing ones.
  bool listen(CacheListener& listener) override {
    parts_.observers.listen(listener);
    return true;
  }
  CacheUse* use_call() override { return this; }

  const CacheCounts& counts() const { return parts_.counts; }
  Cycle look_up_after() const override { return parts_.parameters.lookup_latency; }
  std::uint64_t line_bytes() const override { return parts_.lines.line_bytes(); }
  std::uint64_t capacity() const override {
    const TagArray& tags = parts_.lines.tags;
    return tags.unlimited() ? 0 : line_bytes() * tags.sets() * tags.ways();
  }
  /// Unanswered requests plus outstanding misses; idle at 0.
  unsigned busy() const override { return parts_.open.count() + parts_.misses.used(); }

 private:
  void fetch_ahead() const;
  // Steps of a cycle.
  void take_replies_from_below();
  void look_up();
  void send_below();
  void reply();

  bool look_up_oldest(unsigned socket);
  bool refuses(const CacheRequest& request) const {
    return parts_.parameters.read_only && request.action != CacheAction::read;
  }
  /// Moves the data of a foreign request.
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
  unsigned turn_ = 0;  // socket that is looked up first
  bool fill_waits_ = false;
  Cycle bank_wake_ = kNever;         // in this cycle: earliest time at which an awaited bank frees
  std::vector<std::uint64_t> uses_;  // lines used in cycle uses_at_, not yet applied to the replacement state
  Cycle uses_at_ = 0;
};

}  // namespace heddle::memory
