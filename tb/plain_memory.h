// SPDX-License-Identifier: Apache-2.0
// A plain TLM-2.0 memory without any Heddle knowledge: data, a fixed latency, and every response style the base
// protocol permits. It shows that any memory can be bound below Heddle's caches and crossbar.
#pragma once

#include <tlm_utils/peq_with_cb_and_phase.h>
#include <tlm_utils/simple_target_socket.h>

#include <cstring>
#include <systemc>
#include <tlm>
#include <vector>

namespace heddle::tb {

class PlainMemory : public sc_core::sc_module {
 public:
  enum class Style {
    completes,        ///< TLM_COMPLETED to BEGIN_REQ, latency annotated
    early_response,   ///< TLM_UPDATED with BEGIN_RESP, latency annotated
    accepts_at_once,  ///< TLM_UPDATED with END_REQ, BEGIN_RESP later
    four_phases,      ///< TLM_ACCEPTED, END_REQ later, BEGIN_RESP later
    skips_end_req,    ///< TLM_ACCEPTED, BEGIN_RESP later, which implies END_REQ
  };

  /// Whether debug transport, optional in the standard, is registered.
  enum class Debug { registered, none };

  PlainMemory(sc_core::sc_module_name name, std::uint64_t bytes, Style style, const sc_core::sc_time& latency,
              Debug debug = Debug::registered)
      : sc_module(name),
        socket("socket"),
        style_(style),
        latency_(latency),
        bytes_(bytes),
        queue_(this, &PlainMemory::due) {
    socket.register_nb_transport_fw(this, &PlainMemory::nb_transport_fw);
    socket.register_b_transport(this, &PlainMemory::b_transport);
    if (debug == Debug::registered) socket.register_transport_dbg(this, &PlainMemory::transport_dbg);
    socket.register_get_direct_mem_ptr(this, &PlainMemory::get_direct_mem_ptr);
  }

  tlm_utils::simple_target_socket<PlainMemory> socket;

  bool refuses_byte_enables = false;
  bool grants_dmi = true;
  std::vector<unsigned char>& bytes() { return bytes_; }
  unsigned reads() const { return reads_; }
  unsigned writes() const { return writes_; }
  unsigned refused() const { return refused_; }

 private:
  using Payload = tlm::tlm_generic_payload;

  tlm::tlm_sync_enum nb_transport_fw(Payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay) {
    if (phase == tlm::END_RESP) {
      responding_ = false;
      payload.release();
      respond_next();
      return tlm::TLM_COMPLETED;
    }
    switch (style_) {
      case Style::completes:
        access(payload);
        delay += latency_;
        return tlm::TLM_COMPLETED;
      case Style::early_response:
        if (responding_) break;  // one response at a time
        payload.acquire();
        access(payload);
        delay += latency_;
        phase = tlm::BEGIN_RESP;
        responding_ = true;
        return tlm::TLM_UPDATED;
      case Style::accepts_at_once:
        payload.acquire();
        queue_.notify(payload, tlm::BEGIN_RESP, delay + latency_);
        phase = tlm::END_REQ;
        return tlm::TLM_UPDATED;
      case Style::four_phases:
        payload.acquire();
        queue_.notify(payload, tlm::END_REQ, delay + latency_ / 2);
        queue_.notify(payload, tlm::BEGIN_RESP, delay + latency_);
        return tlm::TLM_ACCEPTED;
      case Style::skips_end_req:
        break;
    }
    payload.acquire();
    queue_.notify(payload, tlm::BEGIN_RESP, delay + latency_);
    return tlm::TLM_ACCEPTED;
  }

  void due(Payload& payload, const tlm::tlm_phase& phase) {
    if (phase == tlm::END_REQ) {
      tlm::tlm_phase sent = tlm::END_REQ;
      sc_core::sc_time no_delay = sc_core::SC_ZERO_TIME;
      socket->nb_transport_bw(payload, sent, no_delay);
      return;
    }
    access(payload);
    ready_.push_back(&payload);
    respond_next();
  }

  void respond_next() {
    while (!responding_ && !ready_.empty()) {
      Payload& payload = *ready_.front();
      ready_.erase(ready_.begin());
      responding_ = true;
      tlm::tlm_phase sent = tlm::BEGIN_RESP;
      sc_core::sc_time no_delay = sc_core::SC_ZERO_TIME;
      const auto answer = socket->nb_transport_bw(payload, sent, no_delay);
      if (answer == tlm::TLM_ACCEPTED) return;
      responding_ = false;
      payload.release();
    }
  }

  void b_transport(Payload& payload, sc_core::sc_time& delay) {
    access(payload);
    delay += latency_;
  }

  void access(Payload& payload) {
    const std::uint64_t address = payload.get_address();
    const unsigned length = payload.get_data_length();
    const unsigned char* const enables = payload.get_byte_enable_ptr();
    if (enables != nullptr && refuses_byte_enables) {
      ++refused_;
      payload.set_response_status(tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE);
      return;
    }
    if (address + length > bytes_.size()) {
      payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
      return;
    }
    ++(payload.is_write() ? writes_ : reads_);
    for (unsigned i = 0; i < length; ++i) {
      if (enables != nullptr && enables[i % payload.get_byte_enable_length()] != TLM_BYTE_ENABLED) continue;
      unsigned char& mine = bytes_[address + i % payload.get_streaming_width()];
      unsigned char& theirs = payload.get_data_ptr()[i];
      payload.is_write() ? mine = theirs : theirs = mine;
    }
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
  }

  unsigned transport_dbg(Payload& payload) {
    const std::uint64_t address = payload.get_address();
    if (address >= bytes_.size()) return 0;
    const auto count =
        static_cast<unsigned>(std::min<std::uint64_t>(payload.get_data_length(), bytes_.size() - address));
    if (payload.is_write()) {
      std::memcpy(&bytes_[address], payload.get_data_ptr(), count);
    } else {
      std::memcpy(payload.get_data_ptr(), &bytes_[address], count);
    }
    return count;
  }

  bool get_direct_mem_ptr(Payload&, tlm::tlm_dmi& dmi) {
    if (!grants_dmi) return false;
    dmi.set_dmi_ptr(bytes_.data());
    dmi.set_start_address(0);
    dmi.set_end_address(bytes_.size() - 1);
    dmi.allow_read_write();
    return true;
  }

  Style style_;
  sc_core::sc_time latency_;
  std::vector<unsigned char> bytes_;
  tlm_utils::peq_with_cb_and_phase<PlainMemory> queue_;
  std::vector<Payload*> ready_;
  bool responding_ = false;
  unsigned reads_ = 0, writes_ = 0, refused_ = 0;
};

}  // namespace heddle::tb
