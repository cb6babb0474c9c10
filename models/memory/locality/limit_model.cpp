// SPDX-License-Identifier: Apache-2.0
#include "memory/locality/limit_model.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <queue>
#include <unordered_map>

namespace heddle::memory {
namespace {

using Time = std::uint64_t;
constexpr Time kNever = std::numeric_limits<Time>::max();

/// The cache with the times at which lines arrive; least recently used.
class TimedCache {
 public:
  explicit TimedCache(const TracedCache& cache)
      : cache_(cache),
        set_bits_(static_cast<unsigned>(std::bit_width(cache.sets) - 1)),
        line_bits_(static_cast<unsigned>(std::countr_zero(cache.line_bytes))),
        lines_(std::size_t{cache.sets} * cache.ways) {}

  struct Line {
    std::uint64_t line = ~std::uint64_t{0};
    std::uint64_t used = 0;
    Time arrives = 0;
  };
  /// Null if it is absent.
  Line* find(std::uint64_t address) {
    const std::uint64_t line = address >> line_bits_;
    Line* const first = set_of(line);
    for (unsigned way = 0; way < cache_.ways; ++way) {
      if (first[way].line == line) return first + way;
    }
    return nullptr;
  }
  void use(Line& line) { line.used = ++uses_; }
  /// Allocates the line at `now`, or when the first line on its way to the set has arrived. Returns when.
  Time allocate(std::uint64_t address, Time now, Time latency) {
    const std::uint64_t line = address >> line_bits_;
    Line* const first = set_of(line);
    const auto older = [now](const Line& a, const Line& b) {
      // A line on its way cannot be evicted.
      const bool a_waits = a.arrives > now, b_waits = b.arrives > now;
      if (a_waits != b_waits) return b_waits;
      return a_waits ? a.arrives < b.arrives : a.used < b.used;
    };
    Line& victim = *std::min_element(first, first + cache_.ways, older);
    const Time at = std::max(now, victim.arrives);
    victim = {line, ++uses_, at + latency};
    return at;
  }
  void remove(std::uint64_t address) {
    if (Line* const found = find(address)) *found = {};
  }

 private:
  Line* set_of(std::uint64_t line) {
    return &lines_[std::size_t{set_index(cache_.index, line, cache_.sets, set_bits_)} * cache_.ways];
  }

  const TracedCache& cache_;
  const unsigned set_bits_, line_bits_;
  std::uint64_t uses_ = 0;
  std::vector<Line> lines_;
};

}  // namespace

LimitModel::LimitModel(const TracedMachine& machine, const TracedKernel& kernel, const TracedTimes& times,
                       const TracedSm& sm)
    : machine_(machine), kernel_(kernel), times_(times), sm_(sm) {
  find_items();
  find_blocks();
}

void LimitModel::find_items() {
  const std::vector<TracedAccess>& all = sm_.accesses;
  by_instruction_.resize(all.size());
  std::iota(by_instruction_.begin(), by_instruction_.end(), 0);
  std::stable_sort(by_instruction_.begin(), by_instruction_.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return all[a].instruction < all[b].instruction; });
  // How far an instruction may run ahead of loads is a property of the code: the furthest seen counts.
  std::vector<unsigned> overlap(kernel_.places.size(), 0);
  for (const TracedAccess& one : all) {
    if (one.kind != TracedKind::barrier) overlap[one.place] = std::max<unsigned>(overlap[one.place], one.outstanding);
  }
  items_.resize(sm_.warps.size());
  for (std::uint32_t i = 0; i < by_instruction_.size();) {
    const TracedAccess& one = all[by_instruction_[i]];
    std::uint32_t end = i + 1;
    while (end < by_instruction_.size() && all[by_instruction_[end]].instruction == one.instruction) ++end;
    const bool barrier = one.kind == TracedKind::barrier;
    items_[one.warp].push_back({i, end - i, one.instructions, barrier ? 0 : overlap[one.place], one.kind});
    i = end;
  }
}

void LimitModel::find_blocks() {
  std::unordered_map<std::uint16_t, std::uint32_t> last_in_slot;
  for (std::uint32_t w = 0; w < sm_.warps.size(); ++w) {
    const TracedWarp& warp = sm_.warps[w];
    if (w == 0 || warp.block != sm_.warps[w - 1].block) {
      const auto [place, fresh] = last_in_slot.try_emplace(warp.slot, kNone);
      const auto number = static_cast<std::uint32_t>(blocks_.size());
      if (!fresh) blocks_[place->second].next = number;
      blocks_.push_back({w, w, !fresh, kNone});
      place->second = number;
    }
    blocks_.back().end = w + 1;
    block_of_.push_back(static_cast<std::uint32_t>(blocks_.size() - 1));
  }
  std::unordered_map<std::uint16_t, unsigned> widest;  // by slot: warps of its largest block
  for (const Block& block : blocks_) {
    unsigned& most = widest[sm_.warps[block.first].slot];
    most = std::max(most, block.end - block.first);
  }
  for (const auto& [slot, warps] : widest) most_warps_ += warps;
}

/// One playback. Time is in core cycles.
class LimitModel::Run {
 public:
  Run(const LimitModel& model, unsigned limit)
      : model_(model),
        limit_(limit),
        last_(model.machine_.schedulers, kNone),
        cache_(model.machine_.cache),
        hit_(static_cast<Time>(std::llround(std::max(1.0, model.times_.hit)))),
        miss_(static_cast<Time>(std::llround(std::max(1.0, model.times_.miss)))),
        warps_(model.items_.size()),
        left_(model.blocks_.size()) {
    result_.places.resize(model.kernel_.places.size());
    for (std::uint32_t b = 0; b < model.blocks_.size(); ++b) left_[b] = model.blocks_[b].end - model.blocks_[b].first;
  }

  LimitResult play() {
    for (std::uint32_t b = 0; b < model_.blocks_.size(); ++b) {
      if (!model_.blocks_[b].waits) start(b);
    }
    sort_resident();
    while (!resident_.empty()) {
      if (stale_) admit();
      const std::uint32_t warp = choose();
      if (warp != kNone) {
        issue(warp);
      } else {
        wait();
      }
    }
    result_.cycles = now_;
    return std::move(result_);
  }

 private:
  struct Warp {
    std::size_t next = 0;       ///< item
    Time ready = 0;             ///< earliest issue of that item
    std::vector<Time> returns;  ///< of outstanding loads, ascending
    bool at_barrier = false;
  };

  const std::vector<Item>& items(std::uint32_t warp) const { return model_.items_[warp]; }

  void start(std::uint32_t block) {
    for (std::uint32_t w = model_.blocks_[block].first; w < model_.blocks_[block].end; ++w) {
      if (items(w).empty()) {
        end(w);
      } else {
        resident_.push_back(w);
        prepare(w, now_);
      }
    }
    stale_ = true;
  }
  /// Warps are numbered by age.
  void sort_resident() { std::sort(resident_.begin(), resident_.end()); }

  /// When the warp's next item may issue, if the previous one was done at `from`.
  void prepare(std::uint32_t w, Time from) {
    Warp& warp = warps_[w];
    const Item& item = items(w)[warp.next];
    auto& returns = warp.returns;
    returns.erase(returns.begin(), std::upper_bound(returns.begin(), returns.end(), from));
    Time ready = from;
    if (returns.size() > item.overlap) ready = returns[returns.size() - item.overlap - 1];
    warp.ready = ready + static_cast<Time>(std::llround(item.instructions * model_.times_.issue_spacing));
  }

  /// The rule of static_limit.
  void admit() {
    admitted_.clear();
    for (const std::uint32_t warp : resident_) {
      admitted_.push_back(warp);
      if (admitted_.size() == limit_ && !warps_[warp].at_barrier) break;
    }
    stale_ = false;
  }
  bool may_issue(std::uint32_t warp) const { return !warps_[warp].at_barrier && warps_[warp].ready <= now_; }

  std::size_t scheduler_of(std::uint32_t warp) const { return model_.sm_.warps[warp].warp % last_.size(); }

  /// The schedulers take turns at the memory unit.
  std::uint32_t choose() {
    while (!queued_.empty() && queued_.front() <= now_) queued_.pop();
    if (queued_.size() >= model_.machine_.memory_queue) return kNone;
    for (std::size_t i = 0; i < last_.size(); ++i) {
      const std::size_t scheduler = (turn_ + i) % last_.size();
      const std::uint32_t warp = choose_of(scheduler);
      if (warp == kNone) continue;
      turn_ = (scheduler + 1) % last_.size();
      return warp;
    }
    return kNone;
  }
  std::uint32_t choose_of(std::size_t scheduler) const {
    const std::uint32_t last = last_[scheduler];
    std::size_t first = 0;
    if (model_.machine_.order == TracedOrder::round_robin) {
      first = static_cast<std::size_t>(std::upper_bound(admitted_.begin(), admitted_.end(), last) - admitted_.begin());
    } else if (std::binary_search(admitted_.begin(), admitted_.end(), last) && may_issue(last)) {
      return last;
    }
    for (std::size_t i = 0; i < admitted_.size(); ++i) {
      const std::uint32_t warp = admitted_[(first + i) % admitted_.size()];
      if (scheduler_of(warp) == scheduler && may_issue(warp)) return warp;
    }
    return kNone;
  }

  /// Until a warp may issue.
  void wait() {
    Time earliest = kNever;
    for (const std::uint32_t warp : admitted_) {
      if (!warps_[warp].at_barrier) earliest = std::min(earliest, warps_[warp].ready);
    }
    if (earliest == kNever) return let_go();
    now_ = std::max(now_ + 1, queued_.size() < model_.machine_.memory_queue ? earliest : queued_.front());
  }
  /// All wait at a barrier that a warp never comes to: its part of the trace is missing.
  void let_go() {
    for (const std::uint32_t w : std::vector<std::uint32_t>(admitted_)) {
      if (!warps_[w].at_barrier) continue;
      warps_[w].at_barrier = false;
      advance(w, now_);
    }
    stale_ = true;
  }

  void issue(std::uint32_t w) {
    const Item& item = items(w)[warps_[w].next];
    last_[scheduler_of(w)] = w;
    slots_ += item.instructions + 1;
    if (item.kind == TracedKind::barrier) return arrive(w);
    Time done = now_;
    for (std::uint32_t i = item.first; i < item.first + item.count; ++i)
      done = std::max(done, access(model_.sm_.accesses[model_.by_instruction_[i]]));
    if (item.kind == TracedKind::load || item.kind == TracedKind::passed_load || item.kind == TracedKind::atomic) {
      auto& returns = warps_[w].returns;
      returns.insert(std::upper_bound(returns.begin(), returns.end(), done), done);
    }
    queued_.push(port_free_);
    advance(w, now_ + 1);
    // Instructions between those of the trace take issue slots, too.
    now_ = std::max(now_ + 1, slots_ / model_.machine_.schedulers);
  }

  /// Looks up a line when the port is free. Returns when its data are there.
  Time access(const TracedAccess& access) {
    Time at = std::max(now_, port_free_);
    Time done = at + 1;
    switch (access.kind) {
      case TracedKind::load:
        done = load(access, at);
        break;
      case TracedKind::passed_load:
      case TracedKind::atomic:
        if (access.kind == TracedKind::atomic) cache_.remove(access.address);
        done = at + hit_ + miss_;
        break;
      default:
        store(access, at);
        break;
    }
    port_free_ = at + 1;
    return done;
  }

  /// at: of the look-up; later if it has to wait.
  Time load(const TracedAccess& access, Time& at) {
    LimitCounts& counts = result_.places[access.place];
    if (TimedCache::Line* const line = cache_.find(access.address)) {
      if (line->arrives > at) {
        ++counts.merges;
        return line->arrives + hit_;
      }
      cache_.use(*line);
      ++counts.hits;
      return at + hit_;
    }
    ++counts.misses;
    at = allocate(access.address, at);
    return at + hit_ + miss_;
  }

  Time allocate(std::uint64_t address, Time at) {
    const unsigned entries = model_.machine_.cache.miss_entries;
    while (!under_way_.empty() && under_way_.top() <= at) under_way_.pop();
    if (entries != 0 && under_way_.size() >= entries) {
      at = under_way_.top();
      under_way_.pop();
    }
    at = cache_.allocate(address, at, miss_);
    under_way_.push(at + miss_);
    return at;
  }

  void store(const TracedAccess& access, Time& at) {
    TimedCache::Line* const line = cache_.find(access.address);
    switch (model_.machine_.cache.effect_of(access.kind)) {
      case StoreEffect::invalidates:
        if (line != nullptr) cache_.remove(access.address);
        break;
      case StoreEffect::updates:
        if (line != nullptr) cache_.use(*line);
        break;
      case StoreEffect::allocates:
        if (line != nullptr) {
          cache_.use(*line);
        } else {
          at = allocate(access.address, at);
        }
        break;
    }
  }

  void advance(std::uint32_t w, Time from) {
    Warp& warp = warps_[w];
    if (++warp.next < items(w).size()) return prepare(w, from);
    resident_.erase(std::lower_bound(resident_.begin(), resident_.end(), w));
    end(w);
  }

  void end(std::uint32_t w) {
    stale_ = true;
    const std::uint32_t block = model_.block_of_[w];
    if (--left_[block] != 0) return open_barrier(block);
    if (const std::uint32_t next = model_.blocks_[block].next; next != kNone) {
      start(next);
      sort_resident();
    }
  }

  void arrive(std::uint32_t w) {
    warps_[w].at_barrier = true;
    stale_ = true;
    now_ = std::max(now_ + 1, slots_ / model_.machine_.schedulers);
    open_barrier(model_.block_of_[w]);
  }

  /// If all warps of the block that have not ended wait at it.
  void open_barrier(std::uint32_t block) {
    std::uint32_t waiting = 0;
    const Block& of = model_.blocks_[block];
    for (std::uint32_t w = of.first; w < of.end; ++w) waiting += warps_[w].at_barrier ? 1 : 0;
    if (waiting == 0 || waiting != left_[block]) return;
    stale_ = true;
    for (std::uint32_t w = of.first; w < of.end; ++w) {
      if (!warps_[w].at_barrier) continue;
      warps_[w].at_barrier = false;
      advance(w, now_);
    }
  }

  const LimitModel& model_;
  const unsigned limit_;
  std::vector<std::uint32_t> last_;  // by scheduler: the warp that issued last
  TimedCache cache_;
  const Time hit_, miss_;
  std::vector<Warp> warps_;
  std::vector<std::uint32_t> left_;  // by block: warps that have not ended
  std::vector<std::uint32_t> resident_, admitted_;
  bool stale_ = true;
  std::size_t turn_ = 0;  // scheduler that chooses first
  Time now_ = 0, port_free_ = 0;
  std::queue<Time> queued_;  // by instruction in the memory unit: when its last line has been looked up
  std::uint64_t slots_ = 0;  // instructions issued
  std::priority_queue<Time, std::vector<Time>, std::greater<>> under_way_;
  LimitResult result_;
};

LimitResult LimitModel::run(unsigned limit) const { return Run(*this, limit).play(); }

}  // namespace heddle::memory
