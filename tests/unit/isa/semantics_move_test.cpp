// SPDX-License-Identifier: Apache-2.0
// mov, packing and unpacking, cvta, isspacep.
#include "isa/semantics/lane_selection.h"
#include "semantics_fixture.h"
#include "semantics_table.h"

namespace heddle::isa::table {
namespace {

Row row(Opcode opcode, DataType type, const std::string& name) {
  Row made;
  made.name = name + "." + std::string(name_of(type));
  made.op.opcode = opcode;
  made.op.type = made.result = type;
  made.sources = {{type}};
  return made;
}

TEST(MoveRows, MovCopiesEveryType) {
  for (const DataType type :
       {DataType::pred, DataType::b16, DataType::u16, DataType::s16, DataType::b32, DataType::u32, DataType::s32,
        DataType::f32, DataType::b64, DataType::u64, DataType::s64, DataType::f64}) {
    Row made = row(Opcode::mov, type, "mov");
    made.expect = [](const Inputs& in) -> Expected { return {in[0]}; };
    check(made);
  }
}

TEST(MoveRows, PackingPutsTheFirstSourceLowest) {
  struct Form {
    DataType whole, part;
    unsigned count;
  };
  for (const Form& form : {Form{DataType::b32, DataType::b16, 2}, Form{DataType::b64, DataType::b16, 4},
                           Form{DataType::b64, DataType::b32, 2}}) {
    Row made = row(Opcode::mov, form.whole, "mov pack");
    made.sources.assign(form.count, {form.part});
    made.expect = [=](const Inputs& in) -> Expected {
      std::uint64_t whole = 0;
      for (unsigned i = 0; i < form.count; ++i) whole |= in[i] << (i * width_of(form.part));
      return {whole};
    };
    check(made);
  }
}

TEST(MoveRows, AddressesConvertBetweenGenericAndWindows) {
  for (const bool to_space : {false, true}) {
    for (const Space space : {Space::shared, Space::local, Space::global, Space::constant}) {
      Row made = row(Opcode::cvta, DataType::u64, to_space ? "cvta.to" : "cvta");
      made.op.space = space;
      made.op.to_space = to_space;
      const std::uint64_t window =
          space == Space::shared ? 0xffff000000000000 : (space == Space::local ? 0xfffe000000000000 : 0);
      made.expect = [=](const Inputs& in) -> Expected { return {to_space ? in[0] - window : in[0] + window}; };
      check(made);
    }
  }
}

TEST(MoveRows, GenericAddressesTellTheirSpace) {
  for (const Space space : {Space::shared, Space::local, Space::global, Space::constant}) {
    Row made = row(Opcode::isspacep, DataType::u64, "isspacep");
    made.op.space = space;
    made.result = DataType::pred;
    made.expect = [=](const Inputs& in) -> Expected {
      const std::uint64_t window = in[0] >> 48;
      switch (space) {
        case Space::shared:
          return {window == 0xffff};
        case Space::local:
          return {window == 0xfffe};
        case Space::global:
          return {window < 0xfffe};
        default:
          return {0};
      }
    };
    check(made);
  }
}

class Unpack : public WarpFixture {};

TEST_F(Unpack, PartsGoToTheirDestinationsAndAbsentOnesAreDropped) {
  struct Form {
    DataType whole, part;
    unsigned count;
  };
  for (const char* level : host_levels()) {
    select_lane_operations(level);
    for (const Form& form : {Form{DataType::b32, DataType::b16, 2}, Form{DataType::b64, DataType::b16, 4},
                             Form{DataType::b64, DataType::b32, 2}}) {
      for (unsigned absent = 0; absent <= form.count; ++absent) {
        for (const std::uint32_t mask : {~0u, 0x00f0ff01u, 0u}) {
          MicroOp op;
          op.opcode = Opcode::mov;
          op.type = form.whole;
          op.sources[0] = register_at(0, form.whole);
          op.source_count = 1;
          op.destination_count = static_cast<std::uint8_t>(form.count);
          Random random(absent * 77 + mask);
          std::array<std::uint64_t, 32> whole;
          for (unsigned i = 0; i < 32; ++i) {
            whole[i] = random.next();
            width_of(form.whole) == 64 ? static_cast<void>(longs(0)[i] = whole[i])
                                       : static_cast<void>(words(0)[i] = static_cast<std::uint32_t>(whole[i]));
          }
          for (unsigned d = 0; d < form.count; ++d) {
            op.destinations[d] = d == absent ? Operand{} : register_at(4 + d, form.part);
            for (unsigned i = 0; i < 32; ++i) words(4 + d)[i] = 0xdddddddd;
          }
          op.lane_function = lane_function(op);
          ASSERT_NE(op.lane_function, nullptr);
          execute_lanes(op, warp_, mask, {});
          for (unsigned d = 0; d < form.count; ++d) {
            for (unsigned i = 0; i < 32; ++i) {
              const unsigned width = width_of(form.part);
              const bool written = d != absent && (mask >> i & 1) != 0;
              const std::uint64_t part = whole[i] >> (d * width) & ((std::uint64_t{1} << width) - 1);
              ASSERT_EQ(words(4 + d)[i], written ? part : 0xdddddddd) << level << " part " << d << " lane " << i;
            }
          }
        }
      }
    }
  }
}

class ParameterWindow : public WarpFixture {};

TEST_F(ParameterWindow, ConvertsAndIsRecognised) {
  MicroOp op;
  op.opcode = Opcode::cvta;
  op.type = DataType::u64;
  op.space = Space::param;
  op.sources[0] = register_at(0, DataType::b64);
  op.destinations[0] = register_at(2, DataType::b64);
  op.source_count = op.destination_count = 1;
  op.lane_function = lane_function(op);
  for (unsigned i = 0; i < 32; ++i) longs(0)[i] = 3 * i;
  execute_lanes(op, warp_, 0xffff, {});
  EXPECT_EQ(longs(2)[4], reinterpret_cast<std::uint64_t>(launch_.parameters.data()) + 12);
  std::swap(op.sources[0], op.destinations[0]);
  op.to_space = true;
  longs(0)[4] = 0;
  execute_lanes(op, warp_, 0xffff, {});
  EXPECT_EQ(longs(0)[4], 12u);
  op.opcode = Opcode::isspacep;
  op.destinations[0] = predicate_at(0);
  op.lane_function = lane_function(op);
  longs(2)[5] = 8;
  predicate(0) = 0;
  execute_lanes(op, warp_, ~0u, {});
  EXPECT_EQ(predicate(0) & 0x3f, 0x1fu);
}

TEST(LaneSelection, UnknownLevelsAreRefused) {
  try {
    select_lane_operations("sse9");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::usage);
    EXPECT_STREQ(error.what(), "lane operations 'sse9' are unknown; legal are auto, baseline, avx2, avx512");
  }
  select_lane_operations("auto");
  EXPECT_STREQ(lane_operations().name, host_levels().back());
}

TEST(LaneSelection, OperationsWithoutARowHaveNoFunction) {
  MicroOp op;
  for (const Opcode opcode : {Opcode::ld, Opcode::bra, Opcode::vote, Opcode::bar, Opcode::special}) {
    op.opcode = opcode;
    op.type = DataType::b32;
    EXPECT_EQ(lane_function(op), nullptr) << name_of(opcode);
  }
  op.opcode = Opcode::sin_;
  op.type = DataType::f64;
  EXPECT_EQ(lane_function(op), nullptr);
}

}  // namespace
}  // namespace heddle::isa::table
