// SPDX-License-Identifier: Apache-2.0
// With protocol checking on, every connection of a machine's memory side has a checker.
#include <gtest/gtest.h>

#include <systemc>

#include "common/machine_description.h"
#include "common/machine_statistics.h"
#include "core/kernel/protocol_checker.h"
#include "gpu/trace_machine.h"

namespace heddle {
namespace {

/// The checkers in the module hierarchy, and their transactions.
struct Checkers {
  std::size_t count = 0;
  std::uint64_t transactions = 0;
  std::size_t outstanding = 0;
};

void look(const std::vector<sc_core::sc_object*>& objects, Checkers& found) {
  for (sc_core::sc_object* object : objects) {
    if (const auto* checker = dynamic_cast<const ProtocolChecker*>(object)) {
      ++found.count;
      found.transactions += checker->transactions();
      found.outstanding += checker->outstanding();
    }
    look(object->get_child_objects(), found);
  }
}

Checkers checkers() {
  Checkers found;
  look(sc_core::sc_get_top_level_objects(), found);
  return found;
}

TEST(CheckedMachine, EveryConnectionFromTheSmsToTheBytesHasAChecker) {
  const auto statistics = machine_statistics({"gtx480", {}});
  // An SM: data, constant, texture and instructions to four caches, those to the multiplexer, that to the crossbar.
  // Twelve slices, from the crossbar and to the controllers; six controllers to the bytes.
  EXPECT_EQ(checkers().count, 15 * (4 + 4 + 1) + 12 + 12 + 6u);
}

TEST(CheckedMachine, ATraceMeetsCheckersToo) {
  const auto loaded = load_machine({"gtx480", {}});
  std::vector<memory::TraceAccess> trace(2000);
  for (std::size_t i = 0; i < trace.size(); ++i) {
    trace[i].address = 0x100000 + 128 * (i * 37 % 1500);
    trace[i].bytes = 128;
    trace[i].port = SmId(i % 15);
    trace[i].kind = static_cast<memory::TraceKind>(i % 4);
  }
  Services services;
  gpu::TraceMachine machine(loaded->parameters, services, trace, {});
  machine.run();
  const Checkers found = checkers();
  EXPECT_EQ(found.count, 15 * (1 + 4 + 1) + 12 + 12u);
  EXPECT_GT(found.transactions, 3 * 2000u);
  EXPECT_EQ(found.outstanding, 0u);
}

}  // namespace
}  // namespace heddle
