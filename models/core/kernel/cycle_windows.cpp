// SPDX-License-Identifier: Apache-2.0
#include "core/kernel/cycle_windows.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "core/check_variable.h"

namespace heddle {

CycleWindows::CycleWindows(ClockDomain& whole, Workers& workers, WindowRules rules)
    : whole_(whole),
      rules_(std::move(rules)),
      first_(parts_of(whole, WindowPhase::first)),
      second_(parts_of(whole, WindowPhase::second)),
      third_(parts_of(whole, WindowPhase::third)),
      rounds_(
          workers, static_cast<unsigned>(second_.size()), [this](unsigned part) { advance(*second_[part]); }, 256),
      always_(check_wanted("HEDDLE_CHECK_WINDOWS")) {}

std::vector<ClockDomain*> CycleWindows::parts_of(const ClockDomain& whole, WindowPhase phase) {
  std::vector<ClockDomain*> found;
  std::copy_if(whole.parts_.begin(), whole.parts_.end(), std::back_inserter(found),
               [phase](const ClockDomain* part) { return part->phase_ == phase; });
  return found;
}

bool CycleWindows::work() {
  const Cycle from = whole_.now_;
  // The machine's own observer is told of by the rules; others look at every cycle. Who simulates other modules beside
  // the machine, and so has attention, may look at its memory at any time.
  if (whole_.observers_.size() > 1 || whole_.tree_.attention_ || !rules_.passage->settled()) return false;
  // What the domain's own modules do may concern any part, which must not be ahead then: such a cycle is a window.
  last_ = std::min({from + rules_.length - 1, rules_.last(from), std::max(from, whole_.next_of_own(from) - 1)});
  if (last_ < from) return false;
  cycles_since();
  if (!pays()) {
    alone_ = true;
    return false;
  }
  const Outbox::Window window;
  begin_idle(from);
  last_ = answer(from, last_);
  followed_ = from - 1;
  while (followed_ + 1 <= last_) {
    rules_.passage->expect(followed_ + 1);
    keep_waiting();
    ask();
    while (followed_ < done()) {
      follow(followed_ + 1);
      if (over_at_ != kNever && end_of_all() == followed_) last_ = followed_;
    }
  }
  whole_.tree_.running_ = nullptr;
  if (last_ < from) return false;
  for (ClockDomain* part : second_) {
    part->now_ = last_;
    part->outbox_->wait_no_more();
  }
  // For the observers of the last cycle.
  if (over_at_ != kNever && end_of_all() == last_) whole_.due_again_ = last_;
  return true;
}

void CycleWindows::worked_alone() {
  alone_ = false;
  rounds_.end(cycles_since());
}

/// Whether threads had better share the second phase.
bool CycleWindows::pays() { return always_ || rounds_.begin(static_cast<unsigned>(second_.size())); }

/// Of parts of the second phase, since it was last asked.
std::uint64_t CycleWindows::cycles_since() {
  std::uint64_t worked = 0;
  for (const ClockDomain* part : second_) worked += part->busy_cycles_;
  return worked - std::exchange(worked_, worked);
}

/// Before a window: which parts have nothing in flight.
void CycleWindows::begin_idle(Cycle from) {
  over_at_ = kNever;
  for (ClockDomain* domain : whole_.tree_.domains_) {
    for (ClockDomain* part : domain->parts_) {
      part->idle_since_ = kNever;
      part->note_idle();
      if (part->idle_since_ != kNever) part->idle_since_ = domain == &whole_ ? from - 1 : 0;
    }
  }
}

/// All that was begun has ended: the cycle of the window since which nothing is in flight either; kNever: none.
Cycle CycleWindows::end_of_all() const {
  Cycle end = over_at_;
  for (const ClockDomain* part : whole_.parts_) {
    if (part->idle_ && part->idle_since_ == kNever) return kNever;
    if (part->idle_) end = std::max(end, part->idle_since_);
  }
  // What ended in another clock later is noticed when the domain works next.
  for (const ClockDomain* domain : whole_.tree_.domains_) {
    for (const ClockDomain* part : domain->parts_) {
      if (domain == &whole_ || !part->idle_) continue;
      if (part->idle_since_ == kNever || before(whole_, end, *domain, part->idle_since_)) return kNever;
    }
  }
  return end;
}

/// The first phase. Returns the last cycle that it could work on.
Cycle CycleWindows::answer(Cycle from, Cycle last) {
  for (;;) {
    const Cycle cycle = next_of_first();
    ClockDomain* const other = first_edge_elsewhere(last);
    if (other != nullptr && (cycle > last || before(*other, other->scheduled_, whole_, cycle))) {
      other->work();
      other->scheduled_ = other->next_entered();
      for (ClockDomain* part : other->parts_) part->note_idle();
      continue;
    }
    if (cycle > last) break;
    if (!rules_.passage->can_answer(cycle)) {
      last = std::max(cycle, from) - 1;
      break;
    }
    for (ClockDomain* part : first_) part->now_ = cycle;
    for (ClockDomain* part : first_) {
      if (part->scheduled_ != cycle) continue;
      work_on(*part);
    }
    // Somebody waits for what the second phase will say in a later cycle.
    if (!rules_.passage->settled()) {
      last = cycle;
      break;
    }
  }
  for (ClockDomain* part : first_) part->now_ = last;
  notify_others();
  return last;
}

/// One cycle of a part on the calling thread, which is the present for what it sends.
void CycleWindows::work_on(ClockDomain& part) {
  whole_.tree_.running_ = &part;
  part.work_on_part();
  part.note_idle();
  if (part.thrown_ != nullptr) std::rethrow_exception(std::exchange(part.thrown_, nullptr));
}

/// Events of other clocks may be of edges that are done.
void CycleWindows::notify_others() {
  ClockTree& tree = whole_.tree_;
  for (ClockDomain* other : tree.domains_) {
    if (other->leader_ != other || other == whole_.leader_) continue;
    Cycle next = kNever;
    for (const ClockDomain* member : other->members_) next = std::min(next, member->scheduled_);
    if (next == other->notified_) continue;
    other->event_.cancel();
    other->notified_ = kNever;
    if (next != kNever) other->notify(next);
  }
}

Cycle CycleWindows::next_of_first() const {
  Cycle next = kNever;
  for (const ClockDomain* part : first_) next = std::min(next, part->scheduled_);
  return next;
}

/// Whether edge `at` of one clock comes before edge `than` of the other.
bool CycleWindows::before(const ClockDomain& a, Cycle at, const ClockDomain& b, Cycle than) {
  return static_cast<unsigned __int128>(at) * b.frequency_ < static_cast<unsigned __int128>(than) * a.frequency_;
}

/// The clock of another frequency with the first edge up to the end of cycle `last`; null: none.
ClockDomain* CycleWindows::first_edge_elsewhere(Cycle last) const {
  ClockDomain* first = nullptr;
  for (ClockDomain* other : whole_.tree_.domains_) {
    if (other == &whole_ || other->scheduled_ == kNever || !before(*other, other->scheduled_, whole_, last + 1))
      continue;
    if (first == nullptr || before(*other, other->scheduled_, *first, first->scheduled_)) first = other;
  }
  return first;
}

/// The second phase of all parts, as far as each may go, on several threads where that pays.
void CycleWindows::ask() {
  whole_.tree_.running_ = &whole_;
  // It may have turned out within a window that threads do not pay.
  const bool shared = pays();
  {
    const Outbox::Sharing sharing;
    if (shared) {
      rounds_.share();
    } else {
      for (ClockDomain* part : second_) advance(*part);
    }
  }
  rounds_.end(cycles_since());
}

/// The second phase of one part, as far as it may go.
void CycleWindows::advance(ClockDomain& part) {
  const Outbox::Use use(*part.outbox_);
  while (part.thrown_ == nullptr) {
    // With nothing in flight it may be the end, after which it is not called.
    const bool waits = part.outbox_->waits_for() > followed_ || part.idle_since_ != kNever;
    const Cycle end = waits ? followed_ + 1 : last_;
    if (part.scheduled_ > end) return;
    part.now_ = part.scheduled_;
    part.work_on_part();
    part.note_idle();
  }
}

/// The last cycle in which no part of the second phase has anything left to do. The third may call them sooner.
Cycle CycleWindows::done() const {
  Cycle done = last_;
  for (const ClockDomain* part : second_) {
    done = std::min(done, part->thrown_ != nullptr ? part->now_ : part->scheduled_ - 1);
  }
  return done;
}

/// What waits goes on waiting while modules of the domain have something to do, which may concern it.
void CycleWindows::keep_waiting() {
  const Cycle due = whole_.next_of_own(followed_ + 1);
  if (due > last_) return;
  for (ClockDomain* part : second_) {
    if (part->outbox_->waits_for() >= followed_) part->outbox_->wait_for(due);
  }
}

/// The third phase of one cycle.
void CycleWindows::follow(Cycle cycle) {
  whole_.now_ = cycle;
  for (ClockDomain* part : third_) part->now_ = cycle;
  for (ClockDomain* part : third_) {
    if (part->scheduled_ == cycle) work_on(*part);
  }
  whole_.tree_.running_ = third_.front();
  rethrow(cycle);
  for (ClockDomain* part : second_) part->outbox_->empty(cycle);
  whole_.collect_due();
  whole_.call_due();
  whole_.end_cycle();
  ++whole_.busy_cycles_;
  if (over_at_ == kNever && rules_.over()) over_at_ = cycle;
  followed_ = cycle;
}

/// What a part of the second phase threw in this cycle, from the first of those that did.
void CycleWindows::rethrow(Cycle cycle) {
  std::exception_ptr thrown;
  for (ClockDomain* part : second_) {
    if (part->thrown_ == nullptr || part->now_ != cycle) continue;
    std::exception_ptr of_part = std::exchange(part->thrown_, nullptr);
    if (thrown == nullptr) thrown = std::move(of_part);
  }
  if (thrown != nullptr) std::rethrow_exception(thrown);
}

}  // namespace heddle
