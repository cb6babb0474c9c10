// SPDX-License-Identifier: Apache-2.0
// Integer arithmetic against 128-bit host arithmetic.
#include "semantics_table.h"

namespace heddle::isa::table {
namespace {

using Wide = __int128;
using UWide = unsigned __int128;

constexpr DataType kWordTypes[] = {DataType::u16, DataType::s16, DataType::u32,
                                   DataType::s32, DataType::u64, DataType::s64};

Wide value_of(std::uint64_t bits, DataType type) {
  if (is_signed(type)) return sign_extended(bits, width_of(type));
  return static_cast<Wide>(bits);
}
Wide least(DataType type) { return is_signed(type) ? -(Wide{1} << (width_of(type) - 1)) : 0; }
Wide most(DataType type) { return (Wide{1} << (width_of(type) - (is_signed(type) ? 1 : 0))) - 1; }
Wide clamped(Wide value, DataType type) {
  return value < least(type) ? least(type) : (value > most(type) ? most(type) : value);
}
DataType doubled(DataType type) {
  switch (type) {
    case DataType::u16:
      return DataType::u32;
    case DataType::s16:
      return DataType::s32;
    case DataType::u32:
      return DataType::u64;
    default:
      return DataType::s64;
  }
}

Row row(Opcode opcode, DataType type, const std::string& modifiers, unsigned sources) {
  Row made;
  made.name = std::string(name_of(opcode)) + modifiers + "." + std::string(name_of(type));
  made.op.opcode = opcode;
  made.op.type = type;
  made.result = type;
  made.sources.assign(sources, {type});
  return made;
}

/// A row whose exact result, possibly wider, is `exact` and which keeps the low bits.
void check_exact(Row made, std::function<Wide(Wide, Wide, Wide)> exact) {
  const std::vector<Source> sources = made.sources;
  made.expect = [=](const Inputs& in) -> Expected {
    std::array<Wide, 3> v{};
    for (std::size_t i = 0; i < sources.size(); ++i) v[i] = value_of(in[i], sources[i].type);
    return {static_cast<std::uint64_t>(exact(v[0], v[1], v[2]))};
  };
  check(made);
}

TEST(IntegerRows, AddSubtractNegateAbsoluteWrap) {
  for (const DataType type : kWordTypes) {
    check_exact(row(Opcode::add, type, "", 2), [](Wide a, Wide b, Wide) { return a + b; });
    check_exact(row(Opcode::sub, type, "", 2), [](Wide a, Wide b, Wide) { return a - b; });
    check_exact(row(Opcode::neg, type, "", 1), [](Wide a, Wide, Wide) { return -a; });
    if (is_signed(type)) check_exact(row(Opcode::abs_, type, "", 1), [](Wide a, Wide, Wide) { return a < 0 ? -a : a; });
  }
}

TEST(IntegerRows, MinimumAndMaximumFollowTheSign) {
  for (const DataType type : kWordTypes) {
    check_exact(row(Opcode::min_, type, "", 2), [](Wide a, Wide b, Wide) { return a < b ? a : b; });
    check_exact(row(Opcode::max_, type, "", 2), [](Wide a, Wide b, Wide) { return a < b ? b : a; });
  }
}

TEST(IntegerRows, SaturatingFormsOfS32Clamp) {
  const DataType type = DataType::s32;
  Row add = row(Opcode::add, type, ".sat", 2), sub = row(Opcode::sub, type, ".sat", 2),
      mad = row(Opcode::mad, type, ".hi.sat", 3), mad24 = row(Opcode::mad24, type, ".hi.sat", 3);
  for (Row* made : {&add, &sub, &mad, &mad24}) made->op.saturate = true;
  mad.op.mul_mode = mad24.op.mul_mode = MulMode::hi;
  check_exact(add, [=](Wide a, Wide b, Wide) { return clamped(a + b, type); });
  check_exact(sub, [=](Wide a, Wide b, Wide) { return clamped(a - b, type); });
  check_exact(mad, [=](Wide a, Wide b, Wide c) { return clamped((a * b >> 32) + c, type); });
  check_exact(mad24, [=](Wide a, Wide b, Wide c) {
    const Wide a24 = sign_extended(static_cast<std::uint64_t>(a) & 0xffffff, 24),
               b24 = sign_extended(static_cast<std::uint64_t>(b) & 0xffffff, 24);
    return clamped(static_cast<std::int32_t>(a24 * b24 >> 16) + c, type);
  });
}

TEST(IntegerRows, ProductsKeepTheLowHighOrAllBits) {
  for (const DataType type : kWordTypes) {
    const unsigned width = width_of(type);
    // The high half of a 64-bit product needs all 128 bits, signed or not.
    const auto high = [=](Wide a, Wide b) {
      return is_signed(type) ? a * b >> width
                             : static_cast<Wide>(static_cast<UWide>(a) * static_cast<UWide>(b) >> width);
    };
    for (const Opcode opcode : {Opcode::mul, Opcode::mad}) {
      const bool adds = opcode == Opcode::mad;
      Row made = row(opcode, type, ".lo", adds ? 3 : 2);
      made.op.mul_mode = MulMode::lo;
      check_exact(made, [](Wide a, Wide b, Wide c) {
        return static_cast<Wide>(static_cast<UWide>(a) * static_cast<UWide>(b) + static_cast<UWide>(c));
      });
      made.name = row(opcode, type, ".hi", 0).name;
      made.op.mul_mode = MulMode::hi;
      check_exact(made, [=](Wide a, Wide b, Wide c) { return high(a, b) + c; });
      if (width == 64) continue;
      made.name = row(opcode, type, ".wide", 0).name;
      made.op.mul_mode = MulMode::wide;
      made.result = doubled(type);
      if (adds) made.sources[2].type = doubled(type);
      check_exact(made, [](Wide a, Wide b, Wide c) { return a * b + c; });
    }
  }
}

TEST(IntegerRows, TwentyFourBitProductsIgnoreTheUpperByte) {
  for (const DataType type : {DataType::u32, DataType::s32}) {
    for (const Opcode opcode : {Opcode::mul24, Opcode::mad24}) {
      for (const MulMode mode : {MulMode::lo, MulMode::hi}) {
        Row made = row(opcode, type, mode == MulMode::lo ? ".lo" : ".hi", opcode == Opcode::mad24 ? 3 : 2);
        made.op.mul_mode = mode;
        check_exact(made, [=](Wide a, Wide b, Wide c) {
          const auto low24 = [&](Wide v) -> Wide {
            const auto bits = static_cast<std::uint64_t>(v) & 0xffffff;
            return is_signed(type) ? Wide{sign_extended(bits, 24)} : static_cast<Wide>(bits);
          };
          const Wide product = low24(a) * low24(b);
          return (mode == MulMode::lo ? product : product >> 16) + c;
        });
      }
    }
  }
}

TEST(IntegerRows, SumOfAbsoluteDifferenceWraps) {
  for (const DataType type : kWordTypes) {
    check_exact(row(Opcode::sad, type, "", 3), [](Wide a, Wide b, Wide c) { return c + (a < b ? b - a : a - b); });
  }
}

TEST(IntegerRows, DivisionTruncatesAndByZeroGivesAllOnes) {
  for (const DataType type : kWordTypes) {
    for (const bool remainder : {false, true}) {
      Row made = row(remainder ? Opcode::rem_ : Opcode::div_, type, "", 2);
      made.sources[1].draw = Draw::divisor_friendly;
      made.random_tuples = 4000;
      check_exact(made, [=](Wide a, Wide b, Wide) -> Wide { return b == 0 ? -1 : (remainder ? a % b : a / b); });
      made.sources[1].draw = Draw::values;  // all pairs of corners
      check_exact(made, [=](Wide a, Wide b, Wide) -> Wide { return b == 0 ? -1 : (remainder ? a % b : a / b); });
    }
  }
}

/// add.cc, sub.cc, mad.cc and the forms that read the carry. The carry is that of the unsigned operation.
void check_carry(Opcode opcode, DataType type, MulMode mode, bool reads, bool writes) {
  const bool product = opcode == Opcode::mad || opcode == Opcode::madc;
  const bool subtracts = opcode == Opcode::sub || opcode == Opcode::subc;
  Row made = row(opcode, type,
                 std::string(mode == MulMode::hi ? ".hi" : (mode == MulMode::lo ? ".lo" : "")) + (writes ? ".cc" : ""),
                 product ? 3 : 2);
  made.op.mul_mode = mode;
  made.op.carry_out = writes;
  if (reads) made.sources.push_back({DataType::pred});
  if (writes) made.second_result = DataType::pred;
  const unsigned width = width_of(type);
  made.expect = [=](const Inputs& in) -> Expected {
    const UWide base = UWide{1} << width;
    UWide left = in[0], right = in[1];
    if (product) {
      const UWide bits = static_cast<UWide>(value_of(in[0], type)) * static_cast<UWide>(value_of(in[1], type));
      left = (mode == MulMode::hi ? bits >> width : bits) & (base - 1);
      if (mode == MulMode::hi && width == 64 && !is_signed(type)) left = UWide{in[0]} * in[1] >> 64;
      right = in[2];
    }
    const UWide carry = reads ? in[product ? 3 : 2] : 0;
    const UWide exact = subtracts ? left - right - carry : left + right + carry;
    return {static_cast<std::uint64_t>(exact & (base - 1)), (exact & ~(base - 1)) != 0 ? 1u : 0u};
  };
  check(made);
}

TEST(IntegerRows, CarriesChain) {
  for (const DataType type : {DataType::u32, DataType::s32, DataType::u64, DataType::s64}) {
    check_carry(Opcode::add, type, MulMode::none, false, true);
    check_carry(Opcode::sub, type, MulMode::none, false, true);
    for (const bool writes : {false, true}) {
      check_carry(Opcode::addc, type, MulMode::none, true, writes);
      check_carry(Opcode::subc, type, MulMode::none, true, writes);
      check_carry(Opcode::madc, type, MulMode::lo, true, writes);
      check_carry(Opcode::madc, type, MulMode::hi, true, writes);
    }
    check_carry(Opcode::mad, type, MulMode::lo, false, true);
    check_carry(Opcode::mad, type, MulMode::hi, false, true);
  }
}

}  // namespace
}  // namespace heddle::isa::table
