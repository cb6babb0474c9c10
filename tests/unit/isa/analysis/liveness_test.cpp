// SPDX-License-Identifier: Apache-2.0
#include "isa/analysis/liveness.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

#include "isa/analysis/register_allocation.h"
#include "isa/analysis/register_visits.h"

namespace heddle::isa {
namespace {

using Ranges = std::vector<LiveRange>;

Operand reg(std::uint32_t number, DataType type = DataType::b32) { return {number, Operand::Base::frame, false, type}; }

MicroOp op(Opcode opcode, std::initializer_list<std::uint32_t> writes, std::initializer_list<std::uint32_t> reads) {
  MicroOp out;
  out.opcode = opcode;
  for (const std::uint32_t r : writes) out.destinations[out.destination_count++] = reg(r);
  for (const std::uint32_t r : reads) out.sources[out.source_count++] = reg(r);
  return out;
}
MicroOp guarded(MicroOp out, std::uint32_t predicate) {
  out.guard = reg(predicate, DataType::pred);
  return out;
}
MicroOp branch(std::uint32_t target) {
  MicroOp out;
  out.opcode = Opcode::bra;
  out.target = target;
  return out;
}
MicroOp leave() {
  MicroOp out;
  out.opcode = Opcode::exit_;
  return out;
}

Liveness liveness_of(const std::vector<MicroOp>& ops, std::size_t registers) {
  return find_liveness(ops, ControlFlow(ops, {}), registers);
}

TEST(Liveness, ReachesFromTheWriteToTheLastRead) {
  const auto live = liveness_of({op(Opcode::mov, {0}, {}), op(Opcode::mov, {1}, {}), op(Opcode::add, {2}, {0, 1}),
                                 op(Opcode::st, {}, {2, 0}), leave()},
                                4);
  EXPECT_EQ(live.ranges[0], (Ranges{{1, 7}}));
  EXPECT_EQ(live.ranges[1], (Ranges{{3, 5}}));
  EXPECT_EQ(live.ranges[2], (Ranges{{5, 7}}));
  EXPECT_TRUE(live.ranges[3].empty());
}

TEST(Liveness, HasHolesBetweenTheLastReadAndTheNextWrite) {
  const auto live = liveness_of({op(Opcode::mov, {0}, {}), op(Opcode::st, {}, {0}), op(Opcode::mov, {1}, {}),
                                 op(Opcode::mov, {0}, {1}), op(Opcode::st, {}, {0}), leave()},
                                2);
  EXPECT_EQ(live.ranges[0], (Ranges{{1, 3}, {7, 9}}));
}

TEST(Liveness, AGuardedWriteKeepsTheOldValue) {
  const auto live = liveness_of({op(Opcode::mov, {0}, {}), op(Opcode::mov, {1}, {}),
                                 guarded(op(Opcode::mov, {0}, {}), 2), op(Opcode::st, {}, {0}), leave()},
                                3);
  EXPECT_EQ(live.ranges[0], (Ranges{{1, 7}}));
}

TEST(Liveness, AGuardedWriteWithNothingBeforeItBeginsALife) {
  const auto live = liveness_of({op(Opcode::mov, {1}, {}), op(Opcode::mov, {1}, {}),
                                 guarded(op(Opcode::mov, {0}, {}), 2), op(Opcode::st, {}, {0}), leave()},
                                3);
  EXPECT_EQ(live.ranges[0], (Ranges{{5, 7}}));
}

TEST(Liveness, AResultNobodyReadsNeedsAPlaceForAMoment) {
  EXPECT_EQ(liveness_of({op(Opcode::mov, {0}, {}), leave()}, 1).ranges[0], (Ranges{{1, 2}}));
}

TEST(Liveness, ValuesOfALoopLiveAllAround) {
  // 0: r0 = ; 1: loop: r1 = r0; 2: guarded branch 1; 3: exit
  const auto live =
      liveness_of({op(Opcode::mov, {0}, {}), op(Opcode::mov, {1}, {0}), guarded(branch(1), 2), leave()}, 3);
  EXPECT_EQ(live.ranges[0], (Ranges{{1, 6}}));
  EXPECT_EQ(live.live_in[1], (std::vector<std::uint32_t>{0}));
}

TEST(Liveness, ResultsThatClobberEarlyBeginAtTheReads) {
  const auto live =
      liveness_of({op(Opcode::mov, {0}, {}), op(Opcode::mov, {1, 2}, {0}), op(Opcode::st, {}, {1, 2}), leave()}, 3);
  EXPECT_EQ(live.ranges[1], (Ranges{{2, 5}}));
  EXPECT_TRUE(clobbers_early(op(Opcode::shfl, {0}, {1})));
  EXPECT_FALSE(clobbers_early(op(Opcode::add, {0}, {1})));
}

TEST(RegisterAllocation, ReusesUnitsAndAlignsPairs) {
  const std::vector<Ranges> ranges{{{0, 4}}, {{2, 6}}, {{4, 8}}, {{5, 9}}};
  const std::vector<std::uint8_t> sizes{1, 1, 1, 2};
  const Allocation got = allocate_units(ranges, sizes);
  EXPECT_EQ(got.units, (std::vector<std::uint32_t>{0, 1, 0, 2}));
  EXPECT_EQ(got.used, 4u);
}

TEST(RegisterAllocation, FillsHoles) {
  const std::vector<Ranges> ranges{{{0, 4}, {10, 14}}, {{4, 10}}, {{13, 20}}};
  EXPECT_EQ(allocate_units(ranges, std::vector<std::uint8_t>{1, 1, 1}).units, (std::vector<std::uint32_t>{0, 0, 1}));
}

TEST(RegisterAllocation, LeavesOutWhatIsNotAskedFor) {
  const Allocation got = allocate_units(std::vector<Ranges>{{{0, 4}}, {}}, std::vector<std::uint8_t>{0, 1});
  EXPECT_EQ(got.used, 0u);
  EXPECT_EQ(got.units[0], Allocation::kNone);
  EXPECT_EQ(got.units[1], Allocation::kNone);
}

TEST(RegisterAllocation, NeverGivesAUnitToRegistersOfDifferentSize) {
  // Cells of 4 and 8 bytes have different layouts in a warp's frame, and a diverged warp holds both at the same time.
  const std::vector<Ranges> ranges{{{0, 4}}, {{0, 4}}, {{5, 9}}, {{10, 12}}};
  const Allocation got = allocate_units(ranges, std::vector<std::uint8_t>{1, 1, 2, 1});
  EXPECT_EQ(got.units, (std::vector<std::uint32_t>{0, 1, 2, 0}));
  EXPECT_EQ(got.used, 4u);
}

// Liveness per op, by definition.
struct Slow {
  std::vector<std::set<std::uint32_t>> in, out;

  explicit Slow(const std::vector<MicroOp>& ops) : in(ops.size()), out(ops.size()) {
    std::vector<std::set<std::uint32_t>> written(ops.size());
    const auto next = [&](std::size_t i) {
      std::vector<std::size_t> targets;
      if (ops[i].opcode == Opcode::bra) targets.push_back(ops[i].target);
      if (!leaves_sequence(ops[i].opcode) || ops[i].guard.present()) targets.push_back(i + 1);
      return targets;
    };
    for (bool changed = true; changed;) {
      changed = false;
      for (std::size_t i = 0; i < ops.size(); ++i) {
        for (const std::size_t t : next(i)) {
          const std::size_t before = written[t].size();
          written[t].insert(written[i].begin(), written[i].end());
          for_each_write(ops[i], [&](const Operand& r) { written[t].insert(r.offset); });
          changed |= written[t].size() != before;
        }
      }
    }
    for (bool changed = true; changed;) {
      changed = false;
      for (std::size_t i = ops.size(); i-- > 0;) {
        std::set<std::uint32_t> after, known = written[i];
        for_each_write(ops[i], [&](const Operand& r) { known.insert(r.offset); });
        for (const std::size_t t : next(i)) after.insert(in[t].begin(), in[t].end());
        std::erase_if(after, [&](std::uint32_t r) { return !known.contains(r); });
        std::set<std::uint32_t> before = after;
        if (!ops[i].guard.present()) for_each_write(ops[i], [&](const Operand& r) { before.erase(r.offset); });
        for_each_read(ops[i], [&](const Operand& r) { before.insert(r.offset); });
        std::erase_if(before, [&](std::uint32_t r) { return !written[i].contains(r); });
        changed |= before != in[i] || after != out[i];
        in[i] = before;
        out[i] = after;
      }
    }
  }
};

TEST(RegisterAllocation, KeepsValuesThatLiveTogetherApartInRandomPrograms) {
  std::mt19937 random(17);
  const auto below = [&](std::size_t limit) { return static_cast<std::uint32_t>(random() % limit); };
  for (unsigned round = 0; round < 300; ++round) {
    constexpr std::uint32_t kRegisters = 14;  // of which the last four are pairs
    const auto type_of = [](std::uint32_t r) { return r < 10 ? DataType::b32 : DataType::b64; };
    std::vector<MicroOp> ops;
    const std::uint32_t size = 5 + below(40);
    for (std::uint32_t i = 0; i < size; ++i) {
      MicroOp o = below(5) == 0 ? branch(below(size + 1)) : op(below(6) == 0 ? Opcode::shfl : Opcode::add, {}, {});
      if (o.opcode != Opcode::bra) {
        const unsigned writes = below(3);
        for (unsigned k = 0; k < writes; ++k) {
          const std::uint32_t r = below(kRegisters);
          if (k == 0 || o.destinations[0].offset != r) o.destinations[o.destination_count++] = reg(r, type_of(r));
        }
        for (unsigned k = below(3); k > 0; --k) {
          const std::uint32_t r = below(kRegisters);
          o.sources[o.source_count++] = reg(r, type_of(r));
        }
      }
      if (below(3) != 0) {
        const std::uint32_t r = below(10);
        o.guard = reg(r);
      }
      ops.push_back(o);
    }
    ops.push_back(leave());
    const Liveness live = liveness_of(ops, kRegisters);
    std::vector<std::uint8_t> sizes(kRegisters, 1);
    for (std::uint32_t r = 10; r < kRegisters; ++r) sizes[r] = 2;
    const Slow slow(ops);
    const Allocation got = allocate_units(live.ranges, sizes);
    const auto overlap = [&](std::uint32_t a, std::uint32_t b) {
      return got.units[a] < got.units[b] + sizes[b] && got.units[b] < got.units[a] + sizes[a];
    };
    for (std::uint32_t a = 0; a < kRegisters; ++a) {
      for (std::uint32_t b = 0; b < kRegisters; ++b) {
        if (sizes[a] == sizes[b] || live.ranges[a].empty() || live.ranges[b].empty()) continue;
        ASSERT_FALSE(overlap(a, b)) << "round " << round << ": " << a << " and " << b << " differ in size";
      }
    }
    for (std::size_t i = 0; i < ops.size(); ++i) {
      std::set<std::uint32_t> together = slow.out[i];
      for_each_write(ops[i], [&](const Operand& r) { together.insert(r.offset); });
      for (const std::uint32_t a : together) {
        ASSERT_NE(got.units[a], Allocation::kNone);
        if (sizes[a] == 2) {
          ASSERT_EQ(got.units[a] % 2, 0u);
        }
        for (const std::uint32_t b : together) {
          ASSERT_TRUE(a == b || !overlap(a, b)) << "round " << round << ", op " << i << ": " << a << " and " << b;
        }
      }
      for (const std::uint32_t a : slow.in[i]) {
        for (const std::uint32_t b : slow.in[i]) {
          ASSERT_TRUE(a == b || !overlap(a, b)) << "round " << round << ", before op " << i;
        }
        if (!clobbers_early(ops[i])) continue;
        for_each_write(ops[i], [&](const Operand& r) {
          EXPECT_TRUE(r.offset == a || !overlap(r.offset, a)) << "round " << round << ", op " << i << " clobbers " << a;
        });
      }
    }
  }
}

TEST(RegisterAllocation, IsFastWhenMuchLivesAtOnce) {
  // 20,000 values all alive at the middle: quadratic work would take seconds.
  std::vector<Ranges> ranges;
  for (std::uint32_t i = 0; i < 20'000; ++i) ranges.push_back({{i, 40'000 + i}});
  EXPECT_EQ(allocate_units(ranges, std::vector<std::uint8_t>(ranges.size(), 1)).used, 20'000u);
}

}  // namespace
}  // namespace heddle::isa
