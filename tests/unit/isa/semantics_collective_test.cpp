// SPDX-License-Identifier: Apache-2.0
// vote, shfl, match, redux, activemask.
#include "semantics_fixture.h"
#include "semantics_table.h"

namespace heddle::isa {
namespace {

class Collective : public WarpFixture {
 protected:
  Collective() {
    table::Random random(42);
    for (unsigned i = 0; i < 32; ++i) words(0)[i] = static_cast<std::uint32_t>(random.next());
    for (unsigned i = 0; i < 32; ++i) words(8)[i] = 0xeeeeeeee;
    predicate(2) = 0xaaaaaaaa;
  }
  static MicroOp operation(Opcode opcode, DataType type) {
    MicroOp op;
    op.opcode = opcode;
    op.type = type;
    op.sources[0] = register_at(0, DataType::b32);
    op.destinations[0] = register_at(8, DataType::b32);
    op.source_count = op.destination_count = 1;
    return op;
  }
  void expect_untouched(unsigned unit, std::uint32_t mask) {
    for (unsigned i = 0; i < 32; ++i) {
      if ((mask >> i & 1) == 0) {
        EXPECT_EQ(words(unit)[i], 0xeeeeeeee) << "lane " << i;
      }
    }
  }
};

TEST_F(Collective, VotesCountOnlyTheThreadsThatMet) {
  MicroOp op = operation(Opcode::vote, DataType::pred);
  op.sources[0] = predicate_at(0);
  op.destinations[0] = predicate_at(2);
  struct Case {
    std::uint32_t holds, mask;
    bool all, any, uniform;
  };
  for (const Case& each :
       {Case{0xffffffff, 0xffffffff, true, true, true}, Case{0x0000ffff, 0x000000ff, true, true, true},
        Case{0xffff0000, 0x0000ffff, false, false, true}, Case{0x0000000f, 0x000000ff, false, true, false},
        Case{0x00000000, 0x80000000, false, false, true}}) {
    predicate(0) = each.holds;
    const auto outcome = [&](VoteMode mode) {
      op.vote_mode = mode;
      predicate(2) = 0xaaaaaaaa;
      execute_collective(op, warp_, each.mask);
      EXPECT_EQ(predicate(2) & ~each.mask, 0xaaaaaaaa & ~each.mask);
      const std::uint32_t voted = predicate(2) & each.mask;
      EXPECT_TRUE(voted == each.mask || voted == 0);
      return voted != 0;
    };
    EXPECT_EQ(outcome(VoteMode::all), each.all);
    EXPECT_EQ(outcome(VoteMode::any), each.any);
    EXPECT_EQ(outcome(VoteMode::uni), each.uniform);
  }
}

TEST_F(Collective, BallotGivesTheMaskToEveryThreadThatMet) {
  MicroOp op = operation(Opcode::vote, DataType::b32);
  op.vote_mode = VoteMode::ballot;
  op.sources[0] = predicate_at(0, true);
  predicate(0) = 0x0f0f0f0f;
  const std::uint32_t mask = 0x00ffff10;
  execute_collective(op, warp_, mask);
  for (unsigned i = 0; i < 32; ++i) {
    if ((mask >> i & 1) != 0) {
      EXPECT_EQ(words(8)[i], 0xf0f0f0f0 & mask);
    }
  }
  expect_untouched(8, mask);
}

/// The manual's definition, lane by lane, with signed lane numbers.
struct Shuffled {
  int lane;
  bool in_range;
};
Shuffled reference(ShflMode mode, int lane, int b, int c) {
  const int segment = c >> 8 & 31, clamp = c & 31, value = b & 31;
  const int most = (lane & segment) | (clamp & ~segment & 31), least = lane & segment;
  int from = 0;
  bool in_range = false;
  if (mode == ShflMode::up) {
    from = lane - value;
    in_range = from >= most;
  } else if (mode == ShflMode::down) {
    from = lane + value;
    in_range = from <= most;
  } else if (mode == ShflMode::bfly) {
    from = lane ^ value;
    in_range = from <= most;
  } else {
    from = least | (value & ~segment & 31);
    in_range = from <= most;
  }
  return {in_range ? from : lane, in_range};
}

TEST_F(Collective, ShufflesFollowClampAndSegmentOfTheManual) {
  MicroOp op = operation(Opcode::shfl, DataType::b32);
  op.sources[1] = register_at(2, DataType::b32);
  op.sources[2] = register_at(3, DataType::b32);
  op.source_count = 3;
  op.destinations[1] = predicate_at(2);
  op.destination_count = 2;
  table::Random random(7);
  for (const ShflMode mode : {ShflMode::up, ShflMode::down, ShflMode::bfly, ShflMode::idx}) {
    op.shfl_mode = mode;
    for (unsigned width = 1; width <= 32; width *= 2) {
      for (unsigned distance = 0; distance < 34; ++distance) {
        const std::uint32_t c = (32 - width) << 8 | (mode == ShflMode::up ? 0 : 31);
        for (const std::uint32_t mask : {~0u, static_cast<std::uint32_t>(random.next())}) {
          for (unsigned i = 0; i < 32; ++i) {
            words(2)[i] = distance;
            words(3)[i] = c;
            words(8)[i] = 0xeeeeeeee;
          }
          predicate(2) = 0xaaaaaaaa;
          execute_collective(op, warp_, mask);
          for (unsigned i = 0; i < 32; ++i) {
            if ((mask >> i & 1) == 0) continue;
            const Shuffled from = reference(mode, static_cast<int>(i), static_cast<int>(distance), static_cast<int>(c));
            ASSERT_EQ(words(8)[i], words(0)[from.lane])
                << "lane " << i << " distance " << distance << " width " << width;
            ASSERT_EQ(predicate(2) >> i & 1, from.in_range ? 1u : 0u);
          }
          expect_untouched(8, mask);
          ASSERT_EQ(predicate(2) & ~mask, 0xaaaaaaaa & ~mask);
        }
      }
    }
  }
}

TEST_F(Collective, AShuffleOntoItsOwnSourceReadsBeforeItWrites) {
  MicroOp op = operation(Opcode::shfl, DataType::b32);
  op.shfl_mode = ShflMode::bfly;
  op.sources[1] = register_at(2, DataType::b32);
  op.sources[2] = register_at(3, DataType::b32);
  op.destinations[0] = op.sources[0];
  std::array<std::uint32_t, 32> before;
  for (unsigned i = 0; i < 32; ++i) {
    before[i] = words(0)[i];
    words(2)[i] = 1;
    words(3)[i] = 31;
  }
  execute_collective(op, warp_, ~0u);
  for (unsigned i = 0; i < 32; ++i) EXPECT_EQ(words(0)[i], before[i ^ 1]);
}

TEST_F(Collective, MatchFindsEqualValuesAmongTheThreadsThatMet) {
  for (const bool wide : {false, true}) {
    MicroOp op = operation(Opcode::match, wide ? DataType::b64 : DataType::b32);
    op.sources[0] = register_at(4, wide ? DataType::b64 : DataType::b32);
    const auto value = [](unsigned i) { return std::uint64_t{i % 3} << 33 | i % 2; };
    for (unsigned i = 0; i < 32; ++i) {
      if (wide) {
        longs(4)[i] = value(i);
      } else {
        words(4)[i] = static_cast<std::uint32_t>(value(i));
      }
      words(8)[i] = 0xeeeeeeee;
    }
    const std::uint32_t mask = 0xffff0ff1;
    op.match_mode = MatchMode::any;
    execute_collective(op, warp_, mask);
    for (unsigned i = 0; i < 32; ++i) {
      std::uint32_t expected = 0;
      for (unsigned j = 0; j < 32; ++j) {
        const bool equal = wide ? value(i) == value(j) : (value(i) & 1) == (value(j) & 1);
        if (equal && (mask >> j & 1) != 0) expected |= 1u << j;
      }
      if ((mask >> i & 1) != 0) {
        EXPECT_EQ(words(8)[i], expected);
      }
    }
    expect_untouched(8, mask);
  }
}

TEST_F(Collective, MatchAllGivesTheMaskOrZero) {
  MicroOp op = operation(Opcode::match, DataType::b32);
  op.match_mode = MatchMode::all;
  op.destinations[1] = predicate_at(2);
  op.destination_count = 2;
  for (unsigned i = 0; i < 32; ++i) words(0)[i] = 5;
  words(0)[3] = 6;
  execute_collective(op, warp_, 0x000000f7);
  EXPECT_EQ(words(8)[0], 0xf7u);
  EXPECT_EQ(predicate(2) & 0xff, 0xffu);
  execute_collective(op, warp_, 0x000000ff);
  EXPECT_EQ(words(8)[0], 0u);
  EXPECT_EQ(predicate(2) & 0xff, 0u);
}

TEST_F(Collective, ReductionsFoldTheThreadsThatMet) {
  const std::uint32_t mask = 0xf00f00f0;
  for (const DataType type : {DataType::u32, DataType::s32, DataType::b32}) {
    for (const AtomOp operation_kind :
         {AtomOp::add, AtomOp::min, AtomOp::max, AtomOp::and_, AtomOp::or_, AtomOp::xor_}) {
      MicroOp op = operation(Opcode::redux, type);
      op.atom_op = operation_kind;
      execute_collective(op, warp_, mask);
      std::int64_t total = 0;
      bool first = true;
      for (unsigned i = 0; i < 32; ++i) {
        if ((mask >> i & 1) == 0) continue;
        const std::int64_t value =
            type == DataType::s32 ? static_cast<std::int32_t>(words(0)[i]) : std::int64_t{words(0)[i]};
        if (first) {
          total = value;
        } else if (operation_kind == AtomOp::add) {
          total += value;
        } else if (operation_kind == AtomOp::min) {
          total = std::min(total, value);
        } else if (operation_kind == AtomOp::max) {
          total = std::max(total, value);
        } else if (operation_kind == AtomOp::and_) {
          total &= value;
        } else if (operation_kind == AtomOp::or_) {
          total |= value;
        } else {
          total ^= value;
        }
        first = false;
      }
      for (unsigned i = 0; i < 32; ++i) {
        if ((mask >> i & 1) != 0) {
          EXPECT_EQ(words(8)[i], static_cast<std::uint32_t>(total));
        }
      }
      expect_untouched(8, mask);
    }
  }
}

TEST_F(Collective, ActiveMaskIsTheThreadsThatExecute) {
  const MicroOp op = operation(Opcode::activemask, DataType::b32);
  execute_collective(op, warp_, 0x81);
  EXPECT_EQ(words(8)[0], 0x81u);
  EXPECT_EQ(words(8)[7], 0x81u);
  expect_untouched(8, 0x81);
}

TEST_F(Collective, NobodyMetMeansNothingHappens) {
  MicroOp op = operation(Opcode::redux, DataType::u32);
  op.atom_op = AtomOp::add;
  execute_collective(op, warp_, 0);
  expect_untouched(8, 0);
}

}  // namespace
}  // namespace heddle::isa
