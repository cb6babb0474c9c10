// SPDX-License-Identifier: Apache-2.0
#include "memory/trace_player.h"

#include <algorithm>
#include <string>

#include "core/unit.h"

namespace heddle::memory {

TraceCounts::TraceCounts(Statistics& statistics)
    : owner(statistics, "trace", "trace"),
      reads(group, "reads", "completed reads", unit::kAccesses),
      writes(group, "writes", "completed writes", unit::kAccesses),
      atomics(group, "atomics", "completed atomics and reductions", unit::kAccesses),
      bytes(group, "bytes", "bytes of completed accesses", unit::kBytes),
      requests(group, "requests", "requests sent, one per line of an access", unit::kRequests),
      refused(group, "refused", "requests answered with an error", unit::kRequests),
      read_latency(group, "read_latency", "reads by time from first request to last reply, cycles", unit::kAccesses,
                   Buckets::powers_of_two(20)),
      write_latency(group, "write_latency", "writes by time from first request to last reply, cycles", unit::kAccesses,
                    Buckets::powers_of_two(20)),
      atomic_latency(group, "atomic_latency", "atomics and reductions by time from first request to last reply, cycles",
                     unit::kAccesses, Buckets::powers_of_two(20)),
      longest(group, "longest", "longest time from first request to last reply", unit::kCycles) {
  const auto mean = [this](const char* name, const char* sentence, const Histogram& histogram) {
    Derived(group, name, sentence, unit::kCycles, [&histogram](const StatisticsView& v) { return v.mean(histogram); });
  };
  mean("mean_read", "mean time from the first request of a read to its last reply", read_latency);
  mean("mean_write", "mean time from the first request of a write to its last reply", write_latency);
  mean("mean_atomic", "mean time from the first request of an atomic or reduction to its last reply", atomic_latency);
}

/// The accesses sent through one socket.
class TracePlayer::Port final : public Clocked, private BaseProtocolOwner {
 public:
  Port(const char* name, ClockDomain& domain, TracePlayer& player)
      : out_(name, domain, *this, *this, 0, {2, 1}), domain_(domain), player_(player) {
    domain.add(*this);
  }
  InitiatorSocket& socket() { return out_.socket; }
  bool waits_for(Cycle cycle) const { return next_ < requests_.size() && first().at >= cycle; }
  void add(std::uint32_t access, std::uint32_t offset) { requests_.push_back({access, offset}); }
  void begin() {
    if (!requests_.empty()) domain_.wake(*this, std::max<Cycle>(1, first().at));
  }

  void tick() override {
    // 1. Replies: those visible now arrived in the previous cycle.
    const Cycle now = domain_.now();
    out_.admit();
    while (Payload* const payload = out_.front()) {
      out_.pop();
      --under_way_;
      player_.replied(RequestInfo::of(*payload)->access, now - 1,
                      payload->get_response_status() != tlm::TLM_OK_RESPONSE);
      payload->release();
    }
    out_.sleep();
    // 2. The next request.
    if (next_ == requests_.size()) return;
    const unsigned most = player_.setting_.under_way;
    if (most != 0 && under_way_ == most) return;  // wait for a reply
    if (first().at > now) {
      domain_.wake(*this, first().at);
      return;
    }
    if (out_.can_send()) send();
    if (next_ == requests_.size() || (most != 0 && under_way_ == most)) return;
    if (first().at > now + 1) {
      domain_.wake(*this, first().at);
    } else {
      out_.wait_to_send();
    }
  }

 private:
  struct Request {
    std::uint32_t access, offset;
  };
  const TraceAccess& first() const { return (*player_.trace_)[requests_[next_].access]; }

  void send() {
    const Request request = requests_[next_];
    const TraceAccess& access = first();
    const std::uint64_t address = access.address + request.offset;
    const std::uint64_t end = std::min(access.address + access.bytes, player_.next_line(address));
    const bool write = access.kind == TraceKind::write;
    Payload& payload = pool_.take(write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND, address,
                                  static_cast<unsigned>(end - address));
    RequestInfo& info = *RequestInfo::of(payload);
    info.kind = write                                 ? AccessKind::store
                : access.kind == TraceKind::atomic    ? AccessKind::atomic
                : access.kind == TraceKind::reduction ? AccessKind::reduction
                                                      : AccessKind::load;
    info.sm = access.port;
    info.warp = access.source;
    info.keep_row_open = access.hint;
    info.access = request.access;
    TraceTimes& times = player_.times_[request.access];
    if (times.begin == kNever) times.begin = domain_.now();
    ++player_.counts_.requests;
    ++under_way_;
    ++next_;
    out_.send(payload);
  }

  void blocking(unsigned, Payload&, sc_core::sc_time&) override {}
  unsigned debug(unsigned, Payload&) override { return 0; }
  bool direct(unsigned, Payload&, tlm::tlm_dmi&) override { return false; }

  InitiatorPort out_;
  ClockDomain& domain_;
  TracePlayer& player_;
  PayloadPool pool_;
  std::vector<Request> requests_;
  std::size_t next_ = 0;
  unsigned under_way_ = 0;
};

TracePlayer::TracePlayer(sc_core::sc_module_name name, ClockDomain& domain, unsigned ports,
                         const TracePlayerSetting& setting, Statistics& statistics)
    : sc_module(name), setting_(setting), counts_(statistics) {
  for (unsigned i = 0; i < ports; ++i) {
    ports_.push_back(std::make_unique<Port>(("out" + std::to_string(i)).c_str(), domain, *this));
  }
}

TracePlayer::~TracePlayer() = default;

InitiatorSocket& TracePlayer::out(unsigned port) { return ports_[port]->socket(); }

bool TracePlayer::waits_for(Cycle cycle) const {
  return std::any_of(ports_.begin(), ports_.end(), [cycle](const auto& port) { return port->waits_for(cycle); });
}

void TracePlayer::add(std::size_t access, std::uint64_t address, unsigned port) {
  if (access >= left_.size()) left_.resize(trace_->size());
  ++left_[access];
  ports_[port]->add(static_cast<std::uint32_t>(access),
                    static_cast<std::uint32_t>(address - (*trace_)[access].address));
}

void TracePlayer::begin() {
  for (auto& port : ports_) port->begin();
}

void TracePlayer::replied(std::size_t number, Cycle cycle, bool refused) {
  if (refused) ++counts_.refused;
  TraceTimes& times = times_[number];
  times.end = cycle;
  if (--left_[number] != 0) return;
  ++done_;
  const TraceAccess& access = (*trace_)[number];
  const Cycle latency = cycle - times.begin;
  counts_.bytes += access.bytes;
  counts_.longest.record(latency);
  switch (access.kind) {
    case TraceKind::read:
      ++counts_.reads;
      counts_.read_latency.record(latency);
      break;
    case TraceKind::write:
      ++counts_.writes;
      counts_.write_latency.record(latency);
      break;
    case TraceKind::atomic:
    case TraceKind::reduction:
      ++counts_.atomics;
      counts_.atomic_latency.record(latency);
      break;
  }
}

}  // namespace heddle::memory
