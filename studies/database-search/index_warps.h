// SPDX-License-Identifier: Apache-2.0
// The warps of an index search on a memory controller's socket.
#pragma once

#include <map>
#include <systemc>

#include "core/kernel/base_port.h"
#include "core/kernel/clock.h"
#include "core/kernel/payload.h"
#include "studies/database-search/index_requests.h"

namespace heddle::studies {

class IndexWarps final : public sc_core::sc_module, public Clocked, private BaseProtocolOwner {
 public:
  /// queries: outlive this module.
  IndexWarps(sc_core::sc_module_name name, ClockDomain& domain, const Setting& setting,
             const std::vector<Query>& queries)
      : sc_module(name),
        out_("out", domain, *this, *this, 0, {2, 1}),
        domain_(domain),
        setting_(setting),
        queries_(queries),
        caches_(setting.l2) {
    domain.add(*this);
    for (unsigned warp = 0; warp < kWarps; ++warp) {
      warps_[warp] = {next_++, 0};
      ready_.emplace(warp * 9, warp);
    }
    domain.wake(*this, 1);
  }
  InitiatorSocket& out() { return out_.socket; }
  /// No further query can be started.
  bool finished() const { return done_ + kWarps > queries_.size(); }
  std::size_t done() const { return done_; }
  /// When the last query was done.
  Cycle ended() const { return ended_; }

  void tick() override {
    const Cycle now = domain_.now();
    out_.admit();
    while (Payload* payload = out_.front()) {
      const auto warp = static_cast<unsigned>(RequestInfo::of(*payload)->access);
      out_.pop();
      payload->release();
      advance(warp, now);
    }
    while (!finished() && !ready_.empty() && ready_.begin()->first <= now && out_.can_send()) {
      const unsigned warp = ready_.begin()->second;
      ready_.erase(ready_.begin());
      const Access access = queries_[warps_[warp].first][warps_[warp].second];
      if (const Cycle held = caches_.access(access.line); held != 0) {
        advance(warp, now + held);
        continue;
      }
      Payload& payload = pool_.take(tlm::TLM_READ_COMMAND, access.line * kLineBytes, kLineBytes);
      RequestInfo::of(payload)->keep_row_open = setting_.hint && access.hint;
      RequestInfo::of(payload)->access = warp;
      out_.send(payload);
    }
    if (!finished() && !ready_.empty()) {
      if (ready_.begin()->first <= now) {
        out_.wait_to_send();
      } else {
        domain_.wake(*this, ready_.begin()->first);
      }
    }
    out_.sleep();
  }

 private:
  void advance(unsigned warp, Cycle at) {
    if (++warps_[warp].second == kSteps) {
      ++done_;
      ended_ = std::max(ended_, at);
      warps_[warp] = {next_++, 0};
    }
    ready_.emplace(at + setting_.compute, warp);
  }
  void blocking(unsigned, Payload&, sc_core::sc_time&) override {}
  unsigned debug(unsigned, Payload&) override { return 0; }
  bool direct(unsigned, Payload&, tlm::tlm_dmi&) override { return false; }

  InitiatorPort out_;
  ClockDomain& domain_;
  Setting setting_;
  const std::vector<Query>& queries_;
  Caches caches_;
  PayloadPool pool_;
  std::array<std::pair<std::size_t, unsigned>, kWarps> warps_{};
  std::multimap<Cycle, unsigned> ready_;
  std::size_t next_ = 0, done_ = 0;
  Cycle ended_ = 0;
};

}  // namespace heddle::studies
