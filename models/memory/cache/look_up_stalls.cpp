// SPDX-License-Identifier: Apache-2.0
#include "memory/cache/look_up_stalls.h"

namespace heddle::memory {

bool LookUpStalls::stall(unsigned number, Stall why, Cycle now, std::uint64_t key) {
  refused(number, now);
  Socket& socket = sockets_[number];
  socket.why = why;
  socket.key = key;
  socket.stalled_from = now;
  ++stalled_;
  return false;
}

void LookUpStalls::wait_for_bank(unsigned number, Cycle now) {
  refused(number, now);
  Socket& socket = sockets_[number];
  if (socket.bank_wait_from == kNever) socket.bank_wait_from = now;
}

void LookUpStalls::refused(unsigned number, Cycle now) {
  if (sockets_.size() == 1 || sockets_[number].refused_from != kNever) return;
  sockets_[number].refused_from = now;
  if (elder_ == kNone) elder_ = number;
}

void LookUpStalls::choose_elder(unsigned served) {
  sockets_[served].refused_from = kNever;
  if (elder_ != served) return;
  elder_ = kNone;
  Cycle from = kNever;
  for (unsigned i = 0; i < sockets_.size(); ++i) {
    if (sockets_[i].refused_from >= from) continue;
    from = sockets_[i].refused_from;
    elder_ = i;
  }
}

bool LookUpStalls::resume_those(Stall why, Cycle now, std::uint64_t key) {
  // These resources free after the look-ups of the cycle.
  const bool next_cycle = why == Stall::miss_queue || why == Stall::replies;
  const bool keyed = why == Stall::merge || why == Stall::ways;
  bool any = false;
  for (Socket& socket : sockets_) {
    if (socket.why != why || (keyed && socket.key != key)) continue;
    charge(why, now + (next_cycle ? 1 : 0) - socket.stalled_from);
    socket.why = Stall::none;
    --stalled_;
    any = next_cycle;
  }
  return any;
}

void LookUpStalls::charge(Stall why, Cycle waited) {
  switch (why) {
    case Stall::miss_table:
      counts_.stalls.miss_table += waited;
      break;
    case Stall::merge:
      counts_.stalls.merge += waited;
      break;
    case Stall::ways:
      counts_.stalls.ways += waited;
      break;
    case Stall::miss_queue:
      counts_.stalls.miss_queue += waited;
      break;
    case Stall::replies:
      counts_.stalls.replies += waited;
      break;
    case Stall::writes:
      counts_.stalls.writes += waited;
      break;
    case Stall::none:
      break;
  }
}

}  // namespace heddle::memory
