// SPDX-License-Identifier: Apache-2.0
// Special registers, guards and branches.
#include "semantics_fixture.h"

namespace heddle::isa {
namespace {

class Warp : public WarpFixture {
 protected:
  std::array<std::uint64_t, 32> read(SpecialRegister name, DataType storage = DataType::b32, std::uint32_t mask = ~0u) {
    MicroOp op;
    op.opcode = Opcode::special;
    op.special = name;
    op.type = storage;
    op.destinations[0] = register_at(0, storage);
    op.destination_count = 1;
    for (unsigned i = 0; i < 64; ++i) words(0)[i] = 0xeeeeeeee;
    execute_lanes(op, warp_, mask, environment_);
    std::array<std::uint64_t, 32> values;
    for (unsigned i = 0; i < 32; ++i) values[i] = storage == DataType::b64 ? longs(0)[i] : words(0)[i];
    return values;
  }
  void expect_uniform(SpecialRegister name, std::uint64_t value, DataType storage = DataType::b32) {
    for (const std::uint64_t got : read(name, storage))
      ASSERT_EQ(got, value) << "special register " << static_cast<int>(name);
  }

  Environment environment_{0x123456789a, 0xfedcba9876, 15, 48};
};

TEST_F(Warp, ThreadCoordinatesCountXFirst) {
  launch_.block = {5, 3, 4};
  warp_.index = 1;
  const auto x = read(SpecialRegister::tid_x), y = read(SpecialRegister::tid_y), z = read(SpecialRegister::tid_z);
  for (unsigned i = 0; i < 32; ++i) {
    const unsigned linear = 32 + i;
    EXPECT_EQ(x[i], linear % 5);
    EXPECT_EQ(y[i], linear / 5 % 3);
    EXPECT_EQ(z[i], linear / 15);
  }
}

TEST_F(Warp, ExtentsAndPlaceOfBlockAndWarp) {
  expect_uniform(SpecialRegister::ntid_x, 64);
  expect_uniform(SpecialRegister::ntid_y, 2);
  expect_uniform(SpecialRegister::ntid_z, 1);
  expect_uniform(SpecialRegister::ctaid_x, 1);
  expect_uniform(SpecialRegister::ctaid_y, 2);
  expect_uniform(SpecialRegister::ctaid_z, 1);
  expect_uniform(SpecialRegister::nctaid_x, 4);
  expect_uniform(SpecialRegister::nctaid_y, 3);
  expect_uniform(SpecialRegister::nctaid_z, 2);
  launch_.id = 0x100000007;
  expect_uniform(SpecialRegister::gridid, 0x100000007, DataType::b64);
  expect_uniform(SpecialRegister::gridid, 7);
  expect_uniform(SpecialRegister::warpid, 9);
  expect_uniform(SpecialRegister::nwarpid, 48);
  expect_uniform(SpecialRegister::smid, 5);
  expect_uniform(SpecialRegister::nsmid, 15);
  expect_uniform(SpecialRegister::dynamic_smem_size, 256);
  expect_uniform(SpecialRegister::total_smem_size, 1024);
  expect_uniform(SpecialRegister::zero, 0);
}

TEST_F(Warp, LaneNumbersAndMasks) {
  const auto lane = read(SpecialRegister::laneid), eq = read(SpecialRegister::lanemask_eq),
             lt = read(SpecialRegister::lanemask_lt), le = read(SpecialRegister::lanemask_le),
             gt = read(SpecialRegister::lanemask_gt), ge = read(SpecialRegister::lanemask_ge);
  for (unsigned i = 0; i < 32; ++i) {
    EXPECT_EQ(lane[i], i);
    std::uint32_t below = 0;
    for (unsigned j = 0; j < i; ++j) below |= 1u << j;
    EXPECT_EQ(eq[i], 1u << i);
    EXPECT_EQ(lt[i], below);
    EXPECT_EQ(le[i], below | 1u << i);
    EXPECT_EQ(gt[i], ~(below | 1u << i));
    EXPECT_EQ(ge[i], ~below);
  }
}

TEST_F(Warp, ClocksInHalvesAndWhole) {
  expect_uniform(SpecialRegister::clock, 0x3456789a);
  expect_uniform(SpecialRegister::clock_hi, 0x12);
  expect_uniform(SpecialRegister::clock64, 0x123456789a, DataType::b64);
  expect_uniform(SpecialRegister::globaltimer, 0xfedcba9876, DataType::b64);
  expect_uniform(SpecialRegister::globaltimer_lo, 0xdcba9876);
  expect_uniform(SpecialRegister::globaltimer_hi, 0xfe);
}

TEST_F(Warp, SpecialRegistersKeepLanesOutsideTheMask) {
  const auto lane = read(SpecialRegister::laneid, DataType::b32, 0xf0);
  for (unsigned i = 0; i < 32; ++i) EXPECT_EQ(lane[i], i >= 4 && i < 8 ? i : 0xeeeeeeee);
}

TEST_F(Warp, GuardsSelectThreads) {
  MicroOp op;
  EXPECT_EQ(guarded(op, warp_, 0x1234), 0x1234u);
  predicate(3) = 0x0ff0;
  op.guard = predicate_at(3);
  EXPECT_EQ(guarded(op, warp_, 0x1234), 0x0230u);
  op.guard.negate = true;
  EXPECT_EQ(guarded(op, warp_, 0x1234), 0x1004u);
}

TEST_F(Warp, BranchesAreTakenByTheThreadsTheirGuardSelects) {
  MicroOp op;
  op.opcode = Opcode::bra;
  EXPECT_EQ(resolve_branch(op, warp_, 0xff).taken, 0xffu);
  op.guard = predicate_at(0);
  predicate(0) = 0xf0;
  EXPECT_EQ(resolve_branch(op, warp_, 0xff).taken, 0xf0u);
}

TEST_F(Warp, IndirectBranchesLookUpTheirList) {
  kernel_.target_lists = {{9}, {4, 17, 8}};
  MicroOp op;
  op.opcode = Opcode::brx;
  op.target_list = 1;
  op.sources[0] = register_at(0, DataType::b32);
  op.ptx_line = 77;
  words(0)[0] = 1;
  words(0)[1] = 2;
  words(0)[2] = 3;
  EXPECT_EQ(resolve_indirect(op, warp_, 0), 17u);
  EXPECT_EQ(resolve_indirect(op, warp_, 1), 8u);
  EXPECT_EQ(message_of(ExitCode::memory_fault, [&] { resolve_indirect(op, warp_, 2); }),
            "module.ptx:77: indirect branch in kernel tested with index 3, but the list has 3 targets");
}

TEST_F(Warp, AnOperationWithoutSemanticsIsNamed) {
  MicroOp op;
  op.opcode = Opcode::sin_;
  op.type = DataType::f64;
  op.ptx_line = 5;
  const std::string message = message_of(ExitCode::internal, [&] { execute_lanes(op, warp_, 1, environment_); });
  EXPECT_EQ(message, "module.ptx:5: 'the instruction' in kernel tested has no lane operation");
}

}  // namespace
}  // namespace heddle::isa
