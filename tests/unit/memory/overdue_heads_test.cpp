// SPDX-License-Identifier: Apache-2.0
#include "memory/network/overdue_heads.h"

#include <gtest/gtest.h>

namespace heddle::memory {
namespace {

/// Two inputs, each with packets for two outputs.
class OverdueHeadsTest : public ::testing::Test {
 protected:
  /// Transfers from an input to an output while both inputs have packets for it.
  void start(unsigned input, unsigned output, unsigned times) {
    for (unsigned i = 0; i < times; ++i) heads.started({input, output}, waiting);
  }
  static PortSet both() { return PortSet::first_n(2); }

  PortSet waiting = both();
  OverdueHeads heads{2, 2};
};

TEST_F(OverdueHeadsTest, AHeadIsOverdueOnceMoreTransfersPassedItThanThereAreInputs) {
  heads.entered(1, 0);
  start(0, 0, 7);
  EXPECT_TRUE(heads.heads().empty()) << "looked for at every eighth transfer";
  start(0, 0, 1);
  EXPECT_EQ(heads.heads(), (std::vector<SwitchMatch>{{1, 0}}));
}

TEST_F(OverdueHeadsTest, AHeadThatCameLateIsNot) {
  start(0, 0, 6);
  heads.entered(1, 0);
  start(0, 0, 2);
  EXPECT_TRUE(heads.heads().empty()) << "two transfers passed it, as there are inputs";
  start(0, 0, 8);
  EXPECT_EQ(heads.heads().size(), 1u);
}

TEST_F(OverdueHeadsTest, OneThatStartsMakesPlaceForTheNextOfItsQueue) {
  start(0, 0, 8);
  ASSERT_EQ(heads.heads(), (std::vector<SwitchMatch>{{1, 0}}));
  start(1, 0, 1);
  EXPECT_TRUE(heads.heads().empty());
  start(0, 0, 1);
  start(1, 0, 6);
  EXPECT_EQ(heads.heads(), (std::vector<SwitchMatch>{{0, 0}}));
}

TEST_F(OverdueHeadsTest, TheyAreKeptInOrderAndOnce) {
  start(0, 0, 8);
  start(0, 1, 8);
  start(0, 0, 8);
  EXPECT_EQ(heads.heads(), (std::vector<SwitchMatch>{{1, 0}, {1, 1}}));
}

TEST_F(OverdueHeadsTest, AnInputWithoutAPacketForTheOutputIsNot) {
  waiting.reset(1);
  start(0, 0, 16);
  EXPECT_TRUE(heads.heads().empty());
}

}  // namespace
}  // namespace heddle::memory
