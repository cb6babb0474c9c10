// SPDX-License-Identifier: Apache-2.0
// setp, set, slct, selp.
#include <bit>
#include <cmath>

#include "semantics_half_reference.h"
#include "semantics_table.h"

namespace heddle::isa::table {
namespace {

struct Named {
  Compare compare;
  const char* name;
};
constexpr Named kOrdered[] = {{Compare::eq, "eq"}, {Compare::ne, "ne"}, {Compare::lt, "lt"},
                              {Compare::le, "le"}, {Compare::gt, "gt"}, {Compare::ge, "ge"}};
constexpr Named kUnsigned[] = {{Compare::lo, "lo"}, {Compare::ls, "ls"}, {Compare::hi, "hi"}, {Compare::hs, "hs"}};
constexpr Named kUnordered[] = {{Compare::equ, "equ"}, {Compare::neu, "neu"}, {Compare::ltu, "ltu"},
                                {Compare::leu, "leu"}, {Compare::gtu, "gtu"}, {Compare::geu, "geu"},
                                {Compare::num, "num"}, {Compare::nan, "nan"}};
constexpr const char* kBoolNames[] = {"", ".and", ".or", ".xor"};

/// The value of an operand on the number line, with the flushing of its row. Integers of 64 bits need all of long
/// double's.
long double number(std::uint64_t bits, DataType type, bool ftz) {
  switch (type) {
    case DataType::f32: {
      const float v = std::bit_cast<float>(static_cast<std::uint32_t>(bits));
      return ftz && std::fpclassify(v) == FP_SUBNORMAL ? 0.0L : static_cast<long double>(v);
    }
    case DataType::f64:
      return std::bit_cast<double>(bits);
    case DataType::f16:
    case DataType::bf16: {
      const double v = half_value(bits, type);
      return ftz && std::fabs(v) < 6.103515625e-05 && !std::isnan(v) ? 0.0L : static_cast<long double>(v);
    }
    default:
      return is_signed(type) ? static_cast<long double>(sign_extended(bits, width_of(type)))
                             : static_cast<long double>(bits);
  }
}

bool compared(Compare compare, long double a, long double b) {
  const bool nan = std::isnan(a) || std::isnan(b);
  switch (compare) {
    case Compare::eq:
      return !nan && a == b;
    case Compare::ne:
      return !nan && a != b;
    case Compare::lt:
    case Compare::lo:
      return !nan && a < b;
    case Compare::le:
    case Compare::ls:
      return !nan && a <= b;
    case Compare::gt:
    case Compare::hi:
      return !nan && a > b;
    case Compare::ge:
    case Compare::hs:
      return !nan && a >= b;
    case Compare::equ:
      return nan || a == b;
    case Compare::neu:
      return nan || a != b;
    case Compare::ltu:
      return nan || a < b;
    case Compare::leu:
      return nan || a <= b;
    case Compare::gtu:
      return nan || a > b;
    case Compare::geu:
      return nan || a >= b;
    case Compare::num:
      return !nan;
    default:
      return nan;
  }
}

bool combined(BoolOp op, bool result, bool c) {
  switch (op) {
    case BoolOp::and_:
      return result && c;
    case BoolOp::or_:
      return result || c;
    case BoolOp::xor_:
      return result != c;
    default:
      return result;
  }
}

std::vector<Named> compares_of(DataType type) {
  std::vector<Named> list(std::begin(kOrdered), std::end(kOrdered));
  const bool bits_only = type == DataType::b16 || type == DataType::b32 || type == DataType::b64;
  if (bits_only) list.resize(2);
  if (type == DataType::u16 || type == DataType::u32 || type == DataType::u64)
    list.insert(list.end(), std::begin(kUnsigned), std::end(kUnsigned));
  if (is_float(type)) list.insert(list.end(), std::begin(kUnordered), std::end(kUnordered));
  return list;
}

constexpr DataType kCompared[] = {DataType::b16, DataType::u16, DataType::s16, DataType::b32, DataType::u32,
                                  DataType::s32, DataType::b64, DataType::u64, DataType::s64, DataType::f32,
                                  DataType::f64, DataType::f16, DataType::bf16};

Row compare_row(Opcode opcode, const Named& compare, BoolOp bool_op, bool negate, DataType type, bool ftz) {
  Row made;
  made.name = std::string(name_of(opcode)) + "." + compare.name + kBoolNames[static_cast<int>(bool_op)] +
              (negate ? "!" : "") + (ftz ? ".ftz." : ".") + std::string(name_of(type));
  made.op.opcode = opcode;
  made.op.compare = compare.compare;
  made.op.bool_op = bool_op;
  made.op.flush_to_zero = ftz;
  made.sources = {{type}, {type}};
  if (bool_op != BoolOp::none) made.sources.push_back({DataType::pred, Draw::values, DataType::none, negate});
  made.random_tuples = 300;
  return made;
}

template <typename Visit>
void for_each_compare(Visit&& visit) {
  for (const DataType type : kCompared) {
    for (const Named& compare : compares_of(type)) {
      for (const bool ftz : {false, true}) {
        if (ftz && type != DataType::f32 && type != DataType::f16) continue;
        visit(type, compare, ftz);
      }
    }
  }
}

TEST(CompareRows, SetpGivesTheComparisonAndItsComplement) {
  for_each_compare([](DataType type, const Named& compare, bool ftz) {
    for (const BoolOp bool_op : {BoolOp::none, BoolOp::and_, BoolOp::or_, BoolOp::xor_}) {
      Row made = compare_row(Opcode::setp, compare, bool_op, bool_op == BoolOp::or_, type, ftz);
      made.op.type = type;
      made.result = made.second_result = DataType::pred;
      made.expect = [=](const Inputs& in) -> Expected {
        const bool result = compared(compare.compare, number(in[0], type, ftz), number(in[1], type, ftz));
        return {combined(bool_op, result, in[2] != 0), combined(bool_op, !result, in[2] != 0)};
      };
      check(made);
    }
  });
}

std::uint64_t true_bits(DataType type) {
  switch (type) {
    case DataType::f32:
      return 0x3f800000;
    case DataType::f16:
      return 0x3c00;
    case DataType::bf16:
      return 0x3f80;
    default:
      return 0xffffffff;
  }
}

TEST(CompareRows, SetWritesAllOnesOrOne) {
  for_each_compare([](DataType type, const Named& compare, bool ftz) {
    for (const DataType result_type :
         {DataType::u32, DataType::s32, DataType::f32, DataType::u16, DataType::s16, DataType::f16, DataType::bf16}) {
      const bool half_result = width_of(result_type) == 16;
      if (half_result && type != DataType::f16 && type != DataType::bf16) continue;
      for (const BoolOp bool_op : {BoolOp::none, BoolOp::and_, BoolOp::or_, BoolOp::xor_}) {
        Row made = compare_row(Opcode::set, compare, bool_op, false, type, ftz);
        made.name += "->" + std::string(name_of(result_type));
        made.op.type = made.result = result_type;
        made.op.source_type = type;
        made.random_tuples = 300;
        made.all_pairs = false;  // setp has them
        made.expect = [=](const Inputs& in) -> Expected {
          const bool result = compared(compare.compare, number(in[0], type, ftz), number(in[1], type, ftz));
          return {combined(bool_op, result, in[2] != 0) ? true_bits(result_type) : 0};
        };
        check(made);
      }
    }
  });
}

TEST(CompareRows, PackedPairsCompareEachHalf) {
  for (const DataType type : {DataType::f16x2, DataType::bf16x2}) {
    const DataType element = type == DataType::f16x2 ? DataType::f16 : DataType::bf16;
    for (const Named& compare : compares_of(element)) {
      const auto half = [=](const Inputs& in, unsigned shift) {
        return compared(compare.compare, number(in[0] >> shift & 0xffff, element, false),
                        number(in[1] >> shift & 0xffff, element, false));
      };
      Row made = compare_row(Opcode::setp, compare, BoolOp::and_, false, type, false);
      made.op.type = type;
      made.result = made.second_result = DataType::pred;
      made.expect = [=](const Inputs& in) -> Expected {
        return {half(in, 0) && in[2] != 0, half(in, 16) && in[2] != 0};
      };
      check(made);
      made = compare_row(Opcode::set, compare, BoolOp::none, false, type, false);
      made.op.type = made.result = type;
      made.op.source_type = type;
      made.expect = [=](const Inputs& in) -> Expected {
        return {(half(in, 0) ? true_bits(element) : 0) | (half(in, 16) ? true_bits(element) << 16 : 0)};
      };
      check(made);
    }
  }
}

TEST(CompareRows, SlctChoosesByTheSignOfTheThird) {
  for (const DataType type : {DataType::b16, DataType::u16, DataType::s16, DataType::b32, DataType::u32, DataType::s32,
                              DataType::f32, DataType::b64, DataType::u64, DataType::s64, DataType::f64}) {
    for (const DataType by : {DataType::s32, DataType::f32}) {
      for (const bool ftz : {false, true}) {
        if (ftz && by != DataType::f32) continue;
        Row made;
        made.name =
            std::string("slct") + (ftz ? ".ftz." : ".") + std::string(name_of(type)) + "." + std::string(name_of(by));
        made.op.opcode = Opcode::slct;
        made.op.type = made.result = type;
        made.op.source_type = by;
        made.op.flush_to_zero = ftz;
        made.sources = {{type}, {type}, {by}};
        made.expect = [=](const Inputs& in) -> Expected {
          const long double c = number(in[2], by, ftz);
          return {!std::isnan(c) && c >= 0 ? in[0] : in[1]};
        };
        check(made);
      }
    }
  }
}

TEST(CompareRows, SelpChoosesByPredicate) {
  for (const DataType type : {DataType::b16, DataType::u16, DataType::s16, DataType::b32, DataType::u32, DataType::s32,
                              DataType::f32, DataType::b64, DataType::u64, DataType::s64, DataType::f64}) {
    for (const bool negate : {false, true}) {
      Row made;
      made.name = std::string("selp.") + std::string(name_of(type));
      made.op.opcode = Opcode::selp;
      made.op.type = made.result = type;
      made.sources = {{type}, {type}, {DataType::pred, Draw::values, DataType::none, negate}};
      made.expect = [](const Inputs& in) -> Expected { return {in[2] != 0 ? in[0] : in[1]}; };
      check(made);
    }
  }
}

}  // namespace
}  // namespace heddle::isa::table
