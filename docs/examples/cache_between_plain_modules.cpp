// SPDX-License-Identifier: Apache-2.0
// A cache of Heddle's, as the slice of an L2, between modules that know only TLM-2.0: an initiator above, a memory
// below. Prints what two reads of one line take, and ends with 0 when their bytes are right.
#include <cstdio>
#include <systemc>

#include "core/kernel/services.h"
#include "memory/cache/cache.h"
#include "tb/plain_initiator.h"
#include "tb/plain_memory.h"

int main() {
  using namespace heddle;
  // 1. Any initiator and any memory.
  tb::PlainInitiator initiator("initiator");
  tb::PlainMemory memory("memory", 65536, tb::PlainMemory::Style::four_phases, sc_core::sc_time(80, sc_core::SC_NS));
  for (std::size_t i = 0; i < memory.bytes().size(); ++i) memory.bytes()[i] = static_cast<unsigned char>(i);

  // 2. The cache: a clock, parameters, somewhere to count.
  ClockTree clocks;
  ClockDomain clock("clock", clocks, 1'000'000);  // kilohertz
  Services services;
  StatisticsOwner owner(services.statistics, "l2_0", "l2");
  memory::CacheParameters parameters;
  parameters.tags.sets = 64;
  parameters.tags.ways = 8;
  parameters.global_store = parameters.local_store = memory::WritePolicy::write_back;
  parameters.allocate_on_store = true;
  parameters.lookup_latency = 20;
  memory::Cache cache("l2", clock, parameters, StatisticsGroup(owner, "cache"), services);

  // 3. Sockets are base-protocol sockets on all sides.
  initiator.socket.bind(cache.in());
  cache.out().bind(memory.socket);

  const auto miss = initiator.read(0x1234, 4);
  sc_core::sc_start(sc_core::sc_time(500, sc_core::SC_NS));
  const auto hit = initiator.read(0x1238, 4);
  initiator.write(0x1240, {42});
  const auto written = initiator.read(0x1240, 1);
  sc_core::sc_start(sc_core::sc_time(500, sc_core::SC_NS));

  const auto time = [&](std::size_t i) { return (initiator[i].end - initiator[i].begin).to_string(); };
  std::printf("miss %s, hit %s, %llu of %llu reads hit\n", time(miss).c_str(), time(hit).c_str(),
              static_cast<unsigned long long>(cache.counts().read_hits.value()),
              static_cast<unsigned long long>(cache.counts().read_hits.value() +
                                              cache.counts().read_misses.value()));
  const bool right = initiator[miss].bytes[0] == 0x34 && initiator[hit].bytes[0] == 0x38 &&
                     initiator[written].bytes[0] == 42 && memory.bytes()[0x1240] == 42;
  return right && initiator.done() == 4 ? 0 : 1;
}
