// SPDX-License-Identifier: Apache-2.0
// The memory controller under the requests of an index search, beside the event-level model: one line of JSON.
//   index_banks [--hint] [--compute N] [--l2 none|modulo|hashed] [--hold N] [--occupancy N] [--interval N]
//               [--queries N]
#include <fmt/core.h>

#include <CLI/CLI.hpp>

#include "core/config/configuration.h"
#include "core/kernel/services.h"
#include "memory/dram/memory_controller.h"
#include "studies/database-search/index_warps.h"

int main(int argc, char** argv) {
  using namespace heddle;
  studies::Setting setting;
  std::size_t queries = 30000;
  unsigned interval = 100;
  CLI::App app("Index-search requests on a memory controller and on an event-level model of its banks.");
  app.add_flag("--hint", setting.hint, "the first load of a row carries the hint");
  app.add_option("--compute", setting.compute, "cycles from data to the next request");
  const std::map<std::string, studies::SecondLevel> levels{{"none", studies::SecondLevel::none},
                                                           {"modulo", studies::SecondLevel::modulo},
                                                           {"hashed", studies::SecondLevel::hashed}};
  app.add_option("--l2", setting.l2, "second-level cache")->transform(CLI::CheckedTransformer(levels));
  app.add_option("--hold", setting.hold, "cycles a bank waits for the hinted row");
  app.add_option("--occupancy", setting.occupancy, "cycles a row hit occupies its bank");
  app.add_option("--interval", interval,
                 "cycles between hits to the open row that both wait; the event-level model has "
                 "as many as a hit occupies its bank");
  app.add_option("--queries", queries, "how many queries")->check(CLI::Range(100, 10000000));
  CLI11_PARSE(app, argc, argv);

  const auto requests = studies::random_queries(queries);
  const studies::Outcome expected = studies::event_level(setting, requests);

  memory::MemoryControllerParameters parameters;
  parameters.dram.geometry = {1, 1, 8, 4096, 128};
  Configuration configuration(parameters);
  for (const std::string& key :
       {std::string("standard=hit_conflict"), std::string("age_cap=0"), std::string("scheduler=fr_fcfs_hold"),
        std::string("fr_fcfs_hold.hold_by_latency=false"), fmt::format("fr_fcfs_hold.hold_threshold={}", setting.hold),
        fmt::format("hit_conflict.hit_interval={}", interval),
        fmt::format("hit_conflict.hit_occupancy={}", setting.occupancy)}) {
    configuration.set(key);
  }
  configuration.lock();
  ClockTree tree;
  ClockDomain clock("clock", tree, 1000000);
  Services services;
  StatisticsOwner owner(services.statistics, "mc0", "mc");
  memory::MemoryController controller("mc0", clock, parameters, StatisticsGroup(owner, "controller"), services);
  studies::IndexWarps warps("warps", clock, setting, requests);
  warps.out().bind(controller.in());
  while (!warps.finished()) sc_core::sc_start(clock.time_of(100000));

  const auto& c = controller.channel().counts();
  const auto hits = static_cast<double>(c.row_hits.value());
  const double lines = hits + static_cast<double>(c.row_closed.value() + c.row_conflicts.value());
  const auto cycles = static_cast<double>(warps.ended());
  fmt::print(
      "{{\"model\": {{\"queries_per_kilocycle\": {:.6g}, \"row_hit_rate\": {:.6g}, \"bus_utilisation\": {:.6g}, "
      "\"mean_hold\": {:.6g}}}, "
      "\"event_level\": {{\"queries_per_kilocycle\": {:.6g}, \"row_hit_rate\": {:.6g}, \"bus_utilisation\": "
      "{:.6g}}}}}\n",
      static_cast<double>(warps.done()) * 1000 / cycles, hits / lines,
      static_cast<double>(c.data_cycles.value()) / cycles,
      services.statistics.total().value("mc0.controller.channel.mean_hold"), expected.queries_per_kilocycle,
      expected.row_hit_rate, expected.bus_utilisation);
  return 0;
}
