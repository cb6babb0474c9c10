// SPDX-License-Identifier: Apache-2.0
#include "runtime/options.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <limits>
#include <string_view>

#include "core/error.h"

namespace heddle::runtime {
namespace {

bool parse(std::string_view text, std::uint64_t& value) {
  const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
  return result.ec == std::errc() && result.ptr == text.data() + text.size();
}

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

std::uint64_t number(const char* name) {
  const std::string text = variable(name);
  std::uint64_t value = 0;
  if (!text.empty() && !parse(text, value)) fail(ExitCode::kUsage, "{}={}: a whole number is wanted", name, text);
  return value;
}

bool flag(const char* name) {
  const std::string text = variable(name);
  if (!text.empty() && text != "0" && text != "1") fail(ExitCode::kUsage, "{}={}: 0 or 1 is wanted", name, text);
  return text == "1";
}

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(separator, begin), text.size());
    if (end > begin) parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

}  // namespace

KernelSelection::KernelSelection(const std::string& text, const std::string& option) {
  for (const std::string& part : split(text, ',')) {
    const std::size_t dash = part.find('-');
    std::uint64_t first = 0, last = 0;
    bool good = parse(std::string_view(part).substr(0, dash), first);
    if (dash == std::string::npos) {
      last = first;
    } else if (dash + 1 == part.size()) {
      last = std::numeric_limits<std::uint64_t>::max();
    } else {
      good = good && parse(std::string_view(part).substr(dash + 1), last);
    }
    if (!good || first == 0 || last < first) {
      fail(ExitCode::kUsage, "{}: '{}' is no launch number or range; launches count from 1, as in 3,7-9,12-", option,
           part);
    }
    ranges_.emplace_back(first, last);
  }
}

bool KernelSelection::contains(std::uint64_t launch) const {
  return std::any_of(ranges_.begin(), ranges_.end(),
                     [launch](const auto& range) { return range.first <= launch && launch <= range.second; });
}

bool Options::timed(std::uint64_t launch) const {
  return !functional && (timing_kernels.empty() || timing_kernels.contains(launch)) && !skip_kernels.contains(launch);
}

const std::vector<OptionVariable>& option_variables() {
  static const std::vector<OptionVariable> variables = {
      {"HEDDLE_MACHINE", "machine to run on: a preset's name or a JSON file"},
      {"HEDDLE_SET", "overrides of the machine's description, one path=value a line"},
      {"HEDDLE_FUNCTIONAL", "1: run every kernel functionally, without time"},
      {"HEDDLE_CHECK", "1: run functionally, four threads at a time, and report what depends on lock step"},
      {"HEDDLE_OUTPUT", "folder the results go to"},
      {"HEDDLE_TIMING_KERNELS", "launches to time, as in 3,7-9; the others run functionally"},
      {"HEDDLE_SKIP_KERNELS", "launches to run functionally although the rest is timed"},
      {"HEDDLE_MAX_INSTRUCTIONS", "thread-instructions after which the run stops"},
      {"HEDDLE_MAX_CYCLES", "core cycles after which the run stops"},
      {"HEDDLE_QUIET", "1: no progress and no closing line on standard error"},
      {"HEDDLE_VCD", "file of the waveform"},
      {"HEDDLE_SIGNALS", "signals of the waveform, as in sm0.*,mc*.bank*"},
      {"HEDDLE_WINDOW", "core cycles of the waveform, as in 1000:2000"},
      {"HEDDLE_VCD_BYTES", "size at which the waveform stops"},
      {"HEDDLE_SERIES", "statistics recorded over time, as in sm*.issue.warp_instructions"},
      {"HEDDLE_SERIES_EVERY", "core cycles between two rows of the time series"},
      {"HEDDLE_COMMAND_TRACE", "file of the commands to DRAM, as CSV"},
      {"HEDDLE_CHECK_PROTOCOL", "1: a checker of the TLM-2.0 base protocol between all sockets of the memory side"},
  };
  return variables;
}

Options options_from_environment() {
  Options options;
  options.machine = variable("HEDDLE_MACHINE");
  options.settings = split(variable("HEDDLE_SET"), '\n');
  options.check = flag("HEDDLE_CHECK");
  options.functional = flag("HEDDLE_FUNCTIONAL") || options.check;
  options.quiet = flag("HEDDLE_QUIET");
  options.output = variable("HEDDLE_OUTPUT");
  options.timing_kernels = KernelSelection(variable("HEDDLE_TIMING_KERNELS"), "HEDDLE_TIMING_KERNELS");
  options.skip_kernels = KernelSelection(variable("HEDDLE_SKIP_KERNELS"), "HEDDLE_SKIP_KERNELS");
  options.max_instructions = number("HEDDLE_MAX_INSTRUCTIONS");
  options.max_cycles = number("HEDDLE_MAX_CYCLES");
  gpu::RecordingRequest& recording = options.recording;
  recording.vcd = variable("HEDDLE_VCD");
  if (const std::string signals = variable("HEDDLE_SIGNALS"); !signals.empty()) recording.signals = signals;
  recording.windows = variable("HEDDLE_WINDOW");
  if (const std::uint64_t bytes = number("HEDDLE_VCD_BYTES"); bytes != 0) recording.vcd_bytes = bytes;
  recording.series = variable("HEDDLE_SERIES");
  if (const std::uint64_t every = number("HEDDLE_SERIES_EVERY"); every != 0) recording.series_every = every;
  recording.commands = variable("HEDDLE_COMMAND_TRACE");
  return options;
}

}  // namespace heddle::runtime
