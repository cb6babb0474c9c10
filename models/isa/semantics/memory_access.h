// SPDX-License-Identifier: Apache-2.0
// Checks a memory operation and maps its lanes to host addresses.
#pragma once

#include <cstddef>
#include <cstdint>

#include "isa/execute.h"
#include "isa/fault.h"

namespace heddle::isa {

/// Base and stride of one address space: lane i reaches base + i * lane_stride + its address.
struct Window {
  std::byte* base = nullptr;
  std::uint64_t lane_stride = 0;

  std::byte* at(unsigned lane, std::uint64_t address) const {
    return base == nullptr ? reinterpret_cast<std::byte*>(address) : base + lane * lane_stride + address;
  }
};

/// Checks all lanes. When they lie in different spaces, the window is empty and `places` holds a host address per
/// active lane. Throws Error(kMemoryFault).
struct CheckedAccess {
  Window window;
  bool mixed = false;
  std::array<std::byte*, kWordThreads> places;
  std::array<std::byte, 32 * kWordThreads> produced;  ///< computed contents read from addresses no memory backs

  std::byte* at(unsigned lane, const Addresses& addresses) const {
    return mixed ? places[lane] : window.at(lane, addresses.value[lane]);
  }
};
void check_access(const MicroOp& op, const WarpState& warp, const Addresses& addresses, const MemoryPort& port,
                  CheckedAccess& out);

/// Size and required alignment of one lane's access in bytes: element size times vector width.
inline std::uint32_t access_bytes(const MicroOp& op) {
  const std::uint32_t element = size_of(op.type);
  return (element == 0 ? 1 : element) * op.vector_width;
}

/// atom and red.
void execute_atomic(const MicroOp& op, WarpState& warp, const Addresses& addresses, const CheckedAccess& access);

/// Throws MemoryFault for one lane.
[[noreturn]] void memory_fault(AccessFault fault, const MicroOp& op, const WarpState& warp, const Addresses& addresses,
                               unsigned lane, const MemoryPort& port);

}  // namespace heddle::isa
