// SPDX-License-Identifier: Apache-2.0
// Properties of one lane's memory access, for checkers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "isa/execute.h"

namespace heddle::gpu {

/// Whether the access is to the block's shared memory.
inline bool on_chip(const isa::Addresses& addresses, unsigned lane) {
  return addresses.space == isa::Space::shared || (addresses.shared_lanes >> lane & 1) != 0;
}

/// Whether no other thread can write there.
inline bool is_private(const isa::Addresses& addresses, unsigned lane) {
  return addresses.space == isa::Space::local || addresses.space == isa::Space::param ||
         addresses.space == isa::Space::constant || (addresses.local_lanes >> lane & 1) != 0;
}

/// Offset in shared memory, or the address elsewhere.
inline std::uint64_t place_of(const isa::Addresses& addresses, unsigned lane) {
  return on_chip(addresses, lane) ? addresses.value[lane] & ~isa::kWindowMask : addresses.value[lane];
}

inline bool is_store(const isa::MicroOp& op) {
  return op.opcode == isa::Opcode::st || op.opcode == isa::Opcode::cond_acc;
}
inline bool is_atomic(const isa::MicroOp& op) {
  return op.opcode == isa::Opcode::atom || op.opcode == isa::Opcode::red;
}

/// Address of the bytes in this process.
const std::byte* bytes_at(const isa::WarpState& warp, const isa::Addresses& addresses, unsigned lane);

/// The bytes a store writes: at most 32.
void stored_bytes(const isa::MicroOp& op, const isa::WarpState& warp, unsigned lane, std::byte* to);

/// "variable 'name' at offset 8" for an offset in shared memory; only the offset where no variable lies.
std::string describe_shared(const isa::Kernel& kernel, std::uint64_t offset);

/// "thread (3,0,0) of block (0,0,0)".
std::string describe_thread(const Dim3& block_size, std::uint32_t thread, const Dim3& block);

}  // namespace heddle::gpu
