// SPDX-License-Identifier: Apache-2.0
// The video instructions: sub-word arithmetic, clamped, then merged into or combined with a third operand.
// Intermediates are exact: 64 bits hold every sum, product and shift except those of vshl and vmad, which use 128.
#include "isa/semantics/lane_loop.h"

namespace heddle::isa::HEDDLE_LANE_LEVEL {
namespace {

using U32 = std::uint32_t;
using S64 = std::int64_t;
using S128 = __int128;

/// Extracts bits from `first` on, extended by the type's signedness.
HEDDLE_INLINE S64 extract(U32 word, unsigned first, unsigned bits, bool is_signed_type) {
  const U32 up = word << (32 - first - bits) >> (32 - bits);
  const U32 sign = U32{1} << (bits - 1);
  return is_signed_type ? static_cast<S64>(up ^ sign) - static_cast<S64>(sign) : static_cast<S64>(up);
}

HEDDLE_INLINE unsigned part_bits(unsigned part) { return part == 0 ? 32 : part <= 4 ? 8 : 16; }
HEDDLE_INLINE unsigned part_first(unsigned part) {
  return part == 0 ? 0 : part <= 4 ? 8 * (part - 1) : 16 * (part - 5);
}

HEDDLE_INLINE S128 clamp(S128 value, unsigned bits, bool is_signed_type) {
  const S128 high = is_signed_type ? (S128{1} << (bits - 1)) - 1 : (S128{1} << bits) - 1;
  const S128 low = is_signed_type ? -high - 1 : 0;
  return value < low ? low : value > high ? high : value;
}

HEDDLE_INLINE bool compared(Compare compare, S64 a, S64 b) {
  switch (compare) {
    case Compare::eq:
      return a == b;
    case Compare::ne:
      return a != b;
    case Compare::lt:
      return a < b;
    case Compare::le:
      return a <= b;
    case Compare::gt:
      return a > b;
    default:
      return a >= b;
  }
}

enum class Kind { add, subtract, difference, minimum, maximum, average, set };

template <Kind K>
HEDDLE_INLINE S64 combine(S64 a, S64 b, Compare compare) {
  switch (K) {
    case Kind::add:
      return a + b;
    case Kind::subtract:
      return a - b;
    case Kind::difference:
      return a < b ? b - a : a - b;
    case Kind::minimum:
      return a < b ? a : b;
    case Kind::maximum:
      return a > b ? a : b;
    case Kind::average:  // halves round up when the sum is not negative
      return (a + b + (a + b >= 0 ? 1 : 0)) >> 1;
    case Kind::set:
      return compared(compare, a, b) ? 1 : 0;
  }
  return 0;
}

/// What the scalar instructions have in common.
struct Scalar {
  const MicroOp& op;
  bool signed_a, signed_b, signed_d;
  HEDDLE_INLINE explicit Scalar(const MicroOp& o)
      : op(o),
        signed_a(o.source_type == DataType::s32),
        signed_b(o.third_type == DataType::s32),
        signed_d(o.type == DataType::s32) {}

  HEDDLE_INLINE S64 a(U32 word) const {
    return extract(word, part_first(op.video.select_a), part_bits(op.video.select_a), signed_a);
  }
  HEDDLE_INLINE S64 b(U32 word) const {
    return extract(word, part_first(op.video.select_b), part_bits(op.video.select_b), signed_b);
  }
  HEDDLE_INLINE U32 finish(S128 value, U32 c) const {
    const unsigned part = op.video.merge;
    if (op.saturate) value = clamp(value, part_bits(part), signed_d);
    const auto result = static_cast<U32>(value);
    if (part != 0) {
      const U32 field = ((U32{1} << part_bits(part)) - 1) << part_first(part);
      return (c & ~field) | (result << part_first(part) & field);
    }
    const bool less = signed_d ? static_cast<std::int32_t>(result) < static_cast<std::int32_t>(c) : result < c;
    switch (op.atom_op) {
      case AtomOp::add:
        return result + c;
      case AtomOp::min:
        return less ? result : c;
      case AtomOp::max:
        return less ? c : result;
      default:
        return result;
    }
  }
};

template <Kind K>
struct ScalarVideo : Scalar {
  using Scalar::Scalar;
  HEDDLE_INLINE U32 operator()(U32 x, U32 y, U32 c) const { return finish(combine<K>(a(x), b(y), op.compare), c); }
};

template <bool Right>
struct ScalarShift : Scalar {
  using Scalar::Scalar;
  HEDDLE_INLINE U32 operator()(U32 x, U32 y, U32 c) const {
    const S64 amount = b(y);
    const S64 n = op.shift_wrap ? amount & 31 : amount > 32 ? 32 : amount;
    return finish(Right ? S128{a(x) >> n} : S128{a(x)} * (S128{1} << n), c);
  }
};

/// The addend has the sign of the product; the result is signed when any of them is.
struct ScalarMultiplyAdd : Scalar {
  using Scalar::Scalar;
  HEDDLE_INLINE U32 operator()(U32 x, U32 y, U32 c) const {
    const bool is_signed_sum = signed_a || signed_b || op.video.negate_product || op.video.negate_addend;
    const bool signed_addend = signed_a || signed_b || op.video.negate_product;
    S128 product = S128{a(x)} * b(y);
    if (op.video.negate_product) product = -product;
    S128 addend = signed_addend ? S128{static_cast<std::int32_t>(c)} : S128{c};
    if (op.video.negate_addend) addend = -addend;
    S128 sum = (product + addend + (op.video.plus_one ? 1 : 0)) >> op.video.scale;
    if (op.saturate) sum = clamp(sum, 32, is_signed_sum);
    return static_cast<U32>(sum);
  }
};

/// Pairs of 16-bit or quads of 8-bit elements, selected from b:a.
template <Kind K, unsigned Elements>
struct ElementVideo {
  static constexpr unsigned kBits = 32 / Elements;
  const MicroOp& op;
  bool signed_a, signed_b, signed_d;
  HEDDLE_INLINE explicit ElementVideo(const MicroOp& o)
      : op(o),
        signed_a(o.source_type == DataType::s32),
        signed_b(o.third_type == DataType::s32),
        signed_d(o.type == DataType::s32) {}

  HEDDLE_INLINE static S64 element(U32 a, U32 b, unsigned from, bool is_signed_type) {
    return extract(from < Elements ? a : b, kBits * (from % Elements), kBits, is_signed_type);
  }
  HEDDLE_INLINE U32 operator()(U32 a, U32 b, U32 c) const {
    constexpr U32 kField = (U32{1} << kBits) - 1;
    const bool accumulates = op.atom_op == AtomOp::add;
    U32 result = c;
    for (unsigned i = 0; i < Elements; ++i) {
      if ((op.video.merge >> i & 1) == 0) continue;
      S64 value = combine<K>(element(a, b, op.video.select_a >> (4 * i) & 0xf, signed_a),
                             element(a, b, op.video.select_b >> (4 * i) & 0xf, signed_b), op.compare);
      if (op.saturate) value = static_cast<S64>(clamp(value, kBits, signed_d));
      if (accumulates) {
        result += static_cast<U32>(value);
      } else {
        result = (result & ~(kField << (kBits * i))) | (static_cast<U32>(value) & kField) << (kBits * i);
      }
    }
    return result;
  }
};

/// A three-operand operation whose third operand may be absent.
template <typename F>
void video_lanes(const MicroOp& op, std::byte* const* bases, std::uint32_t mask) {
  const F f(op);
  const U32 *a = source<U32>(op, bases, 0), *b = source<U32>(op, bases, 1);
  const U32* c = op.source_count > 2 ? source<U32>(op, bases, 2) : a;
  alignas(64) U32 result[kWordThreads];
  for (unsigned i = 0; i < kWordThreads; ++i) result[i] = f(a[i], b[i], c[i]);
  store_lanes(destination<U32>(op, bases), result, mask);
}

template <Kind K>
LaneFunction find_kind(Opcode opcode) {
  switch (video_elements(opcode)) {
    case 2:
      return video_lanes<ElementVideo<K, 2>>;
    case 4:
      return video_lanes<ElementVideo<K, 4>>;
    default:
      if constexpr (K != Kind::average) return video_lanes<ScalarVideo<K>>;
      return nullptr;
  }
}

}  // namespace

LaneFunction find_video(const MicroOp& op) {
  switch (op.opcode) {
    case Opcode::vadd:
    case Opcode::vadd2:
    case Opcode::vadd4:
      return find_kind<Kind::add>(op.opcode);
    case Opcode::vsub:
    case Opcode::vsub2:
    case Opcode::vsub4:
      return find_kind<Kind::subtract>(op.opcode);
    case Opcode::vabsdiff:
    case Opcode::vabsdiff2:
    case Opcode::vabsdiff4:
      return find_kind<Kind::difference>(op.opcode);
    case Opcode::vmin:
    case Opcode::vmin2:
    case Opcode::vmin4:
      return find_kind<Kind::minimum>(op.opcode);
    case Opcode::vmax:
    case Opcode::vmax2:
    case Opcode::vmax4:
      return find_kind<Kind::maximum>(op.opcode);
    case Opcode::vavrg2:
    case Opcode::vavrg4:
      return find_kind<Kind::average>(op.opcode);
    case Opcode::vset:
    case Opcode::vset2:
    case Opcode::vset4:
      return find_kind<Kind::set>(op.opcode);
    case Opcode::vshl:
      return video_lanes<ScalarShift<false>>;
    case Opcode::vshr:
      return video_lanes<ScalarShift<true>>;
    case Opcode::vmad:
      return video_lanes<ScalarMultiplyAdd>;
    default:
      return nullptr;
  }
}

}  // namespace heddle::isa::HEDDLE_LANE_LEVEL
