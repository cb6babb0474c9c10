// SPDX-License-Identifier: Apache-2.0
// Checks the command trace of a run against its machine, and the counters of the run against the trace.
//   check_commands TRACE.csv RUN.json
// Exit status: 0 all commands legal and all counters equal, 1 otherwise, 2 a file could not be read.
#include <fmt/core.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "tb/dram/command_checker.h"

namespace {

using heddle::tb::CheckedMemory;
using heddle::tb::CommandChecker;
using nlohmann::json;

const json& value_of(const json& node) { return node.is_object() && node.contains("value") ? node.at("value") : node; }

CheckedMemory memory_of(const json& machine) {
  const json& controller = machine.at("memory").at("controller");
  const auto number = [&](const char* key) { return value_of(controller.at(key)).get<unsigned>(); };
  CheckedMemory memory;
  memory.standard = value_of(controller.at("standard")).get<std::string>();
  memory.ranks = number("ranks");
  memory.bank_groups = number("bank_groups");
  memory.banks_per_group = number("banks_per_group");
  for (const auto& [name, node] : controller.at(memory.standard).items()) {
    if (value_of(node).is_number_integer()) memory.timings[name] = value_of(node).get<std::int64_t>();
    if (name == "activate_to_refresh") memory.refresh_as_activate = value_of(node) == "tRRD";
  }
  memory.refresh = value_of(controller.at("refresh")).get<std::string>();
  if (memory.refresh != "none") {
    memory.postpone = value_of(controller.at(memory.refresh).at("postpone")).get<std::int64_t>();
    memory.pull_in = value_of(controller.at(memory.refresh).at("pull_in")).get<std::int64_t>();
  }
  return memory;
}

/// Counters of a run that the trace must reproduce.
struct Compared {
  const char* counter;
  std::uint64_t trace;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    fmt::print(stderr, "usage: check_commands TRACE.csv RUN.json\n");
    return 2;
  }
  try {
    std::ifstream trace(argv[1]), run_file(argv[2]);
    if (!trace || !run_file) throw std::runtime_error(fmt::format("{} or {} cannot be read", argv[1], argv[2]));
    const json run = json::parse(run_file);
    const json& statistics = run.at("statistics");
    const auto counter = [&](unsigned channel, const std::string& name) {
      return statistics.at("instances").at(fmt::format("mc{}", channel)).value("controller.channel." + name, 0.0);
    };
    CommandChecker checker(memory_of(run.at("configuration")));
    const std::uint64_t commands = checker.take(trace);
    checker.finish(static_cast<std::int64_t>(counter(0, "cycles")));

    std::uint64_t differences = 0;
    const unsigned channels =
        value_of(run.at("configuration").at("memory").at("map").at("controllers")).get<unsigned>();
    for (unsigned channel = 0; channel < channels; ++channel) {
      const auto known = checker.sums().find(channel);
      const heddle::tb::CommandSums sums = known == checker.sums().end() ? heddle::tb::CommandSums{} : known->second;
      const auto count = [&sums](const char* name) {
        const auto found = sums.commands.find(name);
        return found == sums.commands.end() ? 0 : found->second;
      };
      const Compared compared[] = {{"activates", count("ACT")},
                                   {"precharges", count("PRE")},
                                   {"rank_precharges", count("PREab")},
                                   {"reads", count("RD")},
                                   {"writes", count("WR")},
                                   {"rank_refreshes", count("REFab")},
                                   {"bank_refreshes", count("REFpb")},
                                   {"data_cycles", sums.data_cycles},
                                   {"command_cycles", sums.command_cycles},
                                   {"turnarounds", sums.turnarounds},
                                   {"open_cycles", sums.open_cycles}};
      for (const Compared& c : compared) {
        if (counter(channel, c.counter) == static_cast<double>(c.trace)) continue;
        ++differences;
        fmt::print("channel {}: {} is {:.0f} in the run, {} in the trace\n", channel, c.counter,
                   counter(channel, c.counter), c.trace);
      }
    }
    for (const std::string& fault : checker.faults()) fmt::print("{}\n", fault);
    fmt::print("{} commands, {} illegal, {} counters differ\n", commands, checker.fault_count(), differences);
    return checker.fault_count() + differences == 0 ? 0 : 1;
  } catch (const std::exception& error) {
    fmt::print(stderr, "check_commands: {}\n", error.what());
    return 2;
  }
}
