// SPDX-License-Identifier: Apache-2.0
// Where the modules of a machine stand in SystemC's hierarchy.
#include <gtest/gtest.h>

#include <string>
#include <systemc>
#include <vector>

#include "common/machine_description.h"
#include "common/machine_statistics.h"
#include "gpu/trace_machine.h"
#include "sm/sm.h"

namespace heddle {
namespace {

/// Of the modules that serve one SM, those that are children of this one, in order of their names.
std::vector<std::string> caches_below(const char* parent) {
  std::vector<std::string> found;
  for (const std::string name : {"constant", "instruction", "instruction_path", "l1d", "multiplexer", "texture"}) {
    const sc_core::sc_object* const object = sc_core::sc_find_object((std::string(parent) + "." + name).c_str());
    if (dynamic_cast<const sc_core::sc_module*>(object) != nullptr) found.push_back(name);
  }
  return found;
}

TEST(Hierarchy, TheCachesOfAnSmAreItsChildren) {
  const auto statistics = machine_statistics({"gtx480", {}});
  const sc_core::sc_object* const sm = sc_core::sc_find_object("gpu.sm14");
  ASSERT_NE(dynamic_cast<const sm::Sm*>(sm), nullptr);
  EXPECT_EQ(caches_below("gpu.sm14"),
            (std::vector<std::string>{"constant", "instruction", "instruction_path", "l1d", "multiplexer", "texture"}));
  EXPECT_TRUE(caches_below("gpu").empty());
}

TEST(Hierarchy, ACacheThatTheMachineLacksIsMissing) {
  const auto statistics = machine_statistics({"gtx480", {"caches.l1d.present=false"}});
  EXPECT_EQ(caches_below("gpu.sm14"),
            (std::vector<std::string>{"constant", "instruction", "instruction_path", "multiplexer", "texture"}));
}

TEST(Hierarchy, InAReplayOfATraceTheyHaveTheirSmsNameToo) {
  const auto loaded = load_machine({"gtx480", {}});
  Services services;
  const gpu::TraceMachine machine(loaded->parameters, services, {}, {});
  EXPECT_EQ(caches_below("sm14"),
            (std::vector<std::string>{"constant", "instruction", "l1d", "multiplexer", "texture"}));
}

}  // namespace
}  // namespace heddle
