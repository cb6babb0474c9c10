// SPDX-License-Identifier: Apache-2.0
// A memory controller of Heddle's with a channel of GDDR5, driven by an initiator that knows only TLM-2.0. Ends with 0
// when what was written is read back, and the second access to a row takes less time than the first.
#include <cstdio>
#include <systemc>
#include <vector>

#include "core/kernel/services.h"
#include "memory/host_storage.h"
#include "memory/dram/memory_controller.h"
#include "tb/plain_initiator.h"

int main() {
  using namespace heddle;
  tb::PlainInitiator initiator("initiator");
  std::vector<unsigned char> bytes(1 << 20);
  memory::HostStorage storage("storage", 0, bytes.size(), bytes.data());  // or any target: bytes travel untimed

  ClockTree clocks;
  ClockDomain clock("clock", clocks, 924'000);  // kilohertz, of commands
  Services services;
  StatisticsOwner owner(services.statistics, "mc0", "mc");
  memory::MemoryController controller("mc", clock, {}, StatisticsGroup(owner, "controller"), services);

  initiator.socket.bind(controller.in());
  controller.storage().bind(storage.socket);

  const std::vector<unsigned char> sent = {1, 2, 3, 4, 5, 6, 7, 8};
  initiator.write(4096, sent);
  sc_core::sc_start(sc_core::sc_time(2, sc_core::SC_US));
  const auto same_row = initiator.read(4096, 8);
  sc_core::sc_start(sc_core::sc_time(2, sc_core::SC_US));
  const auto other_row = initiator.read(4096 + (1 << 19), 8);
  sc_core::sc_start(sc_core::sc_time(2, sc_core::SC_US));

  const auto time = [&](std::size_t i) { return initiator[i].end - initiator[i].begin; };
  std::printf("open row %s, other row %s\n", time(same_row).to_string().c_str(), time(other_row).to_string().c_str());
  return initiator.done() == 3 && initiator[same_row].bytes == sent && time(same_row) < time(other_row) ? 0 : 1;
}
