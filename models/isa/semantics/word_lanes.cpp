// SPDX-License-Identifier: Apache-2.0
// Variants that later architectures added: bit masks, find n-th set bit, packed integers, lop3 with a predicate, min
// and max with .xorsign.abs, fma.relu.
#include "isa/semantics/half.h"

namespace heddle::isa::HEDDLE_LANE_LEVEL {
namespace {

using U32 = std::uint32_t;
using S32 = std::int32_t;
using S64 = std::int64_t;

/// `length` ones from bit `start` on.
template <bool Wrap>
struct BitMask {
  HEDDLE_INLINE U32 operator()(U32 start, U32 length) const {
    if (Wrap) {
      start &= 31;
      length &= 31;
    }
    if (start > 31) return 0;
    const U32 ones = length > 31 ? ~U32{0} : (U32{1} << length) - 1;
    return ones << start;
  }
};

/// The low b bits of a, extended.
template <bool Signed, bool Wrap>
struct Extend {
  HEDDLE_INLINE U32 operator()(U32 a, U32 b) const {
    if (!Wrap && b > 31) return a;
    const U32 bits = b & 31;
    if (bits == 0) return 0;
    const U32 up = a << (32 - bits);
    return Signed ? static_cast<U32>(static_cast<S32>(up) >> (32 - bits)) : up >> (32 - bits);
  }
};

/// The position of the n-th bit that is set, counted from `base` upwards (n > 0) or downwards; n = 0 asks for base.
struct FindNthSet {
  HEDDLE_INLINE U32 operator()(U32 word, U32 base, S32 n) const {
    if (base > 31) return ~U32{0};
    if (n == 0) return (word >> base & 1) != 0 ? base : ~U32{0};
    const S32 step = n > 0 ? 1 : -1;
    S64 left = n > 0 ? S64{n} : -S64{n};
    for (S32 at = static_cast<S32>(base); at >= 0 && at < 32; at += step) {
      if ((word >> at & 1) != 0 && --left == 0) return static_cast<U32>(at);
    }
    return ~U32{0};
  }
};

/// cvt.pack: a and b clamped to `bits` bits, a above b, with c shifted up above them.
void convert_pack_lanes(const MicroOp& op, std::byte* const* bases, std::uint32_t mask) {
  const unsigned bits = op.pack_bits;
  const bool is_signed_element = op.type == DataType::s8 || op.type == DataType::s16;
  const S32 high = static_cast<S32>((U32{1} << (is_signed_element ? bits - 1 : bits)) - 1);
  const S32 low = is_signed_element ? -high - 1 : 0;
  const U32 field = (U32{1} << bits) - 1;
  const U32 *a = source<U32>(op, bases, 0), *b = source<U32>(op, bases, 1);
  const U32* c = op.source_count > 2 ? source<U32>(op, bases, 2) : nullptr;
  const auto clamped = [&](U32 cell) {
    const auto value = static_cast<S32>(cell);
    return static_cast<U32>(value < low ? low : value > high ? high : value) & field;
  };
  alignas(64) U32 result[kWordThreads];
  for (unsigned i = 0; i < kWordThreads; ++i) {
    result[i] = clamped(a[i]) << bits | clamped(b[i]) | (c != nullptr ? c[i] << (2 * bits) : 0);
  }
  store_lanes(destination<U32>(op, bases), result, mask);
}

/// lop3.and, lop3.or: also writes whether the word is non-zero, combined with a predicate.
void logic_predicate_lanes(const MicroOp& op, std::byte* const* bases, std::uint32_t mask) {
  const U32 *a = source<U32>(op, bases, 0), *b = source<U32>(op, bases, 1), *c = source<U32>(op, bases, 2);
  alignas(64) U32 result[kWordThreads];
  U32 some = 0;
  for (unsigned i = 0; i < kWordThreads; ++i) {
    U32 word = 0;
    for (unsigned row = 0; row < 8; ++row) {
      if ((op.immediate_table >> row & 1) == 0) continue;
      word |= ((row & 4) != 0 ? a[i] : ~a[i]) & ((row & 2) != 0 ? b[i] : ~b[i]) & ((row & 1) != 0 ? c[i] : ~c[i]);
    }
    result[i] = word;
    some |= word != 0 ? kLaneBits[i] : 0u;
  }
  const U32 q = predicate(op.sources[3], bases);
  if (op.destinations[0].present()) store_lanes(destination<U32>(op, bases), result, mask);
  if (op.destination_count > 1 && op.destinations[1].present())
    store_predicate(op.destinations[1], bases, op.bool_op == BoolOp::and_ ? some & q : some | q, mask);
}

/// The pending-arrival count in a state returned by mbarrier.arrive (semantics/mbarrier.cpp).
struct PendingCount {
  HEDDLE_INLINE U32 operator()(std::uint64_t state) const { return static_cast<U32>(state) & 0xfffff; }
};
void pending_count_lanes(const MicroOp& op, std::byte* const* bases, std::uint32_t mask) {
  lanes<PendingCount, U32, std::uint64_t>(op, bases, mask);
}

/// Pairs of 16-bit integers.
template <Opcode Code, bool Signed>
struct IntegerPair {
  HEDDLE_INLINE U32 operator()(U32 a, U32 b) const {
    U32 result = 0;
    for (unsigned shift = 0; shift < 32; shift += 16) {
      const U32 x = a >> shift & 0xffff, y = b >> shift & 0xffff;
      const bool less = Signed ? static_cast<std::int16_t>(x) < static_cast<std::int16_t>(y) : x < y;
      const U32 value = Code == Opcode::add ? x + y : (Code == Opcode::min_) == less ? x : y;
      result |= (value & 0xffff) << shift;
    }
    return result;
  }
};
template <bool Signed>
LaneFunction find_pair(Opcode opcode) {
  switch (opcode) {
    case Opcode::add:
      return lanes<IntegerPair<Opcode::add, Signed>, U32, U32, U32>;
    case Opcode::min_:
      return lanes<IntegerPair<Opcode::min_, Signed>, U32, U32, U32>;
    case Opcode::max_:
      return lanes<IntegerPair<Opcode::max_, Signed>, U32, U32, U32>;
    default:
      return nullptr;
  }
}

/// min and max .xorsign.abs on the bits of a floating-point format: compares magnitudes; the result has the sign of the
/// product.
struct SignedExtremum {
  U32 infinity, smallest_normal, sign, nan;
  bool maximum, propagate, flushes, pair;
  HEDDLE_INLINE explicit SignedExtremum(const MicroOp& op)
      : infinity(op.type == DataType::f32                                 ? 0x7f800000
                 : op.type == DataType::f16 || op.type == DataType::f16x2 ? Binary16::kInfinity
                                                                          : BrainFloat16::kInfinity),
        smallest_normal(op.type == DataType::f32                                 ? 0x00800000
                        : op.type == DataType::f16 || op.type == DataType::f16x2 ? 0x0400
                                                                                 : 0x0080),
        sign(op.type == DataType::f32 ? 0x80000000 : kHalfSign),
        nan(op.type == DataType::f32 ? 0x7fffffff : kHalfNan),
        maximum(op.opcode == Opcode::max_),
        propagate(op.propagate_nan),
        flushes(op.flush_to_zero),
        pair(op.type == DataType::f16x2 || op.type == DataType::bf16x2) {}
  HEDDLE_INLINE U32 one(U32 a, U32 b) const {
    U32 x = a & (sign - 1), y = b & (sign - 1);
    if (flushes) {
      x = x < smallest_normal ? 0 : x;
      y = y < smallest_normal ? 0 : y;
    }
    const bool nan_x = x > infinity, nan_y = y > infinity;
    if ((nan_x && nan_y) || (propagate && (nan_x || nan_y))) return nan;
    const U32 chosen = nan_x ? y : nan_y ? x : (maximum ? x > y : x < y) ? x : y;
    return chosen | ((a ^ b) & sign);
  }
  HEDDLE_INLINE U32 operator()(U32 a, U32 b) const {
    if (pair) return one(a & 0xffff, b & 0xffff) | one(a >> 16, b >> 16) << 16;
    return sign == kHalfSign ? one(a & 0xffff, b & 0xffff) : one(a, b);
  }
};

/// fma.relu on 16-bit floating point: negative results become 0.
template <typename Format, bool Ftz>
struct RectifiedMultiplyAdd {
  HEDDLE_INLINE U32 one(U32 a, U32 b, U32 c) const {
    const auto work = [](U32 bits) {
      return static_cast<typename Format::Work>(widen<Format>(flush_half<Ftz, Format>(Half{bits & 0xffff})));
    };
    const Half sum = finish_half<Format, Ftz, false>(add_to_odd(work(a) * work(b), work(c)));
    return (sum.bits & kHalfSign) != 0 && !is_nan_half<Format>(sum) ? 0 : sum.bits;
  }
  HEDDLE_INLINE U32 operator()(U32 a, U32 b, U32 c) const { return one(a, b, c); }
};
template <typename F>
struct RectifiedPair {
  HEDDLE_INLINE U32 operator()(U32 a, U32 b, U32 c) const {
    return F{}.one(a, b, c) | F{}.one(a >> 16, b >> 16, c >> 16) << 16;
  }
};
template <typename Format, bool Ftz>
LaneFunction find_rectified(bool pair) {
  using F = RectifiedMultiplyAdd<Format, Ftz>;
  return pair ? lanes<RectifiedPair<F>, U32, U32, U32, U32> : lanes<F, U32, U32, U32, U32>;
}

LaneFunction find_rectified_of_type(const MicroOp& op) {
  switch (op.type) {
    case DataType::f16:
    case DataType::f16x2:
      return op.flush_to_zero ? find_rectified<Binary16, true>(op.type == DataType::f16x2)
                              : find_rectified<Binary16, false>(op.type == DataType::f16x2);
    case DataType::bf16:
    case DataType::bf16x2:
      return find_rectified<BrainFloat16, false>(op.type == DataType::bf16x2);
    default:
      return nullptr;
  }
}

}  // namespace

LaneFunction find_words(const MicroOp& op) {
  switch (op.opcode) {
    case Opcode::bmsk:
      return op.shift_wrap ? lanes<BitMask<true>, U32, U32, U32> : lanes<BitMask<false>, U32, U32, U32>;
    case Opcode::szext:
      if (op.type == DataType::s32)
        return op.shift_wrap ? lanes<Extend<true, true>, U32, U32, U32> : lanes<Extend<true, false>, U32, U32, U32>;
      return op.shift_wrap ? lanes<Extend<false, true>, U32, U32, U32> : lanes<Extend<false, false>, U32, U32, U32>;
    case Opcode::fns:
      return lanes<FindNthSet, U32, U32, U32, S32>;
    case Opcode::cvt_pack:
      return convert_pack_lanes;
    case Opcode::pending_count:
      return pending_count_lanes;
    case Opcode::lop3:
      return op.bool_op != BoolOp::none ? logic_predicate_lanes : nullptr;
    case Opcode::fma_:
      return op.relu ? find_rectified_of_type(op) : nullptr;
    case Opcode::min_:
    case Opcode::max_:
      if (op.sign_product) return lanes<SignedExtremum, U32, U32, U32>;
      break;
    default:
      break;
  }
  if (op.type == DataType::u16x2) return find_pair<false>(op.opcode);
  if (op.type == DataType::s16x2) return find_pair<true>(op.opcode);
  return nullptr;
}

}  // namespace heddle::isa::HEDDLE_LANE_LEVEL
