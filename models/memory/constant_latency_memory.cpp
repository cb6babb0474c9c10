// SPDX-License-Identifier: Apache-2.0
#include "memory/constant_latency_memory.h"

#include <algorithm>

#include "core/unit.h"
#include "memory/memory_system.h"

namespace heddle::memory {

void ConstantLatencyParameters::describe(ParameterVisitor& v) {
  v("latency", latency, "from arrival of a request to its reply in an idle memory", unit::kCycles, range(1, 100000),
    "docs/sources/branch-and-warp-interweaving.md, 4");
  v("throughput_bytes", throughput_bytes, "bytes transferred in throughput_cycles", unit::kBytes, range(1, 1 << 20),
    "docs/sources/branch-and-warp-interweaving.md, 4");
  v("throughput_cycles", throughput_cycles, "cycles to transfer throughput_bytes", unit::kCycles, range(1, 1 << 20));
}

ConstantLatencyMemory::Counts::Counts(const StatisticsGroup& s)
    : requests(s, "requests", "requests accepted", unit::kRequests),
      replies(s, "replies", "replies sent; equal to requests when idle", unit::kReplies),
      read_bytes(s, "read_bytes", "bytes read", unit::kBytes),
      written_bytes(s, "written_bytes", "bytes written", unit::kBytes),
      waited_cycles(s, "waited_cycles", "time requests waited for the transfers of others", unit::kCycles) {}

ConstantLatencyMemory::ConstantLatencyMemory(sc_core::sc_module_name name, ClockDomain& domain,
                                             const ConstantLatencyParameters& parameters,
                                             const StatisticsGroup& statistics, Services& services, unsigned sockets)
    : sc_module(name),
      domain_(domain),
      parameters_(parameters),
      storage_("storage",
               [this](std::uint64_t first, std::uint64_t last) {
                 for (auto& port : ports_) port->port.invalidate_direct(first, last);
               }),
      counts_(statistics),
      probe_(services.probes, statistics.owner().name() + "." + statistics.name(), domain.whole().name()) {
  for (unsigned i = 0; i < sockets; ++i) {
    ports_.push_back(
        std::make_unique<Port>(sockets == 1 ? "in" : ("in" + std::to_string(i)).c_str(), domain, *this, i));
  }
  domain_.add(*this);
  probe_.add("under_way", 16, "requests in progress", &under_way_);
}

ConstantLatencyMemory::~ConstantLatencyMemory() = default;

/// Reserves bandwidth for `bytes` and returns the cycle in which their transfer starts.
Cycle ConstantLatencyMemory::admitted_until(unsigned bytes) {
  const std::uint64_t unit = parameters_.throughput_bytes;
  const std::uint64_t start = std::max(free_, domain_.now() * unit);
  free_ = start + std::uint64_t{bytes} * parameters_.throughput_cycles;
  return (start + unit - 1) / unit;
}

void ConstantLatencyMemory::tick() {
  const Cycle now = domain_.now();
  const auto count = static_cast<unsigned>(ports_.size());
  const unsigned first = turn_;
  for (unsigned i = 0; i < count; ++i) {
    const unsigned number = (first + i) % count;
    Port& port = *ports_[number];
    port.port.admit();
    if (Payload* const payload = port.port.front()) {
      port.port.pop();
      turn_ = (number + 1) % count;
      const Cycle start = admitted_until(payload->get_data_length());
      counts_.waited_cycles += start - now;
      ++counts_.requests;
      ++under_way_;
      (payload->is_write() ? counts_.written_bytes : counts_.read_bytes) += payload->get_data_length();
      if (payload->is_write()) storage_.move(*payload);
      // The request arrived in the previous cycle.
      port.replies.push({payload, start + parameters_.latency - 1});
      if (port.port.front() != nullptr) domain_.wake(*this, now + 1);
    }
    port.port.sleep();
    if (!port.replies.empty() && port.replies.front().due <= now && port.port.can_respond()) {
      Payload& payload = *port.replies.pop().payload;
      if (!payload.is_write()) storage_.move(payload);
      ++counts_.replies;
      --under_way_;
      port.port.respond(payload);
    }
    if (port.replies.empty()) continue;
    if (port.replies.front().due > now + 1) {
      domain_.wake(*this, port.replies.front().due);
    } else {
      port.port.wait_to_respond();
    }
  }
}

void ConstantLatencyMemory::blocking(unsigned, Payload& payload, sc_core::sc_time& delay) {
  delay += domain_.time_of(parameters_.latency);
  storage_.move(payload);
}

namespace {

[[maybe_unused]] const bool bandwidth =
    MemoryBandwidths::instance().add("constant_latency", [](const MemorySystemParameters& memory) {
      auto chosen = memory.main_memory;
      const auto& p = chosen.settings<ConstantLatencyParameters>("constant_latency");
      return std::make_unique<MemoryBandwidth>(MemoryBandwidth{2, p.throughput_bytes, p.throughput_cycles});
    });

}  // namespace

HEDDLE_REGISTER(MainMemory, ConstantLatencyMemory, "constant_latency", "fixed latency and limited bandwidth",
                "docs/sources/branch-and-warp-interweaving.md, 4");

}  // namespace heddle::memory
