// SPDX-License-Identifier: Apache-2.0
// Video instructions, bit masks, packed conversions and related ones against the steps in the PTX manual, computed with
// wide integers and powers of two.
#include <algorithm>
#include <cfenv>
#include <cmath>

#include "semantics_half_reference.h"
#include "semantics_table.h"

namespace heddle::isa::table {
namespace {

using Wide = __int128;
using Bits = std::uint64_t;

Wide power(unsigned n) { return Wide{1} << n; }
Wide floor_divide(Wide a, Wide b) { return a >= 0 ? a / b : -((-a + b - 1) / b); }
Wide modulo(Wide a, Wide b) { return a - floor_divide(a, b) * b; }

/// `bits` bits of a word from bit `first` on, as a number.
Wide part_of(Bits word, unsigned first, unsigned bits, bool is_signed_part) {
  const Wide value = modulo(floor_divide(static_cast<Wide>(word & 0xffffffff), power(first)), power(bits));
  return is_signed_part && value >= power(bits - 1) ? value - power(bits) : value;
}

struct Part {
  unsigned first, bits;
};
Part part(unsigned selector) {
  const Part parts[] = {{0, 32}, {0, 8}, {8, 8}, {16, 8}, {24, 8}, {0, 16}, {16, 16}};
  return parts[selector];
}

Wide clamped(Wide value, unsigned bits, bool is_signed_type) {
  return is_signed_type ? std::clamp(value, -power(bits - 1), power(bits - 1) - 1)
                        : std::clamp(value, Wide{0}, power(bits) - 1);
}

bool holds_for(Compare compare, Wide a, Wide b) {
  return compare == Compare::eq   ? a == b
         : compare == Compare::ne ? a != b
         : compare == Compare::lt ? a < b
         : compare == Compare::le ? a <= b
         : compare == Compare::gt ? a > b
                                  : a >= b;
}

Wide applied(Opcode opcode, Compare compare, Wide a, Wide b) {
  switch (opcode) {
    case Opcode::vadd:
    case Opcode::vadd2:
    case Opcode::vadd4:
      return a + b;
    case Opcode::vsub:
    case Opcode::vsub2:
    case Opcode::vsub4:
      return a - b;
    case Opcode::vabsdiff:
    case Opcode::vabsdiff2:
    case Opcode::vabsdiff4:
      return std::max(a, b) - std::min(a, b);
    case Opcode::vmin:
    case Opcode::vmin2:
    case Opcode::vmin4:
      return std::min(a, b);
    case Opcode::vmax:
    case Opcode::vmax2:
    case Opcode::vmax4:
      return std::max(a, b);
    case Opcode::vavrg2:
    case Opcode::vavrg4:
      return floor_divide(a + b >= 0 ? a + b + 1 : a + b, 2);
    default:
      return holds_for(compare, a, b);
  }
}

Row video_row(Opcode opcode, unsigned types, unsigned sources) {
  Row made;
  made.op.opcode = opcode;
  made.op.type = (types & 1) != 0 ? DataType::s32 : DataType::u32;
  made.op.source_type = (types & 2) != 0 ? DataType::s32 : DataType::u32;
  made.op.third_type = (types & 4) != 0 ? DataType::s32 : DataType::u32;
  made.name = std::string(name_of(opcode)) + "." + std::to_string(types);
  made.result = DataType::u32;
  made.sources.assign(sources, {DataType::u32});
  made.random_tuples = 150;
  made.all_pairs = false;
  return made;
}

/// The part after the first operation of a scalar instruction.
Expected finished(const MicroOp& op, Wide value, Bits c) {
  const bool is_signed_result = op.type == DataType::s32;
  const Part to = part(op.video.merge);
  if (op.saturate) value = clamped(value, to.bits, is_signed_result);
  if (op.video.merge != 0) {
    const Wide old = part_of(c, to.first, to.bits, false);
    return {static_cast<Bits>(static_cast<Wide>(c) + (modulo(value, power(to.bits)) - old) * power(to.first)) &
            0xffffffff};
  }
  const Wide word = part_of(static_cast<Bits>(modulo(value, power(32))), 0, 32, is_signed_result);
  const Wide third = part_of(c, 0, 32, is_signed_result);
  const Wide all = op.atom_op == AtomOp::add   ? word + third
                   : op.atom_op == AtomOp::min ? std::min(word, third)
                   : op.atom_op == AtomOp::max ? std::max(word, third)
                                               : word;
  return {static_cast<Bits>(modulo(all, power(32)))};
}

TEST(VideoRows, ScalarArithmeticOnPartsOfWords) {
  unsigned number = 0;
  for (const Opcode opcode : {Opcode::vadd, Opcode::vsub, Opcode::vabsdiff, Opcode::vmin, Opcode::vmax, Opcode::vset}) {
    for (unsigned types = 0; types < 8; ++types) {
      for (const bool saturate : {false, true}) {
        for (unsigned end = 0; end < 6; ++end, ++number) {  // nothing, .add, .min, .max, a part of c, another
          Row made = video_row(opcode, types, end == 0 ? 2 : 3);
          made.op.saturate = saturate && opcode != Opcode::vset;
          made.op.compare = static_cast<Compare>(1 + number % 6);
          if (opcode == Opcode::vset) made.op.type = DataType::u32;
          made.op.video.select_a = static_cast<std::uint16_t>(number % 7);
          made.op.video.select_b = static_cast<std::uint16_t>(number / 7 % 7);
          made.op.atom_op = end == 1 ? AtomOp::add : end == 2 ? AtomOp::min : end == 3 ? AtomOp::max : AtomOp::none;
          made.op.video.merge = static_cast<std::uint8_t>(end == 4 ? 1 + number % 4 : end == 5 ? 5 + number % 2 : 0);
          const MicroOp op = made.op;
          made.expect = [op](const Inputs& in) {
            const Part a = part(op.video.select_a), b = part(op.video.select_b);
            return finished(
                op,
                applied(op.opcode, op.compare, part_of(in[0], a.first, a.bits, op.source_type == DataType::s32),
                        part_of(in[1], b.first, b.bits, op.third_type == DataType::s32)),
                in[2]);
          };
          check(made);
        }
      }
    }
  }
}

TEST(VideoRows, ScalarShifts) {
  for (const Opcode opcode : {Opcode::vshl, Opcode::vshr}) {
    for (unsigned types = 0; types < 4; ++types) {
      for (unsigned kind = 0; kind < 8; ++kind) {
        Row made = video_row(opcode, types, 3);
        made.sources[1] = {DataType::u32, Draw::shift_amount};
        made.op.shift_wrap = (kind & 1) != 0;
        made.op.saturate = (kind & 2) != 0;
        made.op.video.select_a = static_cast<std::uint16_t>((kind & 4) != 0 ? 6 : 0);
        made.op.video.merge = static_cast<std::uint8_t>((kind & 4) != 0 ? 2 : 0);
        made.op.atom_op = (kind & 4) != 0 ? AtomOp::none : AtomOp::add;
        const MicroOp op = made.op;
        made.expect = [op](const Inputs& in) {
          const Part a = part(op.video.select_a);
          const Wide value = part_of(in[0], a.first, a.bits, op.source_type == DataType::s32);
          const auto amount = static_cast<unsigned>(op.shift_wrap ? in[1] % 32 : std::min<Bits>(in[1], 32));
          return finished(op, op.opcode == Opcode::vshl ? value * power(amount) : floor_divide(value, power(amount)),
                          in[2]);
        };
        check(made);
      }
    }
  }
}

TEST(VideoRows, MultiplyAddScalesAndNegates) {
  for (unsigned types = 0; types < 8; ++types) {
    for (unsigned kind = 0; kind < 4; ++kind) {
      for (const unsigned scale : {0u, 7u, 15u}) {
        for (const bool saturate : {false, true}) {
          Row made = video_row(Opcode::vmad, types, 3);
          made.op.saturate = saturate;
          made.op.video.scale = static_cast<std::uint8_t>(scale);
          made.op.video.negate_product = kind == 1;
          made.op.video.negate_addend = kind == 2;
          made.op.video.plus_one = kind == 3;
          made.op.video.select_a = static_cast<std::uint16_t>(kind * 2);
          const MicroOp op = made.op;
          made.expect = [op](const Inputs& in) -> Expected {
            const bool signed_a = op.source_type == DataType::s32, signed_b = op.third_type == DataType::s32;
            const Part a = part(op.video.select_a);
            Wide product = part_of(in[0], a.first, a.bits, signed_a) * part_of(in[1], 0, 32, signed_b);
            if (op.video.negate_product) product = -product;
            // The addend is signed as the product is, the result when any of them is or the addend is negated.
            const bool signed_product = signed_a || signed_b || op.video.negate_product;
            const Wide addend = part_of(in[2], 0, 32, signed_product);
            Wide sum = product + (op.video.negate_addend ? -addend : addend) + (op.video.plus_one ? 1 : 0);
            sum = floor_divide(sum, power(op.video.scale));
            if (op.saturate) sum = clamped(sum, 32, signed_product || op.video.negate_addend);
            return {static_cast<Bits>(modulo(sum, power(32)))};
          };
          check(made);
        }
      }
    }
  }
}

TEST(VideoRows, PairsAndQuads) {
  unsigned number = 0;
  for (const Opcode opcode :
       {Opcode::vadd2, Opcode::vsub2, Opcode::vabsdiff2, Opcode::vmin2, Opcode::vmax2, Opcode::vavrg2, Opcode::vset2,
        Opcode::vadd4, Opcode::vsub4, Opcode::vabsdiff4, Opcode::vmin4, Opcode::vmax4, Opcode::vavrg4, Opcode::vset4}) {
    const unsigned elements = video_elements(opcode), bits = 32 / elements;
    for (unsigned types = 0; types < 8; ++types) {
      for (unsigned kind = 0; kind < 3; ++kind, number += 5) {  // plain, saturated, accumulated
        Row made = video_row(opcode, types, 3);
        made.op.saturate = kind == 1;
        made.op.atom_op = kind == 2 ? AtomOp::add : AtomOp::none;
        made.op.compare = static_cast<Compare>(1 + number % 6);
        made.op.video.merge =
            static_cast<std::uint8_t>(number % 3 == 0 ? (1u << elements) - 1 : 1 + number % ((1u << elements) - 1));
        for (unsigned e = 0; e < elements; ++e) {
          made.op.video.select_a = static_cast<std::uint16_t>(
              made.op.video.select_a | (number % 2 == 0 ? e : (number + e) % (2 * elements)) << (4 * e));
          made.op.video.select_b = static_cast<std::uint16_t>(
              made.op.video.select_b | (number % 2 == 0 ? elements + e : (number / 2 + 3 * e) % (2 * elements))
                                           << (4 * e));
        }
        const MicroOp op = made.op;
        made.expect = [=](const Inputs& in) -> Expected {
          const Bits both = in[1] << 32 | (in[0] & 0xffffffff);
          const auto element = [&](unsigned from, bool is_signed_element) {
            return part_of(both >> (bits * from) & (static_cast<Bits>(power(bits)) - 1), 0, bits, is_signed_element);
          };
          Wide result = 0;
          for (unsigned e = 0; e < elements; ++e) {
            const bool taken = (op.video.merge >> e & 1) != 0;
            Wide value = applied(op.opcode, op.compare,
                                 element(op.video.select_a >> (4 * e) & 15, op.source_type == DataType::s32),
                                 element(op.video.select_b >> (4 * e) & 15, op.third_type == DataType::s32));
            if (op.saturate) value = clamped(value, bits, op.type == DataType::s32);
            if (op.atom_op == AtomOp::add) {
              result += taken ? value : 0;
            } else {
              result += (taken ? modulo(value, power(bits)) : part_of(in[2], bits * e, bits, false)) * power(bits * e);
            }
          }
          if (op.atom_op == AtomOp::add) result += static_cast<Wide>(in[2] & 0xffffffff);
          return {static_cast<Bits>(modulo(result, power(32)))};
        };
        check(made);
      }
    }
  }
}

Row word_row(const std::string& name, Opcode opcode, DataType type, unsigned sources) {
  Row made;
  made.name = name;
  made.op.opcode = opcode;
  made.op.type = type;
  made.result = DataType::b32;
  made.sources.assign(sources, {DataType::b32});
  return made;
}

TEST(WordRows, MasksExtensionsAndNthBits) {
  for (const bool wrap : {false, true}) {
    Row mask = word_row("bmsk", Opcode::bmsk, DataType::b32, 2);
    mask.sources[0] = mask.sources[1] = {DataType::u32, Draw::shift_amount};
    mask.op.shift_wrap = wrap;
    mask.expect = [=](const Inputs& in) -> Expected {
      const Bits start = wrap ? in[0] % 32 : in[0], length = wrap ? in[1] % 32 : in[1];
      Bits out = 0;
      for (Bits i = 0; i < 32; ++i) out |= Bits{i >= start && i - start < length} << i;
      return {out};
    };
    check(mask);
    for (const DataType type : {DataType::u32, DataType::s32}) {
      Row extend = word_row("szext", Opcode::szext, type, 2);
      extend.sources[1] = {DataType::u32, Draw::shift_amount};
      extend.op.shift_wrap = wrap;
      extend.result = type;
      extend.expect = [=](const Inputs& in) -> Expected {
        const Bits width = wrap ? in[1] % 32 : in[1];
        if (width >= 32) return {in[0]};
        if (width == 0) return {0};
        return {static_cast<Bits>(
            modulo(part_of(in[0], 0, static_cast<unsigned>(width), type == DataType::s32), power(32)))};
      };
      check(extend);
    }
  }
  Row nth = word_row("fns", Opcode::fns, DataType::b32, 3);
  nth.sources[1] = {DataType::u32, Draw::shift_amount};
  nth.sources[2] = {DataType::s32, Draw::shift_amount};
  nth.expect = [](const Inputs& in) -> Expected {
    const auto n = static_cast<std::int32_t>(in[2]);
    std::vector<int> set;  // positions in the direction of the search
    const int base = in[1] < 32 ? static_cast<int>(in[1]) : 64;
    for (int i = base; i >= 0 && i < 32; i += n < 0 ? -1 : 1) {
      if ((in[0] >> i & 1) != 0) set.push_back(i);
      if (n == 0) break;
    }
    const std::size_t wanted = n == 0 ? 1 : static_cast<std::size_t>(std::llabs(n));
    return {set.size() < wanted ? 0xffffffff : static_cast<Bits>(set[wanted - 1])};
  };
  check(nth);
}

TEST(WordRows, LogicWithAPredicate) {
  for (const BoolOp join : {BoolOp::and_, BoolOp::or_}) {
    for (const unsigned table : {0u, 0x96u, 0xe8u, 0x17u, 0xffu}) {
      Row made = word_row("lop3", Opcode::lop3, DataType::b32, 3);
      made.op.bool_op = join;
      made.op.immediate_table = static_cast<std::uint8_t>(table);
      made.sources.push_back({DataType::pred});
      made.second_result = DataType::pred;
      made.expect = [=](const Inputs& in) -> Expected {
        Bits word = 0;
        for (unsigned i = 0; i < 32; ++i) {
          const unsigned index = static_cast<unsigned>((in[0] >> i & 1) * 4 + (in[1] >> i & 1) * 2 + (in[2] >> i & 1));
          word |= Bits{table >> index & 1} << i;
        }
        const bool some = word != 0, other = in[3] != 0;
        return {word, join == BoolOp::and_ ? some && other : some || other};
      };
      check(made);
    }
  }
}

TEST(WordRows, PackedConversionsAndPairsOfIntegers) {
  for (const unsigned bits : {2u, 4u, 8u, 16u}) {
    for (const bool is_signed_element : {false, true}) {
      Row made = word_row("cvt.pack", Opcode::cvt_pack,
                          is_signed_element ? (bits == 16 ? DataType::s16 : DataType::s8)
                          : bits == 16      ? DataType::u16
                                            : DataType::u8,
                          bits == 16 ? 2 : 3);
      made.op.source_type = DataType::s32;
      made.op.pack_bits = static_cast<std::uint8_t>(bits);
      made.sources[0] = made.sources[1] = {DataType::s32};
      made.expect = [=](const Inputs& in) -> Expected {
        const auto element = [&](Bits value) {
          return modulo(clamped(part_of(value, 0, 32, true), bits, is_signed_element), power(bits));
        };
        Wide out = element(in[0]) * power(bits) + element(in[1]);
        if (bits != 16) out += static_cast<Wide>(in[2]) * power(2 * bits);
        return {static_cast<Bits>(modulo(out, power(32)))};
      };
      check(made);
    }
  }
  for (const Opcode opcode : {Opcode::add, Opcode::min_, Opcode::max_}) {
    for (const DataType type : {DataType::u16x2, DataType::s16x2}) {
      Row made = word_row("pair", opcode, type, 2);
      made.expect = [=](const Inputs& in) -> Expected {
        Wide out = 0;
        for (const unsigned first : {0u, 16u}) {
          const Wide a = part_of(in[0], first, 16, type == DataType::s16x2),
                     b = part_of(in[1], first, 16, type == DataType::s16x2);
          out += modulo(opcode == Opcode::add    ? a + b
                        : opcode == Opcode::min_ ? std::min(a, b)
                                                 : std::max(a, b),
                        power(16)) *
                 power(first);
        }
        return {static_cast<Bits>(out)};
      };
      check(made);
    }
  }
}

float single(Bits bits) { return std::bit_cast<float>(static_cast<std::uint32_t>(bits)); }

TEST(WordRows, ExtremaWithTheSignOfTheProduct) {
  for (const Opcode opcode : {Opcode::min_, Opcode::max_}) {
    for (const bool propagate : {false, true}) {
      Row made = word_row("xorsign", opcode, DataType::f32, 2);
      made.sources.assign(2, {DataType::f32});
      made.result = DataType::f32;
      made.op.sign_product = true;
      made.op.propagate_nan = propagate;
      made.expect = [=](const Inputs& in) -> Expected {
        const float a = std::fabs(single(in[0])), b = std::fabs(single(in[1]));
        if ((std::isnan(a) && std::isnan(b)) || (propagate && (std::isnan(a) || std::isnan(b)))) return {0x7fffffff};
        // Not fmin and fmax of the host, which keep a signalling NaN.
        const float least = std::isnan(a) ? b : std::isnan(b) ? a : std::min(a, b);
        const float most = std::isnan(a) ? b : std::isnan(b) ? a : std::max(a, b);
        const float magnitude = opcode == Opcode::min_ ? least : most;
        const bool negative = std::signbit(single(in[0])) != std::signbit(single(in[1]));
        return {std::bit_cast<std::uint32_t>(negative ? -magnitude : magnitude)};
      };
      check(made);
    }
  }
}

/// v in units of the last place that a format of `mantissa` bits has at it, rounded to nearest even.
double rounded_to(double v, int mantissa, int least_exponent) {
  if (v == 0 || !std::isfinite(v)) return v;
  const int exponent = std::max(std::ilogb(v), least_exponent);
  return std::ldexp(std::nearbyint(std::ldexp(v, mantissa - exponent)), exponent - mantissa);
}

TEST(ConversionRows, Tf32) {
  for (const Rounding rounding : {Rounding::rn, Rounding::rz, Rounding::rna}) {
    for (unsigned kind = 0; kind < 4; ++kind) {
      Row made = word_row("cvt.tf32", Opcode::cvt, DataType::tf32, 1);
      made.sources[0] = {DataType::f32};
      made.op.source_type = DataType::f32;
      made.op.rounding = rounding;
      made.op.relu = (kind & 1) != 0;
      made.op.finite = (kind & 2) != 0;
      const MicroOp op = made.op;
      made.expect = [op](const Inputs& in) -> Expected {
        const double v = single(in[0]);
        if (std::isnan(v)) return {0x7fffffff};
        if (op.relu && std::signbit(v)) return {0};
        double r = v;
        if (std::isfinite(v) && v != 0) {
          const int exponent = std::max(std::ilogb(v), -126);
          const double units = std::ldexp(std::fabs(v), 10 - exponent);
          const double whole = op.rounding == Rounding::rn   ? std::nearbyint(units)
                               : op.rounding == Rounding::rz ? std::floor(units)
                                                             : std::floor(units + 0.5);
          r = std::copysign(std::ldexp(whole, exponent - 10), v);
        }
        const double largest = std::ldexp(2047.0, 117);
        if (op.finite && std::fabs(r) > largest) r = std::copysign(largest, r);
        if (std::fabs(r) > largest) r = std::copysign(INFINITY, r);
        return {std::bit_cast<std::uint32_t>(static_cast<float>(r))};
      };
      check(made);
    }
  }
}

/// The code of an 8-bit format for a value, by searching all codes.
Bits byte_of(double v, bool e4m3, bool relu) {
  if (std::isnan(v)) return 0x7f;
  if (relu && std::signbit(v)) return 0;
  const int mantissa = e4m3 ? 3 : 2, bias = e4m3 ? 7 : 15;
  const double largest = e4m3 ? 448 : 57344;
  const double r = std::min(std::fabs(rounded_to(v, mantissa, 1 - bias)), largest);
  for (Bits code = 0; code < 0x80; ++code) {
    const auto field = static_cast<int>(code >> mantissa), low = static_cast<int>(code & ((1u << mantissa) - 1));
    const double value =
        field == 0 ? std::ldexp(low, 1 - bias - mantissa) : std::ldexp(low + (1 << mantissa), field - bias - mantissa);
    if (value == r) return code | (std::signbit(v) ? 0x80 : 0);
  }
  return 0x100;
}

TEST(ConversionRows, EightBitFormats) {
  for (const bool e4m3 : {true, false}) {
    for (const bool relu : {false, true}) {
      Row made = word_row("cvt.fp8", Opcode::cvt, e4m3 ? DataType::e4m3x2 : DataType::e5m2x2, 2);
      made.sources.assign(2, {DataType::f32});
      made.op.source_type = DataType::f32;
      made.op.rounding = Rounding::rn;
      made.op.relu = relu;
      made.op.finite = true;
      made.result = DataType::b16;
      made.expect = [=](const Inputs& in) -> Expected {
        return {byte_of(single(in[0]), e4m3, relu) << 8 | byte_of(single(in[1]), e4m3, relu)};
      };
      check(made);
      Row narrow = word_row("cvt.fp8.f16x2", Opcode::cvt, made.op.type, 1);
      narrow.op = made.op;
      narrow.op.source_type = DataType::f16x2;
      narrow.result = DataType::b16;
      narrow.expect = [=](const Inputs& in) -> Expected {
        return {byte_of(half_value(in[0] >> 16 & 0xffff, DataType::f16), e4m3, relu) << 8 |
                byte_of(half_value(in[0] & 0xffff, DataType::f16), e4m3, relu)};
      };
      check(narrow);
      Row back = word_row("cvt.f16x2.fp8", Opcode::cvt, DataType::f16x2, 1);
      back.op.source_type = made.op.type;
      back.op.rounding = Rounding::rn;
      back.op.relu = relu;
      back.sources[0] = {DataType::b16};
      back.random_tuples = 3000;
      back.expect = [=](const Inputs& in) -> Expected {
        Bits out = 0;
        for (const unsigned i : {0u, 1u}) {
          const Bits code = in[0] >> (8 * i) & 0xff;
          const int mantissa = e4m3 ? 3 : 2, bias = e4m3 ? 7 : 15;
          const auto field = static_cast<int>(code >> mantissa & (e4m3 ? 15 : 31)),
                     low = static_cast<int>(code & ((1u << mantissa) - 1));
          double v = field == 0 ? std::ldexp(low, 1 - bias - mantissa)
                                : std::ldexp(low + (1 << mantissa), field - bias - mantissa);
          if (e4m3 ? (code & 0x7f) == 0x7f : field == 31 && low != 0) v = NAN;
          if (!e4m3 && field == 31 && low == 0) v = INFINITY;
          if ((code & 0x80) != 0 && !std::isnan(v)) v = relu ? 0 : -v;
          out |= half_bits(v, DataType::f16, FE_TONEAREST) << (16 * i);
        }
        return {out};
      };
      check(back);
    }
  }
}

TEST(ConversionRows, RectifiedAndFiniteHalves) {
  for (const DataType type : {DataType::f16, DataType::bf16}) {
    for (const Rounding rounding : {Rounding::rn, Rounding::rz}) {
      for (unsigned kind = 1; kind < 4; ++kind) {
        Row made = word_row("cvt.half", Opcode::cvt, type, 1);
        made.sources[0] = {DataType::f32};
        made.result = type;
        made.op.source_type = DataType::f32;
        made.op.rounding = rounding;
        made.op.relu = (kind & 1) != 0;
        made.op.finite = (kind & 2) != 0;
        const MicroOp op = made.op;
        made.expect = [=](const Inputs& in) -> Expected {
          const double v = single(in[0]);
          if (op.relu && std::signbit(v) && !std::isnan(v)) return {0};
          const Bits infinity = type == DataType::f16 ? 0x7c00 : 0x7f80;
          Bits bits = half_bits(v, type, rounding == Rounding::rn ? FE_TONEAREST : FE_TOWARDZERO);
          if (op.finite && (bits & 0x7fff) == infinity) --bits;
          return {bits};
        };
        check(made);
      }
    }
  }
}

TEST(HalfRows, MultiplyAddThatLeavesNothingNegative) {
  for (const DataType type : {DataType::f16}) {
    Row plain = word_row("fma", Opcode::fma_, type, 3);
    plain.sources.assign(3, {type});
    plain.result = type;
    plain.op.rounding = Rounding::rn;
    plain.op.relu = true;
    plain.expect = [=](const Inputs& in) -> Expected {
      const long double sum =
          static_cast<long double>(half_value(in[0], type)) * static_cast<long double>(half_value(in[1], type)) +
          static_cast<long double>(half_value(in[2], type));
      if (std::isnan(sum)) return {0x7fff};
      if (std::signbit(sum)) return {0};
      // Rounded to odd, so that the second rounding is the only one that counts.
      auto v = static_cast<double>(sum);
      if (static_cast<long double>(v) != sum && (std::bit_cast<Bits>(v) & 1) == 0)
        v = std::nextafter(v, static_cast<long double>(v) < sum ? INFINITY : -INFINITY);
      return {half_bits(v, type, FE_TONEAREST)};
    };
    check(plain);
  }
}

}  // namespace
}  // namespace heddle::isa::table
