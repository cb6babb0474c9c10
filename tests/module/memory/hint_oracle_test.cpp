// SPDX-License-Identifier: Apache-2.0
// Row-buffer hints on the requests of an index search, against an event-level model of banks that shares nothing with
// the controller. Source: spec/large-warps-and-database-search.md, appendix A and 6.2.
#include <array>
#include <functional>
#include <list>
#include <map>
#include <queue>
#include <random>

#include "core/configuration.h"
#include "memory/memory_controller.h"
#include "tests/module/memory/bench.h"

namespace heddle::memory {
namespace {

constexpr unsigned kWarps = 32, kBanks = 8, kSteps = 6;
constexpr std::uint64_t kLinesOfRow = 32;

/// A line of the index and whether its load is hinted.
struct Access {
  std::uint64_t line = 0;
  bool hint = false;
};
using Query = std::array<Access, kSteps>;

/// The lines that queries for random keys touch: of each of three levels a row node's root line, then a child line.
std::vector<Query> random_queries(std::size_t count) {
  std::mt19937_64 random(1);
  std::vector<Query> queries(count);
  for (Query& query : queries) {
    std::uint64_t node = 0;
    for (unsigned level = 0; level < 3; ++level) {
      const std::uint64_t child = random() % 961;
      query[2 * level] = {node * kLinesOfRow, true};
      query[2 * level + 1] = {node * kLinesOfRow + 1 + child / 31, false};
      node = node * 961 + 1 + child;
    }
  }
  return queries;
}

/// Which lines a cache holds: sets by modulo, least recently used goes.
class Lines {
 public:
  Lines(std::uint64_t lines, unsigned ways) : ways_(ways), sets_(lines / ways) {}
  bool access(std::uint64_t line) {
    std::list<std::uint64_t>& set = sets_[line % sets_.size()];
    const auto found = std::find(set.begin(), set.end(), line);
    const bool hit = found != set.end();
    if (hit) set.erase(found);
    set.push_back(line);
    if (set.size() > ways_) set.pop_front();
    return hit;
  }

 private:
  unsigned ways_;
  std::vector<std::list<std::uint64_t>> sets_;
};

struct Setting {
  const char* name;
  bool hint;
  Cycle compute;  ///< from data to the next request
};
void PrintTo(const Setting& setting, std::ostream* out) { *out << setting.name; }

struct Outcome {
  double queries_per_kilocycle = 0, row_hit_rate = 0;
};

/// Banks as what they are busy with until when, in events.
Outcome event_level(const Setting& setting, const std::vector<Query>& queries) {
  constexpr Cycle kConflict = 300, kHit = 100, kThreshold = 200, kBus = 4;
  struct Waiting {
    Cycle since;
    unsigned warp;
    std::uint64_t row;
    bool hint;
  };
  struct Bank {
    std::list<Waiting> queue;
    std::uint64_t row = ~std::uint64_t{0};
    Cycle busy = 0, hold = 0;
  };
  enum class Kind { kIssue, kReturn, kSchedule };
  using Event = std::tuple<Cycle, std::uint64_t, Kind, unsigned>;
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events;
  std::array<Bank, kBanks> banks;
  std::array<std::pair<std::size_t, unsigned>, kWarps> warps;  // query, step
  Lines cache(256, 4);
  std::uint64_t sequence = 0, hits = 0, conflicts = 0;
  std::size_t next = 0, done = 0;
  Cycle now = 0, bus = 0;
  const auto post = [&](Cycle at, Kind kind, unsigned which) { events.push({at, sequence++, kind, which}); };
  const auto schedule = [&](unsigned number) {
    Bank& bank = banks[number];
    if (bank.busy > now || bank.queue.empty()) return;
    auto chosen =
        std::find_if(bank.queue.begin(), bank.queue.end(), [&](const Waiting& w) { return w.row == bank.row; });
    Cycle taken = kHit;
    if (chosen != bank.queue.end()) {
      ++hits;
    } else {
      if (bank.hold > now) return post(bank.hold, Kind::kSchedule, number);
      chosen = bank.queue.begin();
      ++conflicts;
      taken = kConflict;
    }
    const Waiting served = *chosen;
    bank.queue.erase(chosen);
    bank.row = served.row;
    bank.busy = now + taken;
    bus = std::max(now + taken, bus + kBus);
    bank.hold = setting.hint && served.hint ? bank.busy + kThreshold : 0;
    post(bus, Kind::kReturn, served.warp);
    post(bank.busy, Kind::kSchedule, number);
  };
  for (unsigned warp = 0; warp < kWarps; ++warp) {
    warps[warp] = {next++, 0};
    post(warp * 9, Kind::kIssue, warp);
  }
  while (done + kWarps <= queries.size()) {
    const auto [at, number, kind, which] = events.top();
    events.pop();
    now = at;
    if (kind == Kind::kSchedule) {
      schedule(which);
    } else if (kind == Kind::kIssue) {
      const Access access = queries[warps[which].first][warps[which].second];
      if (cache.access(access.line)) {
        post(now + 1, Kind::kReturn, which);
        continue;
      }
      const std::uint64_t row = access.line / kLinesOfRow;
      banks[row % kBanks].queue.push_back({now, which, row, access.hint});
      schedule(static_cast<unsigned>(row % kBanks));
    } else {
      if (++warps[which].second == kSteps) {
        ++done;
        warps[which] = {next++, 0};
      }
      post(now + setting.compute, Kind::kIssue, which);
    }
  }
  return {static_cast<double>(done) * 1000 / static_cast<double>(now),
          static_cast<double>(hits) / static_cast<double>(hits + conflicts)};
}

/// The same warps on a controller's socket.
class Warps final : public sc_core::sc_module, public Clocked, private BaseProtocolOwner {
 public:
  Warps(sc_core::sc_module_name name, ClockDomain& domain, const Setting& setting, const std::vector<Query>& queries)
      : sc_module(name),
        out_("out", domain, *this, *this, 0, {2, 1}),
        domain_(domain),
        setting_(setting),
        queries_(queries) {
    domain.add(*this);
    for (unsigned warp = 0; warp < kWarps; ++warp) {
      warps_[warp] = {next_++, 0};
      ready_.emplace(warp * 9, warp);
    }
    domain.wake(*this, 1);
  }
  InitiatorSocket& out() { return out_.socket; }
  bool finished() const { return done_ + kWarps > queries_.size(); }
  std::size_t done() const { return done_; }
  Cycle ended() const { return ended_; }

  void tick() override {
    const Cycle now = domain_.now();
    out_.admit();
    while (Payload* payload = out_.front()) {
      const auto warp = static_cast<unsigned>(RequestInfo::of(*payload)->access);
      out_.pop();
      payload->release();
      advance(warp, now);
    }
    while (!finished() && !ready_.empty() && ready_.begin()->first <= now && out_.can_send()) {
      const unsigned warp = ready_.begin()->second;
      ready_.erase(ready_.begin());
      const Access access = queries_[warps_[warp].first][warps_[warp].second];
      if (cache_.access(access.line)) {
        advance(warp, now + 1);
        continue;
      }
      Payload& payload = pool_.take(tlm::TLM_READ_COMMAND, access.line * 128, 128);
      RequestInfo::of(payload)->keep_row_open = setting_.hint && access.hint;
      RequestInfo::of(payload)->access = warp;
      out_.send(payload);
    }
    if (!finished() && !ready_.empty()) {
      if (ready_.begin()->first <= now) {
        out_.wait_to_send();
      } else {
        domain_.wake(*this, ready_.begin()->first);
      }
    }
    out_.sleep();
  }

 private:
  void advance(unsigned warp, Cycle now) {
    if (++warps_[warp].second == kSteps) {
      ++done_;
      ended_ = now;
      warps_[warp] = {next_++, 0};
    }
    ready_.emplace(now + setting_.compute, warp);
  }
  void blocking(unsigned, Payload&, sc_core::sc_time&) override {}
  unsigned debug(unsigned, Payload&) override { return 0; }
  bool direct(unsigned, Payload&, tlm::tlm_dmi&) override { return false; }

  InitiatorPort out_;
  ClockDomain& domain_;
  Setting setting_;
  const std::vector<Query>& queries_;
  PayloadPool pool_;
  Lines cache_{256, 4};
  std::array<std::pair<std::size_t, unsigned>, kWarps> warps_;
  std::multimap<Cycle, unsigned> ready_;
  std::size_t next_ = 0, done_ = 0;
  Cycle ended_ = 0;
};

class HintOracle : public ::testing::TestWithParam<Setting> {};

TEST_P(HintOracle, TheControllerAgreesInThroughputAndRowHitRate) {
  const auto queries = random_queries(12000);
  const Outcome expected = event_level(GetParam(), queries);

  MemoryControllerParameters parameters;
  parameters.dram.geometry = {1, 1, 8, 4096, 128};
  parameters.dram.standard.choose("hit_conflict");
  parameters.dram.scheduler.choose("fr_fcfs_hold");
  Bench bench;
  MemoryController controller("mc0", bench.clock, parameters, bench.group("mc0"), bench.services);
  Warps warps("warps", bench.clock, GetParam(), queries);
  Checked checked;
  checked.connect(warps.out(), controller.in());
  for (Cycle until = 100000; !warps.finished() && until < 10000000; until += 100000) bench.run_to(until);
  ASSERT_TRUE(warps.finished());
  const auto& c = controller.channel().counts();
  const auto hits = static_cast<double>(c.row_hits.value());
  const double rate = hits / (hits + static_cast<double>(c.row_closed.value() + c.row_conflicts.value()));
  const double throughput = static_cast<double>(warps.done()) * 1000 / static_cast<double>(warps.ended());
  EXPECT_NEAR(throughput, expected.queries_per_kilocycle, 0.02 * expected.queries_per_kilocycle);
  EXPECT_NEAR(rate, expected.row_hit_rate, 0.01);
  RecordProperty("queries_per_kilocycle",
                 std::to_string(throughput) + " of " + std::to_string(expected.queries_per_kilocycle));
  std::printf("%-10s queries a kilocycle %.3f, event level %.3f; row hit rate %.3f, event level %.3f\n",
              GetParam().name, throughput, expected.queries_per_kilocycle, rate, expected.row_hit_rate);
  checked.expect_silence();
}

const Setting kSettings[] = {{"base", false, 45}, {"traverse", false, 30}, {"hint", true, 45}, {"both", true, 30}};
INSTANTIATE_TEST_SUITE_P(Index, HintOracle, ::testing::ValuesIn(kSettings),
                         [](const auto& setting) { return std::string(setting.param.name); });

}  // namespace
}  // namespace heddle::memory
