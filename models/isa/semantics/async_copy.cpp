// SPDX-License-Identifier: Apache-2.0
#include "isa/async_copy.h"

#include <algorithm>
#include <cstring>

#include "isa/operands.h"
#include "isa/semantics/memory_access.h"

namespace heddle::isa {

std::uint32_t bytes_read(const MicroOp& op, const WarpState& warp, unsigned lane) {
  const std::uint32_t all = access_bytes(op);
  const Operand& wanted = op.sources[2];
  if (!wanted.present()) return all;
  const std::uint64_t value = value_of(wanted, OperandBases(warp), lane);
  if (wanted.type == DataType::pred) return value != 0 ? 0 : all;
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(value, all));
}

std::uint64_t copy_target(const MicroOp& op, const WarpState& warp, unsigned lane) {
  const std::uint64_t to =
      value_of(op.sources[1], OperandBases(warp), lane) + static_cast<std::uint64_t>(op.target_offset);
  return op.sources[1].type == DataType::b32 ? to & 0xffff'ffff : to;
}

void execute_async_copy(const MicroOp& op, WarpState& warp, const Addresses& addresses, MemoryPort& port) {
  const std::uint64_t bytes = access_bytes(op), limit = warp.block->launch->shared_bytes;
  CheckedAccess access;
  const bool whole = !op.sources[2].present();
  if (whole) check_access(op, warp, addresses, port, access);
  Addresses target;
  target.space = Space::shared;
  target.bytes = static_cast<std::uint32_t>(bytes);
  for_each_lane(addresses.counting, [&](unsigned lane) {
    const std::uint64_t from = addresses.value[lane];
    const std::uint32_t count = whole ? static_cast<std::uint32_t>(bytes) : bytes_read(op, warp, lane);
    if (!whole && count != 0) {
      if (from % bytes != 0) memory_fault(AccessFault::misaligned, op, warp, addresses, lane, port);
      if (!port.accessible(from, from + count))
        memory_fault(AccessFault::out_of_bounds, op, warp, addresses, lane, port);
    }
    const std::uint64_t to = copy_target(op, warp, lane);
    target.value[lane] = to;
    if (to % bytes != 0) memory_fault(AccessFault::misaligned, op, warp, target, lane, port);
    if (to > limit || bytes > limit - to) memory_fault(AccessFault::out_of_bounds, op, warp, target, lane, port);
    std::byte* place = warp.block->shared + to;
    if (count != 0) std::memcpy(place, whole ? access.at(lane, addresses) : reinterpret_cast<std::byte*>(from), count);
    std::memset(place + count, 0, bytes - count);
  });
}

}  // namespace heddle::isa
