// SPDX-License-Identifier: Apache-2.0
// Shared by tests of memory modules: a clock without a machine, and an initiator that sends timing-only requests at
// chosen cycles and records when they are accepted and answered.
#pragma once

#include <memory>
#include <string>
#include <systemc>
#include <vector>

#include "core/kernel/base_port.h"
#include "core/kernel/payload.h"
#include "core/kernel/protocol_checker.h"
#include "core/kernel/services.h"

namespace heddle::memory {

/// One clock of 1 GHz, statistics, services.
struct Bench {
  ClockTree tree;
  ClockDomain clock{"clock", tree, 1000000};
  Services services;
  std::vector<std::unique_ptr<StatisticsOwner>> owners;

  Bench();
  ~Bench();
  StatisticsGroup group(const std::string& name);
  /// Runs to the end of a cycle.
  void run_to(Cycle cycle);
};

struct Shot {
  Cycle at = 0;
  AccessKind kind = AccessKind::load;
  std::uint64_t address = 0;
  unsigned bytes = 128;
  unsigned warp = 0;
  bool local = false;
  bool partial = false;
  bool hint = false;
  bool coherent = false;
};

/// Sends requests in order, each not before its cycle, and by default accepts replies as fast as they arrive.
class Shooter final : public sc_core::sc_module, public Clocked, private BaseProtocolOwner {
 public:
  Shooter(sc_core::sc_module_name name, ClockDomain& domain, unsigned number = 0);
  ~Shooter() override;

  InitiatorSocket& out() { return out_.socket; }

  /// Returns the number of the request.
  std::size_t shoot(const Shot& shot);
  std::size_t load(Cycle at, std::uint64_t address, unsigned warp = 0, unsigned bytes = 128) {
    return shoot({at, AccessKind::load, address, bytes, warp});
  }
  std::size_t store(Cycle at, std::uint64_t address, bool local = false, unsigned bytes = 128) {
    return shoot({at, AccessKind::store, address, bytes, 0, local});
  }

  /// Cycle of BEGIN_REQ, and of BEGIN_RESP.
  Cycle sent(std::size_t i) const { return sent_[i]; }
  Cycle replied(std::size_t i) const { return replied_[i]; }
  Cycle latency(std::size_t i) const { return replied_[i] - sent_[i]; }
  tlm::tlm_response_status status(std::size_t i) const { return statuses_[i]; }
  std::size_t answers() const { return answers_; }
  bool all_answered() const { return answers_ == shots_.size(); }
  /// Replies are left waiting before this cycle.
  void take_replies_from(Cycle cycle) { replies_from_ = cycle; }
  PayloadPool& pool() { return pool_; }

  void tick() override;

 private:
  void blocking(unsigned, Payload&, sc_core::sc_time&) override;
  unsigned debug(unsigned, Payload&) override;
  bool direct(unsigned, Payload&, tlm::tlm_dmi&) override;

  InitiatorPort out_;
  ClockDomain& domain_;
  unsigned number_;
  PayloadPool pool_;
  std::vector<Shot> shots_;
  std::vector<Cycle> sent_, replied_;
  std::vector<tlm::tlm_response_status> statuses_;
  std::size_t next_ = 0, answers_ = 0;
  Cycle replies_from_ = 0;
};

/// A target that records requests and answers after a fixed number of cycles, one request per cycle.
class Sink final : public sc_core::sc_module, public Clocked, private BaseProtocolOwner {
 public:
  struct Seen {
    Cycle cycle;  ///< of BEGIN_REQ
    std::uint64_t address;
    unsigned bytes;
    RequestInfo info;
  };
  Sink(sc_core::sc_module_name name, ClockDomain& domain, Cycle latency, unsigned capacity = 2);
  ~Sink() override;
  TargetSocket& in() { return in_.socket; }
  const std::vector<Seen>& seen() const { return seen_; }
  /// Requests are left waiting before this cycle.
  Cycle takes_from = 0;
  tlm::tlm_response_status status = tlm::TLM_OK_RESPONSE;

  void tick() override;

 private:
  void blocking(unsigned, Payload&, sc_core::sc_time&) override;
  unsigned debug(unsigned, Payload&) override;
  bool direct(unsigned, Payload&, tlm::tlm_dmi&) override;

  TargetPort in_;
  ClockDomain& domain_;
  Cycle latency_;
  std::vector<Seen> seen_;
  std::vector<std::pair<Payload*, Cycle>> replies_;
};

/// Places a checker between two sockets.
class Checked {
 public:
  Checked();
  ~Checked();
  template <typename Initiator, typename Target>
  ProtocolChecker& connect(Initiator& initiator, Target& target) {
    ProtocolChecker& checker = add();
    initiator.bind(checker.in);
    checker.out.bind(target);
    return checker;
  }
  /// No violations, nothing in flight.
  void expect_silence() const;
  std::uint64_t transactions(std::size_t i) const { return checkers_[i]->transactions(); }

 private:
  ProtocolChecker& add();

  std::vector<std::unique_ptr<ProtocolChecker>> checkers_;
};

}  // namespace heddle::memory
