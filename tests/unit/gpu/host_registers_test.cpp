// SPDX-License-Identifier: Apache-2.0
#include "gpu/host/host_registers.h"

#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <string>
#include <vector>

namespace heddle::gpu::host {
namespace {

/// Records requests.
class Recorder final : public Commands {
 public:
  void load_module() override { note("load_module"); }
  void find_kernel() override { note("find_kernel"); }
  void find_variable() override { note("find_variable"); }
  void launch() override { note("launch"); }
  void reset() override { note("reset"); }
  void interrupts_changed() override { ++interrupts; }
  std::vector<std::string> commands;
  int interrupts = 0;
  std::function<void()> on_command = [] {};

 private:
  void note(const char* what) {
    commands.emplace_back(what);
    on_command();
  }
};

class HostRegisters : public testing::Test {
 protected:
  template <typename T>
  Outcome write(std::uint64_t address, T value) {
    unsigned char bytes[sizeof value];
    std::memcpy(bytes, &value, sizeof value);
    return registers.write(address, sizeof value, bytes);
  }
  template <typename T>
  Outcome read(std::uint64_t address, T& value) {
    unsigned char bytes[sizeof value];
    const Outcome outcome = registers.read(address, sizeof value, bytes);
    if (outcome == Outcome::done) std::memcpy(&value, bytes, sizeof value);
    return outcome;
  }
  Recorder recorder;
  Registers registers{recorder};
};

TEST_F(HostRegisters, SayWhatTheyBelongTo) {
  std::uint32_t value = 0;
  EXPECT_EQ(read(kIdentification, value), Outcome::done);
  EXPECT_EQ(std::memcmp(&value, "HEDL", 4), 0);
  EXPECT_EQ(read(kVersion, value), Outcome::done);
  EXPECT_EQ(value, kVersionValue);
}

TEST_F(HostRegisters, OfEveryWordAreReadOrWrittenOrBothOrAbsent) {
  // By word: r is read, w written, x both, - is no register. A row is 32 bytes.
  const std::string expected =
      "rrrrrrrr"
      "rrrxww--"
      "xxxwxwxw"
      "rrrrrrrr"
      "xxxxxxx-"
      "xxxxw-rr"
      "rrrr----";
  for (std::size_t i = 0; i < expected.size(); ++i) {
    std::uint32_t value = 0;
    const Outcome may_read = read(4 * i, value), may_write = write(4 * i, 0u);
    const char kind = expected[i];
    EXPECT_EQ(may_read, kind == '-' ? Outcome::address : kind == 'w' ? Outcome::command : Outcome::done) << 4 * i;
    EXPECT_EQ(may_write, kind == '-' ? Outcome::address : kind == 'r' ? Outcome::command : Outcome::done) << 4 * i;
  }
  EXPECT_EQ(recorder.commands,
            (std::vector<std::string>{"reset", "load_module", "find_kernel", "find_variable", "launch"}));
}

TEST_F(HostRegisters, TakeSixtyFourBitsAsTwoHalvesOrAsOne) {
  EXPECT_EQ(write(kParametersAddress, std::uint64_t{0x1122334455667788}), Outcome::done);
  std::uint32_t half = 0;
  EXPECT_EQ(read(kParametersAddress + 4, half), Outcome::done);
  EXPECT_EQ(half, 0x11223344u);
  EXPECT_EQ(write(kParametersAddress, 9u), Outcome::done);
  EXPECT_EQ(registers.get64(kParametersAddress), 0x1122334400000009u);
}

TEST_F(HostRegisters, SeeWhatIsStoredByTheSameWriteAsTheCommand) {
  std::uint32_t seen = 0;
  recorder.on_command = [&] { seen = registers.get(kTextBytes); };
  EXPECT_EQ(write(kTextBytes, std::uint64_t{1} << 32 | 77), Outcome::done);
  EXPECT_EQ(recorder.commands, std::vector<std::string>{"load_module"});
  EXPECT_EQ(seen, 77u);
}

TEST_F(HostRegisters, ChangeNothingByAnAccessThatIsRefused) {
  std::uint64_t wide = 5;
  const std::uint16_t narrow = 5;
  EXPECT_EQ(write(kGridX, narrow), Outcome::length);
  EXPECT_EQ(write(kGridX + 2, 5u), Outcome::address);
  EXPECT_EQ(write(kGridY, wide), Outcome::address) << "8 bytes at a multiple of 4";
  EXPECT_EQ(write(kSharedBytes, wide), Outcome::address) << "no register in the upper half";
  EXPECT_EQ(write(kInterruptStatus, wide), Outcome::command) << "the lower half cannot be written";
  EXPECT_EQ(write(kEnd, 5u), Outcome::address);
  EXPECT_EQ(write(~std::uint64_t{0} - 3, 5u), Outcome::address);
  EXPECT_EQ(registers.get(kGridX), 1u);
  EXPECT_EQ(registers.get(kGridY), 1u);
  EXPECT_EQ(registers.get(kSharedBytes), 0u);
  EXPECT_EQ(registers.get(kInterruptEnable), 0u);
  EXPECT_EQ(recorder.interrupts, 0);
}

TEST_F(HostRegisters, TakeNoCommandWhileALaunchIsUnderWay) {
  registers.set(kStatus, kBusy);
  for (const std::uint64_t command : {kLoadModule, kFindKernel, kFindVariable, kDoorbell, kReset})
    EXPECT_EQ(write(command, 1u), Outcome::busy) << command;
  EXPECT_EQ(write(kTextBytes, std::uint64_t{77}), Outcome::busy);
  EXPECT_EQ(registers.get(kTextBytes), 0u);
  EXPECT_TRUE(recorder.commands.empty());
  EXPECT_EQ(write(kGridX, 3u), Outcome::done) << "for the next launch";
  EXPECT_EQ(write(kInterruptClear, 3u), Outcome::done);
}

TEST_F(HostRegisters, ClearTheInterruptsThatAreNamed) {
  registers.raise(kLaunchDone | kLaunchFailed);
  EXPECT_EQ(write(kInterruptClear, kLaunchDone), Outcome::done);
  EXPECT_EQ(registers.get(kInterruptStatus), kLaunchFailed);
  EXPECT_EQ(recorder.interrupts, 2);
}

TEST_F(HostRegisters, CutOffAMessageThatIsTooLong) {
  registers.set_message(std::string(5000, 'x'));
  EXPECT_EQ(registers.get(kEnd - 4), 0x00787878u);
  registers.set_message("short");
  EXPECT_EQ(registers.get(kMessage + 4), static_cast<std::uint32_t>('t'));
  EXPECT_EQ(registers.get(kEnd - 4), 0u);
}

}  // namespace
}  // namespace heddle::gpu::host
