// SPDX-License-Identifier: Apache-2.0
// Influences that must not change a machine's cycles, statistics or results: the order in which its modules are built
// and called, whether sleeping modules are called, the time resolution, the placement of host memory.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace heddle::gpu {
namespace {

struct MachineCase {
  const char* machine;
  const char* options;
};

void PrintTo(const MachineCase& machine, std::ostream* out) { *out << machine.machine; }

const MachineCase kMachines[] = {
    {"stack", "--machine small"},
    {"narrow_warps",
     "--machine small --set sm.warp_size=8 --set sm.simd_width=8 --set sm.alu.lanes=8 "
     "--set sm.sfu.lanes=8 --set sm.memory_lanes=8"},
    {"frontiers", "--machine small --set sm.grouping=thread_frontiers --set sm.order=two_level_active"},
    {"static_limit",
     "--machine small --set sm.order=lrr --set 'sm.vetoes=[\"static_limit\"]' "
     "--set sm.static_limit.limit=3"},
    {"one_in_flight", "--machine small --set sm.shape=one_in_flight --set sm.hazards=one_in_flight"},
    {"held_collectors",
     "--machine small --set sm.operands.latency=3 --set sm.operands.memory_collectors=2 --set sm.alu.collectors=2"},
    {"unlike_clocks", "--machine small --set gpu.clocks.interconnect=610000 --set gpu.clocks.l2=510000"},
    {"barrel", "--machine tesla-16x8"},
    {"large_warps", "--machine large-warp-core"},
    {"interweaving", "--machine interweaving-sm"},
    {"interweaving_warps", "--machine interweaving-warps"},
    {"interweaving_both", "--machine interweaving-both"},
    {"slices", "--machine vws-ws4"},
    {"gangs", "--machine vws-i"},
    {"elastic_gangs", "--machine vws-e-impatient"},
    {"resizing", "--machine dwr-64"},
    {"resizing_whole", "--machine dwr-32 --set sm.dynamic_warp_resizing.lat_release=per_largewarp"},
    {"resizing_learned", "--machine dwr-fermi --set sm.dynamic_warp_resizing.sync_mode=dynamic"},
    {"quadro", "--machine quadro-fx5800"},
    {"daws", "--machine daws-detected --set caches.l1d.sets=2 --set caches.l1d.ways=4"},
    {"ccws", "--machine ccws --set sm.cache_conscious.k_throttle=1024 --set caches.l1d.sets=2"},
    {"ccws_reference",
     "--machine ccws --set sm.cache_conscious.k_throttle=1024 --set caches.l1d.sets=2 "
     "--set sm.cache_conscious.below_base=reference --set sm.cache_conscious.latency=3"},
};

/// The machine's output; empty, with a test failure, if it failed. Always a new run.
std::string fingerprint(const std::string& options) {
  const std::string command = std::string(HEDDLE_FINGERPRINT) + " " + options + " 2>&1";
  FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) {
    ADD_FAILURE() << "cannot start " << command;
    return {};
  }
  std::string text;
  std::array<char, 4096> buffer;
  while (const std::size_t read = fread(buffer.data(), 1, buffer.size(), pipe)) text.append(buffer.data(), read);
  const int status = pclose(pipe);
  EXPECT_EQ(status, 0) << command << "\n" << text;
  return text;
}

/// The same of a machine without changes, run once for all tests that compare with it.
const std::string& plain_fingerprint(const std::string& options) {
  static std::map<std::string, std::string> known;
  const auto found = known.find(options);
  return found != known.end() ? found->second : known.emplace(options, fingerprint(options)).first->second;
}

/// The first lines in which two outputs differ.
std::string differences(const std::string& a, const std::string& b) {
  std::istringstream left(a), right(b);
  std::string x, y, text;
  for (int shown = 0; shown < 8 && (std::getline(left, x), std::getline(right, y), left || right);) {
    if (x == y) continue;
    text += x + "   |   " + y + "\n";
    ++shown;
  }
  return text;
}

/// A folder for what the machine of the test records.
class TraceFolder {
 public:
  TraceFolder() { std::filesystem::create_directories(path_); }
  ~TraceFolder() { std::filesystem::remove_all(path_); }
  TraceFolder(const TraceFolder&) = delete;
  TraceFolder& operator=(const TraceFolder&) = delete;
  std::string option() const { return " --traces " + path_; }

 private:
  std::string path_ = ::testing::TempDir() + "order-" + std::to_string(getpid());
};

class Order : public ::testing::TestWithParam<MachineCase> {
 protected:
  /// The output with `options` and with all changes besides is the same; if not, says which of them shows. Returns the
  /// output.
  static std::string expect_no_change(const std::string& options, const std::vector<std::string>& changes) {
    std::string together = options;
    for (const std::string& change : changes) together += " " + change;
    const std::string& plain = plain_fingerprint(options);
    const std::string changed = fingerprint(together);
    if (plain == changed) return plain;
    for (const std::string& change : changes) {
      const std::string alone = fingerprint(options + " " + change);
      EXPECT_TRUE(plain == alone) << change << ":\n" << differences(plain, alone);
    }
    ADD_FAILURE() << "all changes together:\n" << differences(plain, changed);
    return plain;
  }
};

/// Each run is a separate process, with its own memory layout if the host randomises it.
TEST_P(Order, OfModulesSleepAndClocksDoNotShow) {
  const std::string plain =
      expect_no_change(GetParam().options, {"--reverse", "--permute 5", "--no-gating", "--clock-factor 2"});
  ASSERT_THAT(plain, ::testing::HasSubstr("launch 2 cycles"));
  const std::string permuted = fingerprint(std::string(GetParam().options) + " --permute 987654321");
  EXPECT_TRUE(plain == permuted) << differences(plain, permuted);
}
/// Nor in what had been counted when a region of a kernel began or ended; that the machine stopped there does not show.
TEST_P(Order, DoesNotShowInRegions) {
  const std::string options = GetParam().options;
  std::istringstream lines(expect_no_change(options + " --cuts", {"--reverse", "--permute 5", "--no-gating"}));
  std::string rest;
  std::size_t cuts = 0;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("cut ")) {
      ++cuts;
    } else {
      rest += line + "\n";
    }
  }
  EXPECT_GE(cuts, 4u) << "two launches, each with a region at least";
  const std::string& plain = plain_fingerprint(options);
  EXPECT_TRUE(rest == plain) << differences(rest, plain);
}
/// Nor in what is recorded: waveform, pipeline log, timeline, profile, spans, series.
TEST_P(Order, DoesNotShowInTraces) {
  const TraceFolder folder;
  const std::string traced = expect_no_change(GetParam().options + folder.option(), {"--reverse", "--permute 7"});
  EXPECT_THAT(traced, ::testing::HasSubstr("machine.kanata"));
}
/// Nor in these when results are written while the machine runs, at times that depend on the host.
TEST_P(Order, OfResultsWrittenMeanwhileDoesNotShow) {
  const TraceFolder folder;
  expect_no_change(GetParam().options + folder.option(), {"--settle-every 7"});
}

INSTANTIATE_TEST_SUITE_P(Machines, Order, ::testing::ValuesIn(kMachines),
                         [](const auto& test) { return std::string(test.param.machine); });

}  // namespace
}  // namespace heddle::gpu
