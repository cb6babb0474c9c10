// SPDX-License-Identifier: Apache-2.0
// L1 traces as files, and what is said of files that are none.
#include "memory/locality/l1_trace_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "core/error.h"
#include "core/file.h"
#include "traces.h"

namespace heddle::memory {
namespace {

using ::testing::HasSubstr;

class L1TraceFile : public ::testing::Test {
 protected:
  void SetUp() override {
    folder = std::filesystem::path(::testing::TempDir()) / ("l1-" + std::to_string(::getpid()));
    std::filesystem::create_directories(folder);
    test::Trace trace(2);
    trace.load(0, "AB", 3, 0xf0f0f0f0).store(1, 'C').barrier(1).load_behind_loop(1, 'A');
    trace.sm.sm = 7;
    trace.sm.warps[1].block = 1;
    trace.sm.warps[1].slot = 2;
    trace.sm.accesses[1].outstanding = 3;
    trace.sm.accesses[1].instructions = 12;
    launch = trace.launch("mo--x");
    machine = test::machine(32, 4);
    machine.schedulers = 2;
    machine.memory_queue = 8;
    machine.order = TracedOrder::round_robin;
    machine.cache.index = IndexHash::fermi;
    machine.cache.miss_entries = 32;
    machine.cache.local_store = StoreEffect::allocates;
  }
  void TearDown() override { std::filesystem::remove_all(folder); }

  /// Two launches of a kernel.
  std::filesystem::path written(const std::string& name) {
    L1TraceWriter writer(folder / name, 0, machine);
    writer.launch(kernel, launch);
    writer.launch(kernel, launch);
    writer.close();
    return folder / name;
  }
  std::string message_of(const std::filesystem::path& file) {
    try {
      L1TraceReader reader(file);
      for (TracedLaunch one; reader.next(one);) {
      }
    } catch (const Error& error) {
      return error.what();
    }
    return "no error";
  }
  /// The message on a trace with a line changed.
  std::string message_with(const std::string& line, const std::string& instead) {
    std::string text = read_file(written("whole.l1"));
    const std::size_t at = text.find(line);
    EXPECT_NE(at, std::string::npos) << text;
    text.replace(at, line.size(), instead);
    write_file(folder / "changed.l1", text);
    return message_of(folder / "changed.l1");
  }

  std::filesystem::path folder;
  TracedKernel kernel = test::kernel();
  TracedLaunch launch;
  TracedMachine machine;
};

TEST_F(L1TraceFile, IsReadAsItWasWrittenHoweverCompressed) {
  for (const char* name : {"t.l1", "t.l1.gz", "t.l1.zst"}) {
    L1TraceReader reader(written(name));
    EXPECT_EQ(reader.machine().name, "toy");
    EXPECT_EQ(reader.machine().schedulers, 2u);
    EXPECT_EQ(reader.machine().memory_queue, 8u);
    EXPECT_EQ(reader.machine().order, TracedOrder::round_robin);
    EXPECT_EQ(reader.machine().cache.sets, 32u);
    EXPECT_EQ(reader.machine().cache.miss_entries, 32u);
    EXPECT_EQ(reader.machine().cache.index, IndexHash::fermi);
    EXPECT_EQ(reader.machine().cache.global_store, StoreEffect::invalidates);
    EXPECT_EQ(reader.machine().cache.local_store, StoreEffect::allocates);
    for (int i = 0; i < 2; ++i) {
      TracedLaunch read;
      ASSERT_TRUE(reader.next(read)) << name;
      EXPECT_EQ(read.kernel, 0u);
      EXPECT_EQ(read.thread_instructions, 1000u);
      EXPECT_EQ(read.times.miss, 100);
      ASSERT_EQ(read.sms.size(), 1u);
      const TracedSm& sm = read.sms[0];
      EXPECT_EQ(sm.sm, 7u);
      EXPECT_EQ(sm.warps[1].slot, 2u);
      ASSERT_EQ(sm.accesses.size(), 5u);
      const TracedAccess& second = sm.accesses[1];
      EXPECT_EQ(second.address, 128u);
      EXPECT_EQ(second.lanes, 0xf0f0f0f0u);
      EXPECT_EQ(second.trip, 3u);
      EXPECT_EQ(second.outstanding, 3u);
      EXPECT_EQ(second.instructions, 12u);
      EXPECT_EQ(second.outcome, TracedOutcome::own_hit);
      EXPECT_EQ(sm.accesses[2].kind, TracedKind::store);
      EXPECT_EQ(sm.accesses[3].kind, TracedKind::barrier);
      EXPECT_EQ(sm.accesses[4].place, 1u);
    }
    TracedLaunch none;
    EXPECT_FALSE(reader.next(none));
    ASSERT_EQ(reader.kernels().size(), 1u) << "written once";
    EXPECT_EQ(reader.kernels()[0].loops[0].source.line, 10u);
    EXPECT_EQ(reader.kernels()[0].places[0].text, "ld.global.f32 %f1, [%rd1]");
    EXPECT_EQ(reader.kernels()[0].places[1].loop, -1);
  }
}

TEST_F(L1TraceFile, ATraceThatIsCutOffIsRefusedWhereverItEnds) {
  const std::string text = read_file(written("whole.l1"));
  for (std::size_t end = text.find('\n') + 1; end + 4 < text.size(); end = text.find('\n', end) + 1) {
    write_file(folder / "cut.l1", text.substr(0, end));
    EXPECT_THAT(message_of(folder / "cut.l1"), HasSubstr("the trace is cut off")) << end;
  }
}

TEST_F(L1TraceFile, CompressedDataThatAreCutOffAreRefused) {
  for (const char* name : {"t.l1.gz", "t.l1.zst"}) {
    const std::string packed = read_file(written(name));
    write_file(folder / name, packed.substr(0, packed.size() - 12));
    EXPECT_THAT(message_of(folder / name), HasSubstr("its compressed data are cut off")) << name;
  }
}

TEST_F(L1TraceFile, OtherFilesAreRefusedByTheirFirstLine) {
  write_file(folder / "other.csv", "kind,address,bytes\n");
  EXPECT_THAT(message_of(folder / "other.csv"), HasSubstr("not an L1 trace: its first line is 'kind,address,bytes'"));
  write_file(folder / "empty", "");
  EXPECT_THAT(message_of(folder / "empty"), HasSubstr("not an L1 trace"));
  EXPECT_THAT(message_of(folder / "nowhere"), HasSubstr("nowhere: cannot be read: No such file"));
  EXPECT_THAT(message_of(folder), HasSubstr("it is a folder"));
}

TEST_F(L1TraceFile, AWrongLineIsNamed) {
  EXPECT_THAT(message_with("Lm 0", "Qm 0"), HasSubstr("changed.l1:8: an access is 'Qm'; expected one of LPSTAB"));
  EXPECT_THAT(message_with("Lm 0", "Lm 0x"), HasSubstr("the address is '0x'; expected a hexadecimal number"));
  EXPECT_THAT(message_with("Lo 80 0 0", "Lo 80 2 0"), HasSubstr("changed.l1:9: warp 2 of 2"));
  EXPECT_THAT(message_with("Lo 80 0 0", "Lo 80 0 9"), HasSubstr("instruction 9 of 2"));
  EXPECT_THAT(message_with("\"ways\": 4", "\"ways\": 0"), HasSubstr("'sets' and 'ways' are both 0, or neither is"));
  EXPECT_THAT(message_with("\"line_bytes\": 128", "\"line_bytes\": 96"), HasSubstr("a power of two from 16 to 512"));
  EXPECT_THAT(message_with("\"index\": \"fermi\"", "\"index\": \"odd\""), HasSubstr("legal: none, xor, fermi"));
  EXPECT_THAT(message_with("\"kernel\": 0", "\"kernel\": 3"), HasSubstr("'kernel' is 3; legal: 0 to 0"));
  EXPECT_THAT(message_with("\nend\n", "\nEND\n"), HasSubstr("expected a kernel, a launch or the end, not 'END'"));
}

TEST_F(L1TraceFile, AFullFileEndsBetweenLaunches) {
  L1TraceWriter writer(folder / "small.l1", 1, machine);
  writer.launch(kernel, launch);
  writer.close();
  L1TraceReader reader(folder / "small.l1");
  TracedLaunch none;
  EXPECT_FALSE(reader.next(none));
}

}  // namespace
}  // namespace heddle::memory
