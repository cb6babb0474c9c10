// SPDX-License-Identifier: Apache-2.0
// Time. One timed event a clock domain; a domain calls the modules that are due in a cycle and sleeps when none is.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <queue>
#include <string>
#include <systemc>
#include <utility>
#include <vector>

#include "core/kernel/cycle.h"
#include "core/kernel/outbox.h"

namespace heddle {

class ClockDomain;
class ClockTree;
class SharedRounds;
class CycleWindows;
class Workers;
struct WindowRules;

/// Something a domain calls in the cycles it asked for.
class Clocked {
 public:
  Clocked() = default;
  Clocked(const Clocked&) = delete;
  Clocked& operator=(const Clocked&) = delete;
  virtual ~Clocked() = default;
  /// One cycle of work. What it learns from others was sent in an earlier cycle, so the order of calls cannot matter.
  virtual void tick() = 0;
  /// Its number in its domain, in order of addition.
  std::size_t place() const { return place_; }
  /// Whether it has a call pending.
  bool pending() const { return due_ != kNever; }

 private:
  friend class ClockDomain;
  std::size_t place_ = 0;  ///< order in its domain
  Cycle due_ = kNever;     ///< earliest cycle asked for
};

/// Called once after every module of a domain has had its cycle, when somebody asked for it in that cycle.
class EndOfCycle {
 public:
  virtual ~EndOfCycle() = default;
  virtual void end_of_cycle() = 0;
};

/// The domains of one machine and their exact ratios. Edges of domains of one frequency coincide and run in the
/// order in which the domains were declared, on one event.
class ClockTree {
 public:
  /// unit: frequency 1 of the domains, in hertz (1000: domains state kilohertz).
  explicit ClockTree(double unit_hertz = 1000.0);
  ~ClockTree();
  ClockTree(const ClockTree&) = delete;
  ClockTree& operator=(const ClockTree&) = delete;
  double unit_hertz() const { return unit_hertz_; }
  /// In order of declaration; they live as long as the tree is used.
  const std::vector<ClockDomain*>& domains() const { return domains_; }
  /// Asks whoever is responsible for the machine to look at it once this cycle is over. That is the caller of
  /// sc_start(), for whom simulation pauses, unless somebody within the simulation has said that it is he.
  void call_attention() {
    if (attention_) {
      attention_();
    } else {
      sc_core::sc_pause();
    }
  }
  /// From now on call_attention() calls this.
  void on_attention(std::function<void()> action) { attention_ = std::move(action); }
  /// What a module threw in its cycle, after which attention was called. Null when nothing was.
  std::exception_ptr take_error() { return std::exchange(error_, nullptr); }
  /// Between cycles: no domain ticks any more, whatever else is simulated.
  void halt();
  /// ClockDomain::permute_calls() and set_gating() of every domain there is; each gets a seed of its own.
  void permute_calls(std::uint64_t seed);
  void set_gating(bool on);
  /// Threads that work on the parts of domains, with the caller's; at least 1. Once, when all parts are there. The
  /// results are the same for any number. holds: what each of the others holds while it lives.
  void use_threads(unsigned threads, const std::function<std::shared_ptr<void>()>& holds = {});
  /// After use_threads(): has the parts of a domain work on several cycles in a round where they can. The results are
  /// the same.
  void use_windows(ClockDomain& domain, WindowRules rules);

 private:
  friend class ClockDomain;
  friend class CycleWindows;
  double unit_hertz_;
  std::unique_ptr<Workers> workers_;      ///< null: the caller's thread alone
  const ClockDomain* running_ = nullptr;  ///< whose edge is being worked on
  std::vector<ClockDomain*> domains_;     ///< in order of declaration
  std::exception_ptr error_;
  std::function<void()> attention_;
};

/// Most cycles of a window.
inline constexpr Cycle kLongestWindow = 32;

/// When a part works on the cycles of a window: CycleWindows has the rules.
enum class WindowPhase : std::uint8_t {
  first,   ///< what answers: it works on requests only long after they came
  second,  ///< what asks
  third,   ///< what takes requests from there to here
};

class ClockDomain : public sc_core::sc_module {
 public:
  SC_HAS_PROCESS(ClockDomain);
  /// frequency: integer units common to the tree, kilohertz for a real machine; > 0.
  ClockDomain(sc_core::sc_module_name name, ClockTree& tree, std::uint64_t frequency);
  /// A part of `whole`: modules that touch nothing of the rest of the machine in their cycle but through ports, links
  /// and wake(). Parts may work on several threads at a time, before the modules of the domain itself. Has no parts.
  ClockDomain(sc_core::sc_module_name name, ClockDomain& whole, WindowPhase phase = WindowPhase::third);
  ~ClockDomain() override;

  // -- of parts
  /// Whether it answers in the first phase of windows, in which others may still send it requests from its past.
  bool answers_in_windows() const { return whole_ != this && phase_ == WindowPhase::first; }
  /// Says whether it has nothing in flight, between its cycles. Parts of which one does not know do nothing that lasts.
  void idle_when(std::function<bool()> idle) { idle_ = std::move(idle); }
  /// In a window, it must not go on until the rest of the machine has worked on this cycle.
  void wait_for(Cycle cycle) { outbox_->wait_for(cycle); }

  /// The domain of which this is a part; else itself.
  ClockDomain& whole() { return *whole_; }
  const ClockDomain& whole() const { return *whole_; }

  /// The cycle being worked on, or, between edges, the last one at or before the present.
  Cycle now() const { return now_; }
  std::uint64_t frequency() const { return frequency_; }
  double hertz() const { return static_cast<double>(frequency_) * tree_.unit_hertz_; }

  /// The first edge strictly after the present, whichever domain or process is running: when something sent now
  /// arrives.
  Cycle arrival_cycle() const { return tree_.running_ == whole_ ? now_ + 1 : arrival_from_elsewhere(); }
  /// The same for something that is sent now and annotated with a delay.
  Cycle arrival_cycle_after(const sc_core::sc_time& delay) const;
  /// The first edge at or after the end of a delay from now.
  Cycle edge_after(const sc_core::sc_time& delay) const;

  /// Adds a module; modules are called in the order in which they were added.
  void add(Clocked& who);
  /// Asks for a call of who.tick() at cycle `at`; the present or past mean the next edge. A module has one call
  /// pending, the earliest it asked for: in tick() it asks again for what is left.
  void wake(Clocked& who, Cycle at) {
    if (Outbox::keeps(*this, [this, &who, at] { wake(who, at); })) return;
    const Cycle first = tree_.running_ == whole_ ? now_ + 1 : first_entry();
    if (at < first) at = first;
    if (who.due_ > at) enter(who, at, first);
  }
  void wake_next(Clocked& who) { wake(who, arrival_cycle()); }
  /// Asks for listener.end_of_cycle() in the cycle being worked on. Not of a part.
  void request_end_of_cycle(EndOfCycle& listener) { end_of_cycle_.push_back(&listener); }
  /// Called after the modules in every cycle in which any module was called (waveforms, time series).
  void on_every_cycle(std::function<void(Cycle)> observer) { observers_.push_back(std::move(observer)); }
  /// For these: the domain's modules that were called in the present cycle, but not those of its parts.
  const std::vector<Clocked*>& called() const { return due_now_; }

  /// Order tests: permutes the order of calls in every cycle by this seed; 0 restores the order of addition.
  void permute_calls(std::uint64_t seed) { permutation_seed_ = seed; }
  /// Gating test: when off, every module is called in every cycle, asked for or not; the domain never sleeps.
  void set_gating(bool on) { gating_ = on; }

  sc_core::sc_time time_of(Cycle cycle) const;
  /// Cycles in which at least one module was called.
  std::uint64_t busy_cycles() const { return busy_cycles_; }

 private:
  friend class ClockTree;
  friend class CycleWindows;
  /// Cycles ahead that the wheel covers; later calls wait in a heap.
  static constexpr Cycle kHorizon = 256;

  void edge();
  void work();
  void work_on_parts();
  void share_parts();
  void work_on_shared_part();
  void work_on_part();
  void note_idle();
  void call_due();
  void schedule(Cycle at);
  void notify(Cycle at);
  void notify_again();
  void enter(Clocked& who, Cycle at, Cycle first);
  void leave(const Clocked& who);
  void collect_due();
  Cycle next_entered() const;
  Cycle next_of_own(Cycle from) const;
  void end_cycle();
  Cycle arrival_from_elsewhere() const;
  Cycle first_entry() const;
  sc_core::sc_time present() const;
  Cycle first_edge_after(const sc_core::sc_time& time) const;
  std::uint64_t* slot(Cycle cycle) { return &wheel_[(cycle % kHorizon) * words_]; }

  ClockTree& tree_;
  std::uint64_t frequency_;
  Cycle now_ = 0;
  Cycle due_again_ = kNever;  ///< a cycle of the last window in which observers are to be called; kNever: none
  Cycle scheduled_ = kNever;  ///< next cycle anything waits for
  // The last answer of arrival_from_elsewhere(): what was running, in which of its cycles.
  mutable const ClockDomain* asked_from_ = nullptr;
  mutable Cycle asked_at_ = 0, answer_ = 0;

  ClockDomain* whole_;                           ///< of which this is a part; else itself
  std::vector<ClockDomain*> parts_, due_parts_;  ///< all; those with work in this cycle, in their order
  std::unique_ptr<SharedRounds> rounds_;         ///< of its parts; null: on the caller's thread alone
  std::unique_ptr<CycleWindows> windows_;        ///< null: none
  std::unique_ptr<Outbox> outbox_;               ///< a part's
  std::exception_ptr thrown_;                    ///< by a part's module in this cycle

  // Domains of one frequency share the event of the first of them.
  ClockDomain* leader_;
  std::vector<ClockDomain*> members_;  ///< the leader's: all of that frequency, itself first
  Cycle notified_ = kNever;            ///< the leader's: cycle of its event
  bool in_edge_ = false;               ///< the leader's
  sc_core::sc_event event_;

  std::vector<Clocked*> modules_;
  std::size_t words_ = 0;                                ///< of a set of modules
  std::vector<std::uint64_t> wheel_;                     ///< by cycle modulo the horizon: the modules due in it
  std::array<std::uint64_t, kHorizon / 64> occupied_{};  ///< slots of the wheel that are not empty
  using Wake = std::pair<Cycle, std::size_t>;
  std::priority_queue<Wake, std::vector<Wake>, std::greater<>> later_;
  std::vector<Clocked*> due_now_;
  std::vector<EndOfCycle*> end_of_cycle_, end_of_cycle_running_;
  std::vector<std::function<void(Cycle)>> observers_;
  std::uint64_t permutation_seed_ = 0, busy_cycles_ = 0;
  bool gating_ = true;
  WindowPhase phase_ = WindowPhase::third;  ///< a part's
  std::function<bool()> idle_;              ///< a part's
  Cycle idle_since_ = kNever;               ///< a part's, in a window; kNever: it is not idle
};

}  // namespace heddle
