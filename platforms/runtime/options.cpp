// SPDX-License-Identifier: Apache-2.0
#include "runtime/options.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <string_view>

#include "core/error.h"
#include "core/output_files.h"
#include "core/quantity_text.h"
#include "core/trace/vcd.h"
#include "gpu/recording/file_recorder.h"

namespace heddle::runtime {
namespace {

std::string variable(const std::string& name) {
  const char* value = std::getenv(name.c_str());
  return value != nullptr ? value : "";
}

std::uint64_t number(const char* name) {
  const std::string text = variable(name);
  std::uint64_t value = 0;
  if (!text.empty() && !parse_natural(text, value)) fail(ExitCode::usage, "{}={}: expected a whole number", name, text);
  return value;
}

/// At least 1; more than `most` is as good as that. what: of what there is at least one.
unsigned at_least_one(const char* name, unsigned otherwise, unsigned most, const char* what) {
  if (variable(name).empty()) return otherwise;
  const std::uint64_t value = number(name);
  if (value == 0) fail(ExitCode::usage, "{}=0: at least one {}", name, what);
  return static_cast<unsigned>(std::min<std::uint64_t>(value, most));
}

bool flag(const char* name) {
  const std::string text = variable(name);
  if (!text.empty() && text != "0" && text != "1") fail(ExitCode::usage, "{}={}: expected 0 or 1", name, text);
  return text == "1";
}

/// One of `legal`, or nothing.
std::string word(const char* name, const std::vector<std::string>& legal) {
  std::string text = variable(name);
  if (!text.empty() && std::find(legal.begin(), legal.end(), text) == legal.end())
    fail(ExitCode::usage, "{}={}: expected {} or {}", name, text, legal.front(), legal.back());
  return text;
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

bool Options::timed(std::uint64_t launch) const {
  return !functional && (timing_kernels.empty() || timing_kernels.contains(launch)) && !skip_kernels.contains(launch);
}

std::string variable_of_recorder(const std::string& name) {
  std::string text = "HEDDLE_" + name;
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::toupper(c); });
  return text;
}

std::vector<OptionVariable> option_variables() {
  std::vector<OptionVariable> variables = {
      {"HEDDLE_MACHINE", "machine to run on: a preset's name or a JSON file"},
      {"HEDDLE_SET", "overrides of the machine description, one path=value per line"},
      {"HEDDLE_PLUGINS", "shared libraries with mechanisms of your own, one per line"},
      {"HEDDLE_FUNCTIONAL", "1: run every kernel functionally, without timing"},
      {"HEDDLE_CHECK", "1: run functionally, four threads at a time, and report races and reliance on lock step"},
      {"HEDDLE_CHECK_GLOBAL", "1: with HEDDLE_CHECK, look for races in global memory too"},
      {"HEDDLE_OUTPUT", "folder for the results"},
      {"HEDDLE_FORCE", "1: results and recordings may replace existing files"},
      {"HEDDLE_TIMING_KERNELS", "launches to time, as in 3,7-9; the others run functionally"},
      {"HEDDLE_SKIP_KERNELS", "launches to run functionally; the others are timed"},
      {"HEDDLE_MAX_INSTRUCTIONS", "stop the run after this many thread-instructions"},
      {"HEDDLE_MAX_CYCLES", "stop the run after this many core cycles"},
      {"HEDDLE_THREADS", "threads of the host that simulate the machine, with the same results; default: 1"},
      {"HEDDLE_THREAD_CYCLES",
       "cycles that several threads may simulate at a time, with the same results; default: 16"},
      {"HEDDLE_LOW_MEMORY", "1: device memory in the lowest 2 GiB, for PTX with 32-bit addresses"},
      {"HEDDLE_QUIET", "1: print no progress and no summary line"},
      {"HEDDLE_LIVE", "1: show a view of the machine on the terminal while a long kernel runs"},
      {"HEDDLE_VCD", "file of the waveform"},
      {"HEDDLE_SIGNALS", "signals of the waveform, as in sm0.*,mc*.bank*"},
      {"HEDDLE_WINDOW", "part of the run to trace, as in 1000:2000 or kernel=expand*"},
      {"HEDDLE_SMS", "SMs to trace, as in 0,2-3"},
      {"HEDDLE_WARPS", "warps of each SM to trace, as in 0-7"},
      {"HEDDLE_KERNELS", "patterns of kernels to trace"},
      {"HEDDLE_TRACE_BYTES", "maximum size of a waveform, pipeline log, timeline or L1 trace"},
      {"HEDDLE_PIPELINE", "file of the pipeline log"},
      {"HEDDLE_PIPELINE_LINES", "instructions or packets: the unit of a line in the pipeline log"},
      {"HEDDLE_TIMELINE", "file of the timeline"},
      {"HEDDLE_TIMELINE_EVERY", "core cycles between two samples of the timeline's counters"},
      {"HEDDLE_PROFILE", "1: record per-instruction counts in run.json"},
      {"HEDDLE_SPANS", "1: record the residency of blocks and warps in run.json"},
      {"HEDDLE_LOCALITY", "1: record the locality of the kernels in the L1 data caches in run.json"},
      {"HEDDLE_L1_TRACE", "file of the L1 trace"},
      {"HEDDLE_INSPECT", "1: record everything the report shows in run.json"},
      {"HEDDLE_SERIES", "statistics recorded over time, as in sm*.issue.warp_instructions"},
      {"HEDDLE_SERIES_EVERY", "core cycles between two rows of the time series"},
      {"HEDDLE_COMMAND_TRACE", "file of the DRAM commands, as CSV"},
      {"HEDDLE_CHECK_PROTOCOL", "1: check the TLM-2.0 base protocol between all sockets of the memory side"},
      {"HEDDLE_CHECK_TRACKERS", "1: check what the hazard trackers of the SMs acquire and release"},
      {"HEDDLE_CHECK_WINDOWS", "1: host threads work in windows of cycles wherever they can, also where it is slower"},
      {"HEDDLE_CHECK_SIGNALS", "1: check that signals which a waveform does not read in a cycle do not change in it"},
  };
  for (const auto& [name, what] : gpu::file_recorders())
    variables.push_back({variable_of_recorder(name), "file of the " + what});
  return variables;
}

void check_outputs(const Options& options, const std::string& option) {
  const OutputCheck check(options.force, option);
  check.folder(options.output, {"run.json", "run.csv"});
  const gpu::RecordingRequest& recording = options.recording;
  for (const std::string& file :
       {recording.vcd, recording.pipeline, recording.timeline, recording.commands, recording.l1_trace})
    check.file(file);
  for (const auto& [recorder, file] : recording.files) check.file(file);
  if (!recording.vcd.empty()) check.file(gtkwave_save_file(recording.vcd));
}

Options options_from_environment() {
  Options options;
  options.machine = variable("HEDDLE_MACHINE");
  options.settings = split(variable("HEDDLE_SET"), '\n');
  options.plugins = split(variable("HEDDLE_PLUGINS"), '\n');
  options.check = flag("HEDDLE_CHECK");
  options.check_global = flag("HEDDLE_CHECK_GLOBAL");
  options.functional = flag("HEDDLE_FUNCTIONAL") || options.check;
  options.low_memory = flag("HEDDLE_LOW_MEMORY");
  // A machine has at most 1024 SMs to share among them.
  options.threads = at_least_one("HEDDLE_THREADS", 1, 1024, "thread simulates");
  options.thread_cycles =
      at_least_one("HEDDLE_THREAD_CYCLES", options.thread_cycles, 1024, "cycle is simulated at a time");
  options.quiet = flag("HEDDLE_QUIET");
  options.live = flag("HEDDLE_LIVE");
  options.output = variable("HEDDLE_OUTPUT");
  options.force = flag("HEDDLE_FORCE");
  options.timing_kernels = NumberRanges(variable("HEDDLE_TIMING_KERNELS"), "HEDDLE_TIMING_KERNELS", 1);
  options.skip_kernels = NumberRanges(variable("HEDDLE_SKIP_KERNELS"), "HEDDLE_SKIP_KERNELS", 1);
  options.max_instructions = number("HEDDLE_MAX_INSTRUCTIONS");
  options.max_cycles = number("HEDDLE_MAX_CYCLES");
  gpu::RecordingRequest& recording = options.recording;
  recording.vcd = variable("HEDDLE_VCD");
  if (const std::string signals = variable("HEDDLE_SIGNALS"); !signals.empty()) recording.signals = signals;
  recording.windows = variable("HEDDLE_WINDOW");
  recording.sms = variable("HEDDLE_SMS");
  recording.warps = variable("HEDDLE_WARPS");
  recording.kernels = variable("HEDDLE_KERNELS");
  if (const std::uint64_t bytes = number("HEDDLE_TRACE_BYTES"); bytes != 0) recording.most_bytes = bytes;
  recording.pipeline = variable("HEDDLE_PIPELINE");
  recording.pipeline_packets = word("HEDDLE_PIPELINE_LINES", {"instructions", "packets"}) == "packets";
  recording.timeline = variable("HEDDLE_TIMELINE");
  if (const std::uint64_t every = number("HEDDLE_TIMELINE_EVERY"); every != 0) recording.timeline_every = every;
  recording.profile = flag("HEDDLE_PROFILE");
  recording.spans = flag("HEDDLE_SPANS");
  recording.locality = flag("HEDDLE_LOCALITY");
  recording.l1_trace = variable("HEDDLE_L1_TRACE");
  recording.series = variable("HEDDLE_SERIES");
  // 0 is a value: an interval that grows with the run.
  if (!variable("HEDDLE_SERIES_EVERY").empty()) recording.series_every = number("HEDDLE_SERIES_EVERY");
  if (flag("HEDDLE_INSPECT")) recording.inspect();
  recording.commands = variable("HEDDLE_COMMAND_TRACE");
  for (const auto& [name, what] : gpu::file_recorders()) {
    if (const std::string file = variable(variable_of_recorder(name)); !file.empty()) recording.files[name] = file;
  }
  return options;
}

}  // namespace heddle::runtime
