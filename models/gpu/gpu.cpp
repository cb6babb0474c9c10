// SPDX-License-Identifier: Apache-2.0
#include "gpu/gpu.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>

#include "core/error.h"
#include "gpu/dispatch/block_dispatcher.h"
#include "gpu/run_control.h"
#include "sm/sm.h"

namespace heddle::gpu {

Gpu::Gpu(sc_core::sc_module_name module_name, const GpuParameters& parameters, Services& services,
         MemorySideFactory memory_side, const BuildOptions& options)
    : sc_module(module_name),
      parameters_(parameters),
      structures_(services.structures),
      clocks_(1000.0),
      core_("core_clock", clocks_, parameters.clocks.core),
      statistics_(services.statistics, "gpu", "gpu"),
      gate_(core_) {
  unsigned total = 0;
  for (const SmClass& sms : parameters_.sm_classes) total += sms.count;

  // First, because it builds the caches of each SM inside that SM.
  memory_ = memory_side(clocks_, core_, total);
  const auto build_inside = [this](sm::Sm& sm) { memory_->bind(sm); };
  sms_.resize(total);
  for (unsigned i = 0; i < total && options.threads > 1; ++i)
    sm_clocks_.push_back(
        std::make_unique<ClockDomain>(("sm_clock" + std::to_string(i)).c_str(), core_, WindowPhase::second));
  std::vector<std::function<void()>> build;
  for (const SmClass& sms : parameters_.sm_classes) {
    for (unsigned i = 0; i < sms.count; ++i) {
      build.push_back([&, number = SmId(build.size())] {
        sms_[number] = std::make_unique<sm::Sm>(
            ("sm" + std::to_string(number)).c_str(), number, sms.sm, sm_clocks_.empty() ? core_ : *sm_clocks_[number],
            services, sms.name, sm::Sm::Options{options.reverse_construction, options.seed, build_inside});
      });
    }
  }
  if (options.reverse_construction) std::reverse(build.begin(), build.end());
  for (const auto& one : build) one();
  for (std::size_t i = 0; i < sm_clocks_.size(); ++i)
    sm_clocks_[i]->idle_when([this, number = SmId(i)] { return sms_[number]->idle() && memory_->idle(number); });

  std::vector<BlockDispatcher::SmDescription> descriptions;
  for (const auto& sm : sms_) descriptions.push_back({sm->parameters().residency, sm->grouping().traits().granule});
  dispatcher_ = std::make_unique<BlockDispatcher>("dispatcher", gate_, parameters_.dispatcher, descriptions,
                                                  statistics_, services);
  for (std::size_t i = 0; i < sms_.size(); ++i) {
    connect(*dispatcher_->to_sms[i], sms_[i]->launches());
    connect(sms_[i]->finished(), *dispatcher_->from_sms[i]);
  }
  core_.add(alarm_);
  core_.on_every_cycle([this](Cycle cycle) {
    if (cycle >= pause_at_ || (launch_done_ && drained())) clocks_.call_attention();
  });
  dispatcher_->on_launch_done([this](const isa::LaunchState&) { launch_done_ = true; });

  // All SMs count every cycle, so the first gives the number of cycles. The rates are evaluated for every launch;
  // counters are looked up once.
  const auto rate = [this](const char* what) {
    std::map<const StatisticsOwner*, std::size_t> numbers;
    for (const auto& sm : sms_) numbers[&sm->statistics()] = sm->statistics().number_of(what);
    const StatisticsOwner* const first = &sms_.front()->statistics();
    return [numbers, first, cycles = first->number_of("issue.slots.cycles")](const StatisticsSample& sample) {
      double issued = 0, passed = 0;
      for (const auto& [owner, values] : sample.owners()) {
        if (const auto at = numbers.find(owner); at != numbers.end()) issued += static_cast<double>(values[at->second]);
        if (owner == first) passed = static_cast<double>(values[cycles]);
      }
      return StatisticsView::ratio(issued, passed);
    };
  };
  services.statistics.derive({"ipc", "instructions issued per core cycle, over all SMs", unit::kInstructionsPerCycle,
                              rate("issue.warp_instructions")});
  services.statistics.derive({"thread_ipc", "thread instructions issued per core cycle, over all SMs",
                              unit::kThreadInstructionsPerCycle, rate("issue.thread_instructions")});

  clocks_.use_threads(options.threads, [] { return std::make_shared<isa::FloatControl>(); });
  const Lookahead lookahead = memory_->lookahead();
  const bool ahead = lookahead.passage != nullptr &&
                     std::all_of(sms_.begin(), sms_.end(), [](const auto& sm) { return sm->reads_after_loads(); });
  const Cycle window = ahead ? std::min({options.thread_cycles, lookahead.cycles, kLongestWindow}) : 1;
  clocks_.use_windows(core_, {window, [this] { return launch_done_; },
                              [this](Cycle from) { return last_of_window(from); }, lookahead.passage});
  clocks_.permute_calls(options.permute_calls);
  clocks_.set_gating(options.gating);
  gate_.set_gating(options.gating);
  for (const auto& sm : sms_) {
    sm->permute_calls(options.permute_calls);
    sm->set_gating(options.gating);
  }
}

Gpu::~Gpu() = default;

void Gpu::attach(isa::MemoryPort& port, const isa::DeviceRange& device) {
  port_ = &port;
  isa::Environment environment;
  environment.sm_count = static_cast<std::uint32_t>(sms_.size());
  for (const auto& sm : sms_) {
    environment.warps_per_sm = sm->parameters().residency.threads / isa::kWordThreads;
    sm->attach(port, *this, environment);
    // The compared state includes the registers of all threads that a context may come to hold.
    const unsigned span = sm->grouping().traits().span;
    sm->progress().configure(device, std::max(1u, span / isa::kWordThreads));
  }
}

Gpu::Outcome Gpu::run(std::shared_ptr<const isa::LaunchState> launch, const Limits& limits) {
  begin(std::move(launch), limits);
  do {
    sc_core::sc_start();
  } while (!look());
  return under_way_.outcome;
}

void Gpu::begin(std::shared_ptr<const isa::LaunchState> launch, const Limits& limits) {
  std::string limit;
  if (dispatcher_->capacity(*launch, &limit) == 0) {
    fail(ExitCode::launch,
         "kernel {}: no SM can hold one block of {} threads ({} registers per thread, {} bytes of shared "
         "memory): too much {}",
         launch->kernel->name, launch->block.volume(), launch->kernel->registers, launch->shared_bytes, limit);
  }
  for (const auto& sm : sms_) sm->grouping().admit(*launch->kernel);
  launch_done_ = false;
  dispatcher_->enqueue(launch);
  under_way_ = {};
  under_way_.windows = std::all_of(launch->kernel->ops.begin(), launch->kernel->ops.end(),
                                   [](const isa::MicroOp& op) { return sm::may_run_ahead(op.opcode); });
  under_way_.launch = std::move(launch);
  under_way_.limits = limits;
  under_way_.outcome.start = under_way_.progress_at = present();
  under_way_.issued = warp_instructions();
  under_way_.threads_before = thread_instructions();
  under_way_.look.begin = under_way_.outcome.start + under_way_.look.patience;
  end_look();
  set_alarm();
}

/// The last cycle of a window that begins in cycle `from`; before it: none may begin. Nothing is looked at between its
/// cycles, and the launch cannot end in it.
Cycle Gpu::last_of_window(Cycle from) const {
  const bool may = under_way_.windows && !launch_done_ && !under_way_.look.on && port_ != nullptr;
  return may ? pause_at_ - 1 : from - 1;
}

/// Schedules the next check of limits and signals.
void Gpu::set_alarm() {
  const Limits& limits = under_way_.limits;
  pause_at_ = present() + (limits.thread_instructions != 0 ? kLimitCheck : kSignalCheck);
  if (limits.cycles != 0) pause_at_ = std::min(pause_at_, under_way_.outcome.start + limits.cycles);
  core_.wake(alarm_, pause_at_);
}

bool Gpu::look() {
  if (const std::exception_ptr error = clocks_.take_error()) std::rethrow_exception(error);
  if (port_ != nullptr && port_->wants_cut()) port_->cut();
  if (drained()) {
    under_way_.outcome.end = core_.now();
    pause_at_ = kNever;
    memory_->end_of_kernel();
    return true;
  }
  check_limits();
  check_progress();
  set_alarm();
  return false;
}

void Gpu::check_limits() const {
  const std::string& kernel = under_way_.launch->kernel->name;
  const Cycle cycles = core_.now() - under_way_.outcome.start;
  const std::uint64_t threads = thread_instructions() - under_way_.threads_before;
  const Limits& limits = under_way_.limits;
  if (const int signal = interrupt_signal.load(std::memory_order_relaxed); signal != 0) {
    fail(ExitCode::interrupted, "kernel {}: interrupted by signal {} at cycle {}", kernel, signal, core_.now());
  }
  if (progress_listener != nullptr) progress_listener(cycles, threads);
  if (limits.cycles != 0 && cycles >= limits.cycles) {
    fail(ExitCode::limit, "kernel '{}': stopped after {} cycles, its limit. Where it is:{}", kernel, cycles,
         state_dump());
  }
  if (limits.thread_instructions != 0 && threads >= limits.thread_instructions) {
    fail(ExitCode::limit, "kernel '{}': stopped after {} thread-instructions, its limit is {}. Where it is:{}", kernel,
         threads, limits.thread_instructions, state_dump());
  }
}

void Gpu::check_progress() {
  const std::string& kernel = under_way_.launch->kernel->name;
  Look& look = under_way_.look;
  const bool sleeps = std::any_of(sms_.begin(), sms_.end(), [](const auto& sm) { return sm->issue().any_asleep(); });
  if (warp_instructions() != under_way_.issued || sleeps) {
    under_way_.issued = warp_instructions();
    under_way_.progress_at = core_.now();
  }
  if (const sm::Standstill found = look_for_loops(look); found != sm::Standstill::none) {
    const bool repeats =
        std::any_of(sms_.begin(), sms_.end(), [](const auto& sm) { return sm->issue().loops().repeats(); });
    if (found == sm::Standstill::machine) {
      fail(ExitCode::no_progress,
           "kernel '{}' is stuck: since cycle {} some of its threads have waited for the machine, and no other thread "
           "makes progress. Either memory is this slow or the machine model is at fault.{}",
           kernel, look.begin, state_dump());
    }
    if (repeats) {
      fail(ExitCode::no_progress,
           "kernel '{}' makes no progress: since cycle {} its threads repeat the same states forever and no memory "
           "changes.{}{}",
           kernel, look.begin, state_dump(),
           dispatcher_->blocks_wait() ? "\nBlocks that have not started cannot write what the others wait for: blocks "
                                        "that wait for each other must all fit on the machine at once."
                                      : "");
    }
    if (std::any_of(sms_.begin(), sms_.end(), [](const auto& sm) { return sm->issue().loops().held_back(); })) {
      fail(ExitCode::no_progress,
           "kernel '{}' is stuck: threads wait for others, and this machine runs the threads that could go on only "
           "after "
           "those that wait have gone on. Other machines may run them: the grouping determines the order of a warp's "
           "paths.{}",
           kernel, state_dump());
    }
    fail(ExitCode::no_progress,
         "kernel '{}' is stuck: every thread that has started and not exited waits for others.{}", kernel,
         state_dump());
  }
  if (core_.now() - under_way_.progress_at >= kPatience) {
    fail(ExitCode::no_progress, "kernel '{}' is stuck: no instruction issued since about cycle {}.{}", kernel,
         under_way_.progress_at, state_dump());
  }
}

sm::Standstill Gpu::look_for_loops(Look& look) {
  using sm::Standstill;
  const Cycle now = core_.now();
  if (!look.on) {
    if (now < look.begin) return Standstill::none;
    look.on = true;
    look.begin = now;
    look.end = now + look.patience / 2;
    for (const auto& sm : sms_) sm->progress().begin();
    return Standstill::none;
  }
  const bool changed =
      std::any_of(sms_.begin(), sms_.end(), [](const auto& sm) { return sm->progress().saw_change(); });
  if (!changed && now < look.end) return Standstill::none;
  // Without threads nothing can wait forever: memory traffic in flight drains by itself.
  const bool threads = std::any_of(sms_.begin(), sms_.end(), [](const auto& sm) { return !sm->issue().idle(); });
  if (!changed && threads) {
    Standstill all = Standstill::for_ever;
    for (const auto& sm : sms_) all = std::min(all, sm->issue().standstill());
    // Threads that wait for the machine get as much time as a machine that issues nothing.
    if (all == Standstill::machine && now - look.begin < kPatience) {
      look.end = look.begin + kPatience;
      return Standstill::none;
    }
    if (all != Standstill::none) return all;
  }
  look.on = false;
  look.patience = std::min(2 * look.patience, kMostPatience);
  look.begin = now + look.patience;
  end_look();
  return Standstill::none;
}

void Gpu::end_look() {
  for (const auto& sm : sms_) sm->progress().end();
}

bool Gpu::drained() const {
  return launch_done_ && memory_->idle() &&
         std::all_of(sms_.begin(), sms_.end(), [](const auto& sm) { return sm->idle(); });
}

void Gpu::gathered(SmId sm, bool waits) {
  const auto later = [this, sm, waits] { gathered(sm, waits); };
  if (waits ? Outbox::keeps(core_, later) : Outbox::keeps_and_goes_on(core_, later)) return;
  gathered_.set(sm);
  if (requested_) return;
  requested_ = true;
  core_.request_end_of_cycle(*this);
}

void Gpu::end_of_cycle() {
  requested_ = false;
  const ContextSet gathered = gathered_;
  gathered_.clear();
  gathered.for_each([this](std::size_t sm) { sms_[sm]->apply_effects(core_.now()); });
  // Not cut here: other clocks may still have work at this time.
  if (port_->wants_cut()) clocks_.call_attention();
}

std::uint64_t Gpu::warp_instructions() const {
  std::uint64_t total = 0;
  for (const auto& sm : sms_) total += sm->issue().warp_instructions();
  return total;
}

void Gpu::check_accounts() const {
  for (const auto& sm : sms_) sm->issue().slot_account().check();
}

std::uint64_t Gpu::thread_instructions() const {
  std::uint64_t total = 0;
  for (const auto& sm : sms_) total += sm->issue().thread_instructions();
  return total;
}

void Gpu::settle() {
  for (const auto& sm : sms_) sm->settle_account();
  memory_->settle();
}

std::string Gpu::state_dump() const {
  std::vector<isa::Situation> all;
  for (const auto& sm : sms_) {
    if (!sm->idle()) sm->issue().describe_waiting(all);
  }
  const std::string text = isa::describe_situations(std::move(all));
  const std::string held = structures_.occupancy();
  return text + dispatcher_->state_dump() + memory_->state_dump() + (held.empty() ? "" : "\nIn use:" + held);
}

}  // namespace heddle::gpu
