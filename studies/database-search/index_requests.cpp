// SPDX-License-Identifier: Apache-2.0
#include "studies/database-search/index_requests.h"

#include <functional>
#include <queue>
#include <random>
#include <tuple>

namespace heddle::studies {
namespace {

constexpr unsigned kBanks = 8;
constexpr Cycle kConflict = 300, kHit = 100, kBus = 4;

/// Banks as what they are busy with until when, in events.
class EventLevel {
 public:
  EventLevel(const Setting& setting, const std::vector<Query>& queries)
      : setting_(setting), queries_(queries), caches_(setting.l2) {}

  Outcome run() {
    for (unsigned warp = 0; warp < kWarps; ++warp) {
      warps_[warp] = {next_++, 0};
      post(warp * 9, Kind::issue, warp);
    }
    while (done_ + kWarps <= queries_.size()) {
      const auto [at, number, kind, which] = events_.top();
      events_.pop();
      now_ = at;
      if (kind == Kind::schedule) schedule(which);
      if (kind == Kind::issue) issue(which);
      if (kind == Kind::return_) returned(which);
    }
    const auto cycles = static_cast<double>(now_), lines = static_cast<double>(hits_ + conflicts_);
    return {static_cast<double>(done_) * 1000 / cycles, static_cast<double>(hits_) / lines, lines * kBus / cycles};
  }

 private:
  struct Waiting {
    unsigned warp;
    std::uint64_t row;
    bool hint;
  };
  struct Bank {
    std::list<Waiting> queue;
    std::uint64_t row = ~std::uint64_t{0};
    Cycle busy = 0, hold = 0;
  };
  enum class Kind : std::uint8_t { issue, return_, schedule };
  using Event = std::tuple<Cycle, std::uint64_t, Kind, unsigned>;

  void post(Cycle at, Kind kind, unsigned which) { events_.push({at, sequence_++, kind, which}); }

  void issue(unsigned warp) {
    const Access access = queries_[warps_[warp].first][warps_[warp].second];
    if (const Cycle held = caches_.access(access.line); held != 0) return post(now_ + held, Kind::return_, warp);
    const std::uint64_t row = access.line / kLinesOfRow;
    banks_[row % kBanks].queue.push_back({warp, row, access.hint});
    schedule(static_cast<unsigned>(row % kBanks));
  }

  void schedule(unsigned number) {
    Bank& bank = banks_[number];
    if (bank.busy > now_ || bank.queue.empty()) return;
    auto chosen =
        std::find_if(bank.queue.begin(), bank.queue.end(), [&](const Waiting& w) { return w.row == bank.row; });
    const bool hit = chosen != bank.queue.end();
    if (!hit) {
      if (bank.hold > now_) return post(bank.hold, Kind::schedule, number);
      chosen = bank.queue.begin();
    }
    ++(hit ? hits_ : conflicts_);
    const Waiting served = *chosen;
    bank.queue.erase(chosen);
    bank.row = served.row;
    bank.busy = now_ + (hit ? setting_.occupancy : kConflict);
    bus_ = std::max(now_ + (hit ? kHit : kConflict), bus_ + kBus);
    bank.hold = setting_.hint && served.hint ? bank.busy + setting_.hold : 0;
    post(bus_, Kind::return_, served.warp);
    post(bank.busy, Kind::schedule, number);
  }

  void returned(unsigned warp) {
    if (++warps_[warp].second == kSteps) {
      ++done_;
      warps_[warp] = {next_++, 0};
    }
    post(now_ + setting_.compute, Kind::issue, warp);
  }

  Setting setting_;
  const std::vector<Query>& queries_;
  Caches caches_;
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
  std::array<Bank, kBanks> banks_;
  std::array<std::pair<std::size_t, unsigned>, kWarps> warps_{};  // query, step
  std::uint64_t sequence_ = 0, hits_ = 0, conflicts_ = 0;
  std::size_t next_ = 0, done_ = 0;
  Cycle now_ = 0, bus_ = 0;
};

}  // namespace

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

bool Lines::access(std::uint64_t line) {
  const std::uint64_t index = hashed_ ? line ^ (line >> 9) ^ (line >> 18) ^ (line >> 27) : line;
  std::list<std::uint64_t>& set = sets_[index % sets_.size()];
  const auto found = std::find(set.begin(), set.end(), line);
  const bool held = found != set.end();
  if (held) set.erase(found);
  set.push_back(line);
  if (set.size() > ways_) set.pop_front();
  return held;
}

Outcome event_level(const Setting& setting, const std::vector<Query>& queries) {
  return EventLevel(setting, queries).run();
}

}  // namespace heddle::studies
