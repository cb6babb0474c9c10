// SPDX-License-Identifier: Apache-2.0
// atom and red, executed lane by lane in ascending order.
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "core/error.h"
#include "isa/semantics/memory_access.h"
#include "isa/semantics/scalar_half.h"

namespace heddle::isa {
namespace {

std::byte* register_place(const Operand& operand, const WarpState& warp) {
  if (operand.base == Operand::Base::frame) return warp.registers + operand.offset;
  return const_cast<std::byte*>(warp.block->launch->kernel->constants.data()) + operand.offset;
}

/// A lane's value of type T in a register: the low bytes of its cell.
template <typename T>
T read_lane(const Operand& operand, const WarpState& warp, unsigned lane) {
  const std::size_t stride = size_of(operand.type) == 8 ? 8 : 4;
  T value;
  std::memcpy(&value, register_place(operand, warp) + lane * stride, sizeof value);
  return value;
}

template <typename T>
void write_lane(const Operand& operand, const WarpState& warp, unsigned lane, T value) {
  if (size_of(operand.type) == 8) {
    std::uint64_t cell = 0;
    std::memcpy(&cell, &value, sizeof value);
    std::memcpy(warp.registers + operand.offset + lane * 8, &cell, sizeof cell);
  } else {
    std::uint32_t cell = 0;
    std::memcpy(&cell, &value, sizeof value < sizeof cell ? sizeof value : sizeof cell);
    std::memcpy(warp.registers + operand.offset + lane * 4, &cell, sizeof cell);
  }
}

/// Applies `combine(old, b, c)` for every lane; `c` is read for cas only.
template <typename T, typename Combine>
void apply(const MicroOp& op, WarpState& warp, const Addresses& addresses, const CheckedAccess& access,
           Combine&& combine) {
  const bool returns = op.opcode == Opcode::atom && op.destination_count > 0 && op.destinations[0].present();
  const bool third = op.atom_op == AtomOp::cas;
  for (std::uint32_t rest = addresses.mask; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    std::byte* place = access.at(lane, addresses);
    T old;
    std::memcpy(&old, place, sizeof old);
    const T b = read_lane<T>(op.sources[1], warp, lane);
    const T c = third ? read_lane<T>(op.sources[2], warp, lane) : T{};
    const T result = combine(old, b, c);
    std::memcpy(place, &result, sizeof result);
    if (returns) write_lane(op.destinations[0], warp, lane, old);
  }
}

template <typename U>
bool apply_bits(const MicroOp& op, WarpState& warp, const Addresses& addresses, const CheckedAccess& access) {
  switch (op.atom_op) {
    case AtomOp::and_:
      apply<U>(op, warp, addresses, access, [](U a, U b, U) { return static_cast<U>(a & b); });
      return true;
    case AtomOp::or_:
      apply<U>(op, warp, addresses, access, [](U a, U b, U) { return static_cast<U>(a | b); });
      return true;
    case AtomOp::xor_:
      apply<U>(op, warp, addresses, access, [](U a, U b, U) { return static_cast<U>(a ^ b); });
      return true;
    case AtomOp::exch:
      apply<U>(op, warp, addresses, access, [](U, U b, U) { return b; });
      return true;
    case AtomOp::cas:
      apply<U>(op, warp, addresses, access, [](U a, U b, U c) { return a == b ? c : a; });
      return true;
    case AtomOp::add:
      apply<U>(op, warp, addresses, access, [](U a, U b, U) { return static_cast<U>(a + b); });
      return true;
    default:
      return false;
  }
}

template <typename T>
bool apply_integer(const MicroOp& op, WarpState& warp, const Addresses& addresses, const CheckedAccess& access) {
  switch (op.atom_op) {
    case AtomOp::min:
      apply<T>(op, warp, addresses, access, [](T a, T b, T) { return a < b ? a : b; });
      return true;
    case AtomOp::max:
      apply<T>(op, warp, addresses, access, [](T a, T b, T) { return a > b ? a : b; });
      return true;
    case AtomOp::inc:
      apply<T>(op, warp, addresses, access, [](T a, T b, T) { return a >= b ? T{0} : static_cast<T>(a + 1); });
      return true;
    case AtomOp::dec:
      apply<T>(op, warp, addresses, access, [](T a, T b, T) { return a == 0 || a > b ? b : static_cast<T>(a - 1); });
      return true;
    default:
      return apply_bits<std::make_unsigned_t<T>>(op, warp, addresses, access);
  }
}

std::uint32_t flush(std::uint32_t bits) { return (bits & 0x7f800000) == 0 ? bits & 0x80000000 : bits; }

/// f32 addition. Global memory flushes subnormal operands and results to zero of the same sign; shared memory keeps
/// them.
std::uint32_t add_single(std::uint32_t a, std::uint32_t b, bool keep_subnormals) {
  const float sum =
      std::bit_cast<float>(keep_subnormals ? a : flush(a)) + std::bit_cast<float>(keep_subnormals ? b : flush(b));
  if (std::isnan(sum)) return 0x7fffffff;
  const auto bits = std::bit_cast<std::uint32_t>(sum);
  return keep_subnormals ? bits : flush(bits);
}

std::uint64_t add_double(std::uint64_t a, std::uint64_t b) {
  const double x = std::bit_cast<double>(a), y = std::bit_cast<double>(b);
  constexpr std::uint64_t kQuiet = 0x0008000000000000;
  if (std::isnan(x)) return a | kQuiet;
  if (std::isnan(y)) return b | kQuiet;
  const double sum = x + y;
  return std::isnan(sum) ? 0xfff8000000000000 : std::bit_cast<std::uint64_t>(sum);
}

bool apply_float(const MicroOp& op, WarpState& warp, const Addresses& addresses, const CheckedAccess& access) {
  if (op.atom_op == AtomOp::exch && op.type == DataType::f32)
    return apply_bits<std::uint32_t>(op, warp, addresses, access);
  if (op.atom_op != AtomOp::add) return false;
  const bool shared = addresses.space == Space::shared;
  switch (op.type) {
    case DataType::f32:
      apply<std::uint32_t>(op, warp, addresses, access,
                           [&](std::uint32_t a, std::uint32_t b, std::uint32_t) { return add_single(a, b, shared); });
      return true;
    case DataType::f64:
      apply<std::uint64_t>(op, warp, addresses, access,
                           [](std::uint64_t a, std::uint64_t b, std::uint64_t) { return add_double(a, b); });
      return true;
    case DataType::f16:
    case DataType::bf16:
      apply<std::uint16_t>(op, warp, addresses, access,
                           [&](std::uint16_t a, std::uint16_t b, std::uint16_t) { return add_half(a, b, op.type); });
      return true;
    case DataType::f16x2:
    case DataType::bf16x2:
      apply<std::uint32_t>(op, warp, addresses, access, [&](std::uint32_t a, std::uint32_t b, std::uint32_t) {
        return add_half_pair(a, b, op.type);
      });
      return true;
    default:
      return false;
  }
}

bool apply_of_type(const MicroOp& op, WarpState& warp, const Addresses& addresses, const CheckedAccess& access) {
  switch (op.type) {
    case DataType::s32:
      return apply_integer<std::int32_t>(op, warp, addresses, access);
    case DataType::b32:
    case DataType::u32:
      return apply_integer<std::uint32_t>(op, warp, addresses, access);
    case DataType::s64:
      return apply_integer<std::int64_t>(op, warp, addresses, access);
    case DataType::b64:
    case DataType::u64:
      return apply_integer<std::uint64_t>(op, warp, addresses, access);
    case DataType::b16:
      return apply_bits<std::uint16_t>(op, warp, addresses, access);
    default:
      return apply_float(op, warp, addresses, access);
  }
}

}  // namespace

void execute_atomic(const MicroOp& op, WarpState& warp, const Addresses& addresses, const CheckedAccess& access) {
  if (apply_of_type(op, warp, addresses, access)) return;
  const Kernel& kernel = *warp.block->launch->kernel;
  fail(ExitCode::ptx, "{}:{}: {} of type {} in kernel {}: the operation is not defined for this type", kernel.ptx_name,
       op.ptx_line, name_of(op.opcode), name_of(op.type), kernel.name);
}

}  // namespace heddle::isa
