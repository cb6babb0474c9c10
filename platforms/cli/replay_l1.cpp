// SPDX-License-Identifier: Apache-2.0
// heddle replay-l1: replays a recorded L1 trace in other caches and under limits of warps.
#include <fmt/core.h>

#include <string>
#include <utility>
#include <vector>

#include "cli/commands.h"
#include "cli/locality_text.h"
#include "cli/run_command.h"
#include "common/command_line.h"
#include "core/error.h"
#include "core/excerpt.h"
#include "core/names.h"
#include "core/number_ranges.h"
#include "core/quantity_text.h"
#include "core/statistics/run_locality_json.h"
#include "memory/locality/l1_trace_file.h"
#include "memory/locality/locality_analysis.h"

namespace heddle::cli {
namespace {

using memory::LocalityRequest;
using memory::ReplayPolicy;
using memory::ReplayRequest;

/// Largest limit of warps: no SM has more contexts.
constexpr unsigned kMostWarps = 512;

struct ReplayCommand {
  std::string trace, policies, sizes, ways, lines, limits, order;
  LocalityListing listing;
  bool json = false;
};

ReplayPolicy policy_of(std::string_view word) {
  for (const ReplayPolicy policy :
       {ReplayPolicy::lru, ReplayPolicy::fifo, ReplayPolicy::belady, ReplayPolicy::unbounded}) {
    if (word == memory::name_of(policy)) return policy;
  }
  fail(ExitCode::usage, "--policy: there is no '{}'; legal: lru, fifo, belady, unbounded", excerpt(word));
}

/// One or more numbers between commas; {0} for an empty text, as recorded.
std::vector<std::uint64_t> numbers(const std::string& option, const std::string& text, std::uint64_t least,
                                   std::uint64_t most) {
  if (text.empty()) return {0};
  std::vector<std::uint64_t> all;
  for (const std::string_view word : split(text, ',')) {
    std::uint64_t value = 0;
    if (const auto size = parse_size(word)) {
      value = *size;
    } else if (!parse_natural(word, value)) {
      fail(ExitCode::usage, "{}: '{}' is no number", option, excerpt(word));
    }
    if (value < least || value > most) fail(ExitCode::usage, "{}: {} is not from {} to {}", option, value, least, most);
    all.push_back(value);
  }
  return all;
}

bool names_caches(const ReplayCommand& command) {
  return !(command.policies.empty() && command.sizes.empty() && command.ways.empty() && command.lines.empty());
}

std::vector<ReplayRequest> replays_of(const ReplayCommand& command) {
  const std::vector<std::uint64_t> sizes = numbers("--size", command.sizes, 16, std::uint64_t{1} << 34);
  const std::vector<std::uint64_t> ways = numbers("--ways", command.ways, 1, 1U << 20);
  const std::vector<std::uint64_t> lines = numbers("--line", command.lines, memory::kTracedSectorBytes, 4096);
  for (const std::uint64_t line : lines) {
    if ((line & (line - 1)) != 0) fail(ExitCode::usage, "--line: {} is no power of two", line);
  }
  std::vector<ReplayRequest> replays;
  const std::string policies = command.policies.empty() ? "lru,belady" : command.policies;
  for (const std::string_view word : split(policies, ',')) {
    const ReplayPolicy policy = policy_of(word);
    for (const std::uint64_t line : lines) {
      const auto line_bytes = static_cast<unsigned>(line);
      if (policy == ReplayPolicy::unbounded) {
        replays.push_back({policy, 0, 0, line_bytes});
        continue;
      }
      for (const std::uint64_t size : sizes) {
        for (const std::uint64_t way : ways) replays.push_back({policy, size, static_cast<unsigned>(way), line_bytes});
      }
    }
  }
  return replays;
}

LocalityRequest request_of(const ReplayCommand& command, const memory::TracedCache& recorded) {
  LocalityRequest request = LocalityRequest::usual(recorded);
  if (names_caches(command)) request.replays = replays_of(command);
  if (command.limits == "none") {
    request.model_limits = false;
  } else if (!command.limits.empty()) {
    const NumberRanges ranges(command.limits, "--limits", 1);
    request.limits.clear();
    for (unsigned n = 1; n <= kMostWarps; ++n) {
      if (ranges.contains(n)) request.limits.push_back(n);
    }
  }
  return request;
}

void replay(const ReplayCommand& command) {
  memory::L1TraceReader trace(command.trace);
  const LocalityRequest request = request_of(command, trace.machine().cache);
  memory::TracedMachine machine = trace.machine();
  if (command.order == "greedy") machine.order = memory::TracedOrder::greedy;
  if (command.order == "round_robin") machine.order = memory::TracedOrder::round_robin;
  memory::LocalityAnalysis analysis(request, std::move(machine));
  for (memory::TracedLaunch launch; trace.next(launch);) {
    const memory::TracedKernel& kernel = trace.kernels()[launch.kernel];
    // The kernels left out have a launch without accesses, so that a message can name them.
    if (!kernel_match(command.listing.kernels, kernel.name)) launch.sms.clear();
    analysis.add(kernel, launch);
  }
  JsonWriter out;
  write_locality(out, analysis.result());
  if (command.json) {
    fmt::print("{}\n", out.text());
  } else {
    fmt::print("{}", locality_text(parse_json(out.text(), command.trace), command.listing));
  }
}

}  // namespace

int replay_l1(int argc, char** argv) {
  CommandLine app{
      "Replays the accesses to the L1 data caches that a run recorded: what hit because of whom, why the rest missed, "
      "what other caches would give, and what a limit of warps would."};
  ReplayCommand command;
  app.add_option("TRACE", command.trace, "the trace, written by heddle run --l1-trace").required();
  app.add_option(
      "--policy", command.policies,
      "replacement: any of lru, fifo, belady, unbounded, separated by commas; default: lru,belady,unbounded");
  app.add_option("--size", command.sizes, "sizes of the cache, as in 16KB,32KB; default: as recorded");
  app.add_option("--ways", command.ways, "lines per set, as in 4,8; default: as recorded");
  app.add_option("--line", command.lines, "line sizes in bytes, as in 64,128; default: as recorded");
  app.add_option("--limits", command.limits,
                 "limits of warps to model, as in 1-32 or 2,4,8; none: no limits; default: some from 1 to 32");
  app.add_option("--order", command.order,
                 "how the modelled SM chooses among the warps: greedy or round_robin; default: as recorded")
      .one_of({"greedy", "round_robin"});
  app.add_option("--kernel", command.listing.kernels, "only kernels that match these patterns; default: all");
  app.add_option("--loads", command.listing.loads, "loads listed per kernel, of the lines with the most misses; 0: all")
      .show_default();
  app.add_flag("--json", command.json, "write JSON, in the form of the member `locality` of a run.json");
  app.footer(
      "Replays take no time: a miss is there at once. Loads allocate, stores do what they do in the recorded cache, "
      "and\n"
      "every launch begins with an empty cache. docs/locality.md says more.");
  return run_command(app, argc, argv, [&] { replay(command); });
}

}  // namespace heddle::cli
