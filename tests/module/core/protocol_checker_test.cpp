// SPDX-License-Identifier: Apache-2.0
// Every rule of the checker, violated once by an initiator or target that is otherwise correct.
#include "core/kernel/protocol_checker.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <functional>

#include "core/error.h"
#include "core/kernel/payload.h"

namespace heddle {
namespace {

using sc_core::sc_time;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using tlm::tlm_phase;
using tlm::tlm_sync_enum;
using Payload = tlm::tlm_generic_payload;

/// Answers as instructed.
struct Target final : sc_core::sc_module, private tlm::tlm_fw_transport_if<> {
  explicit Target(sc_core::sc_module_name name) : sc_module(name), socket("socket") { socket.bind(*this); }
  tlm::tlm_target_socket<> socket;
  std::function<tlm_sync_enum(Payload&, tlm_phase&, sc_time&)> forward = [](Payload&, tlm_phase&, sc_time&) {
    return tlm::TLM_ACCEPTED;
  };
  std::function<void(Payload&, sc_time&)> blocking = [](Payload& p, sc_time&) {
    p.set_response_status(tlm::TLM_OK_RESPONSE);
  };
  unsigned debug_moves = 0;
  std::function<bool(tlm::tlm_dmi&)> direct = [](tlm::tlm_dmi&) { return false; };
  /// Sends a phase backwards.
  tlm_sync_enum send(Payload& payload, tlm_phase phase, sc_time delay = {}) {
    return socket->nb_transport_bw(payload, phase, delay);
  }
  tlm_sync_enum respond(Payload& payload) {
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
    return send(payload, tlm::BEGIN_RESP);
  }

 private:
  tlm_sync_enum nb_transport_fw(Payload& payload, tlm_phase& phase, sc_time& delay) override {
    return forward(payload, phase, delay);
  }
  void b_transport(Payload& payload, sc_time& delay) override { blocking(payload, delay); }
  unsigned transport_dbg(Payload&) override { return debug_moves; }
  bool get_direct_mem_ptr(Payload&, tlm::tlm_dmi& dmi) override { return direct(dmi); }
};

struct Initiator final : sc_core::sc_module, private tlm::tlm_bw_transport_if<> {
  explicit Initiator(sc_core::sc_module_name name) : sc_module(name), socket("socket") { socket.bind(*this); }
  tlm::tlm_initiator_socket<> socket;
  std::function<tlm_sync_enum(Payload&, tlm_phase&, sc_time&)> backward = [](Payload&, tlm_phase&, sc_time&) {
    return tlm::TLM_ACCEPTED;
  };
  tlm_sync_enum send(Payload& payload, tlm_phase phase, sc_time delay = {}) {
    return socket->nb_transport_fw(payload, phase, delay);
  }

 private:
  tlm_sync_enum nb_transport_bw(Payload& payload, tlm_phase& phase, sc_time& delay) override {
    return backward(payload, phase, delay);
  }
  void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}
};

struct Keeper final : tlm::tlm_mm_interface {
  void free(Payload*) override {}
};

class CheckerTest : public ::testing::Test {
 protected:
  CheckerTest() {
    initiator.socket.bind(checker.in);
    checker.out.bind(target.socket);
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
  }
  /// A legal write of four bytes with one reference.
  Payload& write(bool managed = true, bool held = true) {
    kept_.push_back(managed ? std::make_unique<Payload>(&keeper_) : std::make_unique<Payload>());
    Payload& payload = *kept_.back();
    if (held && managed) payload.acquire();
    payload.set_command(tlm::TLM_WRITE_COMMAND);
    payload.set_data_ptr(data);
    payload.set_data_length(4);
    payload.set_streaming_width(4);
    payload.set_byte_enable_ptr(enables);
    payload.set_byte_enable_length(1);
    return payload;
  }
  Payload& begun() {
    Payload& payload = write();
    initiator.send(payload, tlm::BEGIN_REQ);
    return payload;
  }
  Payload& accepted() {
    Payload& payload = begun();
    target.send(payload, tlm::END_REQ);
    return payload;
  }
  Payload& responding() {
    Payload& payload = accepted();
    target.respond(payload);
    return payload;
  }
  void target_answers(tlm_sync_enum sync, tlm_phase phase = tlm::UNINITIALIZED_PHASE, bool status = true) {
    target.forward = [=](Payload& payload, tlm_phase& p, sc_time&) {
      if (status) payload.set_response_status(tlm::TLM_OK_RESPONSE);
      if (phase != tlm::UNINITIALIZED_PHASE) p = phase;
      return sync;
    };
  }
  /// The first violation.
  std::string broken() const { return checker.violations().empty() ? "" : checker.violations().front(); }

  unsigned char data[4] = {1, 2, 3, 4}, enables[1] = {TLM_BYTE_ENABLED};
  Initiator initiator{"initiator"};
  ProtocolChecker checker{"checker"};
  Target target{"target"};

 private:
  Keeper keeper_;
  std::vector<std::unique_ptr<Payload>> kept_;
};

TEST_F(CheckerTest, AProtocolThatIsKeptIsSilent) {
  initiator.send(responding(), tlm::END_RESP);
  Payload& skips = begun();  // BEGIN_RESP stands for END_REQ
  target.respond(skips);
  initiator.send(skips, tlm::END_RESP);
  initiator.backward = [](Payload&, tlm_phase& phase, sc_time&) {
    if (phase == tlm::END_REQ) return tlm::TLM_ACCEPTED;
    phase = tlm::END_RESP;
    return tlm::TLM_UPDATED;
  };
  target.respond(accepted());
  target_answers(tlm::TLM_COMPLETED);
  begun();
  target_answers(tlm::TLM_UPDATED, tlm::END_REQ, false);
  Payload& early = begun();
  target.respond(early);
  sc_time delay;
  initiator.socket->b_transport(write(false), delay);
  EXPECT_THAT(checker.violations(), IsEmpty());
  EXPECT_EQ(checker.outstanding(), 0u);
  EXPECT_EQ(checker.transactions(), 6u);
}

TEST_F(CheckerTest, ARequestHasItsAttributes) {
  const auto with = [&](const std::function<void(Payload&)>& change) {
    Payload& payload = write();
    change(payload);
    const std::size_t before = checker.violations().size();
    sc_time delay;
    initiator.socket->b_transport(payload, delay);
    return checker.violations().size() == before ? std::string() : checker.violations()[before];
  };
  EXPECT_THAT(with([](Payload& p) { p.set_data_ptr(nullptr); }), HasSubstr("without data pointer"));
  EXPECT_THAT(with([](Payload& p) { p.set_data_length(0); }), HasSubstr("of no bytes"));
  EXPECT_THAT(with([](Payload& p) { p.set_streaming_width(0); }), HasSubstr("streaming width 0"));
  EXPECT_THAT(with([](Payload& p) { p.set_byte_enable_length(0); }), HasSubstr("byte enables of length 0"));
  EXPECT_THAT(with([](Payload& p) { p.set_response_status(tlm::TLM_OK_RESPONSE); }), HasSubstr("status is not"));
  EXPECT_THAT(with([](Payload& p) { p.set_dmi_allowed(true); }), HasSubstr("allows DMI"));
  EXPECT_EQ(with([](Payload&) {}), "");
}

TEST_F(CheckerTest, ARequestHasAMemoryManager) {
  initiator.send(write(false), tlm::BEGIN_REQ);
  EXPECT_THAT(broken(), HasSubstr("without memory manager"));
}

TEST_F(CheckerTest, ARequestIsHeldBySomebody) {
  initiator.send(write(true, false), tlm::BEGIN_REQ);
  EXPECT_THAT(broken(), HasSubstr("a request nobody holds"));
}

TEST_F(CheckerTest, APayloadFreedBeforeItIsAcceptedIsSeen) {
  Payload& payload = begun();
  payload.release();
  target.send(payload, tlm::END_REQ);
  EXPECT_THAT(broken(), HasSubstr("a request nobody holds"));
}

TEST_F(CheckerTest, APayloadFreedBeforeItsResponseIsSeen) {
  Payload& payload = accepted();
  payload.release();
  target.respond(payload);
  EXPECT_THAT(broken(), HasSubstr("a response nobody holds"));
}

TEST_F(CheckerTest, ATransactionUnderWayIsNotBegunAgain) {
  Payload& payload = accepted();
  initiator.send(payload, tlm::BEGIN_REQ);
  EXPECT_THAT(broken(), HasSubstr("BEGIN_REQ of a transaction already in flight"));
}

TEST_F(CheckerTest, OneRequestAtATime) {
  begun();
  begun();
  EXPECT_THAT(broken(), HasSubstr("BEGIN_REQ before the END_REQ"));
}

TEST_F(CheckerTest, OneResponseAtATime) {
  Payload& first = accepted();
  Payload& second = accepted();
  target.respond(first);
  target.respond(second);
  EXPECT_THAT(broken(), HasSubstr("BEGIN_RESP before the END_RESP"));
}

TEST_F(CheckerTest, EndReqFollowsBeginReq) {
  target.send(write(), tlm::END_REQ);
  EXPECT_THAT(broken(), HasSubstr("END_REQ without BEGIN_REQ"));
}

TEST_F(CheckerTest, AResponseFollowsARequest) {
  target.respond(write());
  EXPECT_THAT(broken(), HasSubstr("BEGIN_RESP without a pending request"));
}

TEST_F(CheckerTest, AResponseIsSentOnce) {
  Payload& payload = responding();
  target.respond(payload);
  EXPECT_THAT(broken(), HasSubstr("BEGIN_RESP without a pending request"));
}

TEST_F(CheckerTest, AnIgnorablePhaseBelongsToARequestUnderWay) {
  target.send(responding(), LINE_MISSED);
  EXPECT_THAT(broken(), HasSubstr("an ignorable phase outside END_REQ to BEGIN_RESP"));
}

TEST_F(CheckerTest, AResponseHasAStatus) {
  target.send(accepted(), tlm::BEGIN_RESP);
  EXPECT_THAT(broken(), HasSubstr("a response without status"));
}

TEST_F(CheckerTest, EndRespFollowsBeginResp) {
  initiator.send(accepted(), tlm::END_RESP);
  EXPECT_THAT(broken(), HasSubstr("END_RESP without BEGIN_RESP"));
}

TEST_F(CheckerTest, AnInitiatorSendsItsOwnPhases) {
  initiator.send(write(), tlm::END_REQ);
  EXPECT_THAT(broken(), HasSubstr("an initiator sends BEGIN_REQ and END_RESP only"));
}

TEST_F(CheckerTest, ATargetSendsItsOwnPhases) {
  target.send(accepted(), tlm::END_RESP);
  EXPECT_THAT(broken(), HasSubstr("a target sends END_REQ and BEGIN_RESP only"));
}

TEST_F(CheckerTest, AcceptedLeavesThePhaseToTarget) {
  target_answers(tlm::TLM_ACCEPTED, tlm::END_REQ, false);
  begun();
  EXPECT_THAT(broken(), HasSubstr("TLM_ACCEPTED with a changed phase"));
}

TEST_F(CheckerTest, AcceptedLeavesThePhaseToInitiator) {
  Payload& payload = accepted();
  initiator.backward = [](Payload&, tlm_phase& phase, sc_time&) {
    phase = tlm::END_RESP;
    return tlm::TLM_ACCEPTED;
  };
  target.respond(payload);
  EXPECT_THAT(broken(), HasSubstr("TLM_ACCEPTED with a changed phase"));
}

TEST_F(CheckerTest, AnUpdatedRequestIsAcceptedOrAnswered) {
  target_answers(tlm::TLM_UPDATED, tlm::END_RESP);
  begun();
  EXPECT_THAT(broken(), HasSubstr("TLM_UPDATED of BEGIN_REQ gives END_REQ or BEGIN_RESP"));
}

TEST_F(CheckerTest, AnUpdatedResponseIsEnded) {
  Payload& payload = accepted();
  initiator.backward = [](Payload&, tlm_phase& phase, sc_time&) {
    phase = tlm::END_REQ;
    return tlm::TLM_UPDATED;
  };
  target.respond(payload);
  EXPECT_THAT(broken(), HasSubstr("TLM_UPDATED of BEGIN_RESP gives END_RESP"));
}

TEST_F(CheckerTest, OnlyAResponseIsCompletedByAnInitiator) {
  initiator.backward = [](Payload&, tlm_phase&, sc_time&) { return tlm::TLM_COMPLETED; };
  target.send(begun(), tlm::END_REQ);
  EXPECT_THAT(broken(), HasSubstr("TLM_COMPLETED answers BEGIN_RESP only"));
}

TEST_F(CheckerTest, TimeDoesNotGoBack) {
  Payload& payload = write();
  initiator.send(payload, tlm::BEGIN_REQ, sc_time(10, sc_core::SC_NS));
  target.send(payload, tlm::END_REQ, sc_time(9, sc_core::SC_NS));
  EXPECT_THAT(broken(), HasSubstr("a phase earlier than the one before it"));
}

TEST_F(CheckerTest, AnAnsweredRequestKeepsItsAttributes) {
  Payload& payload = accepted();
  payload.set_data_length(3);
  target.respond(payload);
  EXPECT_THAT(broken(), HasSubstr("attributes changed"));
}

TEST_F(CheckerTest, TheDataOfAWriteStay) {
  Payload& payload = accepted();
  data[2] ^= 1;
  target.respond(payload);
  EXPECT_THAT(broken(), HasSubstr("the data of a write changed"));
}

TEST_F(CheckerTest, ByteEnablesStay) {
  Payload& payload = accepted();
  enables[0] = TLM_BYTE_DISABLED;
  target.respond(payload);
  EXPECT_THAT(broken(), HasSubstr("byte enables changed"));
}

TEST_F(CheckerTest, ABlockingAccessEndsWithAStatus) {
  target.blocking = [](Payload&, sc_time&) {};
  sc_time delay;
  initiator.socket->b_transport(write(), delay);
  EXPECT_THAT(broken(), HasSubstr("a blocking access without status"));
}

TEST_F(CheckerTest, ABlockingAccessTakesNoTimeBack) {
  target.blocking = [](Payload& payload, sc_time& delay) {
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
    delay = sc_core::SC_ZERO_TIME;
  };
  sc_time delay(5, sc_core::SC_NS);
  initiator.socket->b_transport(write(), delay);
  EXPECT_THAT(broken(), HasSubstr("took time back"));
}

TEST_F(CheckerTest, ABlockingAccessKeepsItsAttributes) {
  target.blocking = [](Payload& payload, sc_time&) {
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
    payload.set_streaming_width(2);
  };
  sc_time delay;
  initiator.socket->b_transport(write(), delay);
  EXPECT_THAT(broken(), HasSubstr("attributes changed"));
}

TEST_F(CheckerTest, ADebugAccessMovesNoMoreThanAskedFor) {
  target.debug_moves = 4;
  EXPECT_EQ(initiator.socket->transport_dbg(write()), 4u);
  EXPECT_EQ(broken(), "");
  target.debug_moves = 5;
  initiator.socket->transport_dbg(write());
  EXPECT_THAT(broken(), HasSubstr("more bytes than requested"));
}

TEST_F(CheckerTest, DirectAccessHoldsTheAddressAndAPointer) {
  tlm::tlm_dmi dmi;
  Payload& payload = write();
  payload.set_address(100);
  const auto grant = [&](std::uint64_t first, std::uint64_t last, unsigned char* pointer) {
    target.direct = [=](tlm::tlm_dmi& d) {
      d.set_start_address(first);
      d.set_end_address(last);
      d.set_dmi_ptr(pointer);
      return true;
    };
    initiator.socket->get_direct_mem_ptr(payload, dmi);
    return checker.violations().size();
  };
  EXPECT_EQ(grant(100, 103, data), 0u);
  EXPECT_EQ(grant(101, 200, data), 1u);
  EXPECT_EQ(grant(0, 99, data), 2u);
  EXPECT_THAT(checker.violations().back(), HasSubstr("range without the address"));
  EXPECT_EQ(grant(0, 200, nullptr), 3u);
  EXPECT_THAT(checker.violations().back(), HasSubstr("without a pointer"));
}

TEST(CheckedConnections, InAProcessThatChecksEverySocketHasACheckerThatEndsTheRun) {
  ASSERT_TRUE(CheckedConnections::wanted()) << "tests run with HEDDLE_CHECK_PROTOCOL=1";
  Initiator initiator{"initiator"};
  Target target{"target"};
  CheckedConnections connections;
  connections.connect(initiator.socket, target.socket);
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  ASSERT_EQ(connections.checkers().size(), 1u);
  Keeper keeper;
  Payload payload(&keeper);
  try {
    initiator.send(payload, tlm::BEGIN_REQ);
    FAIL() << "nobody held the request";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::internal);
    EXPECT_THAT(error.what(), HasSubstr("TLM protocol violation: protocol_checker"));
    EXPECT_THAT(error.what(), HasSubstr("a request nobody holds"));
  }
}

}  // namespace
}  // namespace heddle
