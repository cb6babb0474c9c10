// SPDX-License-Identifier: Apache-2.0
#include "core/kernel/clock.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "core/error.h"
#include "core/kernel/cycle_windows.h"
#include "core/kernel/workers.h"

namespace heddle {

void Outbox::empty(Cycle last) {
  for (; done_ < kept_.size() && kept_[done_].at <= last; ++done_) kept_[done_].run(kept_[done_].bytes.data());
  if (done_ != kept_.size()) return;
  kept_.clear();
  done_ = 0;
}

Cycle Outbox::now() const { return part_.now(); }

Cycle Outbox::present(const ClockDomain& domain) { return open_ != nullptr ? open_->now() : domain.whole().now(); }

namespace {

std::uint64_t next_random(std::uint64_t& state) {
  state = state * 6364136223846793005ULL + 1442695040888963407ULL;
  return state >> 33;
}

}  // namespace

ClockTree::ClockTree(double unit_hertz) : unit_hertz_(unit_hertz) {}

ClockTree::~ClockTree() = default;

void ClockTree::use_threads(unsigned threads, const Workers::Holds& holds) {
  std::size_t most = 0;
  for (const ClockDomain* domain : domains_) most = std::max(most, domain->parts_.size());
  threads = std::min(threads, static_cast<unsigned>(most));
  if (threads <= 1) return;
  workers_ = std::make_unique<Workers>(threads, holds);
  for (ClockDomain* domain : domains_) {
    if (domain->parts_.size() <= 1) continue;
    domain->rounds_ =
        std::make_unique<SharedRounds>(*workers_, static_cast<unsigned>(domain->parts_.size()),
                                       [domain](unsigned part) { domain->parts_[part]->work_on_shared_part(); });
  }
}

void ClockTree::use_windows(ClockDomain& domain, WindowRules rules) {
  if (workers_ != nullptr && domain.rounds_ != nullptr && rules.length > 1)
    domain.windows_ = std::make_unique<CycleWindows>(domain, *workers_, std::move(rules));
}

void ClockTree::permute_calls(std::uint64_t seed) {
  for (ClockDomain* domain : domains_) {
    domain->permute_calls(seed == 0 ? 0 : seed++);
    for (ClockDomain* part : domain->parts_) part->permute_calls(seed == 0 ? 0 : seed++);
  }
}

void ClockTree::set_gating(bool on) {
  for (ClockDomain* domain : domains_) {
    domain->set_gating(on);
    for (ClockDomain* part : domain->parts_) part->set_gating(on);
  }
}

void ClockTree::halt() {
  for (ClockDomain* domain : domains_) {
    domain->event_.cancel();
    domain->notified_ = 0;  // an edge earlier than any that is asked for
  }
}

ClockDomain::ClockDomain(sc_core::sc_module_name name, ClockTree& tree, std::uint64_t frequency)
    : sc_module(name), tree_(tree), frequency_(frequency), whole_(this), leader_(this) {
  if (frequency == 0) fail(ExitCode::configuration, "clock {}: the frequency must be above 0", this->name());
  for (ClockDomain* other : tree_.domains_) {
    if (other->frequency_ == frequency && other->leader_ == other) leader_ = other;
  }
  tree_.domains_.push_back(this);
  leader_->members_.push_back(this);
  if (leader_ != this) return;
  SC_METHOD(edge);
  sensitive << event_;
  dont_initialize();
}

ClockDomain::ClockDomain(sc_core::sc_module_name name, ClockDomain& whole, WindowPhase phase)
    : sc_module(name),
      tree_(whole.tree_),
      frequency_(whole.frequency_),
      whole_(&whole),
      outbox_(std::make_unique<Outbox>(*this)),
      leader_(whole.leader_),
      phase_(phase) {
  whole.parts_.push_back(this);
}

ClockDomain::~ClockDomain() = default;

sc_core::sc_time ClockDomain::time_of(Cycle cycle) const {
  const double picoseconds_per_cycle = 1e12 / (static_cast<double>(frequency_) * tree_.unit_hertz_);
  // Whole picoseconds, from the exact cycle number: edges of two domains that coincide get the same time.
  return sc_core::sc_time(std::round(static_cast<double>(cycle) * picoseconds_per_cycle), sc_core::SC_PS);
}

Cycle ClockDomain::arrival_from_elsewhere() const {
  if (tree_.running_ != nullptr) {
    const ClockDomain& running = *tree_.running_;
    if (running.frequency_ == frequency_) return running.now_ + 1;
    // Many ask in one cycle of another domain: the division is done once.
    if (asked_from_ != &running || asked_at_ != running.now_) {
      asked_from_ = &running;
      asked_at_ = running.now_;
      answer_ = static_cast<Cycle>(static_cast<unsigned __int128>(running.now_) * frequency_ / running.frequency_) + 1;
    }
    return answer_;
  }
  return first_edge_after(sc_core::sc_time_stamp());  // a foreign process: go by simulated time
}

/// The first cycle in which a module can still be called.
Cycle ClockDomain::first_entry() const {
  // In windows, the present of those that run is not that of the others.
  if (tree_.running_ != nullptr && tree_.running_->whole_ == whole_) return now_ + 1;
  return arrival_from_elsewhere();
}

/// The time of the cycle being worked on, or simulated time.
sc_core::sc_time ClockDomain::present() const {
  return tree_.running_ != nullptr ? tree_.running_->time_of(tree_.running_->now_) : sc_core::sc_time_stamp();
}

Cycle ClockDomain::arrival_cycle_after(const sc_core::sc_time& delay) const {
  if (delay == sc_core::SC_ZERO_TIME) return arrival_cycle();
  return first_edge_after(present() + delay);
}

Cycle ClockDomain::edge_after(const sc_core::sc_time& delay) const {
  const Cycle after = arrival_cycle_after(delay);
  return after != 0 && time_of(after - 1) == present() + delay ? after - 1 : after;
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
  const std::size_t words = (modules_.size() + 63) / 64;
  if (words == words_) return;
  // Room for another word in every slot of the wheel.
  std::vector<std::uint64_t> wider(kHorizon * words, 0);
  for (std::size_t s = 0; s < kHorizon; ++s) {
    std::copy_n(wheel_.begin() + static_cast<std::ptrdiff_t>(s * words_), words_,
                wider.begin() + static_cast<std::ptrdiff_t>(s * words));
  }
  wheel_ = std::move(wider);
  words_ = words;
}

/// Notes a call for cycle `at`, earlier than the one the module may have asked for. first: the next edge.
void ClockDomain::enter(Clocked& who, Cycle at, Cycle first) {
  if (who.due_ != kNever) leave(who);
  who.due_ = at;
  if (at - first < kHorizon - 64) {
    slot(at)[who.place_ / 64] |= std::uint64_t{1} << (who.place_ % 64);
    occupied_[(at % kHorizon) / 64] |= std::uint64_t{1} << (at % 64);
  } else {
    later_.emplace(at, who.place_);
  }
  schedule(at);
}

/// Takes a module out of the wheel; what is in the heap stays and is passed over when its cycle comes.
void ClockDomain::leave(const Clocked& who) {
  std::uint64_t* const words = slot(who.due_);
  const std::uint64_t bit = std::uint64_t{1} << (who.place_ % 64);
  if ((words[who.place_ / 64] & bit) == 0) return;
  words[who.place_ / 64] &= ~bit;
  if (std::all_of(words, words + words_, [](std::uint64_t word) { return word == 0; })) {
    occupied_[(who.due_ % kHorizon) / 64] &= ~(std::uint64_t{1} << (who.due_ % 64));
  }
}

void ClockDomain::schedule(Cycle at) {
  if (at >= scheduled_) return;
  scheduled_ = at;
  if (whole_ == this) {
    leader_->notify(at);
  } else if (tree_.running_ != whole_) {
    whole_->schedule(at);
  }
}

/// When its event came early, or after its edges were worked on otherwise.
void ClockDomain::notify_again() {
  const Cycle next = std::exchange(notified_, kNever);
  if (next != kNever) notify(next);
}

void ClockDomain::notify(Cycle at) {
  if (in_edge_ || at >= notified_) return;
  notified_ = at;
  const sc_core::sc_time& now = sc_core::sc_time_stamp();
  const sc_core::sc_time when = time_of(at);
  event_.cancel();
  event_.notify(when > now ? when - now : sc_core::SC_ZERO_TIME);
}

void ClockDomain::edge() {
  const Cycle cycle = notified_;
  // A window of another domain, at the same time, has been there before.
  if (tree_.workers_ != nullptr && time_of(cycle) > sc_core::sc_time_stamp()) return notify_again();
  notified_ = kNever;
  in_edge_ = true;
  for (ClockDomain* member : members_) {
    if (member->scheduled_ != cycle) continue;
    // The kernel would turn an exception into a report and lose its type.
    try {
      member->work();
    } catch (...) {
      tree_.running_ = nullptr;
      tree_.error_ = std::current_exception();
      tree_.call_attention();
    }
    member->scheduled_ = std::min(member->next_entered(), std::exchange(member->due_again_, kNever));
  }
  in_edge_ = false;
  Cycle next = kNever;
  for (const ClockDomain* member : members_) next = std::min(next, member->scheduled_);
  if (next != kNever) notify(next);
}

/// Who is due in this cycle, in order of addition.
void ClockDomain::collect_due() {
  due_now_.clear();
  std::uint64_t* const words = slot(now_);
  while (!later_.empty() && later_.top().first <= now_) {
    const std::size_t place = later_.top().second;
    later_.pop();
    // Else it asked for an earlier cycle since, and had it.
    if (modules_[place]->due_ == now_) words[place / 64] |= std::uint64_t{1} << (place % 64);
  }
  for (std::size_t w = 0; w < words_; ++w) {
    for (std::uint64_t bits = words[w]; bits != 0; bits &= bits - 1) {
      Clocked* const module = modules_[64 * w + static_cast<std::size_t>(std::countr_zero(bits))];
      module->due_ = kNever;
      due_now_.push_back(module);
    }
    words[w] = 0;
  }
  occupied_[(now_ % kHorizon) / 64] &= ~(std::uint64_t{1} << (now_ % 64));
  if (!gating_) {
    due_now_ = modules_;
  }
  if (permutation_seed_ != 0) {
    for (std::size_t i = due_now_.size(); i > 1; --i) {
      std::swap(due_now_[i - 1], due_now_[next_random(permutation_seed_) % i]);
    }
  }
}

/// The next cycle that a module in the wheel or the heap waits for.
Cycle ClockDomain::next_entered() const {
  Cycle next = next_of_own(now_ + 1);
  for (const ClockDomain* part : parts_) next = std::min(next, part->scheduled_);
  return next;
}

/// The same for its own modules, in cycle `from`, the present one or the next, at the earliest.
Cycle ClockDomain::next_of_own(Cycle from) const {
  if (!gating_) return from;
  Cycle next = later_.empty() ? kNever : std::max(later_.top().first, from);
  constexpr std::size_t kWords = kHorizon / 64;
  const auto start = static_cast<std::size_t>(from % kHorizon);
  // From the slot of the next cycle once around: its word is looked at twice, above and below it.
  for (std::size_t i = 0; i <= kWords; ++i) {
    const std::size_t w = (start / 64 + i) % kWords;
    std::uint64_t bits = occupied_[w];
    const std::uint64_t from_start = ~std::uint64_t{0} << (start % 64);
    if (i == 0) bits &= from_start;
    if (i == kWords) bits &= ~from_start;
    if (bits == 0) continue;
    const std::size_t found = 64 * w + static_cast<std::size_t>(std::countr_zero(bits));
    return std::min(next, from + (found + kHorizon - start) % kHorizon);
  }
  return next;
}

void ClockDomain::call_due() {
  for (std::size_t i = 0; i < due_now_.size(); ++i) {
    if (i + 1 < due_now_.size()) __builtin_prefetch(due_now_[i + 1]);
    due_now_[i]->tick();
  }
}

void ClockDomain::work_on_parts() {
  due_parts_.clear();
  // All know the cycle first: those that sleep are sent transfers, too.
  for (ClockDomain* part : parts_) {
    part->now_ = now_;
    if (part->scheduled_ == now_) due_parts_.push_back(part);
  }
  const bool may_share = rounds_ != nullptr && (windows_ == nullptr || !windows_->alone());
  if (may_share && rounds_->begin(static_cast<unsigned>(due_parts_.size()))) {
    share_parts();
  } else {
    // They act on the rest of the machine at once, and so nothing is kept.
    for (ClockDomain* part : due_parts_) part->work_on_part();
  }
  if (may_share) rounds_->end(due_parts_.size());
  std::exception_ptr thrown;
  for (ClockDomain* part : due_parts_) {
    if (part->thrown_ == nullptr) continue;
    std::exception_ptr of_part = std::exchange(part->thrown_, nullptr);
    if (thrown == nullptr) thrown = std::move(of_part);
  }
  if (thrown != nullptr) std::rethrow_exception(thrown);
}

void ClockDomain::share_parts() {
  // What others would work out when first asked in this cycle.
  for (const ClockDomain* domain : tree_.domains_) static_cast<void>(domain->arrival_cycle());
  {
    const Outbox::Sharing sharing;
    rounds_->share();
  }
  for (ClockDomain* part : due_parts_) part->outbox_->empty();
}

/// On any thread, beside others.
void ClockDomain::work_on_shared_part() {
  if (scheduled_ != now_) return;
  const Outbox::Use use(*outbox_);
  work_on_part();
}

/// After a cycle of a part in a window: whether it has nothing to do, since when.
void ClockDomain::note_idle() {
  if (!idle_) return;
  if (!idle_()) {
    idle_since_ = kNever;
  } else if (idle_since_ == kNever) {
    idle_since_ = now_;
  }
}

void ClockDomain::work_on_part() {
  ++busy_cycles_;
  try {
    collect_due();
    call_due();
  } catch (...) {
    thrown_ = std::current_exception();
  }
  scheduled_ = next_entered();
}

/// The end of the cycle, in the order of asking made irrelevant by asking once a listener.
void ClockDomain::end_cycle() {
  if (end_of_cycle_.empty()) return;
  end_of_cycle_running_.swap(end_of_cycle_);
  for (EndOfCycle* listener : end_of_cycle_running_) listener->end_of_cycle();
  end_of_cycle_running_.clear();
}

void ClockDomain::work() {
  now_ = scheduled_;  // and stays scheduled for it: what is entered meanwhile is looked for at the end
  if (windows_ != nullptr && windows_->work()) return;
  tree_.running_ = this;
  ++busy_cycles_;

  // The parts, then the domain's own modules. Who is due is settled before: what parts ask for comes on top.
  collect_due();
  if (!parts_.empty()) work_on_parts();
  call_due();

  end_cycle();
  for (const auto& observer : observers_) observer(now_);
  tree_.running_ = nullptr;
  if (windows_ != nullptr && windows_->alone()) windows_->worked_alone();
}

}  // namespace heddle
