// SPDX-License-Identifier: Apache-2.0
// Logic, shifts, fields, permutes and dot products against bit-by-bit definitions.
#include "semantics_table.h"

namespace heddle::isa::table {
namespace {

using Bits = std::uint64_t;

Row row(const std::string& name, Opcode opcode, DataType type, unsigned sources) {
  Row made;
  made.name = name + "." + std::string(name_of(type));
  made.op.opcode = opcode;
  made.op.type = type;
  made.result = type;
  made.sources.assign(sources, {type});
  return made;
}

bool bit(Bits value, unsigned i) { return i < 64 && (value >> i & 1) != 0; }

TEST(BitRows, LogicOnAllWidths) {
  for (const DataType type : {DataType::b16, DataType::b32, DataType::b64, DataType::pred}) {
    const auto binary = [&](const char* name, Opcode opcode, Bits (*function)(Bits, Bits)) {
      Row made = row(name, opcode, type, 2);
      made.expect = [=](const Inputs& in) -> Expected { return {function(in[0], in[1])}; };
      check(made);
    };
    binary("and", Opcode::and_, [](Bits a, Bits b) { return a & b; });
    binary("or", Opcode::or_, [](Bits a, Bits b) { return a | b; });
    binary("xor", Opcode::xor_, [](Bits a, Bits b) { return a ^ b; });
    Row invert = row("not", Opcode::not_, type, 1);
    invert.expect = [=](const Inputs& in) -> Expected { return {type == DataType::pred ? in[0] ^ 1 : ~in[0]}; };
    check(invert);
    if (type == DataType::pred) continue;
    Row cnot = row("cnot", Opcode::cnot, type, 1);
    cnot.expect = [](const Inputs& in) -> Expected { return {in[0] == 0 ? 1u : 0u}; };
    check(cnot);
  }
}

TEST(BitRows, ShiftsBeyondTheWidthEmptyTheValue) {
  for (const DataType type : {DataType::b16, DataType::b32, DataType::b64}) {
    Row made = row("shl", Opcode::shl, type, 2);
    made.sources[1] = {DataType::u32, Draw::shift_amount};
    made.expect = [=](const Inputs& in) -> Expected { return {in[1] >= width_of(type) ? 0 : in[0] << in[1]}; };
    check(made);
  }
  for (const DataType type : {DataType::b16, DataType::b32, DataType::b64, DataType::u16, DataType::u32, DataType::u64,
                              DataType::s16, DataType::s32, DataType::s64}) {
    Row made = row("shr", Opcode::shr, type, 2);
    made.sources[1] = {DataType::u32, Draw::shift_amount};
    made.expect = [=](const Inputs& in) -> Expected {
      const unsigned width = width_of(type);
      Bits result = 0;
      for (unsigned i = 0; i < width; ++i) {
        const bool fill = is_signed(type) && bit(in[0], width - 1);
        const bool set = in[1] + i < width ? bit(in[0], static_cast<unsigned>(in[1]) + i) : fill;
        result |= Bits{set} << i;
      }
      return {result};
    };
    check(made);
  }
}

TEST(BitRows, FunnelShiftsTakeTheirAmountClampedOrWrapped) {
  for (const bool right : {false, true}) {
    for (const bool wrap : {false, true}) {
      Row made =
          row(std::string("shf") + (right ? ".r" : ".l") + (wrap ? ".wrap" : ".clamp"), Opcode::shf, DataType::b32, 3);
      made.sources[2] = {DataType::u32, Draw::shift_amount};
      made.op.right = right;
      made.op.shift_wrap = wrap;
      made.expect = [=](const Inputs& in) -> Expected {
        const unsigned n = static_cast<unsigned>(wrap ? in[2] % 32 : std::min<Bits>(in[2], 32));
        Bits result = 0;
        for (unsigned i = 0; i < 32; ++i) {
          const unsigned from = right ? i + n : i + 32 - n;  // position in b:a
          const bool set = from < 32 ? bit(in[0], from) : (from < 64 && bit(in[1], from - 32));
          result |= Bits{set} << i;
        }
        return {result};
      };
      check(made);
    }
  }
}

TEST(BitRows, FieldsAreExtractedWithTheirSign) {
  for (const DataType type : {DataType::u32, DataType::s32, DataType::u64, DataType::s64}) {
    Row made = row("bfe", Opcode::bfe, type, 3);
    made.sources[1] = made.sources[2] = {DataType::u32, Draw::shift_amount};
    made.random_tuples = 6000;
    made.expect = [=](const Inputs& in) -> Expected {
      const unsigned msb = width_of(type) - 1, position = in[1] & 0xff, length = in[2] & 0xff;
      const bool sign = is_signed(type) && length != 0 && bit(in[0], std::min(position + length - 1, msb));
      Bits result = 0;
      for (unsigned i = 0; i <= msb; ++i)
        result |= Bits{i < length && position + i <= msb ? bit(in[0], position + i) : sign} << i;
      return {result};
    };
    check(made);
  }
}

TEST(BitRows, FieldsAreInserted) {
  for (const DataType type : {DataType::b32, DataType::b64}) {
    Row made = row("bfi", Opcode::bfi, type, 4);
    made.sources[2] = made.sources[3] = {DataType::u32, Draw::shift_amount};
    made.random_tuples = 6000;
    made.expect = [=](const Inputs& in) -> Expected {
      const unsigned msb = width_of(type) - 1, position = in[2] & 0xff, length = in[3] & 0xff;
      Bits result = in[1];
      for (unsigned i = 0; i < length && position + i <= msb; ++i) {
        result &= ~(Bits{1} << (position + i));
        result |= Bits{bit(in[0], i)} << (position + i);
      }
      return {result};
    };
    check(made);
  }
}

TEST(BitRows, CountsFindsAndReversals) {
  for (const DataType type : {DataType::b32, DataType::b64}) {
    const unsigned width = width_of(type);
    Row made = row("clz", Opcode::clz, type, 1);
    made.result = DataType::u32;
    made.expect = [=](const Inputs& in) -> Expected {
      Bits count = 0;
      while (count < width && !bit(in[0], width - 1 - static_cast<unsigned>(count))) ++count;
      return {count};
    };
    check(made);
    made = row("popc", Opcode::popc, type, 1);
    made.result = DataType::u32;
    made.expect = [=](const Inputs& in) -> Expected {
      Bits count = 0;
      for (unsigned i = 0; i < width; ++i) count += bit(in[0], i) ? 1 : 0;
      return {count};
    };
    check(made);
    made = row("brev", Opcode::brev, type, 1);
    made.expect = [=](const Inputs& in) -> Expected {
      Bits result = 0;
      for (unsigned i = 0; i < width; ++i) result |= Bits{bit(in[0], i)} << (width - 1 - i);
      return {result};
    };
    check(made);
  }
  for (const DataType type : {DataType::u32, DataType::s32, DataType::u64, DataType::s64}) {
    for (const bool shift_amount : {false, true}) {
      Row made = row(shift_amount ? "bfind.shiftamt" : "bfind", Opcode::bfind, type, 1);
      made.op.shift_amount = shift_amount;
      made.result = DataType::u32;
      made.expect = [=](const Inputs& in) -> Expected {
        const unsigned width = width_of(type);
        const bool skipped = is_signed(type) && bit(in[0], width - 1);
        for (unsigned i = width; i-- > 0;) {
          if (bit(in[0], i) != skipped) return {shift_amount ? width - 1 - i : i};
        }
        return {0xffffffff};
      };
      check(made);
    }
  }
}

TEST(BitRows, BytePermutesInAllModes) {
  // The bytes that each mode puts in d.b3 .. d.b0 for selector values 0 to 3.
  static constexpr unsigned kTables[6][4][4] = {{{3, 2, 1, 0}, {4, 3, 2, 1}, {5, 4, 3, 2}, {6, 5, 4, 3}},
                                                {{5, 6, 7, 0}, {6, 7, 0, 1}, {7, 0, 1, 2}, {0, 1, 2, 3}},
                                                {{0, 0, 0, 0}, {1, 1, 1, 1}, {2, 2, 2, 2}, {3, 3, 3, 3}},
                                                {{3, 2, 1, 0}, {3, 2, 1, 1}, {3, 2, 2, 2}, {3, 3, 3, 3}},
                                                {{0, 0, 0, 0}, {1, 1, 1, 0}, {2, 2, 1, 0}, {3, 2, 1, 0}},
                                                {{1, 0, 1, 0}, {3, 2, 3, 2}, {1, 0, 1, 0}, {3, 2, 3, 2}}};
  static constexpr PrmtMode kModes[] = {PrmtMode::f4e, PrmtMode::b4e, PrmtMode::rc8,
                                        PrmtMode::ecl, PrmtMode::ecr, PrmtMode::rc16};
  const auto byte_of = [](const Inputs& in, unsigned i) {
    return (i < 4 ? in[0] >> (8 * i) : in[1] >> (8 * (i - 4))) & 0xff;
  };
  for (unsigned m = 0; m < 6; ++m) {
    Row made = row("prmt mode " + std::to_string(m), Opcode::prmt, DataType::b32, 3);
    made.op.prmt_mode = kModes[m];
    made.expect = [=](const Inputs& in) -> Expected {
      Bits result = 0;
      for (unsigned i = 0; i < 4; ++i) result |= byte_of(in, kTables[m][in[2] & 3][3 - i]) << (8 * i);
      return {result};
    };
    check(made);
  }
  Row made = row("prmt", Opcode::prmt, DataType::b32, 3);
  made.expect = [=](const Inputs& in) -> Expected {
    Bits result = 0;
    for (unsigned i = 0; i < 4; ++i) {
      const unsigned selector = in[2] >> (4 * i) & 0xf;
      Bits byte = byte_of(in, selector & 7);
      if (selector >= 8) byte = byte >= 0x80 ? 0xff : 0;
      result |= byte << (8 * i);
    }
    return {result};
  };
  check(made);
}

TEST(BitRows, ThreeInputLogicForEveryTable) {
  for (unsigned lut = 0; lut < 256; ++lut) {
    Row made = row("lop3 table " + std::to_string(lut), Opcode::lop3, DataType::b32, 3);
    made.op.immediate_table = static_cast<std::uint8_t>(lut);
    made.random_tuples = 0;
    made.expect = [=](const Inputs& in) -> Expected {
      Bits result = 0;
      for (unsigned i = 0; i < 32; ++i) {
        const unsigned index = bit(in[0], i) * 4u + bit(in[1], i) * 2u + bit(in[2], i);
        result |= Bits{bit(lut, index)} << i;
      }
      return {result};
    };
    check(made);
  }
}

TEST(BitRows, DotProductsOfPackedIntegers) {
  for (const DataType a_type : {DataType::u32, DataType::s32}) {
    for (const DataType b_type : {DataType::u32, DataType::s32}) {
      const auto element = [](Bits word, unsigned width, unsigned i, DataType type) {
        const Bits bits = word >> (width * i) & ((Bits{1} << width) - 1);
        return is_signed(type) ? sign_extended(bits, width) : static_cast<std::int64_t>(bits);
      };
      Row made = row("dp4a", Opcode::dp4a, a_type, 3);
      made.op.source_type = b_type;
      made.expect = [=](const Inputs& in) -> Expected {
        std::int64_t sum = static_cast<std::int64_t>(in[2]);
        for (unsigned i = 0; i < 4; ++i) sum += element(in[0], 8, i, a_type) * element(in[1], 8, i, b_type);
        return {static_cast<Bits>(sum)};
      };
      check(made);
      for (const bool high : {false, true}) {
        made = row(high ? "dp2a.hi" : "dp2a.lo", Opcode::dp2a, a_type, 3);
        made.op.source_type = b_type;
        made.op.mul_mode = high ? MulMode::hi : MulMode::lo;
        made.expect = [=](const Inputs& in) -> Expected {
          std::int64_t sum = static_cast<std::int64_t>(in[2]);
          for (unsigned i = 0; i < 2; ++i)
            sum += element(in[0], 16, i, a_type) * element(in[1], 8, i + (high ? 2 : 0), b_type);
          return {static_cast<Bits>(sum)};
        };
        check(made);
      }
    }
  }
}

}  // namespace
}  // namespace heddle::isa::table
