// SPDX-License-Identifier: Apache-2.0
// Binding of link ends: every legal way carries transfers; every illegal one is an error by the end of elaboration that
// names both ends.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "core/kernel/link.h"

namespace heddle {
namespace {

struct Source : Stage {
  Source(sc_core::sc_module_name module_name, ClockGate& g, unsigned least_width = 1)
      : Stage(module_name, g), out("out", g, stage_number(), least_width) {
    wake(1);
  }
  void cycle() override {
    for (; next < 6 && out.can_send(); ++next) {
      int value = next;
      out.send(value);
    }
    if (next < 6) out.wait_for_room();
  }
  LinkOut<int> out;
  int next = 0;
};

struct Sink : Stage {
  Sink(sc_core::sc_module_name module_name, ClockGate& g, LinkParameters p = {})
      : Stage(module_name, g), in("in", g, stage_number(), p) {}
  void cycle() override {
    while (int* value = in.front()) {
      got.push_back(*value);
      in.pop();
    }
  }
  LinkIn<int> in;
  std::vector<int> got;
};

/// A stage inside a module with a hierarchical socket.
struct SourceBox : sc_core::sc_module {
  SourceBox(sc_core::sc_module_name module_name, ClockGate& g) : sc_module(module_name), out("out"), stage("stage", g) {
    stage.out.socket.bind(out);
  }
  LinkInitiatorSocket<int> out;
  Source stage;
};

struct SinkBox : sc_core::sc_module {
  SinkBox(sc_core::sc_module_name module_name, ClockGate& g) : sc_module(module_name), in("in"), stage("stage", g) {
    in.bind(stage.in.socket);
  }
  LinkTargetSocket<int> in;
  Sink stage;
};

/// The same without the stage.
struct HollowSource : sc_core::sc_module {
  explicit HollowSource(sc_core::sc_module_name module_name) : sc_module(module_name), out("out") {}
  LinkInitiatorSocket<int> out;
};
struct HollowSink : sc_core::sc_module {
  explicit HollowSink(sc_core::sc_module_name module_name) : sc_module(module_name), in("in") {}
  LinkTargetSocket<int> in;
};

/// A third-party receiver that grants the given terms.
struct Receiver : sc_core::sc_module, LinkForward<int> {
  Receiver(sc_core::sc_module_name module_name, LinkTerms granted)
      : sc_module(module_name), socket("socket"), granted_terms(granted) {
    granted_terms.receiver = socket.name();
    socket.bind(*this);
  }
  tlm::tlm_sync_enum nb_transport_fw(int&, LinkPhase&, sc_core::sc_time&) override { return tlm::TLM_COMPLETED; }
  LinkTerms terms() const override { return granted_terms; }
  LinkTargetSocket<int> socket;
  LinkTerms granted_terms;
};

class LinkBinds : public ::testing::Test {
 protected:
  /// The error of elaboration; empty if there is none.
  template <typename Bind>
  static std::string error_of(Bind&& bind) {
    try {
      bind();
      sc_core::sc_start(sc_core::SC_ZERO_TIME);
    } catch (const Error& error) {
      return error.what();
    } catch (const sc_core::sc_report& report) {
      return std::string("SystemC: ") + report.what();
    }
    return {};
  }
  static std::string error_of_elaboration() {
    return error_of([] {});
  }
  void run() { sc_core::sc_start(core.time_of(40)); }

  ClockTree tree;
  ClockDomain core{"core", tree, 1000000};
  ClockGate gate{core};
  const std::vector<int> all{0, 1, 2, 3, 4, 5};
};

TEST_F(LinkBinds, ASenderToAReceiverByTheirSockets) {
  Source source("source", gate);
  Sink sink("sink", gate);
  source.out.socket.bind(sink.in.socket);
  run();
  EXPECT_EQ(sink.got, all);
}

TEST_F(LinkBinds, AReceiverToASenderByTheirSockets) {
  Source source("source", gate);
  Sink sink("sink", gate);
  sink.in.socket(source.out.socket);
  run();
  EXPECT_EQ(sink.got, all);
}

TEST_F(LinkBinds, StagesWithinModulesThatHandOn) {
  SourceBox source("source", gate);
  SinkBox sink("sink", gate);
  source.out.bind(sink.in);
  run();
  EXPECT_EQ(sink.stage.got, all);
}

TEST_F(LinkBinds, PortsAndExportsOfTheSockets) {
  Source source("source", gate);
  Sink sink("sink", gate);
  source.out.socket.get_base_port()(sink.in.socket.get_base_interface());
  sink.in.socket.get_base_port()(source.out.socket.get_base_interface());
  run();
  EXPECT_EQ(sink.got, all);
}

TEST_F(LinkBinds, NotASenderWithoutAReceiver) {
  Source source("source", gate);
  EXPECT_EQ(error_of_elaboration(), "link source.out: bound to no receiver");
}

TEST_F(LinkBinds, NotAReceiverWithoutASender) {
  Sink sink("sink", gate);
  EXPECT_EQ(error_of_elaboration(), "link sink.in: bound to no sender");
}

TEST_F(LinkBinds, NotASenderToTwoReceivers) {
  Source source("source", gate);
  Sink sink("sink", gate), other("other", gate);
  EXPECT_EQ(error_of([&] {
              connect(source.out, sink.in);
              connect(source.out, other.in);
            }),
            "link source.out: bound to sink.in and to other.in; a link has one receiver");
}

TEST_F(LinkBinds, NotAReceiverToTwoSenders) {
  SourceBox source("source", gate);
  Source other("other", gate);
  Sink sink("sink", gate);
  EXPECT_EQ(error_of([&] {
              source.out.bind(sink.in.socket);
              sink.in.socket.bind(other.out.socket);
            }),
            "link sink.in: bound to source.stage.out and to other.out; a link has one sender");
}

TEST_F(LinkBinds, NotTheSameEndsTwice) {
  Source source("source", gate);
  Sink sink("sink", gate);
  EXPECT_EQ(error_of([&] {
              connect(source.out, sink.in);
              connect(source.out, sink.in);
            }),
            "link source.out: bound to sink.in twice");
}

TEST_F(LinkBinds, NotASenderInAModuleThatIsNotBound) {
  SourceBox source("source", gate);
  EXPECT_EQ(error_of_elaboration(), "link source.stage.out: bound to source.out, which is bound to no receiver");
}

TEST_F(LinkBinds, NotAReceiverInAModuleThatIsNotBound) {
  SinkBox sink("sink", gate);
  EXPECT_EQ(error_of_elaboration(), "link sink.stage.in: bound to sink.in, which is bound to no sender");
}

TEST_F(LinkBinds, NotToAModuleThatHasNoReceiverInside) {
  Source source("source", gate);
  HollowSink hollow("hollow");
  EXPECT_EQ(error_of([&] { source.out.socket.bind(hollow.in); }),
            "link source.out: bound to hollow.in, which leads to no stage; a socket that hands on is bound from the "
            "inside first");
}

TEST_F(LinkBinds, NotFromAModuleThatHasNoSenderInside) {
  HollowSource hollow("hollow");
  Sink sink("sink", gate);
  EXPECT_EQ(error_of([&] { hollow.out.bind(sink.in.socket); }),
            "link sink.in: bound to hollow.out, which leads to no stage; a socket that hands on is bound from the "
            "inside first");
}

TEST_F(LinkBinds, NotASocketThatHandsOnForNobody) {
  HollowSource hollow("hollow");
  EXPECT_EQ(error_of_elaboration(), "link hollow.out: hands on for no stage: nothing inside is bound to it");
}

TEST_F(LinkBinds, NotTwoSendersByOneSocketOfTheModuleAround) {
  SourceBox source("source", gate);
  Source other("other", gate);
  EXPECT_EQ(error_of([&] { other.out.socket.bind(source.out); }),
            "link other.out: bound to source.out, which hands on for source.stage.out already");
}

TEST_F(LinkBinds, NotASenderToASender) {
  Source source("source", gate), other("other", gate);
  EXPECT_EQ(error_of([&] { source.out.socket.bind(other.out.socket); }),
            "link source.out: bound to other.out, which is the end of another stage and not a receiver");
}

TEST_F(LinkBinds, NotASenderToAReceiverThatTakesFewerACycle) {
  Source source("source", gate, 2);
  Sink sink("sink", gate);
  connect(source.out, sink.in);
  EXPECT_EQ(error_of_elaboration(),
            "link source.out to sink.in: the sender counts on 2 transfers a cycle, the receiver takes 1");
}

TEST_F(LinkBinds, ASenderToAReceiverThatTakesMoreACycle) {
  Source source("source", gate, 2);
  Sink sink("sink", gate, {.width = 3});
  connect(source.out, sink.in);
  run();
  EXPECT_EQ(sink.got, all);
}

TEST_F(LinkBinds, NotEndsOfTwoClocks) {
  ClockDomain memory("memory", tree, 500000);
  ClockGate other(memory);
  Source source("source", gate);
  SinkBox sink("sink", other);
  source.out.socket.bind(sink.in);
  EXPECT_EQ(error_of_elaboration(),
            "link source.out to sink.stage.in: the sender counts cycles of core, the receiver of memory; both ends "
            "need one clock");
}

TEST_F(LinkBinds, NotAReceiverThatGrantsNoCredits) {
  Source source("source", gate);
  Receiver receiver("receiver", {.width = 1, .capacity = 0, .clock = &core});
  source.out.socket.bind(receiver.socket);
  EXPECT_EQ(error_of_elaboration(),
            "link source.out to receiver.socket: the receiver grants 0 credits and takes 1 transfers a cycle: nothing "
            "could be sent");
}

}  // namespace
}  // namespace heddle
