// SPDX-License-Identifier: Apache-2.0
// Base of the lockstep tests of single blocks: a folder for waveforms, messages of errors, signals.
#pragma once

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "core/error.h"
#include "core/trace/vcd.h"
#include "rtl/blocks.h"
#include "stand.h"

namespace heddle::rtl {

class BlockLockstepTest : public BlockTest {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() / ("heddle_block_lockstep_" + std::to_string(getpid()));
    std::filesystem::create_directories(folder_);
    services_.results_folder = folder_;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  /// The message of the error that `work` throws.
  template <typename Work>
  std::string message_of(ExitCode code, Work&& work) {
    try {
      work();
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), code) << error.what();
      return error.what();
    }
    ADD_FAILURE() << "no error";
    return {};
  }
  template <typename Work>
  std::string difference(Work&& work) {
    const std::string message = message_of(ExitCode::difference, work);
    EXPECT_TRUE(std::filesystem::exists(folder_ / "block.lockstep.vcd")) << message;
    return message;
  }
  void expect_signals(const std::vector<std::string>& names) {
    WaveformRequest request;
    request.file = folder_ / "block.vcd";
    const Structures none;
    VcdWriter(services_.probes, none, request, [](std::uint64_t cycle) { return cycle * 1000; }).close();
    std::ifstream in(request.file);
    std::ostringstream text;
    text << in.rdbuf();
    for (const std::string& name : names)
      EXPECT_NE(text.str().find(" " + name + " "), std::string::npos) << name << " in\n" << text.str();
  }

  std::filesystem::path folder_;
};

}  // namespace heddle::rtl
