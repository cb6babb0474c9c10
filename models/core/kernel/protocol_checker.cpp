// SPDX-License-Identifier: Apache-2.0
#include "core/kernel/protocol_checker.h"

#include <fmt/core.h>

#include <cstring>

#include "core/check_variable.h"
#include "core/error.h"

namespace heddle {

using tlm::tlm_generic_payload;
using tlm::tlm_phase;
using tlm::tlm_sync_enum;

ProtocolChecker::ProtocolChecker(sc_core::sc_module_name name, OnViolation on_violation)
    : sc_module(name), in("in"), out("out"), on_violation_(on_violation) {
  in.bind(*this);
  out.bind(*this);
}

void ProtocolChecker::require(bool holds, const tlm_generic_payload& payload, const char* rule) {
  if (holds || violations_.size() == 100) return;
  violations_.push_back(fmt::format("{} at {}: {} (address {:#x})", name(), sc_core::sc_time_stamp().to_string(), rule,
                                    static_cast<std::uint64_t>(payload.get_address())));
  if (on_violation_ == OnViolation::fail) fail(ExitCode::internal, "TLM protocol violation: {}", violations_.back());
}

ProtocolChecker::Transaction* ProtocolChecker::find(const tlm_generic_payload& payload) {
  auto found = open_.find(&payload);
  return found == open_.end() ? nullptr : &found->second;
}

void ProtocolChecker::attributes(const tlm_generic_payload& payload) {
  const bool ignore = payload.get_command() == tlm::TLM_IGNORE_COMMAND;
  require(ignore || payload.get_data_ptr() != nullptr, payload, "a request without data pointer");
  require(ignore || payload.get_data_length() != 0, payload, "a request of no bytes");
  require(ignore || payload.get_streaming_width() != 0, payload, "a request with streaming width 0");
  require(payload.get_byte_enable_ptr() == nullptr || payload.get_byte_enable_length() != 0, payload,
          "byte enables of length 0");
  require(payload.get_response_status() == tlm::TLM_INCOMPLETE_RESPONSE, payload,
          "a request whose status is not TLM_INCOMPLETE_RESPONSE");
  require(!payload.is_dmi_allowed(), payload, "a request that allows DMI");
}

void ProtocolChecker::unchanged(const tlm_generic_payload& payload, const Transaction& t) {
  require(payload.get_command() == t.command && payload.get_data_ptr() == t.data &&
              payload.get_data_length() == t.length && payload.get_streaming_width() == t.streaming_width &&
              payload.get_byte_enable_ptr() == t.enables && payload.get_byte_enable_length() == t.enable_length,
          payload, "attributes changed between request and response");
  require(t.written.empty() || std::memcmp(t.written.data(), t.data, t.written.size()) == 0, payload,
          "the data of a write changed");
  require(t.enable_bytes.empty() || std::memcmp(t.enable_bytes.data(), t.enables, t.enable_bytes.size()) == 0, payload,
          "byte enables changed");
}

void ProtocolChecker::phase_time(Transaction& transaction, const tlm_generic_payload& payload,
                                 const sc_core::sc_time& delay) {
  const sc_core::sc_time time = sc_core::sc_time_stamp() + delay;
  require(time >= transaction.last, payload, "a phase earlier than the one before it");
  transaction.last = time;
}

/// The parts of a request that no target may change.
ProtocolChecker::Transaction ProtocolChecker::snapshot(const tlm_generic_payload& payload,
                                                       const sc_core::sc_time& delay) {
  Transaction transaction;
  transaction.last = sc_core::sc_time_stamp() + delay;
  transaction.command = payload.get_command();
  transaction.data = payload.get_data_ptr();
  transaction.length = payload.get_data_length();
  transaction.streaming_width = payload.get_streaming_width();
  transaction.enables = payload.get_byte_enable_ptr();
  transaction.enable_length = payload.get_byte_enable_length();
  if (payload.is_write() && transaction.data != nullptr)
    transaction.written.assign(transaction.data, transaction.data + transaction.length);
  if (transaction.enables != nullptr)
    transaction.enable_bytes.assign(transaction.enables, transaction.enables + transaction.enable_length);
  return transaction;
}

void ProtocolChecker::begin_request(tlm_generic_payload& payload, const sc_core::sc_time& delay) {
  require(payload.has_mm(), payload, "a non-blocking request without memory manager");
  require(!payload.has_mm() || payload.get_ref_count() > 0, payload, "a request nobody holds");
  require(find(payload) == nullptr, payload, "BEGIN_REQ of a transaction already in flight");
  require(requesting_ == nullptr, payload, "BEGIN_REQ before the END_REQ of the request before it");
  attributes(payload);
  open_[&payload] = snapshot(payload, delay);
  requesting_ = &payload;
  ++transactions_;
}

void ProtocolChecker::end_request(tlm_generic_payload& payload, const sc_core::sc_time& delay) {
  Transaction* transaction = find(payload);
  require(transaction != nullptr && transaction->state == State::requesting && requesting_ == &payload, payload,
          "END_REQ without BEGIN_REQ");
  require(!payload.has_mm() || payload.get_ref_count() > 0, payload, "a request nobody holds");
  if (requesting_ == &payload) requesting_ = nullptr;
  if (transaction == nullptr) return;
  phase_time(*transaction, payload, delay);
  transaction->state = State::accepted;
}

void ProtocolChecker::begin_response(tlm_generic_payload& payload, const sc_core::sc_time& delay) {
  Transaction* transaction = find(payload);
  require(transaction != nullptr && transaction->state != State::responding, payload,
          "BEGIN_RESP without a pending request");
  require(responding_ == nullptr, payload, "BEGIN_RESP before the END_RESP of the response before it");
  require(payload.get_response_status() != tlm::TLM_INCOMPLETE_RESPONSE, payload, "a response without status");
  require(!payload.has_mm() || payload.get_ref_count() > 0, payload, "a response nobody holds");
  if (requesting_ == &payload) requesting_ = nullptr;  // BEGIN_RESP implies END_REQ
  responding_ = &payload;
  if (transaction == nullptr) return;
  unchanged(payload, *transaction);
  phase_time(*transaction, payload, delay);
  transaction->state = State::responding;
}

void ProtocolChecker::end_response(tlm_generic_payload& payload, const sc_core::sc_time& delay) {
  Transaction* transaction = find(payload);
  require(transaction != nullptr && transaction->state == State::responding && responding_ == &payload, payload,
          "END_RESP without BEGIN_RESP");
  if (responding_ == &payload) responding_ = nullptr;
  if (transaction != nullptr) phase_time(*transaction, payload, delay);
  open_.erase(&payload);
}

tlm_sync_enum ProtocolChecker::nb_transport_fw(tlm_generic_payload& payload, tlm_phase& phase,
                                               sc_core::sc_time& delay) {
  const tlm_phase sent = phase;
  {
    const std::lock_guard lock(mutex_);
    if (sent == tlm::BEGIN_REQ) {
      begin_request(payload, delay);
    } else if (sent == tlm::END_RESP) {
      end_response(payload, delay);
    } else {
      require(false, payload, "an initiator sends BEGIN_REQ and END_RESP only");
    }
  }
  const tlm_sync_enum result = out->nb_transport_fw(payload, phase, delay);
  if (sent == tlm::END_RESP) return result;  // whatever is returned to END_RESP is ignored
  const std::lock_guard lock(mutex_);
  switch (result) {
    case tlm::TLM_ACCEPTED:
      require(phase == sent, payload, "TLM_ACCEPTED with a changed phase");
      break;
    case tlm::TLM_UPDATED:
      if (phase == tlm::END_REQ) {
        end_request(payload, delay);
      } else if (phase == tlm::BEGIN_RESP) {
        begin_response(payload, delay);
      } else {
        require(false, payload, "TLM_UPDATED of BEGIN_REQ gives END_REQ or BEGIN_RESP");
      }
      break;
    case tlm::TLM_COMPLETED:
      begin_response(payload, delay);
      end_response(payload, delay);
      break;
  }
  return result;
}

tlm_sync_enum ProtocolChecker::nb_transport_bw(tlm_generic_payload& payload, tlm_phase& phase,
                                               sc_core::sc_time& delay) {
  const tlm_phase sent = phase;
  if (sent > tlm::END_RESP) {
    {
      const std::lock_guard lock(mutex_);
      const Transaction* const transaction = find(payload);
      require(transaction != nullptr && transaction->state == State::accepted, payload,
              "an ignorable phase outside END_REQ to BEGIN_RESP");
    }
    const tlm_sync_enum answer = in->nb_transport_bw(payload, phase, delay);
    require(answer == tlm::TLM_ACCEPTED && phase == sent, payload, "an ignorable phase is answered by TLM_ACCEPTED");
    return answer;
  }
  {
    const std::lock_guard lock(mutex_);
    if (sent == tlm::END_REQ) {
      end_request(payload, delay);
    } else if (sent == tlm::BEGIN_RESP) {
      begin_response(payload, delay);
    } else {
      require(false, payload, "a target sends END_REQ and BEGIN_RESP only");
    }
  }
  const tlm_sync_enum result = in->nb_transport_bw(payload, phase, delay);
  const std::lock_guard lock(mutex_);
  switch (result) {
    case tlm::TLM_ACCEPTED:
      require(phase == sent, payload, "TLM_ACCEPTED with a changed phase");
      break;
    case tlm::TLM_UPDATED:
      require(sent == tlm::BEGIN_RESP && phase == tlm::END_RESP, payload, "TLM_UPDATED of BEGIN_RESP gives END_RESP");
      end_response(payload, delay);
      break;
    case tlm::TLM_COMPLETED:
      require(sent == tlm::BEGIN_RESP, payload, "TLM_COMPLETED answers BEGIN_RESP only");
      end_response(payload, delay);
      break;
  }
  return result;
}

void ProtocolChecker::b_transport(tlm_generic_payload& payload, sc_core::sc_time& delay) {
  attributes(payload);
  ++transactions_;
  const Transaction transaction = snapshot(payload, delay);
  const sc_core::sc_time before = delay;
  out->b_transport(payload, delay);
  unchanged(payload, transaction);
  require(payload.get_response_status() != tlm::TLM_INCOMPLETE_RESPONSE, payload, "a blocking access without status");
  require(delay >= before, payload, "a blocking access that took time back");
}

unsigned ProtocolChecker::transport_dbg(tlm_generic_payload& payload) {
  const unsigned length = payload.get_data_length();
  const unsigned moved = out->transport_dbg(payload);
  require(moved <= length, payload, "a debug access of more bytes than requested");
  return moved;
}

bool ProtocolChecker::get_direct_mem_ptr(tlm_generic_payload& payload, tlm::tlm_dmi& dmi) {
  const bool granted = out->get_direct_mem_ptr(payload, dmi);
  const std::uint64_t address = payload.get_address();
  require(!granted || (dmi.get_start_address() <= address && address <= dmi.get_end_address()), payload,
          "direct access granted to a range without the address");
  require(!granted || dmi.get_dmi_ptr() != nullptr, payload, "direct access granted without a pointer");
  return granted;
}

bool CheckedConnections::wanted() {
  static const bool wanted = check_wanted("HEDDLE_CHECK_PROTOCOL");
  return wanted;
}

ProtocolChecker& CheckedConnections::add() {
  checkers_.push_back(std::make_unique<ProtocolChecker>(sc_core::sc_gen_unique_name("protocol_checker"),
                                                        ProtocolChecker::OnViolation::fail));
  return *checkers_.back();
}

}  // namespace heddle
