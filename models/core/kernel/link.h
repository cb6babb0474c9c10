// SPDX-License-Identifier: Apache-2.0
// A link between two stages: a TLM-2.0 socket pair with protocol traits of its own. What is sent in cycle t is seen in
// t + latency; a credit freed in t is usable in t + 1; without a credit nothing is sent, so a receiver never refuses.
// Credits are granted when elaboration ends, whoever bound the sockets; what is wrong with a binding is an error by
// then.
#pragma once

#include <algorithm>
#include <string>
#include <systemc>
#include <tlm>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/kernel/clock_gate.h"

namespace heddle {

struct LinkParameters {
  unsigned width = 1;    ///< transfers a cycle; 1 .. 64
  unsigned latency = 1;  ///< cycles, >= 1
  unsigned capacity =
      0;  ///< transfers in flight and waiting; 0: width x (latency + 1), the least that keeps the width busy
  bool allow_small_capacity = false;
};

enum class LinkPhase : std::uint8_t { transfer, credit };

/// What a receiver offers its sender.
struct LinkTerms {
  const char* receiver = "";           ///< full name of its socket
  unsigned width = 0;                  ///< transfers a cycle
  unsigned capacity = 0;               ///< credits
  const ClockDomain* clock = nullptr;  ///< whose cycles it counts
};

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
  /// Asked once, when elaboration ends. What sits between two ends hands it on, as it does transfers and credits.
  virtual LinkTerms terms() const = 0;
};

template <typename T>
class LinkBackward : public virtual tlm::tlm_bw_nonblocking_transport_if<T, LinkPhase> {
 public:
  using protocol_types = LinkTypes<T>;
};

/// What one socket of a link leads to, and what is inside where it only hands on. Each at most once; functions throw
/// Error(kConfiguration), which names both ends.
class LinkBinding {
 public:
  enum class Side : std::uint8_t { sends, receives };

  LinkBinding(const sc_core::sc_object& socket, Side side) : socket_(socket), side_(side) {}
  LinkBinding(const LinkBinding&) = delete;
  LinkBinding& operator=(const LinkBinding&) = delete;

  /// The socket is about to be bound to who sends or receives, and not to a socket inside.
  void at_stage() { end_ = inside_ == nullptr; }
  /// A socket of the sending side is about to be bound to one of the receiving side.
  static void pair(LinkBinding& sender, LinkBinding& receiver);
  /// A socket is about to be bound to one of the module around it.
  static void forward(LinkBinding& inner, LinkBinding& outer);
  /// When elaboration ends: the socket is bound. partners: what the kernel bound it to, by whatever way.
  void check_bound(int partners) const;
  /// When elaboration ends, at the sending end: it can work by the terms. width: transfers a cycle that it counts on.
  void check_terms(const LinkTerms& terms, unsigned width, const ClockDomain& clock) const;

 private:
  const LinkBinding* end_inside() const;
  std::string end_name() const;
  std::string far_end_name() const;
  void refuse_second(const LinkBinding& other) const;

  const sc_core::sc_object& socket_;
  LinkBinding* leads_to_ = nullptr;  ///< of the other side, or of the module around
  LinkBinding* inside_ = nullptr;
  Side side_;
  bool end_ = false;  ///< a stage's own
};

/// The socket by which a module around a stage hands on a link that leaves it: bound to from inside first, then bound
/// as the stage's own would be.
template <typename T>
class LinkInitiatorSocket
    : public tlm::tlm_base_initiator_socket<32, LinkForward<T>, LinkBackward<T>, 1, sc_core::SC_ZERO_OR_MORE_BOUND>,
      public LinkBinding {
  using Base = tlm::tlm_base_initiator_socket<32, LinkForward<T>, LinkBackward<T>, 1, sc_core::SC_ZERO_OR_MORE_BOUND>;

 public:
  explicit LinkInitiatorSocket(const char* name) : Base(name), LinkBinding(*this, Side::sends) {}

  using Base::bind;
  void bind(typename Base::base_target_socket_type& receiver) override {
    if (auto* other = dynamic_cast<LinkBinding*>(&receiver)) pair(*this, *other);
    Base::bind(receiver);
  }
  void bind(typename Base::base_type& outer) override {
    if (auto* other = dynamic_cast<LinkBinding*>(&outer)) forward(*this, *other);
    Base::bind(outer);
  }
  void bind(typename Base::bw_interface_type& sender) override {
    at_stage();
    Base::bind(sender);
  }

 protected:
  void end_of_elaboration() override { check_bound(this->size()); }
};

/// The same for a link that enters a module.
template <typename T>
class LinkTargetSocket
    : public tlm::tlm_base_target_socket<32, LinkForward<T>, LinkBackward<T>, 1, sc_core::SC_ZERO_OR_MORE_BOUND>,
      public LinkBinding {
  using Base = tlm::tlm_base_target_socket<32, LinkForward<T>, LinkBackward<T>, 1, sc_core::SC_ZERO_OR_MORE_BOUND>;

 public:
  explicit LinkTargetSocket(const char* name) : Base(name), LinkBinding(*this, Side::receives) {}

  using Base::bind;
  void bind(typename Base::base_initiator_socket_type& sender) override {
    if (auto* other = dynamic_cast<LinkBinding*>(&sender)) pair(*other, *this);
    Base::bind(sender);
  }
  /// `inner`: of the stage inside.
  void bind(typename Base::base_type& inner) override {
    if (auto* other = dynamic_cast<LinkBinding*>(&inner)) forward(*other, *this);
    Base::bind(inner);
  }
  void bind(typename Base::fw_interface_type& receiver) override {
    at_stage();
    Base::bind(receiver);
  }

 protected:
  void end_of_elaboration() override { check_bound(this->size()); }
};

/// The sending end, owned by a stage.
template <typename T>
class LinkOut final : public LinkBackward<T> {
 public:
  /// least_width: transfers a cycle that the stage counts on; a receiver that takes fewer is refused.
  LinkOut(const char* name, ClockGate& gate, unsigned stage, unsigned least_width = 1)
      : socket(name, *this), gate_(gate), stage_(stage), width_(least_width) {
    socket.bind(*this);
  }

 private:
  class Socket final : public LinkInitiatorSocket<T> {
   public:
    Socket(const char* name, LinkOut& owner) : LinkInitiatorSocket<T>(name), owner_(owner) {}

   private:
    void end_of_elaboration() override {
      LinkInitiatorSocket<T>::end_of_elaboration();
      owner_.agree(this->operator->());
    }
    LinkOut& owner_;
  };

 public:
  Socket socket;

  /// Transfers that may still be sent in this cycle.
  unsigned room() {
    settle();
    return std::min(credits_, width_ - sent_);
  }
  bool can_send() { return room() != 0; }
  void send(T& transfer) {
    settle();
    if (credits_ == 0 || sent_ == width_) fail(ExitCode::internal, "{}: sent without a credit", socket.name());
    --credits_;
    ++sent_;
    LinkPhase phase = LinkPhase::transfer;
    sc_core::sc_time no_delay = sc_core::SC_ZERO_TIME;
    to_->nb_transport_fw(transfer, phase, no_delay);
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
    // In a window, the receiver may be ahead.
    if (Outbox::in_window() && Outbox::keeps_and_goes_on(gate_.domain(), [this] { take_credit(); }))
      return tlm::TLM_COMPLETED;
    take_credit();
    return tlm::TLM_COMPLETED;
  }

 private:
  void take_credit() {
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
  }
  /// Elaboration has ended: takes the credits that the receiver grants.
  void agree(LinkForward<T>* receiver) {
    const LinkTerms terms = receiver->terms();
    socket.check_terms(terms, width_, gate_.domain());
    to_ = receiver;
    credits_ = terms.capacity;
    width_ = terms.width;
  }
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
  /// What the socket is bound to: kept here, beside what every transfer looks at, and by the base class that has the
  /// call, which is a virtual one.
  tlm::tlm_fw_nonblocking_transport_if<T, LinkPhase>* to_ = nullptr;
  unsigned stage_;
  unsigned credits_ = 0, width_, sent_ = 0, freed_ = 0;  ///< width_: until elaboration ends what the stage counts on
  Cycle cycle_ = kNever, freed_at_ = 0;
  bool waiting_ = false;
};

/// The receiving end, owned by a stage: a ring of transfers with the cycle in which each becomes visible.
template <typename T>
class LinkIn final : public LinkForward<T> {
 public:
  LinkIn(const char* name, ClockGate& gate, unsigned stage, LinkParameters parameters)
      : socket(name, *this), gate_(gate), stage_(stage), parameters_(parameters) {
    if (parameters_.width == 0 || parameters_.latency == 0) {
      fail(ExitCode::configuration, "{}: width and latency of a link are at least 1", socket.name());
    }
    const unsigned needed = parameters_.width * (parameters_.latency + 1);
    if (parameters_.capacity == 0) parameters_.capacity = needed;
    if (parameters_.capacity < needed && !parameters_.allow_small_capacity) {
      fail(ExitCode::configuration,
           "{}: capacity {} is less than width x (latency + 1) = {}, which keeps the width busy; set "
           "allow_small_capacity to have it anyway",
           socket.name(), parameters_.capacity, needed);
    }
    ring_.resize(parameters_.capacity);
    socket.bind(*this);
  }

 private:
  class Socket final : public LinkTargetSocket<T> {
   public:
    Socket(const char* name, LinkIn& owner) : LinkTargetSocket<T>(name), owner_(owner) {}

   private:
    void end_of_elaboration() override {
      LinkTargetSocket<T>::end_of_elaboration();
      owner_.to_ = this->operator->();
    }
    LinkIn& owner_;
  };

 public:
  Socket socket;
  const LinkParameters& parameters() const { return parameters_; }

  /// Lets a stage with many inputs find those that hold transfers without looking at each: keeps the bit of `bits` set
  /// while this one does. bit: 0 .. 31. Call before the first transfer.
  void watch(std::uint32_t& bits, unsigned bit) {
    watched_ = &bits;
    watched_bit_ = std::uint32_t{1} << bit;
  }

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
    if (--count_ == 0) *watched_ &= ~watched_bit_;
    LinkPhase phase = LinkPhase::credit;
    sc_core::sc_time no_delay = sc_core::SC_ZERO_TIME;
    to_->nb_transport_bw(slot.value, phase, no_delay);
    if (count_ != 0) gate_.wake(stage_, std::max(ring_[head_].visible, gate_.now() + 1));
  }
  /// Calls visit(transfer) for the transfers that are visible in this cycle, oldest first, without taking them.
  template <typename Visit>
  void for_each_visible(Visit&& visit) {
    for (unsigned i = 0; i < count_; ++i) {
      const std::size_t at = head_ + i < ring_.size() ? head_ + i : head_ + i - ring_.size();
      if (ring_[at].visible > gate_.now()) return;
      visit(ring_[at].value);
    }
  }
  /// A stage that leaves a visible transfer in place asks to look again in the next cycle.
  void look_again() { gate_.wake(stage_, gate_.now() + 1); }
  unsigned occupancy() const { return count_; }
  unsigned capacity() const { return parameters_.capacity; }

  LinkTerms terms() const override { return {socket.name(), parameters_.width, parameters_.capacity, &gate_.domain()}; }

  tlm::tlm_sync_enum nb_transport_fw(T& transfer, LinkPhase&, sc_core::sc_time&) override {
    if (count_ == ring_.size()) fail(ExitCode::internal, "{}: a transfer without a credit", socket.name());
    std::size_t tail = head_ + count_;
    if (tail >= ring_.size()) tail -= ring_.size();
    Slot& slot = ring_[tail];
    slot.value = std::move(transfer);
    slot.visible = (Outbox::in_window() ? Outbox::present(gate_.domain()) : gate_.now()) + parameters_.latency;
    if (++count_ == 1) announce();
    return tlm::TLM_COMPLETED;
  }

 private:
  /// Tells the stage of the first transfer.
  void announce() {
    if (Outbox::keeps(gate_.domain(), [this] { announce(); })) return;
    if (Outbox::in_window() && ring_[head_].visible <= gate_.now())
      fail(ExitCode::internal, "{}: its stage is ahead of what is sent to it", socket.name());
    *watched_ |= watched_bit_;
    gate_.wake(stage_, ring_[head_].visible);
  }
  struct Slot {
    T value{};
    Cycle visible = 0;
  };
  ClockGate& gate_;
  tlm::tlm_bw_nonblocking_transport_if<T, LinkPhase>* to_ = nullptr;  ///< as LinkOut's
  unsigned stage_;
  LinkParameters parameters_;
  std::vector<Slot> ring_;
  std::size_t head_ = 0;
  unsigned count_ = 0;
  std::uint32_t unwatched_ = 0, watched_bit_ = 0;
  std::uint32_t* watched_ = &unwatched_;
};

/// Binds the ends; binding their sockets is the same.
template <typename T>
void connect(LinkOut<T>& out, LinkIn<T>& in) {
  out.socket.bind(in.socket);
}

}  // namespace heddle
