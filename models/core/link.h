// SPDX-License-Identifier: Apache-2.0
// A link between two stages: a TLM-2.0 socket pair with protocol traits of its own. What is sent in cycle t is seen in
// t + latency; a credit freed in t is usable in t + 1; without a credit nothing is sent, so a receiver never refuses.
#pragma once

#include <string>
#include <systemc>
#include <tlm>
#include <utility>
#include <vector>

#include "core/clock_gate.h"
#include "core/error.h"

namespace heddle {

struct LinkParameters {
  unsigned width = 1;    ///< transfers a cycle; 1 .. 64
  unsigned latency = 1;  ///< cycles, >= 1
  unsigned capacity =
      0;  ///< transfers in flight and waiting; 0: width x (latency + 1), the least that keeps the width busy
  bool allow_small_capacity = false;
};

enum class LinkPhase : std::uint8_t { transfer, credit };

/// Protocol traits: the payload is the transfer itself, moved out by the receiver.
template <typename T>
struct LinkTypes {
  using tlm_payload_type = T;
  using tlm_phase_type = LinkPhase;
};

template <typename T>
class LinkForward : public virtual tlm::tlm_fw_nonblocking_transport_if<T, LinkPhase> {
 public:
  using protocol_types = LinkTypes<T>;
};

template <typename T>
class LinkBackward : public virtual tlm::tlm_bw_nonblocking_transport_if<T, LinkPhase> {
 public:
  using protocol_types = LinkTypes<T>;
};

template <typename T>
using LinkInitiatorSocket = tlm::tlm_base_initiator_socket<32, LinkForward<T>, LinkBackward<T>>;
template <typename T>
using LinkTargetSocket = tlm::tlm_base_target_socket<32, LinkForward<T>, LinkBackward<T>>;

/// The sending end, owned by a stage.
template <typename T>
class LinkOut final : public LinkBackward<T> {
 public:
  LinkOut(const char* name, ClockGate& gate, unsigned stage) : socket(name), gate_(gate), stage_(stage) {
    socket.bind(*this);
  }

  LinkInitiatorSocket<T> socket;

  /// Transfers that may still be sent in this cycle.
  unsigned room() {
    settle();
    return std::min(credits_, width_ - sent_);
  }
  bool can_send() { return room() != 0; }
  void send(T& transfer) {
    settle();
    if (credits_ == 0 || sent_ == width_) fail(ExitCode::kInternal, "{}: sent without a credit", socket.name());
    --credits_;
    ++sent_;
    LinkPhase phase = LinkPhase::transfer;
    sc_core::sc_time no_delay = sc_core::SC_ZERO_TIME;
    if (to_ == nullptr) to_ = socket.operator->();
    to_->nb_transport_fw(transfer, phase, no_delay);
  }
  /// Called by the receiving end when it is bound, before the first cycle.
  void grant(unsigned credits, unsigned width) {
    credits_ = credits;
    width_ = width;
  }
  /// The stage asks to be woken when there may be room: it found none.
  void wait_for_room() {
    settle();
    // A credit that came earlier in this cycle, or a width that is used up, is no longer announced.
    if (credits_ != 0 || freed_ != 0) {
      gate_.wake(stage_, gate_.now() + 1);
    } else {
      waiting_ = true;
    }
  }

  tlm::tlm_sync_enum nb_transport_bw(T&, LinkPhase&, sc_core::sc_time&) override {
    settle();
    if (freed_at_ != gate_.now()) {
      credits_ += freed_;
      freed_ = 0;
      freed_at_ = gate_.now();
    }
    ++freed_;
    if (waiting_) {
      waiting_ = false;
      gate_.wake(stage_, gate_.now() + 1);
    }
    return tlm::TLM_COMPLETED;
  }

 private:
  void settle() {
    const Cycle now = gate_.now();
    if (cycle_ != now) {
      cycle_ = now;
      sent_ = 0;
    }
    if (freed_ != 0 && freed_at_ < now) {
      credits_ += freed_;
      freed_ = 0;
    }
  }
  ClockGate& gate_;
  LinkForward<T>* to_ = nullptr;  ///< what the socket is bound to: kept here, beside what every transfer looks at
  unsigned stage_;
  unsigned credits_ = 0, width_ = 1, sent_ = 0, freed_ = 0;
  Cycle cycle_ = kNever, freed_at_ = 0;
  bool waiting_ = false;
};

/// The receiving end, owned by a stage: a ring of transfers with the cycle in which each becomes visible.
template <typename T>
class LinkIn final : public LinkForward<T> {
 public:
  LinkIn(const char* name, ClockGate& gate, unsigned stage, LinkParameters parameters)
      : socket(name), gate_(gate), stage_(stage), parameters_(parameters) {
    if (parameters_.width == 0 || parameters_.latency == 0) {
      fail(ExitCode::kConfiguration, "{}: width and latency of a link are at least 1", socket.name());
    }
    const unsigned needed = parameters_.width * (parameters_.latency + 1);
    if (parameters_.capacity == 0) parameters_.capacity = needed;
    if (parameters_.capacity < needed && !parameters_.allow_small_capacity) {
      fail(ExitCode::kConfiguration,
           "{}: capacity {} is less than width x (latency + 1) = {}, which keeps the width busy; set "
           "allow_small_capacity to have it anyway",
           socket.name(), parameters_.capacity, needed);
    }
    ring_.resize(parameters_.capacity);
    socket.bind(*this);
  }

  LinkTargetSocket<T> socket;
  const LinkParameters& parameters() const { return parameters_; }

  /// The oldest transfer that is visible in this cycle; null when there is none.
  T* front() {
    if (count_ == 0) return nullptr;
    Slot& slot = ring_[head_];
    return slot.visible <= gate_.now() ? &slot.value : nullptr;
  }
  /// Takes the oldest away and returns its credit.
  void pop() {
    Slot& slot = ring_[head_];
    head_ = head_ + 1 == ring_.size() ? 0 : head_ + 1;
    --count_;
    LinkPhase phase = LinkPhase::credit;
    sc_core::sc_time no_delay = sc_core::SC_ZERO_TIME;
    if (to_ == nullptr) to_ = socket.operator->();
    to_->nb_transport_bw(slot.value, phase, no_delay);
    if (count_ != 0) gate_.wake(stage_, std::max(ring_[head_].visible, gate_.now() + 1));
  }
  /// A stage that leaves a visible transfer in place asks to look again in the next cycle.
  void look_again() { gate_.wake(stage_, gate_.now() + 1); }
  unsigned occupancy() const { return count_; }
  unsigned capacity() const { return parameters_.capacity; }

  tlm::tlm_sync_enum nb_transport_fw(T& transfer, LinkPhase&, sc_core::sc_time&) override {
    if (count_ == ring_.size()) fail(ExitCode::kInternal, "{}: a transfer without a credit", socket.name());
    std::size_t tail = head_ + count_;
    if (tail >= ring_.size()) tail -= ring_.size();
    Slot& slot = ring_[tail];
    slot.value = std::move(transfer);
    slot.visible = gate_.now() + parameters_.latency;
    if (++count_ == 1) gate_.wake(stage_, slot.visible);
    return tlm::TLM_COMPLETED;
  }

 private:
  struct Slot {
    T value{};
    Cycle visible = 0;
  };
  ClockGate& gate_;
  LinkBackward<T>* to_ = nullptr;  ///< as LinkOut's
  unsigned stage_;
  LinkParameters parameters_;
  std::vector<Slot> ring_;
  std::size_t head_ = 0;
  unsigned count_ = 0;
};

/// Binds the ends and hands out the credits.
template <typename T>
void connect(LinkOut<T>& out, LinkIn<T>& in) {
  out.socket.bind(in.socket);
  out.grant(in.capacity(), in.parameters().width);
}

}  // namespace heddle
