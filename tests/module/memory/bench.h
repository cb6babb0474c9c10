// SPDX-License-Identifier: Apache-2.0
// Shared by tests of memory modules: a clock without a machine, and an initiator that sends timing-only requests at
// chosen cycles and records when they are accepted and answered.
#pragma once

#include <gtest/gtest.h>

#include <map>
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

  StatisticsGroup group(const std::string& name) {
    owners.push_back(std::make_unique<StatisticsOwner>(services.statistics, name, name));
    return {*owners.back(), "main"};
  }
  /// Runs to the end of a cycle.
  void run_to(Cycle cycle) {
    const auto until = clock.time_of(cycle) + sc_core::sc_time(500, sc_core::SC_PS);
    sc_core::sc_start(until - sc_core::sc_time_stamp());
  }
};

struct Shot {
  Cycle at = 0;
  AccessKind kind = AccessKind::load;
  std::uint64_t address = 0;
  unsigned bytes = 128;
  unsigned context = 0;
  bool local = false;
  bool partial = false;
  bool hint = false;
  bool coherent = false;
};

/// Sends requests in order, each not before its cycle, and by default accepts replies as fast as they arrive.
class Shooter final : public sc_core::sc_module, public Clocked, private BaseProtocolOwner {
 public:
  Shooter(sc_core::sc_module_name name, ClockDomain& domain, unsigned number = 0)
      : sc_module(name), out_("out", domain, *this, *this, 0, {2, 1}), domain_(domain), number_(number) {
    domain.add(*this);
  }

  InitiatorSocket& out() { return out_.socket; }

  /// Returns the number of the request.
  std::size_t shoot(const Shot& shot) {
    shots_.push_back(shot);
    sent_.push_back(kNever);
    replied_.push_back(kNever);
    statuses_.push_back(tlm::TLM_INCOMPLETE_RESPONSE);
    domain_.wake(*this, shot.at);
    return shots_.size() - 1;
  }
  std::size_t load(Cycle at, std::uint64_t address, unsigned context = 0, unsigned bytes = 128) {
    return shoot({at, AccessKind::load, address, bytes, context});
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

  void tick() override {
    const Cycle now = domain_.now();
    out_.admit();
    if (now >= replies_from_) {
      while (Payload* payload = out_.front()) {
        const auto number = RequestInfo::of(*payload)->access;
        replied_[number] = now - 1;  // what is visible now arrived in the cycle before
        statuses_[number] = payload->get_response_status();
        ++answers_;
        out_.pop();
        payload->release();
      }
    } else {
      domain_.wake(*this, replies_from_);
    }
    if (next_ < shots_.size() && shots_[next_].at <= now && out_.can_send()) {
      const Shot& shot = shots_[next_];
      const bool write = shot.kind == AccessKind::store || shot.kind == AccessKind::write_back;
      Payload& payload = pool_.take(write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND, shot.address, shot.bytes);
      RequestInfo& info = *RequestInfo::of(payload);
      info.kind = shot.kind;
      info.sm = static_cast<std::uint16_t>(number_);
      info.context = static_cast<std::uint16_t>(shot.context);
      info.local = shot.local;
      info.partial = shot.partial;
      info.keep_row_open = shot.hint;
      info.coherent = shot.coherent;
      info.access = next_;
      sent_[next_++] = now;
      out_.send(payload);
    }
    if (next_ < shots_.size()) {
      if (shots_[next_].at > now + 1) {
        domain_.wake(*this, shots_[next_].at);
      } else {
        out_.wait_to_send();
      }
    }
    out_.sleep();
  }

 private:
  void blocking(unsigned, Payload&, sc_core::sc_time&) override {}
  unsigned debug(unsigned, Payload&) override { return 0; }
  bool direct(unsigned, Payload&, tlm::tlm_dmi&) override { return false; }

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
  Sink(sc_core::sc_module_name name, ClockDomain& domain, Cycle latency, unsigned capacity = 2)
      : sc_module(name), in_("in", domain, *this, *this, 0, {capacity, 1}), domain_(domain), latency_(latency) {
    domain.add(*this);
  }
  TargetSocket& in() { return in_.socket; }
  const std::vector<Seen>& seen() const { return seen_; }
  /// Requests are left waiting before this cycle.
  Cycle takes_from = 0;
  tlm::tlm_response_status status = tlm::TLM_OK_RESPONSE;

  void tick() override {
    const Cycle now = domain_.now();
    in_.admit();
    if (Payload* payload = in_.front()) {
      if (now < takes_from) {
        domain_.wake(*this, takes_from);
      } else {
        in_.pop();
        seen_.push_back({now - 1, payload->get_address(), payload->get_data_length(), *RequestInfo::of(*payload)});
        replies_.emplace_back(payload, now - 1 + latency_);
        if (in_.front() != nullptr) domain_.wake(*this, now + 1);
      }
    }
    in_.sleep();
    if (!replies_.empty() && replies_.front().second <= now && in_.can_respond()) {
      Payload& payload = *replies_.front().first;
      replies_.erase(replies_.begin());
      payload.set_response_status(status);
      in_.respond(payload);
    }
    if (replies_.empty()) return;
    if (replies_.front().second > now) {
      domain_.wake(*this, replies_.front().second);
    } else {
      in_.wait_to_respond();
    }
  }

 private:
  void blocking(unsigned, Payload&, sc_core::sc_time&) override {}
  unsigned debug(unsigned, Payload&) override { return 0; }
  bool direct(unsigned, Payload&, tlm::tlm_dmi&) override { return false; }

  TargetPort in_;
  ClockDomain& domain_;
  Cycle latency_;
  std::vector<Seen> seen_;
  std::vector<std::pair<Payload*, Cycle>> replies_;
};

/// Places a checker between two sockets.
class Checked {
 public:
  template <typename Initiator, typename Target>
  ProtocolChecker& connect(Initiator& initiator, Target& target) {
    checkers_.push_back(std::make_unique<ProtocolChecker>(sc_core::sc_gen_unique_name("checker")));
    initiator.bind(checkers_.back()->in);
    checkers_.back()->out.bind(target);
    return *checkers_.back();
  }
  /// No violations, nothing in flight.
  void expect_silence() const {
    for (const auto& checker : checkers_) {
      for (const auto& violation : checker->violations()) ADD_FAILURE() << violation;
      EXPECT_EQ(checker->outstanding(), 0u) << checker->name();
    }
  }
  std::uint64_t transactions(std::size_t i) const { return checkers_[i]->transactions(); }

 private:
  std::vector<std::unique_ptr<ProtocolChecker>> checkers_;
};

}  // namespace heddle::memory
