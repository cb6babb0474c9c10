// SPDX-License-Identifier: Apache-2.0
// mov with packing and unpacking, selp, cvta, isspacep, and logic on predicates.
#include "isa/semantics/lane_loop.h"
#include "isa/state.h"

namespace heddle::isa::HEDDLE_LANE_LEVEL {
namespace {

template <typename T>
struct Copy {
  HEDDLE_INLINE T operator()(T a) const { return a; }
};

/// Bits per operand of a packing mov, by storage type.
HEDDLE_INLINE unsigned element_bits(DataType type) {
  switch (type) {
    case DataType::b8:
    case DataType::u8:
    case DataType::s8:
      return 8;
    case DataType::b16:
    case DataType::u16:
    case DataType::s16:
    case DataType::f16:
    case DataType::bf16:
    case DataType::e4m3x2:
    case DataType::e5m2x2:
      return 16;
    case DataType::b64:
    case DataType::u64:
    case DataType::s64:
    case DataType::f64:
      return 64;
    default:
      return 32;
  }
}

HEDDLE_INLINE std::uint64_t low_mask(unsigned bits) {
  return bits >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
}

HEDDLE_INLINE void load_wide(const Operand& operand, std::byte* const* bases, std::uint64_t* value) {
  if (element_bits(operand.type) == 64) {
    const auto* from = reinterpret_cast<const std::uint64_t*>(place(operand, bases));
    for (unsigned i = 0; i < kWordThreads; ++i) value[i] = from[i];
  } else {
    const auto* from = reinterpret_cast<const std::uint32_t*>(place(operand, bases));
    for (unsigned i = 0; i < kWordThreads; ++i) value[i] = from[i];
  }
}

HEDDLE_INLINE void store_wide(const Operand& operand, std::byte* const* bases, const std::uint64_t* value,
                              std::uint32_t mask) {
  if (element_bits(operand.type) == 64) {
    store_lanes(reinterpret_cast<std::uint64_t*>(place(operand, bases)), value, mask);
  } else {
    alignas(64) std::uint32_t narrow[kWordThreads];
    for (unsigned i = 0; i < kWordThreads; ++i) narrow[i] = static_cast<std::uint32_t>(value[i]);
    store_lanes(reinterpret_cast<std::uint32_t*>(place(operand, bases)), narrow, mask);
  }
}

/// d0 = {s0, s1, ...}, the first source in the lowest bits.
void pack_lanes(const MicroOp& op, std::byte* const* bases, std::uint32_t mask) {
  const unsigned bits = element_bits(op.sources[0].type);
  alignas(64) std::uint64_t packed[kWordThreads] = {}, element[kWordThreads];
  for (unsigned s = 0; s < op.source_count; ++s) {
    load_wide(op.sources[s], bases, element);
    for (unsigned i = 0; i < kWordThreads; ++i) packed[i] |= (element[i] & low_mask(bits)) << (s * bits);
  }
  store_wide(op.destinations[0], bases, packed, mask);
}

/// {d0, d1, ...} = s0, the lowest bits into the first destination; an absent destination drops its bits.
void unpack_lanes(const MicroOp& op, std::byte* const* bases, std::uint32_t mask) {
  const unsigned bits = element_bits(op.type) / op.destination_count;
  alignas(64) std::uint64_t packed[kWordThreads], element[kWordThreads];
  load_wide(op.sources[0], bases, packed);
  for (unsigned d = 0; d < op.destination_count; ++d) {
    if (!op.destinations[d].present()) continue;
    for (unsigned i = 0; i < kWordThreads; ++i) element[i] = packed[i] >> (d * bits) & low_mask(bits);
    store_wide(op.destinations[d], bases, element, mask);
  }
}

template <typename T>
void select_lanes(const MicroOp& op, std::byte* const* bases, std::uint32_t mask) {
  const std::uint32_t chosen = predicate(op.sources[2], bases);
  const Cell<T>* a = source<T>(op, bases, 0);
  const Cell<T>* b = source<T>(op, bases, 1);
  Cell<T>* to = destination<T>(op, bases);
  if (mask == kAllLanes) {
    HEDDLE_INDEPENDENT
    for (unsigned i = 0; i < kWordThreads; ++i) {
      to[i] = to_cell<T>(from_cell<T>((chosen & kLaneBits[i]) != 0 ? a[i] : b[i]));
    }
    return;
  }
  alignas(64) Cell<T> result[kWordThreads];
  for (unsigned i = 0; i < kWordThreads; ++i) {
    result[i] = to_cell<T>(from_cell<T>((chosen & kLaneBits[i]) != 0 ? a[i] : b[i]));
  }
  store_lanes(to, result, mask);
}

template <std::uint64_t Window, bool ToSpace>
struct ConvertAddress {
  HEDDLE_INLINE std::uint64_t operator()(std::uint64_t a) const { return ToSpace ? a - Window : a + Window; }
};

template <std::uint32_t Window, bool ToSpace>
struct ConvertNarrowAddress {
  HEDDLE_INLINE std::uint32_t operator()(std::uint32_t a) const { return ToSpace ? a - Window : a + Window; }
};

template <Space S>
struct InSpace {
  HEDDLE_INLINE bool operator()(std::uint32_t a) const { return (*this)(widen_generic(a)); }
  HEDDLE_INLINE bool operator()(std::uint64_t a) const {
    const std::uint64_t window = a & kWindowMask;
    if constexpr (S == Space::shared) return window == kSharedWindow;
    if constexpr (S == Space::local) return window == kLocalWindow;
    return window != kSharedWindow && window != kLocalWindow;
  }
};
template <Space S>
void in_space_lanes(const MicroOp& op, std::byte* const* bases, std::uint32_t mask) {
  const std::uint32_t inside = element_bits(op.sources[0].type) == 32
                                   ? holds<InSpace<S>, std::uint32_t>({}, source<std::uint32_t>(op, bases, 0))
                                   : holds<InSpace<S>, std::uint64_t>({}, source<std::uint64_t>(op, bases, 0));
  store_predicate(op.destinations[0], bases, inside, mask);
}

/// Constant variables lie in device memory, so a generic address cannot distinguish them from global ones:
/// isspacep.const is always false.
void never_lanes(const MicroOp& op, std::byte* const* bases, std::uint32_t mask) {
  store_predicate(op.destinations[0], bases, 0, mask);
}

template <Opcode Code>
void predicate_lanes(const MicroOp& op, std::byte* const* bases, std::uint32_t mask) {
  const std::uint32_t a = predicate(op.sources[0], bases);
  std::uint32_t result = a;
  if constexpr (Code == Opcode::and_) result = a & predicate(op.sources[1], bases);
  if constexpr (Code == Opcode::or_) result = a | predicate(op.sources[1], bases);
  if constexpr (Code == Opcode::xor_) result = a ^ predicate(op.sources[1], bases);
  if constexpr (Code == Opcode::not_) result = ~a;
  store_predicate(op.destinations[0], bases, result, mask);
}

LaneFunction find_predicate(const MicroOp& op) {
  switch (op.opcode) {
    case Opcode::mov:
      return predicate_lanes<Opcode::mov>;
    case Opcode::and_:
      return predicate_lanes<Opcode::and_>;
    case Opcode::or_:
      return predicate_lanes<Opcode::or_>;
    case Opcode::xor_:
      return predicate_lanes<Opcode::xor_>;
    case Opcode::not_:
      return predicate_lanes<Opcode::not_>;
    default:
      return nullptr;
  }
}

LaneFunction find_convert_narrow_address(const MicroOp& op) {
  using U = std::uint32_t;
  switch (op.space) {
    case Space::shared:
      return op.to_space ? lanes<ConvertNarrowAddress<kNarrowSharedWindow, true>, U, U>
                         : lanes<ConvertNarrowAddress<kNarrowSharedWindow, false>, U, U>;
    case Space::local:
      return op.to_space ? lanes<ConvertNarrowAddress<kNarrowLocalWindow, true>, U, U>
                         : lanes<ConvertNarrowAddress<kNarrowLocalWindow, false>, U, U>;
    case Space::global:
    case Space::constant:
      return lanes<Copy<U>, U, U>;
    default:
      return nullptr;
  }
}

LaneFunction find_convert_address(const MicroOp& op) {
  if (op.type == DataType::u32) return find_convert_narrow_address(op);
  using U = std::uint64_t;
  switch (op.space) {
    case Space::shared:
      return op.to_space ? lanes<ConvertAddress<kSharedWindow, true>, U, U>
                         : lanes<ConvertAddress<kSharedWindow, false>, U, U>;
    case Space::local:
      return op.to_space ? lanes<ConvertAddress<kLocalWindow, true>, U, U>
                         : lanes<ConvertAddress<kLocalWindow, false>, U, U>;
    case Space::global:
    case Space::constant:
      return lanes<Copy<U>, U, U>;
    default:
      return nullptr;
  }
}

}  // namespace

LaneFunction find_move(const MicroOp& op) {
  if (op.type == DataType::pred) return find_predicate(op);
  const unsigned bits = element_bits(op.type);
  switch (op.opcode) {
    case Opcode::mov:
      if (op.destination_count > 1) return unpack_lanes;
      if (op.source_count > 1) return pack_lanes;
      if (bits == 64) return lanes<Copy<std::uint64_t>, std::uint64_t, std::uint64_t>;
      if (bits == 32) return lanes<Copy<std::uint32_t>, std::uint32_t, std::uint32_t>;
      if (op.type == DataType::s16) return lanes<Copy<std::int16_t>, std::int16_t, std::int16_t>;
      if (op.type == DataType::s8) return lanes<Copy<std::int8_t>, std::int8_t, std::int8_t>;
      if (bits == 16) return lanes<Copy<std::uint16_t>, std::uint16_t, std::uint16_t>;
      return lanes<Copy<std::uint8_t>, std::uint8_t, std::uint8_t>;
    case Opcode::selp:
      if (bits == 64) return select_lanes<std::uint64_t>;
      if (bits == 32) return select_lanes<std::uint32_t>;
      return op.type == DataType::s16 ? select_lanes<std::int16_t> : select_lanes<std::uint16_t>;
    case Opcode::cvta:
      return find_convert_address(op);
    case Opcode::isspacep:
      switch (op.space) {
        case Space::shared:
          return in_space_lanes<Space::shared>;
        case Space::local:
          return in_space_lanes<Space::local>;
        case Space::global:
          return in_space_lanes<Space::global>;
        case Space::constant:
          return never_lanes;
        default:
          return nullptr;
      }
    default:
      return nullptr;
  }
}

}  // namespace heddle::isa::HEDDLE_LANE_LEVEL
