// SPDX-License-Identifier: Apache-2.0
// A small machine with signals, of which tests record waveforms.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <sstream>
#include <string>

#include "core/error.h"
#include "core/trace/vcd.h"

namespace heddle {

inline const TextTable kStates = {"idle", "ready", "waiting"};

/// Two SMs and a memory bank; the core clock has 1000 ps, the memory clock 1500 ps.
class VcdTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder = std::filesystem::path(::testing::TempDir()) / ("vcd-" + std::to_string(::getpid()));
    std::filesystem::create_directories(folder);
    issue1.add("pc", 8, "PC of the next instruction", &pc1);
    issue0.add("pc", 8, "PC of the next instruction", &pc0);
    issue0.add("stalled", 1, "nothing could issue", &stalled);
    issue0.add("state", 2, "state of the first context", &state, &kStates);
    issue0.add_wide("mask", 100, "threads", [this](std::uint64_t* words) { words[0] = mask[0], words[1] = mask[1]; });
    fired_pc = issue0.pulse("issued", 8, "PC issued in this cycle");
    bank.add("row", 12, "open row", [this] { return row; });
  }
  void TearDown() override { std::filesystem::remove_all(folder); }

  std::string path() const { return (folder / "out.vcd").string(); }
  std::unique_ptr<VcdWriter> record(const std::string& signals = "*", const std::string& windows_text = "",
                                    std::uint64_t most_bytes = 1 << 30) {
    request.file = folder / "out.vcd";
    request.signals = signals;
    request.most_bytes = most_bytes;
    request.windows = nullptr;
    if (!windows_text.empty()) {
      windows = std::make_unique<Windows>(parse_windows(windows_text));
      request.windows = windows.get();
    }
    return std::make_unique<VcdWriter>(probes, structures, request, [](std::uint64_t cycle) { return 1000 * cycle; });
  }
  void core(std::uint64_t cycle) { probes.sample({"gpu.core_clock", cycle, 1000 * cycle, 1000 * cycle + 1000}); }
  void memory(std::uint64_t cycle) { probes.sample({"memory", cycle, 1500 * cycle, 1500 * cycle + 1500}); }
  static std::string text(const std::filesystem::path& file) {
    std::ostringstream out;
    out << std::ifstream(file).rdbuf();
    return out.str();
  }
  ExitCode code_of(const std::function<void()>& action) {
    try {
      action();
    } catch (const Error& error) {
      return error.code();
    }
    return ExitCode{};
  }

  std::filesystem::path folder;
  std::unique_ptr<Windows> windows;
  WaveformRequest request;
  Probes probes;
  Structures structures;
  ProbeGroup issue1{probes, "sm1.issue", "gpu.core_clock"}, issue0{probes, "sm0.issue", "gpu.core_clock"},
      bank{probes, "mc0.bank3", "memory"};
  std::uint8_t pc0 = 0, pc1 = 0;
  bool stalled = false;
  enum class State : std::uint8_t { idle, ready, waiting } state = State::idle;
  std::uint64_t mask[2] = {};
  unsigned row = 0;
  ProbeGroup::SignalId fired_pc = 0;
};

}  // namespace heddle
