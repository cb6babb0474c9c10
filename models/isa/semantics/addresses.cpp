// SPDX-License-Identifier: Apache-2.0
#include <bit>

#include "isa/semantics/lane_selection.h"
#include "isa/semantics/memory_access.h"

namespace heddle::isa {
namespace {

/// Addresses of a program that computes them in 32 bits (shared, local and parameter space): zero-extended after the
/// sum.
void widen_addresses(const std::byte* from, std::int64_t offset, std::uint64_t* wide) {
  const auto* narrow = reinterpret_cast<const std::uint32_t*>(from);
  for (unsigned i = 0; i < kWordThreads; ++i) wide[i] = narrow[i] + static_cast<std::uint32_t>(offset);
}

/// All lanes of a generic operation are in one window: its addresses become offsets.
void resolve_to_window(Addresses& out, Space space, std::uint64_t window) {
  out.space = space;
  for (auto& value : out.value) value -= window;
  out.lowest -= window;
  out.highest -= window;
}

void resolve_generic(const AddressScan& scan, Addresses& out) {
  out.shared_lanes = scan.shared_lanes;
  out.local_lanes = scan.local_lanes;
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

}  // namespace

std::uint32_t access_bytes(const MicroOp& op) {
  const std::uint32_t element = size_of(op.type);
  return (element == 0 ? 1 : element) * op.vector_width;
}

void compute_addresses(const MicroOp& op, const WarpState& warp, std::uint32_t mask, Addresses& out) {
  out.mask = mask;
  out.space = op.space;
  out.bytes = access_bytes(op);
  out.shared_lanes = out.local_lanes = 0;
  out.lowest = out.highest = 0;
  out.contiguous = out.uniform = false;
  if (mask == 0) return;

  if (op.absolute_address) {
    const auto address = static_cast<std::uint64_t>(op.address_offset);
    out.value.fill(address);
    out.lowest = address;
    out.highest = address + out.bytes;
    out.uniform = true;
    if (op.space == Space::generic) {
      const std::uint64_t window = address & kWindowMask;
      resolve_generic(
          {address, address, false, true, window == kSharedWindow ? mask : 0, window == kLocalWindow ? mask : 0}, out);
    }
    return;
  }

  const Operand& base = op.sources[0];
  std::byte* const bases[2] = {warp.registers, const_cast<std::byte*>(warp.block->launch->kernel->constants.data())};
  const std::byte* from = operand_place(base, bases);
  alignas(64) std::array<std::uint64_t, kWordThreads> wide;
  std::int64_t offset = op.address_offset;
  if (size_of(base.type) != 8) {
    widen_addresses(from, offset, wide.data());
    from = reinterpret_cast<const std::byte*>(wide.data());
    offset = 0;
  }
  const AddressScan scan = lane_operations().scan_addresses(reinterpret_cast<const std::uint64_t*>(from), offset, mask,
                                                            out.bytes, out.value.data());
  out.lowest = scan.lowest;
  out.highest = scan.highest + out.bytes;
  out.contiguous = scan.contiguous;
  out.uniform = scan.uniform;
  if (op.space == Space::generic) resolve_generic(scan, out);
}

}  // namespace heddle::isa
