// SPDX-License-Identifier: Apache-2.0
// A TLM-2.0 base protocol checker between any two sockets. It forwards everything, without changing time or order, and
// records violations of IEEE 1666-2011, 11.1.3 and 14 to 16.
//
// When environment variable HEDDLE_CHECK_PROTOCOL is 1, as in the tests, machines insert one into every connection of
// their memory side, and the first violation ends the run.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <systemc>
#include <tlm>
#include <unordered_map>
#include <vector>

namespace heddle {

class ProtocolChecker final : public sc_core::sc_module,
                              private tlm::tlm_fw_transport_if<>,
                              private tlm::tlm_bw_transport_if<> {
 public:
  /// Reaction to a violation: record it, or record it and throw Error(kInternal) from the offending call.
  enum class OnViolation : std::uint8_t { note, fail };
  explicit ProtocolChecker(sc_core::sc_module_name name, OnViolation on_violation = OnViolation::note);

  tlm::tlm_target_socket<> in;      ///< bound by the initiator
  tlm::tlm_initiator_socket<> out;  ///< bound to the target

  /// The first 100 violations, in order.
  const std::vector<std::string>& violations() const { return violations_; }
  /// Transactions in flight.
  std::size_t outstanding() const { return open_.size(); }
  /// Transactions forwarded, non-blocking and blocking.
  std::uint64_t transactions() const { return transactions_; }

 private:
  enum class State : std::uint8_t { requesting, accepted, responding };
  struct Transaction {
    State state = State::requesting;
    sc_core::sc_time last;  ///< time of its latest phase, including annotated delay
    tlm::tlm_command command;
    unsigned char* data;
    unsigned length, streaming_width;
    unsigned char* enables;
    unsigned enable_length;
    std::vector<unsigned char> written;  ///< data of a write and its byte enables, which no target may change
    std::vector<unsigned char> enable_bytes;
  };

  tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay) override;
  tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay) override;
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) override;
  unsigned transport_dbg(tlm::tlm_generic_payload& payload) override;
  bool get_direct_mem_ptr(tlm::tlm_generic_payload& payload, tlm::tlm_dmi& dmi) override;
  void invalidate_direct_mem_ptr(sc_dt::uint64 first, sc_dt::uint64 last) override {
    in->invalidate_direct_mem_ptr(first, last);
  }

  void require(bool holds, const tlm::tlm_generic_payload& payload, const char* rule);
  void attributes(const tlm::tlm_generic_payload& payload);
  static Transaction snapshot(const tlm::tlm_generic_payload& payload, const sc_core::sc_time& delay);
  void begin_request(tlm::tlm_generic_payload& payload, const sc_core::sc_time& delay);
  void end_request(tlm::tlm_generic_payload& payload, const sc_core::sc_time& delay);
  void begin_response(tlm::tlm_generic_payload& payload, const sc_core::sc_time& delay);
  void end_response(tlm::tlm_generic_payload& payload, const sc_core::sc_time& delay);
  Transaction* find(const tlm::tlm_generic_payload& payload);
  void unchanged(const tlm::tlm_generic_payload& payload, const Transaction& transaction);
  void phase_time(Transaction& transaction, const tlm::tlm_generic_payload& payload, const sc_core::sc_time& delay);

  OnViolation on_violation_;
  std::mutex mutex_;  ///< its two ends may work on several threads
  std::unordered_map<const tlm::tlm_generic_payload*, Transaction> open_;
  const tlm::tlm_generic_payload* requesting_ = nullptr;
  const tlm::tlm_generic_payload* responding_ = nullptr;
  std::vector<std::string> violations_;
  std::uint64_t transactions_ = 0;
};

/// Connections of a machine's memory side: direct, or through a failing checker each when checking is enabled.
class CheckedConnections {
 public:
  /// Whether HEDDLE_CHECK_PROTOCOL is set.
  static bool wanted();

  template <typename Initiator, typename Target>
  void connect(Initiator& initiator, Target& target) {
    if (!wanted()) {
      bind(initiator, target);
      return;
    }
    ProtocolChecker& checker = add();
    bind(initiator, checker.in);
    checker.out.bind(target);
  }
  /// In order of connection; empty when checking is disabled.
  const std::vector<std::unique_ptr<ProtocolChecker>>& checkers() const { return checkers_; }

 private:
  /// Sockets of a kind that is known, or known by their interface alone.
  template <typename Initiator, typename Target>
  static void bind(Initiator& initiator, Target& target) {
    if constexpr (requires { initiator.bind(target); }) {
      initiator.bind(target);
    } else {
      initiator.get_base_port()(target.get_base_interface());
      target.get_base_port()(initiator.get_base_interface());
    }
  }
  ProtocolChecker& add();
  std::vector<std::unique_ptr<ProtocolChecker>> checkers_;
};

}  // namespace heddle
