// SPDX-License-Identifier: Apache-2.0
// f16, bf16 and packed pairs.
#include "semantics_half_reference.h"
#include "semantics_table.h"

namespace heddle::isa::table {
namespace {

struct HalfRow {
  DataType type;
  bool ftz, sat;
  std::string suffix() const {
    return std::string(ftz ? ".ftz" : "") + (sat ? ".sat" : "") + "." + std::string(name_of(type));
  }
  bool packed() const { return type == DataType::f16x2 || type == DataType::bf16x2; }
};

bool is_subnormal(std::uint64_t bits, DataType type) {
  const unsigned shift = static_cast<unsigned>(half_format(type).mantissa_bits);
  return (bits & 0x7fff) != 0 && (bits & 0x7fff) >> shift == 0;
}
std::uint64_t flushed(std::uint64_t bits, const HalfRow& row) {
  return row.ftz && is_subnormal(bits, row.type) ? bits & 0x8000 : bits;
}

std::uint64_t rounded(double exact, const HalfRow& row) {
  if (row.sat) {
    if (std::isnan(exact) || exact <= 0) return 0;
    exact = std::min(exact, 1.0);
  }
  return flushed(half_bits(exact, row.type, FE_TONEAREST), row);
}

using OnHalves = std::function<std::uint64_t(std::uint64_t, std::uint64_t, std::uint64_t)>;

void check_half(Opcode opcode, const char* name, unsigned sources, const HalfRow& row, const OnHalves& function,
                bool propagate = false) {
  Row made;
  made.name = name + row.suffix();
  made.op.opcode = opcode;
  made.op.type = row.type;
  made.op.flush_to_zero = row.ftz;
  made.op.saturate = row.sat;
  made.op.propagate_nan = propagate;
  made.result = row.type;
  made.sources.assign(sources, {row.type});
  made.expect = [=](const Inputs& in) -> Expected {
    const auto half = [&](unsigned shift) {
      return function(flushed(in[0] >> shift & 0xffff, row), flushed(in[1] >> shift & 0xffff, row),
                      flushed(in[2] >> shift & 0xffff, row));
    };
    return {half(0) | (row.packed() ? half(16) << 16 : 0)};
  };
  check(made);
}

template <typename Visit>
void for_each_row(bool saturates, Visit&& visit) {
  for (const DataType type : {DataType::f16, DataType::f16x2, DataType::bf16, DataType::bf16x2}) {
    for (const bool ftz : {false, true}) {
      for (const bool sat : {false, true}) {
        const bool brain = type == DataType::bf16 || type == DataType::bf16x2;
        if ((brain && (ftz || sat)) || (sat && !saturates)) continue;
        visit(HalfRow{type, ftz, sat});
      }
    }
  }
}

TEST(HalfRows, ArithmeticRoundsOnce) {
  for_each_row(true, [](const HalfRow& row) {
    const auto v = [=](std::uint64_t bits) { return half_value(bits, row.type); };
    check_half(Opcode::add, "add", 2, row,
               [=](auto a, auto b, auto) { return rounded(fused_to_odd(v(a), 1.0, v(b)), row); });
    check_half(Opcode::sub, "sub", 2, row,
               [=](auto a, auto b, auto) { return rounded(fused_to_odd(v(a), 1.0, -v(b)), row); });
    check_half(Opcode::mul, "mul", 2, row, [=](auto a, auto b, auto) { return rounded(v(a) * v(b), row); });
    check_half(Opcode::fma_, "fma", 3, row,
               [=](auto a, auto b, auto c) { return rounded(fused_to_odd(v(a), v(b), v(c)), row); });
  });
}

TEST(HalfRows, MinimumMaximumAbsoluteNegate) {
  for_each_row(false, [](const HalfRow& row) {
    for (const bool maximum : {false, true}) {
      for (const bool propagate : {false, true}) {
        check_half(
            maximum ? Opcode::max_ : Opcode::min_, propagate ? "minmax.NaN" : (maximum ? "max" : "min"), 2, row,
            [=](std::uint64_t a, std::uint64_t b, std::uint64_t) -> std::uint64_t {
              const double x = half_value(a, row.type), y = half_value(b, row.type);
              if ((std::isnan(x) && std::isnan(y)) || (propagate && (std::isnan(x) || std::isnan(y)))) return 0x7fff;
              if (std::isnan(x)) return b;
              if (std::isnan(y)) return a;
              if (x == 0 && y == 0) return std::signbit(x) == maximum ? b : a;
              return (x < y) == maximum ? b : a;
            },
            propagate);
      }
    }
    check_half(Opcode::abs_, "abs", 1, row, [](auto a, auto, auto) { return a & 0x7fff; });
    check_half(Opcode::neg, "neg", 1, row, [](auto a, auto, auto) { return a ^ 0x8000; });
  });
}

}  // namespace
}  // namespace heddle::isa::table
