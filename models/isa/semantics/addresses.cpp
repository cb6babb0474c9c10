// SPDX-License-Identifier: Apache-2.0
#include <bit>

#include "isa/async_copy.h"
#include "isa/operands.h"
#include "isa/prefix_operations.h"
#include "isa/semantics/lane_selection.h"
#include "isa/semantics/memory_access.h"

namespace heddle::isa {
namespace {

/// All lanes of a generic operation lie in one window: converts their addresses to offsets.
void resolve_to_window(Addresses& out, Space space, std::uint64_t window) {
  out.space = space;
  for (auto& value : out.value) value -= window;
  out.lowest -= window;
  out.highest -= window;
}

void resolve_generic(Addresses& out) {
  const std::uint32_t device = out.mask & ~(out.shared_lanes | out.local_lanes);
  if (device == out.mask) {
    out.space = Space::global;
  } else if (out.shared_lanes == out.mask) {
    resolve_to_window(out, Space::shared, kSharedWindow);
  } else if (out.local_lanes == out.mask) {
    resolve_to_window(out, Space::local, kLocalWindow);
  } else {
    out.lowest = ~std::uint64_t{0};
    out.highest = 0;
    for (std::uint32_t rest = device; rest != 0; rest &= rest - 1) {
      const std::uint64_t address = out.value[static_cast<unsigned>(std::countr_zero(rest))];
      if (address < out.lowest) out.lowest = address;
      if (address + out.bytes > out.highest) out.highest = address + out.bytes;
    }
    if (device == 0) out.lowest = 0;
  }
}

constexpr std::uint64_t kNarrowMask = 0xffff'ffff;

/// Spaces with 32-bit addresses, for which only the low bits of a wider register are used.
bool is_narrow(Space space) { return space == Space::shared || space == Space::local || space == Space::param; }

/// Truncates sums to 32 bits; rarely needed.
void truncate(Addresses& out) {
  const std::uint64_t last = out.highest - out.bytes;
  if ((out.lowest | last) <= kNarrowMask) [[likely]]
    return;
  alignas(64) std::array<std::uint64_t, kWordThreads> cut;
  for (unsigned i = 0; i < kWordThreads; ++i) cut[i] = out.value[i] & kNarrowMask;
  lane_operations().scan_addresses(cut.data(), 0, out);
}

/// One address for all lanes, known at load.
void fill_absolute(const MicroOp& op, Addresses& out) {
  auto address = static_cast<std::uint64_t>(op.address_offset);
  if (is_narrow(op.space)) address &= kNarrowMask;
  const std::uint64_t window = address & kWindowMask;
  out.value.fill(address);
  out.lowest = address;
  out.highest = address + out.bytes;
  out.contiguous = false;
  out.uniform = true;
  out.shared_lanes = window == kSharedWindow ? out.mask : 0;
  out.local_lanes = window == kLocalWindow ? out.mask : 0;
}

/// Addresses computed in 32 bits (shared, local and parameter space), zero-extended after the sum.
void scan_narrow(const std::byte* from, std::int64_t offset, bool generic, Addresses& out) {
  const auto* narrow = reinterpret_cast<const std::uint32_t*>(from);
  alignas(64) std::array<std::uint64_t, kWordThreads> wide;
  for (unsigned i = 0; i < kWordThreads; ++i) {
    wide[i] = narrow[i] + static_cast<std::uint32_t>(offset);
    if (generic) wide[i] = widen_generic(static_cast<std::uint32_t>(wide[i]));
  }
  lane_operations().scan_addresses(wide.data(), 0, out);
}

/// No active lanes.
void clear(Addresses& out) {
  out.shared_lanes = out.local_lanes = 0;
  out.lowest = out.highest = 0;
  out.contiguous = out.uniform = false;
}

}  // namespace

void compute_addresses(const MicroOp& op, const WarpState& warp, std::uint32_t mask, const PrefixShares& shares,
                       Addresses& out) {
  out.mask = mask & shares.holds;
  out.space = op.space;
  out.bytes = access_bytes(op);
  out.counting = mask;
  out.counts = shares.total;
  if (out.mask == 0) {
    clear(out);
    return;
  }
  const OperandBases bases(warp);
  const bool narrow = is_narrow(op.space) || (!op.absolute_address && size_of(op.sources[0].type) == 4);
  alignas(64) std::array<std::uint64_t, kWordThreads> places;
  for (unsigned i = 0; i < kWordThreads; ++i) {
    places[i] = value_of(op.sources[0], bases, i) + static_cast<std::uint64_t>(op.address_offset) +
                std::uint64_t{shares.before[i]} * out.bytes;
    if (narrow) places[i] &= kNarrowMask;
  }
  lane_operations().scan_addresses(places.data(), 0, out);
  if (op.space == Space::generic) resolve_generic(out);
}

void compute_addresses(const MicroOp& op, const WarpState& warp, std::uint32_t mask, Addresses& out) {
  out.mask = mask;
  out.space = op.space;
  out.bytes = access_bytes(op);
  if (op.opcode == Opcode::async_copy) [[unlikely]] {
    // Lanes that read nothing still write zeros.
    out.counting = mask;
    for_each_lane(op.sources[2].present() ? mask : 0, [&](unsigned lane) {
      if (bytes_read(op, warp, lane) == 0) out.mask &= ~(1u << lane);
    });
    mask = out.mask;
  }
  if (mask == 0) {
    clear(out);
    return;
  }
  if (op.absolute_address) {
    fill_absolute(op, out);
  } else {
    const Operand& base = op.sources[0];
    const std::byte* from =
        (base.base == Operand::Base::frame ? warp.registers : warp.block->launch->kernel->constants.data()) +
        base.offset;
    if (size_of(base.type) == 8) [[likely]] {
      lane_operations().scan_addresses(reinterpret_cast<const std::uint64_t*>(from), op.address_offset, out);
      if (is_narrow(op.space)) truncate(out);
    } else {
      scan_narrow(from, op.address_offset, op.space == Space::generic, out);
    }
  }
  if (op.space == Space::generic) resolve_generic(out);
}

}  // namespace heddle::isa
