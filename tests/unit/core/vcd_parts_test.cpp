// SPDX-License-Identifier: Apache-2.0
// Signals of parts of a machine that sleep: they are not read, and the file is the same.
#include <gmock/gmock.h>

#include "vcd_fixture.h"
#include "vcd_reader.h"

namespace heddle {
namespace {

using test::VcdReader;

class VcdPartsTest : public VcdTest {};

TEST_F(VcdPartsTest, SignalsOfAPartAreReadInCyclesInWhichItWorked) {
  std::uint64_t worked = 0;
  unsigned reads = 0, timed = 0;
  issue0.add("reads", 8, "how often it was read", [&] { return ++reads; });
  issue0.changes_by_time(issue0.add("timed", 8, "the same, of one that changes by time", [&] { return ++timed; }));
  request.parts = {{"sm0", &worked}};
  auto writer = record();
  for (std::uint64_t cycle = 0; cycle < 10; ++cycle) core(cycle);
  EXPECT_EQ(reads, 1u) << "in the first cycle";
  EXPECT_EQ(timed, 10u);
  ++worked;
  core(10);
  core(11);
  EXPECT_EQ(reads, 2u);
  EXPECT_EQ(timed, 12u);
  pc1 = 7;  // sm1 is no part
  core(12);
  writer->close();
  VcdReader vcd(path());
  EXPECT_EQ(vcd.value("machine.sm0.issue.reads", 9999), 1);
  EXPECT_EQ(vcd.value("machine.sm0.issue.reads", 10000), 2);
  EXPECT_EQ(vcd.value("machine.sm0.issue.timed", 9000), 10);
  EXPECT_EQ(vcd.value("machine.sm1.issue.pc", 12000), 7);
}

TEST_F(VcdPartsTest, PulsesOfAPartEndThoughItSleeps) {
  std::uint64_t worked = 0;
  request.parts = {{"sm0", &worked}};
  auto writer = record();
  core(0);
  ++worked;
  issue0.fire(fired_pc, 5);
  core(1);
  for (std::uint64_t cycle = 2; cycle < 5; ++cycle) core(cycle);
  ++worked;
  issue0.fire(fired_pc, 5);
  core(5);
  core(6);
  writer->close();
  VcdReader vcd(path());
  EXPECT_EQ(vcd.value("machine.sm0.issue.issued", 1000), 5);
  EXPECT_EQ(vcd.value("machine.sm0.issue.issued", 2000), -1);
  EXPECT_EQ(vcd.value("machine.sm0.issue.issued", 5000), 5);
  EXPECT_EQ(vcd.value("machine.sm0.issue.issued", 6000), -1);
}

TEST_F(VcdPartsTest, ACheckFindsWhatChangesWhileItsPartSleeps) {
  std::uint64_t worked = 0;
  std::uint64_t entry = 0;
  Structure table{structures, "sm0.issue.table", "a table", 2, {{"value", 8}}};
  table.trace_entries("gpu.core_clock");
  table.read([&](std::size_t i, std::size_t) { return i * entry; });
  request.parts = {{"sm0", &worked}};
  const auto changes = [&](const std::function<void()>& change) {
    ::setenv("HEDDLE_CHECK_SIGNALS", "1", 1);
    auto writer = record();
    ::unsetenv("HEDDLE_CHECK_SIGNALS");
    for (std::uint64_t cycle = 0; cycle < 4; ++cycle) core(cycle);
    change();
    const ExitCode with = code_of([&] { core(4); });
    writer->close();
    return with;
  };
  EXPECT_EQ(changes([] {}), ExitCode{});
  EXPECT_EQ(changes([&] { ++worked, ++pc0, ++entry; }), ExitCode{});
  EXPECT_EQ(changes([&] { ++pc1; }), ExitCode{});
  EXPECT_EQ(changes([&] { ++pc0; }), ExitCode::internal);
  EXPECT_EQ(changes([&] { ++mask[1]; }), ExitCode::internal);
  EXPECT_EQ(changes([&] { ++entry; }), ExitCode::internal);
  EXPECT_EQ(changes([&] { issue0.fire(fired_pc, 5); }), ExitCode::internal);
}

TEST_F(VcdPartsTest, OfAStructureThatKnowsWhatItTouchedNothingElseIsRead) {
  std::uint64_t values[70] = {}, touched[2] = {};
  unsigned reads = 0;
  Structure table{structures, "sm0.issue.table", "a table", 70, {{"value", 8}}};
  table.trace_entries("gpu.core_clock");
  table.read([&](std::size_t i, std::size_t) { return ++reads, values[i]; });
  table.touched([&](std::size_t w) { return touched[w]; });
  const auto changes = [&](bool check, std::size_t entry) {
    if (check) ::setenv("HEDDLE_CHECK_SIGNALS", "1", 1);
    auto writer = record("sm0.issue.table.*");
    ::unsetenv("HEDDLE_CHECK_SIGNALS");
    core(0);
    reads = 0;
    values[entry] = 5;
    touched[1] = 1 << 5;
    const ExitCode with = code_of([&] { core(1); });
    touched[1] = 0;
    if (with == ExitCode{}) core(2);
    writer->close();
    return with;
  };
  EXPECT_EQ(changes(false, 69), ExitCode{});
  EXPECT_EQ(reads, 1u);
  VcdReader vcd(path());
  EXPECT_EQ(vcd.value("machine.sm0.issue.table.69.value", 999), 0);
  EXPECT_EQ(vcd.value("machine.sm0.issue.table.69.value", 1000), 5);
  values[69] = 0;
  EXPECT_EQ(changes(true, 69), ExitCode{});
  EXPECT_EQ(changes(true, 4), ExitCode::internal);
}

TEST_F(VcdPartsTest, OfAStructureThatCountsItsEntriesThoseInUseAreRead) {
  std::uint64_t values[70] = {7, 8};
  std::size_t used = 2;
  unsigned reads = 0;
  Structure queue{structures, "sm0.issue.queue", "a queue", 70, {{"value", 8}}};
  queue.trace_entries("gpu.core_clock");
  queue.read([&](std::size_t i, std::size_t) { return ++reads, values[i]; });
  queue.first_used([&] { return used; });
  EXPECT_TRUE(queue.is_occupied(1));
  EXPECT_FALSE(queue.is_occupied(2));
  const auto reads_in = [&](std::uint64_t cycle) {
    reads = 0;
    core(cycle);
    return reads;
  };
  auto writer = record("sm0.issue.queue.*");
  core(0);
  EXPECT_EQ(reads_in(1), 2u);
  values[used++] = 9;
  EXPECT_EQ(reads_in(2), 3u);
  values[1] = values[2] = 0;
  used = 1;
  EXPECT_EQ(reads_in(3), 3u) << "those that were in use";
  EXPECT_EQ(reads_in(4), 1u);
  writer->close();
  VcdReader vcd(path());
  EXPECT_EQ(vcd.value("machine.sm0.issue.queue.2.value", 1000), 0);
  EXPECT_EQ(vcd.value("machine.sm0.issue.queue.2.value", 2000), 9);
  EXPECT_EQ(vcd.value("machine.sm0.issue.queue.1.value", 2000), 8);
  EXPECT_EQ(vcd.value("machine.sm0.issue.queue.1.value", 3000), 0);
  EXPECT_EQ(vcd.value("machine.sm0.issue.queue.0.value", 4000), 7);

  ::setenv("HEDDLE_CHECK_SIGNALS", "1", 1);
  writer = record("sm0.issue.queue.*");
  ::unsetenv("HEDDLE_CHECK_SIGNALS");
  core(5);
  values[4] = 1;
  EXPECT_EQ(code_of([&] { core(6); }), ExitCode::internal) << "an entry that is not in use";
}

TEST_F(VcdPartsTest, ASignalThatCannotChangeAtPresentIsNotRead) {
  std::uint64_t worked = 0;
  unsigned reads = 0;
  bool may = true;
  issue0.changes_by_time(issue0.add("reads", 8, "how often it was read", [&] { return ++reads; }), [&] { return may; });
  request.parts = {{"sm0", &worked}};
  auto writer = record();
  for (std::uint64_t cycle = 0; cycle < 3; ++cycle) core(cycle);
  EXPECT_EQ(reads, 3u);
  may = false;
  for (std::uint64_t cycle = 3; cycle < 6; ++cycle) core(cycle);
  EXPECT_EQ(reads, 3u);
  ++worked;
  core(6);
  EXPECT_EQ(reads, 4u);
}

TEST_F(VcdPartsTest, TheLongestScopeTellsWhenASignalIsRead) {
  std::uint64_t sm = 0, issue = 0;
  unsigned reads = 0, others = 0;
  issue0.add("reads", 8, "how often it was read", [&] { return ++reads; });
  ProbeGroup other{probes, "sm0.other", "gpu.core_clock"};
  other.add("reads", 8, "how often it was read", [&] { return ++others; });
  request.parts = {{"sm0", &sm}, {"sm0.issue", &issue}};
  auto writer = record();
  core(0);
  ++sm;
  core(1);
  EXPECT_EQ(reads, 1u);
  EXPECT_EQ(others, 2u);
  ++sm, ++issue;
  core(2);
  EXPECT_EQ(reads, 2u);
  EXPECT_EQ(others, 3u);
}

TEST_F(VcdPartsTest, SignalsReadTogetherMayBeChosenApart) {
  std::uint64_t values[] = {3, 4, 5};
  constexpr std::size_t kWarps = 70;  // more than a word of each plane holds
  unsigned reads = 0;
  ProbeGroup warps{probes, "sm0.warps", "gpu.core_clock"};
  std::vector<std::string> names;
  for (std::size_t i = 0; i < kWarps; ++i) names.push_back("warp" + std::to_string(i));
  warps.add_planes(names, 4, "state", [&](std::uint64_t* planes) {
    ++reads;
    std::fill_n(planes, 8, 0);
    const std::size_t warp_of[] = {0, 1, kWarps - 1};
    for (std::size_t i = 0; i < 3; ++i) {
      for (unsigned bit = 0; bit < 4; ++bit)
        planes[2 * bit + warp_of[i] / 64] |= (values[i] >> bit & 1) << (warp_of[i] % 64);
    }
  });
  warps.add("other", 4, "another", [] { return 9; });
  for (const char* chosen : {"sm0.warps.*", "*.warp1,*.other"}) {
    auto writer = record(chosen);
    reads = 0;
    core(0);
    core(1);
    EXPECT_EQ(reads, 2u);
    values[1] = 8;
    core(2);
    writer->close();
    VcdReader vcd(path());
    EXPECT_EQ(vcd.value("machine.sm0.warps.warp1", 1999), 4) << chosen;
    EXPECT_EQ(vcd.value("machine.sm0.warps.warp1", 2000), 8) << chosen;
    EXPECT_EQ(vcd.value("machine.sm0.warps.other", 2000), 9) << chosen;
    if (std::string_view(chosen) == "sm0.warps.*") {
      EXPECT_EQ(vcd.value("machine.sm0.warps.warp0", 2000), 3);
      EXPECT_EQ(vcd.value("machine.sm0.warps.warp2", 2000), 0);
      EXPECT_EQ(vcd.value("machine.sm0.warps.warp69", 2000), 5);
    }
    values[1] = 4;
  }
}

}  // namespace
}  // namespace heddle
