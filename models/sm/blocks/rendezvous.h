// SPDX-License-Identifier: Apache-2.0
// Rendezvous for instructions defined over the ISA warp: all named threads arrive, then the instruction executes once.
// Logic only.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "isa/collective.h"
#include "sm/packet.h"

namespace heddle::sm {

class Rendezvous {
 public:
  struct Meeting {
    isa::WarpState* warp = nullptr;
    isa::MeetingPlaces places{};  ///< instruction copy of each arrived thread
    const isa::MicroOp* op = nullptr;
    std::uint32_t named = 0, arrived = 0;
    struct Waiting {
      ContextId context;
      WarpId warp;
      ThreadSet threads;  ///< by position in the machine warp
    };
    std::vector<Waiting> waiting;  ///< threads held for this meeting
  };

  struct Arrived {
    Meeting& meeting;
    std::uint32_t fresh;  ///< threads that arrived for the first time
  };
  /// Threads `mask` of the ISA warp arrive at `op`, which names the threads `named`. Threads may arrive again.
  Arrived arrive(isa::WarpState& warp, const isa::MicroOp& op, std::uint32_t mask, std::uint32_t named) {
    Meeting* meeting = nullptr;
    for (Meeting& other : meetings_) {
      if (other.warp == &warp && other.named == named && isa::same_collective(*other.op, op)) meeting = &other;
    }
    if (meeting == nullptr) {
      meetings_.emplace_back();
      meeting = &meetings_.back();
      meeting->warp = &warp;
      meeting->op = &op;
      meeting->named = named;
    }
    const std::uint32_t fresh = mask & ~meeting->arrived;
    meeting->arrived |= mask;
    for (unsigned lane = 0; lane < isa::kWordThreads; ++lane) {
      if ((mask >> lane & 1) != 0) meeting->places[lane] = &op;
    }
    return {*meeting, fresh};
  }
  /// Whether all live named threads have arrived.
  static bool complete(const Meeting& meeting) { return missing(meeting) == 0; }
  static std::uint32_t missing(const Meeting& meeting) { return meeting.named & meeting.warp->live & ~meeting.arrived; }
  /// A meeting of this ISA warp completed by exits; null if there is none.
  Meeting* completed_by_exit(const isa::WarpState& warp) {
    for (Meeting& meeting : meetings_) {
      if (meeting.warp == &warp && complete(meeting)) return &meeting;
    }
    return nullptr;
  }
  bool open_for(const isa::WarpState& warp) const {
    for (const Meeting& meeting : meetings_) {
      if (meeting.warp == &warp) return true;
    }
    return false;
  }
  const std::vector<Meeting>& open() const { return meetings_; }

  /// Closes a meeting that has taken effect; its threads have yet to issue the instruction. predicates: the collected
  /// predicates, if the operation sums predicates.
  void settle(const Meeting& meeting, std::uint32_t predicates = 0) {
    for (unsigned lane = 0; lane < isa::kWordThreads; ++lane) {
      if ((meeting.arrived >> lane & 1) != 0)
        entry(*meeting.warp, *meeting.places[lane], predicates).left |= 1u << lane;
    }
    const auto i = static_cast<std::size_t>(&meeting - meetings_.data());
    if (i + 1 != meetings_.size()) meetings_[i] = std::move(meetings_.back());
    meetings_.pop_back();
  }
  /// Threads that have yet to issue `op` although it has taken effect for them.
  std::uint32_t settled(const isa::WarpState& warp, const isa::MicroOp& op) const {
    std::uint32_t left = 0;
    for (const Settled& s : settled_) {
      if (s.warp == &warp && s.op == &op) left |= s.left;
    }
    return left;
  }
  /// Threads of `mask` issue `op`; returns those for which it has already taken effect.
  std::uint32_t take_settled(const isa::WarpState& warp, const isa::MicroOp& op, std::uint32_t mask) {
    return take_settled(warp, op, mask, [](std::uint32_t, std::uint32_t) {});
  }
  /// The same; calls visit(threads, predicates) for each set of threads with the same collected predicates.
  template <typename Visit>
  std::uint32_t take_settled(const isa::WarpState& warp, const isa::MicroOp& op, std::uint32_t mask, Visit&& visit) {
    std::uint32_t all = 0;
    for (std::size_t i = 0; i < settled_.size();) {
      Settled& s = settled_[i];
      const std::uint32_t taken = s.warp == &warp && s.op == &op ? s.left & mask : 0;
      if (taken == 0) {
        ++i;
        continue;
      }
      all |= taken;
      visit(taken, s.predicates);
      s.left &= ~taken;
      if (s.left != 0) {
        ++i;
        continue;
      }
      s = settled_.back();
      settled_.pop_back();
    }
    return all;
  }

 private:
  struct Settled {
    const isa::WarpState* warp;
    const isa::MicroOp* op;
    std::uint32_t left, predicates;
  };
  Settled& entry(const isa::WarpState& warp, const isa::MicroOp& op, std::uint32_t predicates) {
    for (Settled& s : settled_) {
      if (s.warp == &warp && s.op == &op && s.predicates == predicates) return s;
    }
    settled_.push_back({&warp, &op, 0, predicates});
    return settled_.back();
  }

  std::vector<Meeting> meetings_;
  std::vector<Settled> settled_;
};

}  // namespace heddle::sm
