// SPDX-License-Identifier: Apache-2.0
// heddle memtrace: replays an access trace on a machine's caches, crossbar and memory, without SMs.
#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/output_options.h"
#include "cli/run_command.h"
#include "cli/run_options.h"
#include "common/command_line.h"
#include "common/machine_description.h"
#include "core/digest.h"
#include "core/error.h"
#include "core/file.h"
#include "core/output_files.h"
#include "core/statistics/run_json.h"
#include "core/trace/vcd.h"
#include "gpu/run_control.h"
#include "gpu/trace_machine.h"
#include "memory/access_trace.h"

namespace heddle::cli {
namespace {

using memory::TraceAccess;
using memory::TraceKind;
using memory::TraceTimes;

struct MemtraceCommand {
  MachineOptions machine;
  RecordingOptions recording;
  std::string entry = "l1";
  unsigned under_way = 0;
  std::uint64_t max_cycles = 0;
  std::string accesses, trace;
  OutputOptions files;
  std::vector<std::string> arguments;
};

const std::map<std::string, gpu::TraceEntry> kEntries = {
    {"l1", gpu::TraceEntry::l1}, {"l2", gpu::TraceEntry::l2}, {"controller", gpu::TraceEntry::controller}};

/// A row of the latency table; nothing when no access of that kind completed.
void print_latencies(const char* what, std::vector<Cycle> latencies) {
  if (latencies.empty()) return;
  std::sort(latencies.begin(), latencies.end());
  const auto percentile = [&](unsigned percent) { return latencies[(latencies.size() - 1) * percent / 100]; };
  double sum = 0;
  for (const Cycle latency : latencies) sum += static_cast<double>(latency);
  fmt::print("{:<10}{:>12}{:>10.1f}{:>8}{:>8}{:>8}{:>8}{:>8}\n", what, latencies.size(),
             sum / static_cast<double>(latencies.size()), latencies.front(), percentile(50), percentile(90),
             percentile(99), latencies.back());
}

void print_summary(const MemtraceCommand& command, const std::vector<TraceAccess>& trace,
                   const gpu::TraceMachine& machine, const std::string& name) {
  const std::vector<TraceTimes>& times = machine.player().times();
  std::vector<Cycle> reads, writes, atomics;
  Cycle first = kNever, last = 0;
  std::uint64_t bytes = 0;
  for (std::size_t i = 0; i < trace.size(); ++i) {
    if (times[i].end == kNever) continue;
    first = std::min(first, times[i].begin);
    last = std::max(last, times[i].end);
    bytes += trace[i].bytes;
    (trace[i].kind == TraceKind::read    ? reads
     : trace[i].kind == TraceKind::write ? writes
                                         : atomics)
        .push_back(times[i].end - times[i].begin);
  }
  const double cycles = first == kNever ? 0 : static_cast<double>(last - first);
  const double seconds = cycles / (static_cast<double>(machine.clock().frequency()) * 1e3);
  fmt::print("machine {}, entry {}: {} accesses of {}, {} bytes\n", name, command.entry,
             reads.size() + writes.size() + atomics.size(), trace.size(), bytes);
  fmt::print("{:.0f} cycles of {} MHz from first request to last reply; {:.2f} bytes per cycle, {:.2f} GB/s\n", cycles,
             static_cast<double>(machine.clock().frequency()) / 1e3,
             cycles == 0 ? 0 : static_cast<double>(bytes) / cycles,
             seconds == 0 ? 0 : static_cast<double>(bytes) / seconds / 1e9);
  if (const auto refused = machine.player().counts().refused.value(); refused != 0)
    fmt::print("{} requests were answered with an error\n", refused);
  fmt::print("{:<10}{:>12}{:>10}{:>8}{:>8}{:>8}{:>8}{:>8}\n", "latency", "accesses", "mean", "least", "median", "90 %",
             "99 %", "most");
  print_latencies("read", std::move(reads));
  print_latencies("write", std::move(writes));
  print_latencies("atomic", std::move(atomics));
}

/// Start and end of each access, one line each in trace order.
void write_accesses(const std::string& file, const std::vector<TraceTimes>& times) {
  std::string text = "access,begin,end\n";
  for (std::size_t i = 0; i < times.size(); ++i) {
    const auto cycle = [](Cycle at) { return at == kNever ? std::string() : std::to_string(at); };
    fmt::format_to(std::back_inserter(text), "{},{},{}\n", i, cycle(times[i].begin), cycle(times[i].end));
  }
  write_file_atomically(file, text);
}

void check_outputs(const MemtraceCommand& command) {
  const OutputCheck check(command.files.force);
  check.folder(command.machine.output, {"run.json", "run.csv"});
  for (const std::string& file : {command.recording.vcd, command.recording.command_trace, command.accesses})
    check.file(file);
  if (!command.recording.vcd.empty()) check.file(gtkwave_save_file(command.recording.vcd));
}

void replay(const MemtraceCommand& command) {
  check_outputs(command);
  const auto start = std::chrono::steady_clock::now();
  const gpu::TraceEntry entry = kEntries.at(command.entry);
  const auto loaded = load_machine({command.machine.machine, command.machine.settings, {}, command.machine.plugins});
  const std::string text = memory::read_trace_file(command.trace);
  const std::vector<TraceAccess> trace = memory::parse_access_trace(
      text, command.trace, entry == gpu::TraceEntry::l1 ? gpu::TraceMachine::sms_of(loaded->parameters) : 65536);

  Services services;
  gpu::TraceRequest request{entry, command.under_way, command.max_cycles, command.recording.request()};
  gpu::TraceMachine machine(loaded->parameters, services, trace, request);
  std::signal(SIGINT, [](int signal) { gpu::interrupt_signal.store(signal, std::memory_order_relaxed); });
  std::string why_incomplete;
  std::optional<Error> stopped;
  try {
    machine.run();
  } catch (const Error& error) {
    stopped = error;
    why_incomplete = error.what();
  }
  if (const std::string note = machine.finish(); !note.empty()) fmt::print(stderr, "heddle: {}\n", note);
  if (!command.files.quiet) print_summary(command, trace, machine, loaded->configuration.name());
  std::vector<WrittenFile> written = machine.details().files;
  if (!command.machine.output.empty()) {
    RunReport report;
    report.version = HEDDLE_VERSION;
    report.machine = loaded->configuration.name();
    report.configuration = loaded->configuration.resolved();
    report.program = command.trace;
    report.arguments = command.arguments;
    report.program_sha256 = sha256(text);
    report.complete = why_incomplete.empty();
    report.why_incomplete = why_incomplete;
    report.cycles = machine.core_cycles();
    report.simulated_seconds = sc_core::sc_time_stamp().to_seconds();
    report.wall_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    report.total = services.statistics.total();
    report.series = machine.details().series;
    write_run(command.machine.output, report, services.statistics, services.structures);
    written.insert(written.begin(), {command.machine.output, "results: run.json, run.csv"});
  }
  if (!command.accesses.empty()) {
    write_accesses(command.accesses, machine.player().times());
    written.push_back({command.accesses, "start and end of each access"});
  }
  command.files.say_written("memtrace", written);
  if (stopped) throw *stopped;
}

}  // namespace

int memtrace(int argc, char** argv) {
  CommandLine app{"Replays a trace of memory accesses on a machine's caches, crossbar and memory, without SMs."};
  MemtraceCommand command;
  command.arguments.assign(argv + 1, argv + argc);
  OptionRules rules;
  command.recording.declare(app, rules, false, command.machine.declare(app));
  app.add_option("--enter", command.entry,
                 "where accesses enter: l1, the L1 data caches of the SMs; l2; controller. The trace's cycles are in "
                 "that level's clock")
      .one_of({"l1", "l2", "controller"})
      .show_default();
  app.add_option("--under-way", command.under_way,
                 "maximum outstanding requests per socket; 1: each waits for the previous one; default: no limit");
  app.add_option("--max-cycles", command.max_cycles, "stop after this many cycles of the entry's clock").positive();
  app.add_option("--accesses", command.accesses, "write the start and end of each access to this file (CSV)");
  command.files.declare(app, "print no summary, and no line that says what was written");
  app.add_option("trace", command.trace, "the trace, a CSV file").required();
  app.footer(
      "The first line of the trace names its columns: kind (read, write, atomic, reduction), address, bytes, and\n"
      "optionally cycle, port (the SM), source (the warp), hint. docs/guide-memory-parts.md says more.");
  return run_command(app, argc, argv, [&] {
    rules.check();
    replay(command);
  });
}

}  // namespace heddle::cli
