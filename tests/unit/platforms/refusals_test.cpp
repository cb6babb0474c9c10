// SPDX-License-Identifier: Apache-2.0
// Machines with inconsistent values are refused before they are built, naming the key to change.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/machine_description.h"
#include "core/error.h"
#include "gpu/machine_selection.h"

namespace heddle {
namespace {

/// The error of loading; empty if it succeeds.
std::string refusal(const char* machine, std::vector<std::string> settings) {
  LoadedMachine loaded;
  loaded.configuration.search({HEDDLE_PRESET_FOLDER});
  for (const auto& [shorthand, target] : gpu::parameter_aliases()) loaded.configuration.alias(shorthand, target);
  try {
    loaded.configuration.load_machine(machine);
    for (const std::string& setting : settings) loaded.configuration.set(setting);
    loaded.configuration.lock();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::configuration);
    return error.what();
  }
  return {};
}

using ::testing::HasSubstr;

TEST(Refusals, ACacheOfAnSmIsCheckedWhereItIsPresent) {
  EXPECT_THAT(refusal("gtx480", {"caches.l1d.sets=16"}), HasSubstr("caches.l1d.index_hash: fermi is defined for"));
  EXPECT_EQ(refusal("gtx480", {"caches.l1d.sets=16", "caches.l1d.present=false"}), "");
}

TEST(Refusals, TheL2AndTheChannelsAreNamedByTheirOwnKeys) {
  EXPECT_THAT(refusal("gtx480", {"memory.l2.sector_bytes=256"}), HasSubstr("memory.l2.sector_bytes: a line has"));
  EXPECT_THAT(refusal("gtx480", {"memory.controller.burst_bytes=4096", "memory.controller.row_bytes=2048"}),
              HasSubstr("memory.controller.burst_bytes: a burst must fit a row"));
}

TEST(Refusals, AMissTableThatNeverHoldsARequest) {
  EXPECT_THAT(refusal("gtx480", {"caches.l1d.sector_bytes=32", "caches.l1d.miss_table.entries=3"}),
              HasSubstr("caches.l1d.miss_table.entries: a request for a whole line"));
  EXPECT_EQ(refusal("gtx480", {"caches.l1d.sector_bytes=32", "caches.l1d.miss_table.entries=4"}), "");
  EXPECT_THAT(refusal("gtx480", {"memory.l2.miss_table.requests_per_entry=100000"}),
              HasSubstr("memory.l2.miss_table.requests_per_entry"));
}

TEST(Refusals, BanksThatDoNotShareTheSetsEvenly) {
  EXPECT_THAT(refusal("gtx480", {"caches.texture.banks=8"}),
              HasSubstr("caches.texture.banks: must divide the number of sets"));
  EXPECT_EQ(refusal("gtx480", {"caches.texture.banks=4"}), "");
}

TEST(Refusals, OperationsThatNoUnitExecutes) {
  EXPECT_THAT(refusal("gtx480", {"sm.alu.count=0"}), HasSubstr("sm.alu.instead: there is no unit of this kind"));
  EXPECT_EQ(refusal("gtx480", {"sm.alu.count=0", "sm.alu.instead=sfu"}), "");
  EXPECT_THAT(refusal("gtx480", {"sm.sfu.count=0", "sm.sfu.instead=alu"}), HasSubstr("sm.fp64.instead"))
      << "its double precision went to the special-function unit";
}

TEST(Refusals, AMachineWithoutSms) {
  EXPECT_THAT(refusal("gtx480", {"gpu.sm_classes=[]"}), HasSubstr("gpu.sm_classes: a machine has 1 to 512 SMs"));
}

}  // namespace
}  // namespace heddle
