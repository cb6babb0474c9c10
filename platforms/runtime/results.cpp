// SPDX-License-Identifier: Apache-2.0
#include "runtime/results.h"

#include <chrono>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string_view>

#include "core/digest.h"
#include "core/error.h"
#include "core/json.h"
#include "core/statistics/run_json.h"
#include "runtime/device.h"
#include "runtime/messages.h"
#include "runtime/modules.h"
#include "source_commit.h"

namespace heddle::runtime {
namespace {

std::string bytes_of(const char* file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

/// The command line arguments of this process.
std::vector<std::string> command_line() {
  std::istringstream in(bytes_of("/proc/self/cmdline"));
  std::vector<std::string> words;
  for (std::string word; std::getline(in, word, '\0');) words.push_back(word);
  return words;
}

KernelRecord kernel_record(const LaunchRecord& launch) {
  const gpu::LaunchReport& report = launch.report;
  KernelRecord record;
  record.launch = launch.id;
  record.name = launch.kernel;
  record.grid = {launch.grid.x, launch.grid.y, launch.grid.z};
  record.block = {launch.block.x, launch.block.y, launch.block.z};
  record.dynamic_shared_bytes = launch.dynamic_shared_bytes;
  record.stream = launch.stream;
  record.registers = launch.registers;
  record.local_bytes = launch.local_bytes;
  record.spilled_bytes = launch.spilled_bytes;
  record.timed = report.timed;
  record.complete = launch.complete;
  record.thread_instructions = report.thread_instructions;
  record.warp_instructions = report.warp_instructions;
  record.first_cycle = report.first_cycle;
  record.cycles = report.cycles;
  record.start_seconds = report.start_seconds;
  record.end_seconds = report.end_seconds;
  record.statistics = launch.statistics;
  return record;
}

RunReport report_of(Device& device, const ModuleTable& modules, const std::string& why_incomplete) {
  RunReport report;
  report.version = HEDDLE_VERSION;
  report.commit = HEDDLE_COMMIT == std::string_view("unknown") ? "" : HEDDLE_COMMIT;
  report.configuration = device.configuration();
  if (!report.configuration.empty()) {
    const JsonNode configuration = parse_json(report.configuration, "configuration");
    if (const JsonNode* name = configuration.find("name")) report.machine = name->text;
  }
  report.arguments = command_line();
  if (!report.arguments.empty()) {
    report.program = report.arguments.front();
    report.arguments.erase(report.arguments.begin());
  }
  report.program_sha256 = sha256(bytes_of("/proc/self/exe"));
  report.ptx = modules.digests();
  report.complete = why_incomplete.empty();
  report.why_incomplete = why_incomplete;
  report.simulated_seconds = device.totals().simulated_seconds;
  report.wall_seconds = device.wall_seconds();
  for (const LaunchRecord& launch : device.launches()) {
    report.cycles += launch.report.cycles;
    report.kernels.push_back(kernel_record(launch));
  }
  for (const Region& region : device.regions()) {
    report.regions.push_back({region.name, region.on_device, region.first, region.last,
                              summarize(device.services().statistics, region.sample)});
  }
  return report;
}

}  // namespace

RunResults write_results(Device& device, const ModuleTable& modules, std::string why_incomplete) {
  RunResults results;
  try {
    if (const std::string note = device.finish(); !note.empty()) say_note(note);
  } catch (const Error& error) {
    say_error(error.what());
    results.status = static_cast<int>(error.code());
    if (why_incomplete.empty()) why_incomplete = error.what();
  }
  results.files = device.details().files;
  const Options& options = device.options();
  if (options.recording.anything() && device.totals().launches != 0 && !device.has_timed())
    say_note("no launch was timed, so nothing was recorded");
  if (options.output.empty()) return results;
  try {
    RunReport report = report_of(device, modules, why_incomplete);
    report.total = device.services().statistics.total();
    const gpu::RecordedDetails details = device.details();
    report.series = details.series;
    report.profile = details.profile;
    report.spans = details.spans;
    report.locality = details.locality;
    write_run(options.output, report, device.services().statistics, device.services().structures);
    results.written = true;
    results.files.insert(results.files.begin(), {options.output, "results: run.json, run.csv"});
  } catch (const Error& error) {
    say_error(error.what());
    results.status = static_cast<int>(error.code());
  }
  return results;
}

}  // namespace heddle::runtime
