// SPDX-License-Identifier: Apache-2.0
#include "core/kernel/workers.h"

#include <pthread.h>
#include <signal.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

namespace heddle {

namespace {

constexpr std::uint64_t kEnd = ~std::uint64_t{0};
/// Looks before a thread sleeps until the next round: half a millisecond, more than a phase on one thread takes.
constexpr unsigned kLooks = 20000;
/// Looks before the caller takes over what another thread has not begun, and as many again before it lets others run
/// while it waits for what one has begun. More than most interrupts of the host take.
constexpr unsigned kPatience = 2500;
/// What takes a job longer is not its own: the host ran something else meanwhile.
constexpr std::chrono::microseconds kLongest{20};
/// Time waited in a window of 512 rounds, for threads that the host did not run, after which it is given up. Of fewer
/// rounds, each takes as much longer.
constexpr std::chrono::milliseconds kMostWaiting{1};

void pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

}  // namespace

Workers::Workers(unsigned threads, const Holds& holds)
    : threads_(threads), shares_(std::make_unique<Share[]>(threads)) {
  // Signals from outside are for the threads of the program; those for what a thread itself does wrong must reach it.
  sigset_t from_outside, before;
  sigfillset(&from_outside);
  for (const int own : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP}) sigdelset(&from_outside, own);
  pthread_sigmask(SIG_SETMASK, &from_outside, &before);
  for (unsigned thread = 1; thread < threads; ++thread) {
    others_.emplace_back([this, thread, holds] {
      const std::shared_ptr<void> held = holds ? holds() : nullptr;
      serve(thread);
    });
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

Workers::~Workers() {
  announced_.store(kEnd);
  announced_.notify_all();
  for (std::thread& other : others_) other.join();
}

void SharingChoice::window(double cost) {
  switch (phase_) {
    case Phase::tries_shared:
      shared_cost_ = cost;
      shared_ = false;
      phase_ = Phase::tries_alone;
      return;
    case Phase::tries_alone:
      alone_cost_ = cost;
      shared_ = shared_cost_ < alone_cost_;
      alone_for_ = shared_ ? kWindows / 2 : std::min(2 * alone_for_, kMostWindows);
      left_ = shared_ ? kWindows : alone_for_;
      phase_ = Phase::settled;
      return;
    case Phase::settled:
      if (--left_ != 0 && !(shared_ && cost > alone_cost_)) return;
      shared_ = true;
      phase_ = Phase::tries_shared;
  }
}

JobShares::JobShares(unsigned threads, unsigned jobs) : shares_(threads) {
  for (unsigned job = 0; job < jobs; ++job) shares_[job % threads].push_back(job);
}

void JobShares::balance(const std::vector<double>& costs) {
  const auto cost_of = [&costs](const std::vector<unsigned>& jobs) {
    double cost = 0;
    for (const unsigned job : jobs) cost += costs[job];
    return cost;
  };
  double longest = 0;
  for (const auto& jobs : shares_) longest = std::max(longest, cost_of(jobs));

  std::vector<unsigned> by_cost(costs.size());
  std::iota(by_cost.begin(), by_cost.end(), 0u);
  std::stable_sort(by_cost.begin(), by_cost.end(), [&costs](unsigned a, unsigned b) { return costs[a] > costs[b]; });
  std::vector<std::vector<unsigned>> better(shares_.size());
  std::vector<double> load(shares_.size());
  for (const unsigned job : by_cost) {
    const auto least = static_cast<std::size_t>(std::min_element(load.begin(), load.end()) - load.begin());
    better[least].push_back(job);
    load[least] += costs[job];
  }
  constexpr double kClearly = 0.9;
  if (*std::max_element(load.begin(), load.end()) < kClearly * longest) shares_ = std::move(better);
}

SharedRounds::SharedRounds(Workers& workers, unsigned jobs, std::function<void(unsigned)> run, unsigned window)
    : window_(window),
      lead_(std::max(64u, window / 8)),
      most_waiting_(kMostWaiting * 512 / window),
      workers_(workers),
      run_(std::move(run)),
      shares_(workers.threads(), jobs),
      costs_(jobs) {
  run_share_ = [this](unsigned thread) {
    for (const unsigned job : shares_.of(thread)) run_(job);
  };
  run_timed_share_ = [this](unsigned thread) {
    Workers::Clock::time_point before = Workers::Clock::now();
    for (const unsigned job : shares_.of(thread)) {
      run_(job);
      const Workers::Clock::time_point after = Workers::Clock::now();
      costs_[job] +=
          std::chrono::duration<double>(std::min<Workers::Clock::duration>(after - before, kLongest)).count();
      before = after;
    }
  };
}

void SharedRounds::end(std::uint64_t work) {
  work_ += work;
  // While data move, threads are slow.
  const bool given_up = waited_ > (rounds_ < lead_ ? 8 * most_waiting_ : most_waiting_);
  if (++rounds_ == lead_ && !given_up) {
    shares_.balance(costs_);
    std::fill(costs_.begin(), costs_.end(), 0.0);
    start_ = Workers::Clock::now();
    waited_ = {};
    work_ = 0;
  } else if (rounds_ == lead_ + window_ || given_up) {
    const std::chrono::duration<double> time = Workers::Clock::now() - start_;
    choice_.window(given_up ? std::numeric_limits<double>::infinity() : time.count() / static_cast<double>(work_));
    rounds_ = 0;
    waited_ = {};
  }
}

Workers::Clock::duration Workers::share(const std::function<void(unsigned)>& run) {
  ++round_;
  if (asleep_.load(std::memory_order_relaxed) != 0) {
    // They would come late: this round only wakes them.
    for (unsigned thread = 1; thread < threads_; ++thread) take(thread, round_);
    announce();
    for (unsigned thread = 0; thread < threads_; ++thread) run(thread);
    return {};
  }
  run_ = &run;
  announce();
  run(0);
  Clock::duration waited{0};
  for (unsigned thread = 1; thread < threads_; ++thread) waited += wait_for(thread);
  return waited;
}

void Workers::announce() {
  announced_.store(round_);  // in one order with asleep_: a thread sees this round, or is seen asleep
  if (asleep_.load() != 0) announced_.notify_all();
}

/// Returns when that thread's share of this round has ended; does the share itself if the thread does not begin.
Workers::Clock::duration Workers::wait_for(unsigned thread) {
  const std::atomic<std::uint64_t>& ended = shares_[thread].ended;
  const Clock::time_point start = Clock::now();
  for (unsigned looks = 0; looks < kPatience; ++looks) {
    if (ended.load(std::memory_order_acquire) == round_) return {};
    pause();
  }
  if (take(thread, round_)) {
    (*run_)(thread);
  } else {
    for (unsigned looks = 0; ended.load(std::memory_order_acquire) != round_; ++looks) {
      if (looks < kPatience) {
        pause();
      } else {
        std::this_thread::yield();
      }
    }
  }
  return Clock::now() - start;
}

void Workers::serve(unsigned thread) {
  for (std::uint64_t round = 0; (round = wait_for_round(round)) != kEnd;) {
    if (!take(thread, round)) continue;
    (*run_)(thread);
    shares_[thread].ended.store(round, std::memory_order_release);
  }
}

/// Returns the round after `seen`, or a later one.
std::uint64_t Workers::wait_for_round(std::uint64_t seen) {
  for (unsigned looks = 0; looks < kLooks; ++looks) {
    if (const std::uint64_t round = announced_.load(std::memory_order_acquire); round != seen) return round;
    pause();
  }
  ++asleep_;
  announced_.wait(seen);
  --asleep_;
  return announced_.load(std::memory_order_acquire);
}

/// Whether the calling thread is to do the share in that round; another one may have done it long ago.
bool Workers::take(unsigned thread, std::uint64_t round) {
  std::uint64_t last = shares_[thread].begun.load(std::memory_order_relaxed);
  return last < round && shares_[thread].begun.compare_exchange_strong(last, round, std::memory_order_acq_rel);
}

}  // namespace heddle
