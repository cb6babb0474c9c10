// SPDX-License-Identifier: Apache-2.0
#include "core/clock.h"

#include <algorithm>
#include <cmath>

#include "core/error.h"

namespace heddle {

namespace {

std::uint64_t next_random(std::uint64_t& state) {
  state = state * 6364136223846793005ULL + 1442695040888963407ULL;
  return state >> 33;
}

}  // namespace

ClockDomain::ClockDomain(sc_core::sc_module_name name, ClockTree& tree, std::uint64_t frequency)
    : sc_module(name), tree_(tree), frequency_(frequency) {
  if (frequency == 0) fail(ExitCode::kConfiguration, "clock {}: the frequency must be above 0", this->name());
  SC_METHOD(edge);
  sensitive << event_;
  dont_initialize();
}

sc_core::sc_time ClockDomain::time_of(Cycle cycle) const {
  const double picoseconds_per_cycle = 1e12 / (static_cast<double>(frequency_) * tree_.unit_hertz_);
  // Whole picoseconds, from the exact cycle number: edges of two domains that coincide get the same time.
  return sc_core::sc_time(std::round(static_cast<double>(cycle) * picoseconds_per_cycle), sc_core::SC_PS);
}

Cycle ClockDomain::arrival_cycle() const {
  if (tree_.running_ == this) return now_ + 1;
  if (tree_.running_ != nullptr) {
    const ClockDomain& running = *tree_.running_;
    if (running.frequency_ == frequency_) return running.now_ + 1;
    return static_cast<Cycle>(static_cast<unsigned __int128>(running.now_) * frequency_ / running.frequency_) + 1;
  }
  return first_edge_after(sc_core::sc_time_stamp());  // a foreign process: go by simulated time
}

Cycle ClockDomain::arrival_cycle_after(const sc_core::sc_time& delay) const {
  if (delay == sc_core::SC_ZERO_TIME) return arrival_cycle();
  return first_edge_after(sc_core::sc_time_stamp() + delay);
}

Cycle ClockDomain::edge_after(const sc_core::sc_time& delay) const {
  const Cycle after = arrival_cycle_after(delay);
  return after != 0 && time_of(after - 1) == sc_core::sc_time_stamp() + delay ? after - 1 : after;
}

Cycle ClockDomain::first_edge_after(const sc_core::sc_time& time) const {
  auto cycle = static_cast<Cycle>(time.to_seconds() * static_cast<double>(frequency_) * tree_.unit_hertz_);
  while (time_of(cycle) <= time) ++cycle;
  while (cycle > 0 && time_of(cycle - 1) > time) --cycle;
  return cycle;
}

void ClockDomain::add(Clocked& who) {
  who.place_ = modules_.size();
  modules_.push_back(&who);
  next_due_.resize((modules_.size() + 63) / 64);
}

void ClockDomain::wake(Clocked& who, Cycle at) {
  const Cycle first = arrival_cycle();
  if (at < first) at = first;
  if (who.due_ <= at) return;
  who.due_ = at;
  if (at == first && (next_due_cycle_ == kNever || next_due_cycle_ == first)) {
    next_due_cycle_ = first;
    next_due_[who.place_ / 64] |= std::uint64_t{1} << (who.place_ % 64);
  } else {
    later_.emplace(at, who.place_);
  }
  schedule(at);
}

void ClockDomain::schedule(Cycle at) {
  if (at >= scheduled_) return;
  scheduled_ = at;
  const sc_core::sc_time now = sc_core::sc_time_stamp();
  const sc_core::sc_time when = time_of(at);
  event_.cancel();
  event_.notify(when > now ? when - now : sc_core::SC_ZERO_TIME);
}

void ClockDomain::edge() {
  // The kernel would turn an exception into a report and lose its type.
  try {
    work();
  } catch (...) {
    tree_.running_ = nullptr;
    tree_.error_ = std::current_exception();
    sc_core::sc_pause();
  }
}

void ClockDomain::work() {
  now_ = scheduled_;
  scheduled_ = kNever;
  tree_.running_ = this;
  ++busy_cycles_;

  // 1. Who is due.
  due_now_.clear();
  if (next_due_cycle_ == now_) {
    for (std::size_t w = 0; w < next_due_.size(); ++w) {
      for (std::uint64_t bits = next_due_[w]; bits != 0; bits &= bits - 1) {
        due_now_.push_back(64 * w + static_cast<std::size_t>(__builtin_ctzll(bits)));
      }
      next_due_[w] = 0;
    }
    next_due_cycle_ = kNever;
  }
  bool unsorted = false;
  while (!later_.empty() && later_.top().first <= now_) {
    const std::size_t place = later_.top().second;
    later_.pop();
    if (modules_[place]->due_ != now_) continue;  // asked for an earlier cycle since, and had it
    due_now_.push_back(place);
    unsorted = true;
  }
  if (!gating_) {
    due_now_.resize(modules_.size());
    for (std::size_t i = 0; i < modules_.size(); ++i) due_now_[i] = i;
  } else if (unsorted) {
    std::sort(due_now_.begin(), due_now_.end());
    due_now_.erase(std::unique(due_now_.begin(), due_now_.end()), due_now_.end());
  }
  if (permutation_seed_ != 0) {
    for (std::size_t i = due_now_.size(); i > 1; --i) {
      std::swap(due_now_[i - 1], due_now_[next_random(permutation_seed_) % i]);
    }
  }
  for (std::size_t place : due_now_) {
    if (modules_[place]->due_ <= now_) modules_[place]->due_ = kNever;
  }

  // 2. Their cycle.
  for (std::size_t place : due_now_) modules_[place]->tick();

  // 3. The end of the cycle, in the order of asking made irrelevant by asking once a listener.
  if (!end_of_cycle_.empty()) {
    end_of_cycle_running_.swap(end_of_cycle_);
    for (EndOfCycle* listener : end_of_cycle_running_) listener->end_of_cycle();
    end_of_cycle_running_.clear();
  }
  for (const auto& observer : observers_) observer(now_);
  tree_.running_ = nullptr;

  // 4. The next edge that anything waits for.
  if (next_due_cycle_ != kNever) schedule(next_due_cycle_);
  if (!later_.empty()) schedule(std::max(later_.top().first, now_ + 1));
}

}  // namespace heddle
