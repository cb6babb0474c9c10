// SPDX-License-Identifier: Apache-2.0
// Instructions defined over the ISA's warp: the named threads meet, then it executes once. Logic only.
#pragma once

#include <cstdint>
#include <vector>

#include "sm/packet.h"

namespace heddle::sm {

class Rendezvous {
 public:
  struct Meeting {
    isa::WarpState* warp = nullptr;
    const isa::MicroOp* op = nullptr;
    std::uint32_t named = 0, arrived = 0;
    struct Waiting {
      ContextId context;
      std::uint16_t warp;  ///< the machine's
      ThreadSet threads;   ///< by place in it
    };
    std::vector<Waiting> waiting;  ///< who is held for it
  };

  /// Threads `mask` of the ISA warp arrive at `op`, which names `named`. Returns the meeting; complete when all named
  /// threads that still live have arrived.
  Meeting& arrive(isa::WarpState& warp, const isa::MicroOp& op, std::uint32_t mask, std::uint32_t named,
                  const Meeting::Waiting& who) {
    Meeting* meeting = nullptr;
    for (Meeting& other : meetings_) {
      if (other.warp == &warp && joins(*other.op, op) && other.named == named) meeting = &other;
    }
    if (meeting == nullptr) {
      meetings_.emplace_back();
      meeting = &meetings_.back();
      meeting->warp = &warp;
      meeting->op = &op;
      meeting->named = named;
    }
    meeting->arrived |= mask;
    meeting->waiting.push_back(who);
    return *meeting;
  }
  static bool complete(const Meeting& meeting) { return (meeting.named & meeting.warp->live & ~meeting.arrived) == 0; }
  /// Meetings of this ISA warp that its exits completed.
  Meeting* completed_by_exit(const isa::WarpState& warp) {
    for (Meeting& meeting : meetings_) {
      if (meeting.warp == &warp && complete(meeting)) return &meeting;
    }
    return nullptr;
  }
  /// Threads whose collective took effect at a meeting and that have yet to issue it.
  void settle(const Meeting& meeting) { settled_.push_back({meeting.warp, meeting.op, meeting.arrived}); }
  bool settled(const isa::WarpState& warp, const isa::MicroOp& op, std::uint32_t mask) const {
    for (const Settled& s : settled_) {
      if (s.warp == &warp && joins(*s.op, op) && (mask & ~s.left) == 0) return true;
    }
    return false;
  }
  /// They issue it: true when it has taken effect already.
  bool take_settled(const isa::WarpState& warp, const isa::MicroOp& op, std::uint32_t mask) {
    for (std::size_t i = 0; i < settled_.size(); ++i) {
      Settled& s = settled_[i];
      if (s.warp != &warp || !joins(*s.op, op) || (mask & ~s.left) != 0) continue;
      s.left &= ~mask;
      if (s.left == 0) {
        s = settled_.back();
        settled_.pop_back();
      }
      return true;
    }
    return false;
  }
  void close(const Meeting& meeting) {
    const std::size_t i = static_cast<std::size_t>(&meeting - meetings_.data());
    if (i + 1 != meetings_.size()) meetings_[i] = std::move(meetings_.back());
    meetings_.pop_back();
  }
  const std::vector<Meeting>& open() const { return meetings_; }

  Meeting* find(const isa::WarpState& warp, const isa::MicroOp& op) {
    for (Meeting& meeting : meetings_) {
      if (meeting.warp == &warp && meeting.op == &op) return &meeting;
    }
    return nullptr;
  }

 private:
  /// A warp barrier is one for all places that name the same threads (PTX ISA, bar.warp.sync); other operations meet at
  /// one place.
  static bool joins(const isa::MicroOp& one, const isa::MicroOp& other) {
    return &one == &other || (one.opcode == isa::Opcode::bar_warp && other.opcode == isa::Opcode::bar_warp);
  }
  struct Settled {
    const isa::WarpState* warp;
    const isa::MicroOp* op;
    std::uint32_t left;
  };
  std::vector<Meeting> meetings_;
  std::vector<Settled> settled_;
};

}  // namespace heddle::sm
