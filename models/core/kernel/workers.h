// SPDX-License-Identifier: Apache-2.0
// Host threads that share work which comes in rounds, a few microseconds long each.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

namespace heddle {

/// Whether sharing work with other threads pays: both ways are tried for a window of rounds, and the faster one is kept
/// for a while. Data that change threads every round can cost more than is won, and the host may have other work.
class SharingChoice {
 public:
  bool shared() const { return shared_; }
  /// A window was worked in the chosen way. cost: time per unit of work, in any unit; infinite if it was given up.
  void window(double cost);

 private:
  /// Windows until both ways are tried again; more, the more often sharing has not paid.
  static constexpr unsigned kWindows = 16, kMostWindows = 128;
  enum class Phase : std::uint8_t { tries_shared, tries_alone, settled };
  Phase phase_ = Phase::tries_shared;
  bool shared_ = true;
  double shared_cost_ = 0, alone_cost_ = 0;
  unsigned left_ = 0;                  ///< windows until both are tried again
  unsigned alone_for_ = kWindows / 2;  ///< windows settled alone the last time
};

/// The threads. Who shares work with them does so one round at a time.
class Workers {
 public:
  using Clock = std::chrono::steady_clock;
  /// What a thread holds while it lives, such as its floating-point modes.
  using Holds = std::function<std::shared_ptr<void>()>;
  /// threads: with the caller's, at least 1.
  explicit Workers(unsigned threads, const Holds& holds = {});
  ~Workers();
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  unsigned threads() const { return threads_; }
  /// Calls run(0) .. run(threads() - 1), each on the thread of that number if the host runs it, and returns when all
  /// have ended. Returns the time waited for threads that the host did not run.
  Clock::duration share(const std::function<void(unsigned)>& run);

 private:
  /// What one thread is to call; on a line of the host's caches, with the one that is fetched along with it.
  struct alignas(128) Share {
    std::atomic<std::uint64_t> begun{0};  ///< the last round in which a thread took it
    std::atomic<std::uint64_t> ended{0};  ///< the last round in which it was done by its own thread
  };

  void serve(unsigned thread);
  std::uint64_t wait_for_round(std::uint64_t seen);
  bool take(unsigned thread, std::uint64_t round);
  void announce();
  Clock::duration wait_for(unsigned thread);

  unsigned threads_;
  std::uint64_t round_ = 0;  ///< the caller's
  /// Of the present round; changed before it is announced, and called by who has taken a share of it.
  const std::function<void(unsigned)>* run_ = nullptr;
  std::unique_ptr<Share[]> shares_;
  alignas(128) std::atomic<std::uint64_t> announced_{0};  ///< the last round for all threads; kEnd: no more
  std::atomic<unsigned> asleep_{0};
  std::vector<std::thread> others_;
};

/// Which thread does which jobs. Those that take long are spread first; a job stays where it is, with its data in that
/// thread's caches, unless another way is clearly better.
class JobShares {
 public:
  JobShares(unsigned threads, unsigned jobs);
  const std::vector<unsigned>& of(unsigned thread) const { return shares_[thread]; }
  /// costs: by job, in any unit, >= 0.
  void balance(const std::vector<double>& costs);

 private:
  std::vector<std::vector<unsigned>> shares_;  ///< by thread
};

/// Rounds of the same jobs, shared with threads where that pays.
class SharedRounds {
 public:
  /// run: called with the number of a job, 0 .. jobs - 1, on any thread. window: rounds in which a way to share them is
  /// measured, fewer the longer they take; as many as an eighth come before, in which single jobs are.
  SharedRounds(Workers& workers, unsigned jobs, std::function<void(unsigned)> run, unsigned window = 512);

  /// Whether this round is to be shared, by share(); else the caller had better do all jobs itself. jobs: how many have
  /// something to do. Either way end() follows.
  bool begin(unsigned jobs) { return choice_.shared() && jobs > 1; }
  /// Runs every job once, and returns when all have ended.
  void share() { waited_ += workers_.share(rounds_ < lead_ ? run_timed_share_ : run_share_); }
  /// work: what was done in the round, in any unit.
  void end(std::uint64_t work);

 private:
  /// Rounds of a window, and those before them, in which data move to the threads that will work on them.
  unsigned window_, lead_;
  Workers::Clock::duration most_waiting_;
  Workers& workers_;
  std::function<void(unsigned)> run_, run_share_, run_timed_share_;
  JobShares shares_;
  std::vector<double> costs_;  ///< time by job, in the rounds before a window
  SharingChoice choice_;
  // Of the present window.
  unsigned rounds_ = 0;
  std::uint64_t work_ = 0;
  Workers::Clock::time_point start_;
  Workers::Clock::duration waited_{0};
};

}  // namespace heddle
