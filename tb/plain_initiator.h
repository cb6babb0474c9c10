// SPDX-License-Identifier: Apache-2.0
// A plain TLM-2.0 initiator without any Heddle knowledge: it reads and writes bytes, approximately or loosely timed.
// It shows that any initiator can drive Heddle's caches, crossbar and controller.
#pragma once

#include <tlm_utils/peq_with_cb_and_phase.h>
#include <tlm_utils/simple_initiator_socket.h>

#include <deque>
#include <systemc>
#include <tlm>
#include <vector>

namespace heddle::tb {

class PlainInitiator : public sc_core::sc_module, private tlm::tlm_mm_interface {
 public:
  SC_HAS_PROCESS(PlainInitiator);
  struct Access {
    bool write = false;
    std::uint64_t address = 0;
    std::vector<unsigned char> bytes;    ///< data of a write; for a read sized by the caller and filled on completion
    std::vector<unsigned char> enables;  ///< byte enables; empty: all bytes
    unsigned streaming_width = 0;        ///< 0: all bytes
    // On completion:
    bool done = false;
    tlm::tlm_response_status status = tlm::TLM_INCOMPLETE_RESPONSE;
    sc_core::sc_time begin, end;
  };

  explicit PlainInitiator(sc_core::sc_module_name name)
      : sc_module(name), socket("socket"), queue_(this, &PlainInitiator::due) {
    socket.register_nb_transport_bw(this, &PlainInitiator::nb_transport_bw);
    SC_METHOD(send);
    sensitive << send_;
    dont_initialize();
  }
  ~PlainInitiator() override {
    for (Slot* slot : slots_) delete slot;
  }

  tlm_utils::simple_initiator_socket<PlainInitiator> socket;

  sc_core::sc_time annotated;          ///< delay annotated to every BEGIN_REQ
  bool defers_end_resp = false;        ///< sends END_RESP later instead of with the return value
  sc_core::sc_time response_handling;  ///< delay of a deferred END_RESP
  unsigned most_under_way = 16;

  /// Queues an access; accesses start in order, as soon as the protocol allows. Returns its index.
  std::size_t queue(Access access) {
    accesses_.push_back(std::move(access));
    send_.notify(sc_core::SC_ZERO_TIME);
    return accesses_.size() - 1;
  }
  std::size_t write(std::uint64_t address, std::vector<unsigned char> bytes) {
    return queue({true, address, std::move(bytes), {}});
  }
  std::size_t read(std::uint64_t address, std::size_t count) {
    return queue({false, address, std::vector<unsigned char>(count, 0xee), {}});
  }
  const Access& operator[](std::size_t i) const { return accesses_[i]; }
  std::size_t done() const { return done_; }

  /// Makes a loosely timed access; returns its delay.
  sc_core::sc_time blocking(Access& access) {
    tlm::tlm_generic_payload payload;
    fill(payload, access);
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    socket->b_transport(payload, delay);
    access.status = payload.get_response_status();
    access.done = true;
    return delay;
  }

 private:
  using Payload = tlm::tlm_generic_payload;
  struct Slot {
    explicit Slot(tlm::tlm_mm_interface* mm) : payload(mm) {}
    Payload payload;
    std::size_t access = 0;
  };

  static void fill(Payload& payload, Access& access) {
    payload.set_command(access.write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND);
    payload.set_address(access.address);
    payload.set_data_ptr(access.bytes.data());
    payload.set_data_length(static_cast<unsigned>(access.bytes.size()));
    payload.set_streaming_width(access.streaming_width != 0 ? access.streaming_width
                                                            : static_cast<unsigned>(access.bytes.size()));
    payload.set_byte_enable_ptr(access.enables.empty() ? nullptr : access.enables.data());
    payload.set_byte_enable_length(static_cast<unsigned>(access.enables.size()));
    payload.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
    payload.set_dmi_allowed(false);
  }

  Slot& take() {
    if (idle_.empty()) {
      slots_.push_back(new Slot(this));
      idle_.push_back(slots_.back());
    }
    Slot& slot = *idle_.back();
    idle_.pop_back();
    return slot;
  }
  void free(Payload* payload) override {
    for (Slot* slot : slots_) {
      if (&slot->payload == payload) idle_.push_back(slot);
    }
  }
  Slot& slot_of(Payload& payload) {
    for (Slot* slot : slots_) {
      if (&slot->payload == &payload) return *slot;
    }
    SC_REPORT_FATAL(name(), "a response to another initiator's transaction");
    std::abort();
  }

  void send() {
    while (requesting_ == nullptr && next_ < accesses_.size() && under_way_ < most_under_way) {
      Slot& slot = take();
      slot.access = next_++;
      Access& access = accesses_[slot.access];
      Payload& payload = slot.payload;
      payload.acquire();
      fill(payload, access);
      access.begin = sc_core::sc_time_stamp();
      ++under_way_;
      requesting_ = &payload;
      tlm::tlm_phase phase = tlm::BEGIN_REQ;
      sc_core::sc_time delay = annotated;
      switch (socket->nb_transport_fw(payload, phase, delay)) {
        case tlm::TLM_ACCEPTED:
          break;
        case tlm::TLM_UPDATED:
          queue_.notify(payload, phase, delay);
          break;
        case tlm::TLM_COMPLETED:
          requesting_ = nullptr;
          queue_.notify(payload, tlm::END_RESP, delay);
          break;
      }
    }
  }

  tlm::tlm_sync_enum nb_transport_bw(Payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay) {
    if (phase == tlm::BEGIN_RESP && !defers_end_resp && delay == sc_core::SC_ZERO_TIME) {
      ended(payload);
      return tlm::TLM_COMPLETED;
    }
    queue_.notify(payload, phase, delay + (phase == tlm::BEGIN_RESP ? response_handling : sc_core::SC_ZERO_TIME));
    return tlm::TLM_ACCEPTED;
  }

  void due(Payload& payload, const tlm::tlm_phase& phase) {
    if (phase == tlm::END_REQ) {
      requesting_ = nullptr;
      send_.notify(sc_core::SC_ZERO_TIME);
      return;
    }
    if (phase == tlm::BEGIN_RESP) {
      tlm::tlm_phase end = tlm::END_RESP;
      sc_core::sc_time no_delay = sc_core::SC_ZERO_TIME;
      socket->nb_transport_fw(payload, end, no_delay);
    }
    ended(payload);
  }

  void ended(Payload& payload) {
    if (requesting_ == &payload) requesting_ = nullptr;
    Access& access = accesses_[slot_of(payload).access];
    access.done = true;
    access.status = payload.get_response_status();
    access.end = sc_core::sc_time_stamp();
    ++done_;
    --under_way_;
    payload.release();
    send_.notify(sc_core::SC_ZERO_TIME);
  }

  std::deque<Access> accesses_;
  std::size_t next_ = 0, done_ = 0;
  unsigned under_way_ = 0;
  Payload* requesting_ = nullptr;
  std::vector<Slot*> slots_, idle_;
  sc_core::sc_event send_;
  tlm_utils::peq_with_cb_and_phase<PlainInitiator> queue_;
};

}  // namespace heddle::tb
