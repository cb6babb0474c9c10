// SPDX-License-Identifier: Apache-2.0
// What ports know of room in a window of cycles (core/kernel/cycle_windows.h), in which their modules are not at the
// same cycle. That whole machines give the same results is for the programs on several threads to show
// (tests/program/machines, tests/program/random).
#include <gtest/gtest.h>

#include <array>

#include "core/kernel/base_port.h"

namespace heddle {
namespace {

TEST(Admission, KnowsWhenThereWasRoomInThePast) {
  Payload first, second;
  Admission admission(2);
  admission.remember();
  admission.admit(first, 10, 11);
  admission.admit(second, 11, 12);
  admission.leave(15);
  admission.leave(20);
  EXPECT_FALSE(admission.room(14));
  EXPECT_FALSE(admission.room(15)) << "what leaves in a cycle makes room from the next";
  EXPECT_TRUE(admission.room(16));
  EXPECT_EQ(admission.room_since(12, 20), Cycle{16});
  EXPECT_EQ(admission.room_since(12, 15), kNever);
}

TEST(SureRoom, CountsWhatTheReceiverWillHaveTaken) {
  const ArrivalRing empty(2);
  SureRoom sure;
  sure.begin(empty, 5, 2);
  EXPECT_TRUE(sure.room(5, 2));
  sure.sent(6);
  sure.sent(7);
  EXPECT_TRUE(sure.room(7, 2)) << "the first leaves in cycle 6";
  sure.sent(8);
  EXPECT_TRUE(sure.room(8, 2)) << "the second leaves in cycle 7";
  sure.sent(9);
  EXPECT_FALSE(sure.room(9, 2)) << "no more than two are sure to be taken";
}

TEST(SureRoom, TakesOneACycle) {
  Payload payload;
  ArrivalRing waiting(2);
  waiting.push(payload, 3);
  waiting.push(payload, 3);
  SureRoom sure;
  sure.begin(waiting, 5, 8);
  EXPECT_FALSE(sure.room(5, 2)) << "the first leaves in this cycle";
  EXPECT_TRUE(sure.room(6, 2));
  sure.sent(7);
  EXPECT_TRUE(sure.room(7, 2)) << "the second has left in cycle 6";
}

TEST(ArrivalRing, HoldsMoreThanItsCapacityInOrder) {
  std::array<Payload, 9> payloads;
  ArrivalRing ring(2);
  ring.push(payloads[0], 1);
  ring.pop();
  for (Cycle i = 0; i < payloads.size(); ++i) ring.push(payloads[i], i);
  for (Cycle i = 0; i < payloads.size(); ++i) {
    EXPECT_EQ(&ring.front(), &payloads[i]);
    EXPECT_EQ(ring.front_visible(), i);
    ring.pop();
  }
  EXPECT_TRUE(ring.empty());
}

}  // namespace
}  // namespace heddle
