// SPDX-License-Identifier: Apache-2.0
// Waits at shared stages. They are bounded when one requester takes all it can get: completions of one kind at
// write-back, and requests whose line has arrived at the fetch stage. Who waits for a packet to leave the operand stage
// is woken.
#include "sm/pipeline/writeback_stage.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "sm/pipeline/fetch_stage.h"
#include "sm/pipeline/operand_stage.h"

namespace heddle::sm {
namespace {

/// Sends packets of variable latency, as many per cycle as there is room for.
struct Source : Stage {
  Source(sc_core::sc_module_name module_name, ClockGate& g) : Stage(module_name, g), done("done", g, stage_number()) {
    wake(1);
  }
  void cycle() override {
    for (; next < packets.size() && done.can_send(); ++next) {
      PacketHandle packet = packets[next].get();
      packet->issued = now();
      done.send(packet);
    }
    if (next < packets.size()) wake(now() + 1);
  }
  LinkOut<PacketHandle> done;
  std::vector<std::unique_ptr<Packet>> packets;
  std::size_t next = 0;
};

struct Issue : Stage {
  Issue(sc_core::sc_module_name module_name, ClockGate& g)
      : Stage(module_name, g), completions("completions", g, stage_number(), {.width = 4, .latency = 1}) {}
  void cycle() override {
    while (Completion* completion = completions.front()) {
      Cycle& longest = longest_of[completion->packet->warp];
      longest = std::max(longest, now() - completion->packet->issued);
      ++count_of[completion->packet->warp];
      completions.pop();
    }
  }
  LinkIn<Completion> completions;
  Cycle longest_of[5] = {};
  unsigned count_of[5] = {};
};

TEST(Writeback, NoKindWaitsLongForAnother) {
  ClockTree tree;
  ClockDomain core{"core", tree, 1000000};
  ClockGate gate{core};
  Services services;
  StatisticsOwner owner{services.statistics, "sm0", "sm"};
  SmParameters parameters;
  parameters.schedulers = 4;
  SmContext context{SmId(0), parameters, gate, services, owner};
  WritebackStage writeback{"writeback", context};
  Issue issue{"issue", gate};
  isa::MicroOp op;
  std::vector<std::unique_ptr<Source>> sources;
  const std::array<LinkIn<PacketHandle>*, 5> inputs{&writeback.from_memory, &writeback.from_shared, &writeback.from_alu,
                                                    &writeback.from_sfu, &writeback.from_fp64};
  for (std::uint16_t i = 0; i < inputs.size(); ++i) {
    sources.push_back(std::make_unique<Source>(("source" + std::to_string(i)).c_str(), gate));
    for (unsigned n = 0; n < 400; ++n) {
      sources[i]->packets.push_back(std::make_unique<Packet>());
      sources[i]->packets[n]->op = &op;
      sources[i]->packets[n]->warp = WarpId(i);
    }
    connect(sources[i]->done, *inputs[i]);
  }
  connect(writeback.completions, issue.completions);
  sc_core::sc_start(core.time_of(300));
  for (unsigned i = 0; i < inputs.size(); ++i) {
    EXPECT_GT(issue.count_of[i], 150u) << i;
    // A latch of eight, of which four leave every fifth cycle, and two links.
    EXPECT_LE(issue.longest_of[i], 2 * 5 + 4u) << i;
  }
}

/// Contexts that request again as soon as they are served: the first a cached line, the others their next uncached
/// line.
struct Contexts : Stage {
  static constexpr unsigned kCount = 48;
  Contexts(sc_core::sc_module_name module_name, ClockGate& g)
      : Stage(module_name, g),
        fetched("fetched", g, stage_number(), {.width = 1, .latency = 1}),
        requests("requests", g, stage_number()) {
    for (ContextId c(0); c < kCount; ++c) pending.push_back(c);
    wake(1);
  }
  void cycle() override {
    while (Fetched* done = fetched.front()) {
      const ContextId c = done->request.context;
      longest_of[c] = std::max(longest_of[c], now() - asked[c]);
      ++served[c];
      pending.push_back(c);
      fetched.pop();
    }
    while (!pending.empty() && requests.can_send()) {
      const ContextId c = pending.front();
      pending.erase(pending.begin());
      FetchRequest request;
      request.context = c;
      request.count = 1;
      request.code_address = c == 0 ? 0 : 0x10000;
      request.pc = c == 0 ? 0 : 64 * served[c];
      asked[c] = now();
      requests.send(request);
    }
    if (!pending.empty()) wake(now() + 1);
  }
  LinkIn<Fetched> fetched;
  LinkOut<FetchRequest> requests;
  std::vector<ContextId> pending;
  Cycle asked[kCount] = {}, longest_of[kCount] = {};
  std::uint32_t served[kCount] = {};
};

/// Caches the code at 0; other lines arrive some cycles after the first request and are then dropped.
struct Lines : Stage, InstructionStore {
  Lines(sc_core::sc_module_name module_name, ClockGate& g) : Stage(module_name, g) {}
  Answer look_up(std::uint64_t address, InstructionReturn& waiter) override {
    if (address < 0x10000) return Answer::hit;
    const std::uint64_t line = address & ~std::uint64_t{line_bytes() - 1};
    const bool known = std::any_of(coming.begin(), coming.end(), [&](const auto& one) { return one.first == line; });
    if (!known) coming.push_back({line, now() + 20});
    returns = &waiter;
    wake(now() + 1);
    return Answer::miss;
  }
  unsigned line_bytes() const override { return 128; }
  void cycle() override {
    while (!coming.empty() && coming.front().second <= now()) {
      returns->line_filled(coming.front().first, now() + 1);
      coming.erase(coming.begin());
    }
    if (!coming.empty()) wake(now() + 1);
  }
  std::vector<std::pair<std::uint64_t, Cycle>> coming;
  InstructionReturn* returns = nullptr;
};

TEST(Fetch, AHitIsPassedOnWhileLinesComeForEveryOtherContext) {
  ClockTree tree;
  ClockDomain core{"core", tree, 1000000};
  ClockGate gate{core};
  Services services;
  StatisticsOwner owner{services.statistics, "sm0", "sm"};
  SmParameters parameters;
  parameters.fetch.width = 1;
  SmContext context{SmId(0), parameters, gate, services, owner};
  FetchStage fetch{"fetch_stage", context};
  Contexts contexts{"contexts", gate};
  Lines lines{"lines", gate};
  fetch.cache.bind(lines);
  connect(contexts.requests, fetch.requests);
  connect(fetch.fetched, contexts.fetched);
  sc_core::sc_start(core.time_of(3000));
  EXPECT_GT(contexts.served[0], 20u);
  // Every other context once, and the way through the stage.
  EXPECT_LE(contexts.longest_of[0], Contexts::kCount + 10u);
}

/// Sends two packets to the memory stage and waits for one of them to leave the operand stage.
struct AwaitingIssue : Stage {
  AwaitingIssue(sc_core::sc_module_name module_name, SmContext& sm, bool awaits)
      : Stage(module_name, sm.gate),
        alu("alu", sm.gate, stage_number()),
        sfu("sfu", sm.gate, stage_number()),
        fp64("fp64", sm.gate, stage_number()),
        memory("memory", sm.gate, stage_number()),
        reports("reports", sm.gate, stage_number(), {.width = OperandStage::reports_per_cycle(sm), .latency = 1}) {
    sm.issue_stage = stage_number();
    packets[1].awaited = awaits;
    wake(1);
  }
  void cycle() override {
    called.push_back(now());
    if (now() != 1) return;
    for (Packet& packet : packets) {
      packet.op = &op;
      packet.issued = now();
      PacketHandle handle = &packet;
      memory.send(handle);
    }
  }
  LinkOut<PacketHandle> alu, sfu, fp64, memory;
  LinkIn<OperandReport> reports;
  isa::MicroOp op;
  Packet packets[2];
  std::vector<Cycle> called;
};

/// Takes packets and does nothing with them.
struct Units : Stage {
  Units(sc_core::sc_module_name module_name, ClockGate& g)
      : Stage(module_name, g),
        alu("alu", g, stage_number(), {.width = 2}),
        sfu("sfu", g, stage_number(), {.width = 2}),
        fp64("fp64", g, stage_number(), {.width = 2}),
        memory("memory", g, stage_number(), {.width = 2}) {}
  void cycle() override {}
  LinkIn<PacketHandle> alu, sfu, fp64, memory;
};

class AwaitedPackets : public ::testing::TestWithParam<bool> {};

TEST_P(AwaitedPackets, WakeTheIssueStageInTheCycleAfterTheyLeft) {
  ClockTree tree;
  ClockDomain core{"core", tree, 1000000};
  ClockGate gate{core};
  Services services;
  StatisticsOwner owner{services.statistics, "sm0", "sm"};
  SmParameters parameters;
  parameters.schedulers = 2;
  parameters.operands.banks = 0;
  SmContext context{SmId(0), parameters, gate, services, owner};
  OperandStage stage{"operands", context, false};
  AwaitingIssue issue{"issue", context, GetParam()};
  Units units{"units", gate};
  connect(issue.alu, stage.from_alu);
  connect(issue.sfu, stage.from_sfu);
  connect(issue.fp64, stage.from_fp64);
  connect(issue.memory, stage.from_memory);
  connect(stage.reports, issue.reports);
  connect(stage.to_alu, units.alu);
  connect(stage.to_sfu, units.sfu);
  connect(stage.to_fp64, units.fp64);
  connect(stage.to_memory, units.memory);
  sc_core::sc_start(core.time_of(50));
  std::vector<Cycle> called{1};
  if (GetParam()) called.push_back(issue.packets[1].gathered + 1);
  EXPECT_EQ(issue.called, called);
  EXPECT_EQ(issue.packets[1].gathered, 2u);
}
INSTANTIATE_TEST_SUITE_P(OfTwo, AwaitedPackets, ::testing::Bool(),
                         [](const auto& of) { return of.param ? "awaited" : "not_awaited"; });

}  // namespace
}  // namespace heddle::sm
