// SPDX-License-Identifier: Apache-2.0
// cvt between all types, through long double, whose 64-bit mantissa holds every integer and every double.
#include <bit>
#include <cfenv>
#include <cmath>

#include "semantics_half_reference.h"
#include "semantics_table.h"

namespace heddle::isa::table {
namespace {

constexpr DataType kIntegers[] = {DataType::u8,  DataType::s8,  DataType::u16, DataType::s16,
                                  DataType::u32, DataType::s32, DataType::u64, DataType::s64};
constexpr DataType kFloats[] = {DataType::f16, DataType::bf16, DataType::f32, DataType::f64};

struct Mode {
  Rounding to_float, to_integral;
  int host;
  const char* name;
};
constexpr Mode kModes[] = {{Rounding::rn, Rounding::rni, FE_TONEAREST, ".rn"},
                           {Rounding::rz, Rounding::rzi, FE_TOWARDZERO, ".rz"},
                           {Rounding::rm, Rounding::rmi, FE_DOWNWARD, ".rm"},
                           {Rounding::rp, Rounding::rpi, FE_UPWARD, ".rp"}};

long double least_value(DataType type) {
  return is_signed(type) ? -std::ldexp(1.0L, static_cast<int>(width_of(type)) - 1) : 0.0L;
}
long double most_value(DataType type) {
  return std::ldexp(1.0L, static_cast<int>(width_of(type)) - (is_signed(type) ? 1 : 0)) - 1;
}

float float_of(std::uint64_t bits) { return std::bit_cast<float>(static_cast<std::uint32_t>(bits)); }
std::uint64_t flushed(std::uint64_t bits) { return (bits & 0x7f800000) == 0 ? bits & 0x80000000 : bits; }

/// The value of a source. ftz concerns f32.
long double source_value(std::uint64_t bits, DataType type, bool ftz) {
  switch (type) {
    case DataType::f32:
      return float_of(ftz ? flushed(bits) : bits);
    case DataType::f64:
      return std::bit_cast<double>(bits);
    case DataType::f16:
    case DataType::bf16:
      return half_value(bits, type);
    default:
      return is_signed(type) ? static_cast<long double>(sign_extended(bits, width_of(type)))
                             : static_cast<long double>(bits);
  }
}

std::uint64_t integer_bits(long double value) {
  if (value < 0) return static_cast<std::uint64_t>(static_cast<std::int64_t>(value));
  return static_cast<std::uint64_t>(value);
}

long double integral(long double value, int mode) {
  std::fesetround(mode);
  volatile long double v = value;
  const long double result = std::rint(v);
  std::fesetround(FE_TONEAREST);
  return result;
}

/// A long double that is exact for half_bits: rounded to odd as a double.
double odd_double(long double value) {
  std::fesetround(FE_TOWARDZERO);
  volatile long double v = value;
  volatile double truncated = static_cast<double>(v);
  std::fesetround(FE_TONEAREST);
  if (std::isnan(truncated) || std::isinf(truncated) || static_cast<long double>(truncated) == value) return truncated;
  return std::bit_cast<double>(std::bit_cast<std::uint64_t>(static_cast<double>(truncated)) | 1);
}

std::uint64_t float_bits(long double value, DataType type, int mode, bool ftz) {
  if (type == DataType::f16 || type == DataType::bf16) return half_bits(odd_double(value), type, mode);
  std::fesetround(mode);
  volatile long double v = value;
  volatile float as_single = type == DataType::f32 ? static_cast<float>(v) : 0.0f;
  volatile double as_double = type == DataType::f64 ? static_cast<double>(v) : 0.0;
  std::fesetround(FE_TONEAREST);
  if (type == DataType::f64) return std::bit_cast<std::uint64_t>(static_cast<double>(as_double));
  if (std::isnan(value)) return 0x7fffffff;
  const std::uint64_t bits = std::bit_cast<std::uint32_t>(static_cast<float>(as_single));
  return ftz ? flushed(bits) : bits;
}

long double saturated(long double value) { return std::isnan(value) || value <= 0 ? 0.0L : std::min(value, 1.0L); }

Row row(DataType to, DataType from, const std::string& modifiers) {
  Row made;
  made.name = "cvt" + modifiers + "." + std::string(name_of(to)) + "." + std::string(name_of(from));
  made.op.opcode = Opcode::cvt;
  made.op.type = made.result = to;
  made.op.source_type = from;
  made.sources = {{from}};
  return made;
}

TEST(ConvertRows, BetweenIntegersTruncatesOrSaturates) {
  for (const DataType to : kIntegers) {
    for (const DataType from : kIntegers) {
      for (const bool sat : {false, true}) {
        Row made = row(to, from, sat ? ".sat" : "");
        made.op.saturate = sat;
        made.expect = [=](const Inputs& in) -> Expected {
          const long double value = source_value(in[0], from, false);
          return {integer_bits(sat ? std::min(std::max(value, least_value(to)), most_value(to)) : value)};
        };
        check(made);
      }
    }
  }
}

TEST(ConvertRows, RegistersMayBeWiderThanTheTypes) {
  for (const DataType to : kIntegers) {
    for (const DataType from : kIntegers) {
      Row made = row(to, from, " in wide registers");
      made.result_storage = DataType::b64;
      made.sources[0].storage = DataType::b64;
      made.expect = [=](const Inputs& in) -> Expected { return {integer_bits(source_value(in[0], from, false))}; };
      check(made);
      if (width_of(to) == 64) continue;
      made.result_storage = DataType::b32;
      check(made);
    }
    Row made = row(to, DataType::f32, ".rzi to a wide register");
    made.op.rounding = Rounding::rzi;
    made.result_storage = DataType::b64;
    made.expect = [=](const Inputs& in) -> Expected {
      const long double value = source_value(in[0], DataType::f32, false);
      if (std::isnan(value)) return {width_of(to) == 64 ? std::uint64_t{1} << 63 : 0};
      return {integer_bits(std::min(std::max(integral(value, FE_TOWARDZERO), least_value(to)), most_value(to)))};
    };
    check(made);
  }
}

TEST(ConvertRows, IntegersToFloatsRoundOnce) {
  for (const DataType to : kFloats) {
    for (const DataType from : kIntegers) {
      for (const Mode& mode : kModes) {
        for (const bool sat : {false, true}) {
          Row made = row(to, from, std::string(mode.name) + (sat ? ".sat" : ""));
          made.op.rounding = mode.to_float;
          made.op.saturate = sat;
          made.expect = [=](const Inputs& in) -> Expected {
            const long double value = source_value(in[0], from, false);
            return {float_bits(sat ? saturated(value) : value, to, mode.host, false)};
          };
          check(made);
        }
      }
    }
  }
}

TEST(ConvertRows, FloatsToIntegersClampAndKnowNan) {
  for (const DataType to : kIntegers) {
    for (const DataType from : kFloats) {
      for (const Mode& mode : kModes) {
        for (const bool ftz : {false, true}) {
          if (ftz && from != DataType::f32) continue;
          Row made = row(to, from, std::string(mode.name) + "i" + (ftz ? ".ftz" : ""));
          made.op.rounding = mode.to_integral;
          made.op.flush_to_zero = ftz;
          made.expect = [=](const Inputs& in) -> Expected {
            const long double value = source_value(in[0], from, ftz);
            if (std::isnan(value)) {
              const bool zero = from != DataType::f64 && width_of(to) != 64;
              return {zero ? 0 : std::uint64_t{1} << (width_of(to) - 1)};
            }
            return {integer_bits(std::min(std::max(integral(value, mode.host), least_value(to)), most_value(to)))};
          };
          check(made);
        }
      }
    }
  }
}

TEST(ConvertRows, FloatsToFloats) {
  for (const DataType to : kFloats) {
    for (const DataType from : kFloats) {
      for (const Mode& mode : kModes) {
        for (const bool ftz : {false, true}) {
          for (const bool sat : {false, true}) {
            if (ftz && from != DataType::f32 && to != DataType::f32) continue;
            const bool same = to == from;
            if (same && mode.host != FE_TONEAREST) continue;  // nothing to round
            Row made = row(to, from, std::string(same ? "" : mode.name) + (ftz ? ".ftz" : "") + (sat ? ".sat" : ""));
            made.op.rounding = same ? Rounding::none : mode.to_float;
            made.op.flush_to_zero = ftz;
            made.op.saturate = sat;
            made.expect = [=](const Inputs& in) -> Expected {
              const long double value = source_value(in[0], from, ftz);
              if (std::isnan(value) && !sat && to == DataType::f64) {  // a double keeps sign and payload, quieted
                if (from == DataType::f64) return {in[0] | 0x0008000000000000};
                const unsigned mantissa =
                    from == DataType::f32 ? 23 : static_cast<unsigned>(half_format(from).mantissa_bits);
                const std::uint64_t sign = in[0] >> (width_of(from) - 1) << 63;
                const std::uint64_t payload = (in[0] & ((std::uint64_t{1} << mantissa) - 1)) << (52 - mantissa);
                return {sign | 0x7ff8000000000000 | payload};
              }
              return {float_bits(sat ? saturated(value) : value, to, mode.host, ftz && to == DataType::f32)};
            };
            check(made);
          }
        }
      }
    }
  }
}

TEST(ConvertRows, FloatsToIntegralValuesKeepTheSignOfZero) {
  for (const DataType type : kFloats) {
    for (const Mode& mode : kModes) {
      for (const bool sat : {false, true}) {
        Row made = row(type, type, std::string(mode.name) + "i" + (sat ? ".sat" : ""));
        made.op.rounding = mode.to_integral;
        made.op.saturate = sat;
        made.expect = [=](const Inputs& in) -> Expected {
          const long double value = source_value(in[0], type, false);
          if (std::isnan(value) && !sat && type == DataType::f64) return {in[0] | 0x0008000000000000};
          const long double rounded = integral(value, mode.host);
          return {float_bits(sat ? saturated(rounded) : rounded, type, FE_TONEAREST, false)};
        };
        check(made);
      }
    }
  }
}

TEST(ConvertRows, PairsTakeTheirUpperHalfFromTheFirstSource) {
  for (const DataType to : {DataType::f16x2, DataType::bf16x2}) {
    const DataType element = to == DataType::f16x2 ? DataType::f16 : DataType::bf16;
    for (const Mode& mode : {kModes[0], kModes[1]}) {
      Row made = row(to, DataType::f32, mode.name);
      made.op.rounding = mode.to_float;
      made.sources = {{DataType::f32}, {DataType::f32}};
      made.expect = [=](const Inputs& in) -> Expected {
        const auto half = [&](std::uint64_t bits) { return float_bits(float_of(bits), element, mode.host, false); };
        return {half(in[0]) << 16 | half(in[1])};
      };
      check(made);
    }
  }
}

}  // namespace
}  // namespace heddle::isa::table
