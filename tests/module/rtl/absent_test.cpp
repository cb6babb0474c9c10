// SPDX-License-Identifier: Apache-2.0
// Without Verilator the names of RTL blocks are known but refused with the reason, before anything is built.
#include <gtest/gtest.h>

#include "core/config/configuration.h"
#include "gpu/timing_machine.h"

namespace heddle {
namespace {

std::string refusal(const std::string& setting) {
  gpu::MachineParameters machine;
  Configuration configuration(machine);
  try {
    gpu::load_machine(machine, configuration, {"large-warp-core", {setting}});
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::configuration);
    return error.what();
  }
  return "accepted";
}

TEST(WithoutVerilator, RtlAndLockstepAreRefusedWithTheReason) {
  for (const char* key :
       {"sm.blocks.packer", "sm.blocks.prefix_sum", "sm.blocks.context_sorter", "sm.blocks.secondary_lookup",
        "sm.blocks.dependency_step", "sm.blocks.pc_coalescer", "sm.blocks.gang_issue", "sm.blocks.partner_synch",
        "sm.blocks.mask_merge", "sm.blocks.victim_lookup", "sm.blocks.score_cutoff"}) {
    for (const char* kind : {"rtl", "lockstep"}) {
      const std::string message = refusal(std::string(key) + "=" + kind);
      EXPECT_NE(message.find(std::string(key) + " cannot be '" + kind + "': this build has no RTL blocks"),
                std::string::npos)
          << message;
      EXPECT_NE(message.find("Verilator was not found"), std::string::npos) << message;
    }
  }
  EXPECT_NE(refusal("sm.order=two_level_rotating_rtl").find("Verilator was not found"), std::string::npos);
}

TEST(WithoutVerilator, TheModelIsTheDefaultAndAccepted) { EXPECT_EQ(refusal("sm.blocks.packer=model"), "accepted"); }

TEST(WithoutVerilator, AnotherNameIsAnswered) {
  EXPECT_NE(refusal("sm.blocks.packer=rlt").find("did you mean 'rtl'?"), std::string::npos);
}

}  // namespace
}  // namespace heddle
