// SPDX-License-Identifier: Apache-2.0
// A warp with a kernel, for tests of single instructions.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "core/error.h"
#include "isa/execute.h"

namespace heddle::isa {

/// Memory a kernel may access: regions registered by the test.
class TestMemory final : public MemoryPort {
 public:
  void allow(const void* start, std::size_t bytes) {
    const auto address = reinterpret_cast<std::uint64_t>(start);
    ranges_.push_back({address, address + bytes});
  }
  bool accessible(std::uint64_t lowest, std::uint64_t highest_end) const override {
    ++calls;
    for (const auto& [start, end] : ranges_) {
      if (lowest >= start && highest_end <= end) return true;
    }
    return false;
  }
  std::string nearest(std::uint64_t) const override { return "nearest allocation: test"; }
  void texture(const MicroOp&, WarpState&, std::uint32_t mask) override { texture_mask = mask; }
  void system_call(const MicroOp&, WarpState&, std::uint32_t mask) override { system_mask = mask; }

  mutable unsigned calls = 0;
  std::uint32_t texture_mask = 0, system_mask = 0;

 private:
  std::vector<std::pair<std::uint64_t, std::uint64_t>> ranges_;
};

/// A warp of 32 threads in a block of 64 x 2, with registers, shared, local and parameter memory.
class WarpFixture : public ::testing::Test {
 protected:
  static constexpr unsigned kUnits = 48, kSharedBytes = 1024, kLocalBytes = 64;

  WarpFixture() {
    kernel_.name = "tested";
    kernel_.ptx_name = "module.ptx";
    kernel_.files = {"", "program.cu"};
    kernel_.texts = {"the instruction"};
    kernel_.local_bytes = kLocalBytes;
    kernel_.constants.resize(1024);
    launch_.kernel = &kernel_;
    launch_.grid = {4, 3, 2};
    launch_.block = {64, 2, 1};
    launch_.shared_bytes = kSharedBytes;
    launch_.dynamic_shared_bytes = 256;
    launch_.parameters.resize(64);
    block_.launch = &launch_;
    block_.index = {1, 2, 1};
    block_.threads = 128;
    block_.sm = SmId(5);
    shared_.resize(kSharedBytes);
    block_.shared = shared_.data();
    local_.resize(32 * kLocalBytes);
    storage_.resize((kUnits + 1) * kRegisterUnitBytes + 64);
    const auto start = reinterpret_cast<std::uint64_t>(storage_.data());
    warp_.registers = storage_.data() + (64 - start % 64) % 64;
    warp_.constants = kernel_.constants.data();
    warp_.local = local_.data();
    warp_.block = &block_;
    warp_.index = 1;
    warp_.warp_slot = 9;
    warp_.live = ~0u;
  }

  static Operand register_at(unsigned unit, DataType type) {
    Operand operand;
    operand.offset = unit * kRegisterUnitBytes;
    operand.base = Operand::Base::frame;
    operand.type = type;
    return operand;
  }
  static Operand predicate_at(unsigned index, bool negate = false) {
    Operand operand;
    operand.offset = kUnits * kRegisterUnitBytes + 4 * index;
    operand.base = Operand::Base::frame;
    operand.type = DataType::pred;
    operand.negate = negate;
    return operand;
  }

  std::uint32_t* words(unsigned unit) {
    return reinterpret_cast<std::uint32_t*>(warp_.registers + unit * kRegisterUnitBytes);
  }
  std::uint64_t* longs(unsigned unit) {
    return reinterpret_cast<std::uint64_t*>(warp_.registers + unit * kRegisterUnitBytes);
  }
  std::uint32_t& predicate(unsigned index) { return words(kUnits)[index]; }

  /// Message of the error `run` throws; fails the test when it does not throw or has another exit code.
  template <typename Run>
  static std::string message_of(ExitCode code, Run&& run) {
    try {
      run();
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), code);
      return error.what();
    }
    ADD_FAILURE() << "no error was thrown";
    return {};
  }

  Kernel kernel_;
  LaunchState launch_;
  BlockState block_;
  WarpState warp_;
  std::vector<std::byte> shared_, local_, storage_;
};

}  // namespace heddle::isa
