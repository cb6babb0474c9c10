// SPDX-License-Identifier: Apache-2.0
// Logic, shifts, bit fields, byte permutes and packed dot products.
#include "isa/semantics/lane_loop.h"

namespace heddle::isa::HEDDLE_LANE_LEVEL {
namespace {

using U32 = std::uint32_t;
using U64 = std::uint64_t;

template <typename T>
struct And {
  HEDDLE_INLINE T operator()(T a, T b) const { return a & b; }
};
template <typename T>
struct Or {
  HEDDLE_INLINE T operator()(T a, T b) const { return a | b; }
};
template <typename T>
struct Xor {
  HEDDLE_INLINE T operator()(T a, T b) const { return a ^ b; }
};
template <typename T>
struct Not {
  HEDDLE_INLINE T operator()(T a) const { return static_cast<T>(~a); }
};
template <typename T>
struct LogicalNot {
  HEDDLE_INLINE T operator()(T a) const { return a == 0 ? T{1} : T{0}; }
};

template <typename T>
constexpr U32 kWidth = 8 * sizeof(T);

/// Amounts beyond the width shift everything out.
template <typename T>
struct ShiftLeft {
  HEDDLE_INLINE T operator()(T a, U32 n) const {
    return n < kWidth<T> ? static_cast<T>(static_cast<Cell<T>>(a) << (n & (kWidth<Cell<T>> - 1))) : T{0};
  }
};
/// Signed: amounts beyond the width leave only sign bits.
template <typename T>
struct ShiftRight {
  HEDDLE_INLINE T operator()(T a, U32 n) const {
    if constexpr (std::is_signed_v<T>) {
      return static_cast<T>(a >> (n < kWidth<T> ? n : kWidth<T> - 1));
    } else {
      return n < kWidth<T> ? static_cast<T>(a >> (n & (kWidth<T> - 1))) : T{0};
    }
  }
};

/// shf: 32 bits of the 64-bit value b:a.
template <bool Right, bool Wrap>
struct FunnelShift {
  HEDDLE_INLINE U32 operator()(U32 a, U32 b, U32 c) const {
    const U32 n = Wrap ? c & 31 : (c < 32 ? c : 32);
    const U64 both = U64{b} << 32 | a;
    return static_cast<U32>(Right ? both >> n : both << n >> 32);
  }
};

/// The lowest n bits set; n: 0 to the width.
template <typename U>
HEDDLE_INLINE U low_bits(U32 n) {
  return n >= kWidth<U> ? static_cast<U>(~U{0}) : static_cast<U>((U{1} << (n & (kWidth<U> - 1))) - 1);
}

template <typename T>
struct ExtractField {
  HEDDLE_INLINE T operator()(T a, U32 b, U32 c) const {
    using U = std::make_unsigned_t<T>;
    const U32 position = b & 0xff, length = c & 0xff;
    const U bits = position < kWidth<T> ? static_cast<U>(static_cast<U>(a) >> (position & (kWidth<T> - 1))) : U{0};
    const U32 available = position < kWidth<T> ? kWidth<T> - position : 0;
    const U field = low_bits<U>(length < available ? length : available);
    U fill = 0;
    if constexpr (std::is_signed_v<T>) {
      const U32 top = position + length - 1;  // not used when length is 0
      const U32 sign = top < kWidth<T> ? top : kWidth<T> - 1;
      fill = length != 0 && (static_cast<U>(a) >> (sign & (kWidth<T> - 1)) & 1) != 0 ? static_cast<U>(~U{0}) : U{0};
    }
    return static_cast<T>((bits & field) | (fill & static_cast<U>(~field)));
  }
};

/// bfi d, a, b, c, d: a into b.
template <typename U>
struct InsertField {
  HEDDLE_INLINE U operator()(U a, U b, U32 c, U32 d) const {
    const U32 position = c & 0xff, length = d & 0xff;
    const U field = position < kWidth<U> ? static_cast<U>(low_bits<U>(length) << (position & (kWidth<U> - 1))) : U{0};
    return (b & ~field) | (static_cast<U>(a << (position & (kWidth<U> - 1))) & field);
  }
};

template <typename U>
HEDDLE_INLINE U32 leading_zeros(U a) {
  if constexpr (sizeof(U) == 8) {
    return a == 0 ? 64u : static_cast<U32>(__builtin_clzll(a | 1));
  } else {
    return a == 0 ? 32u : static_cast<U32>(__builtin_clz(a | 1));
  }
}
template <typename U>
struct CountLeadingZeros {
  HEDDLE_INLINE U32 operator()(U a) const { return leading_zeros(a); }
};
template <typename U>
struct CountOnes {
  HEDDLE_INLINE U32 operator()(U a) const {
    U v = a;
    v = v - ((v >> 1) & static_cast<U>(0x5555555555555555));
    v = (v & static_cast<U>(0x3333333333333333)) + ((v >> 2) & static_cast<U>(0x3333333333333333));
    v = (v + (v >> 4)) & static_cast<U>(0x0f0f0f0f0f0f0f0f);
    v += v >> 8;
    v += v >> 16;
    if constexpr (sizeof(U) == 8) v += v >> 32;
    return static_cast<U32>(v) & 0x7f;
  }
};
/// Position of the highest bit that differs from the sign (from zero, for unsigned types); 0xffffffff when there is
/// none.
template <typename T, bool ShiftAmount>
struct FindHighest {
  HEDDLE_INLINE U32 operator()(T a) const {
    using U = std::make_unsigned_t<T>;
    const U bits = static_cast<U>(std::is_signed_v<T> && a < 0 ? ~a : a);
    const U32 zeros = leading_zeros(bits);
    return bits == 0 ? 0xffffffff : (ShiftAmount ? zeros : kWidth<T> - 1 - zeros);
  }
};
template <typename U>
struct ReverseBits {
  HEDDLE_INLINE U operator()(U a) const {
    const auto swap = [](U v, unsigned n, U64 mask) {
      return static_cast<U>((v >> n & static_cast<U>(mask)) | (v & static_cast<U>(mask)) << n);
    };
    a = swap(a, 1, 0x5555555555555555);
    a = swap(a, 2, 0x3333333333333333);
    a = swap(a, 4, 0x0f0f0f0f0f0f0f0f);
    a = swap(a, 8, 0x00ff00ff00ff00ff);
    if constexpr (sizeof(U) == 8) {
      a = swap(a, 16, 0x0000ffff0000ffff);
      return a >> 32 | a << 32;
    } else {
      return a >> 16 | a << 16;
    }
  }
};

/// Index of the byte of b:a that goes to byte i.
template <PrmtMode Mode>
HEDDLE_INLINE U32 permute_selector(U32 c, U32 i) {
  const U32 n = c & 3;
  switch (Mode) {
    case PrmtMode::f4e:
      return n + i;
    case PrmtMode::b4e:
      return (n - i) & 7;
    case PrmtMode::rc8:
      return n;
    case PrmtMode::ecl:
      return i > n ? i : n;
    case PrmtMode::ecr:
      return i < n ? i : n;
    case PrmtMode::rc16:
      return (n & 1) * 2 + (i & 1);
    default:
      return c >> (4 * i) & 0xf;
  }
}
template <PrmtMode Mode>
struct Permute {
  HEDDLE_INLINE U32 operator()(U32 a, U32 b, U32 c) const {
    const U64 bytes = U64{b} << 32 | a;
    U32 result = 0;
    for (U32 i = 0; i < 4; ++i) {
      const U32 selector = permute_selector<Mode>(c, i);
      U32 byte = static_cast<U32>(bytes >> (8 * (selector & 7))) & 0xff;
      if (Mode == PrmtMode::none && (selector & 8) != 0) byte = (byte & 0x80) != 0 ? 0xff : 0;  // the sign, replicated
      result |= byte << (8 * i);
    }
    return result;
  }
};

/// Any three-input Boolean function, given its 8-entry truth table.
struct Logic3 {
  U32 value[8];
  HEDDLE_INLINE explicit Logic3(const MicroOp& op) {
    for (unsigned i = 0; i < 8; ++i) value[i] = (op.immediate_table >> i & 1) != 0 ? ~0u : 0u;
  }
  HEDDLE_INLINE static U32 choose(U32 zero, U32 one, U32 by) { return zero ^ ((zero ^ one) & by); }
  HEDDLE_INLINE U32 operator()(U32 a, U32 b, U32 c) const {
    const U32 v00 = choose(value[0], value[1], c), v01 = choose(value[2], value[3], c);
    const U32 v10 = choose(value[4], value[5], c), v11 = choose(value[6], value[7], c);
    return choose(choose(v00, v01, b), choose(v10, v11, b), a);
  }
};

template <bool Signed>
HEDDLE_INLINE U32 element(U32 word, unsigned bits, unsigned index) {
  const U32 up = word << (32 - bits * (index + 1));
  return Signed ? static_cast<U32>(static_cast<std::int32_t>(up) >> (32 - bits)) : up >> (32 - bits);
}
template <bool SignedA, bool SignedB>
struct DotProduct4 {
  HEDDLE_INLINE U32 operator()(U32 a, U32 b, U32 c) const {
    for (unsigned i = 0; i < 4; ++i) c += element<SignedA>(a, 8, i) * element<SignedB>(b, 8, i);
    return c;
  }
};
template <bool SignedA, bool SignedB, bool High>
struct DotProduct2 {
  HEDDLE_INLINE U32 operator()(U32 a, U32 b, U32 c) const {
    for (unsigned i = 0; i < 2; ++i) c += element<SignedA>(a, 16, i) * element<SignedB>(b, 8, i + (High ? 2 : 0));
    return c;
  }
};

template <typename T>
LaneFunction find_logic(const MicroOp& op) {
  switch (op.opcode) {
    case Opcode::and_:
      return lanes<And<T>, T, T, T>;
    case Opcode::or_:
      return lanes<Or<T>, T, T, T>;
    case Opcode::xor_:
      return lanes<Xor<T>, T, T, T>;
    case Opcode::not_:
      return lanes<Not<T>, T, T>;
    case Opcode::cnot:
      return lanes<LogicalNot<T>, T, T>;
    case Opcode::shl:
      return lanes<ShiftLeft<T>, T, T, U32>;
    default:
      return nullptr;
  }
}

template <typename U>
LaneFunction find_fields(const MicroOp& op) {
  using S = std::make_signed_t<U>;
  const bool is_signed = op.type == DataType::s32 || op.type == DataType::s64;
  switch (op.opcode) {
    case Opcode::bfe:
      return is_signed ? lanes<ExtractField<S>, S, S, U32, U32> : lanes<ExtractField<U>, U, U, U32, U32>;
    case Opcode::bfi:
      return lanes<InsertField<U>, U, U, U, U32, U32>;
    case Opcode::bfind:
      if (op.shift_amount) return is_signed ? lanes<FindHighest<S, true>, U32, S> : lanes<FindHighest<U, true>, U32, U>;
      return is_signed ? lanes<FindHighest<S, false>, U32, S> : lanes<FindHighest<U, false>, U32, U>;
    case Opcode::clz:
      return lanes<CountLeadingZeros<U>, U32, U>;
    case Opcode::popc:
      return lanes<CountOnes<U>, U32, U>;
    case Opcode::brev:
      return lanes<ReverseBits<U>, U, U>;
    default:
      return nullptr;
  }
}

LaneFunction find_shift_right(DataType type) {
  switch (type) {
    case DataType::b16:
    case DataType::u16:
      return lanes<ShiftRight<std::uint16_t>, std::uint16_t, std::uint16_t, U32>;
    case DataType::s16:
      return lanes<ShiftRight<std::int16_t>, std::int16_t, std::int16_t, U32>;
    case DataType::b32:
    case DataType::u32:
      return lanes<ShiftRight<U32>, U32, U32, U32>;
    case DataType::s32:
      return lanes<ShiftRight<std::int32_t>, std::int32_t, std::int32_t, U32>;
    case DataType::b64:
    case DataType::u64:
      return lanes<ShiftRight<U64>, U64, U64, U32>;
    case DataType::s64:
      return lanes<ShiftRight<std::int64_t>, std::int64_t, std::int64_t, U32>;
    default:
      return nullptr;
  }
}

LaneFunction find_permute(PrmtMode mode) {
  switch (mode) {
    case PrmtMode::none:
      return lanes<Permute<PrmtMode::none>, U32, U32, U32, U32>;
    case PrmtMode::f4e:
      return lanes<Permute<PrmtMode::f4e>, U32, U32, U32, U32>;
    case PrmtMode::b4e:
      return lanes<Permute<PrmtMode::b4e>, U32, U32, U32, U32>;
    case PrmtMode::rc8:
      return lanes<Permute<PrmtMode::rc8>, U32, U32, U32, U32>;
    case PrmtMode::ecl:
      return lanes<Permute<PrmtMode::ecl>, U32, U32, U32, U32>;
    case PrmtMode::ecr:
      return lanes<Permute<PrmtMode::ecr>, U32, U32, U32, U32>;
    case PrmtMode::rc16:
      return lanes<Permute<PrmtMode::rc16>, U32, U32, U32, U32>;
  }
  return nullptr;
}

template <bool SignedA, bool SignedB>
LaneFunction find_dot_product(const MicroOp& op) {
  if (op.opcode == Opcode::dp4a) return lanes<DotProduct4<SignedA, SignedB>, U32, U32, U32, U32>;
  return op.mul_mode == MulMode::hi ? lanes<DotProduct2<SignedA, SignedB, true>, U32, U32, U32, U32>
                                    : lanes<DotProduct2<SignedA, SignedB, false>, U32, U32, U32, U32>;
}

}  // namespace

LaneFunction find_bits(const MicroOp& op) {
  switch (op.opcode) {
    case Opcode::shr:
      return find_shift_right(op.type);
    case Opcode::shf:
      if (op.right)
        return op.shift_wrap ? lanes<FunnelShift<true, true>, U32, U32, U32, U32>
                             : lanes<FunnelShift<true, false>, U32, U32, U32, U32>;
      return op.shift_wrap ? lanes<FunnelShift<false, true>, U32, U32, U32, U32>
                           : lanes<FunnelShift<false, false>, U32, U32, U32, U32>;
    case Opcode::prmt:
      return find_permute(op.prmt_mode);
    case Opcode::lop3:
      return lanes<Logic3, U32, U32, U32, U32>;
    case Opcode::dp4a:
    case Opcode::dp2a: {
      const bool signed_a = op.type == DataType::s32, signed_b = op.source_type == DataType::s32;
      if (signed_a) return signed_b ? find_dot_product<true, true>(op) : find_dot_product<true, false>(op);
      return signed_b ? find_dot_product<false, true>(op) : find_dot_product<false, false>(op);
    }
    default:
      break;
  }
  switch (op.type) {
    case DataType::b16:
      return find_logic<std::uint16_t>(op);
    case DataType::b32:
    case DataType::u32:
    case DataType::s32:
      if (LaneFunction found = find_fields<U32>(op)) return found;
      return op.type == DataType::b32 ? find_logic<U32>(op) : nullptr;
    case DataType::b64:
    case DataType::u64:
    case DataType::s64:
      if (LaneFunction found = find_fields<U64>(op)) return found;
      return op.type == DataType::b64 ? find_logic<U64>(op) : nullptr;
    default:
      return nullptr;
  }
}

}  // namespace heddle::isa::HEDDLE_LANE_LEVEL
