// SPDX-License-Identifier: Apache-2.0
// Architectural state of running threads for functional execution. The machine owns and places it; which threads run
// together is decided by the grouping and not visible here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/dim3.h"
#include "core/identifier.h"
#include "isa/image.h"

namespace heddle::isa {

/// Windows of the generic address space. Both lie outside the range a host process can map, so the top 16 bits of a
/// generic address identify its space; device pointers are host pointers.
inline constexpr std::uint64_t kSharedWindow = 0xffff'0000'0000'0000;
inline constexpr std::uint64_t kLocalWindow = 0xfffe'0000'0000'0000;
inline constexpr std::uint64_t kWindowMask = 0xffff'0000'0000'0000;

/// The same windows for 32-bit generic addresses (modules with .address_size 32): the two topmost ranges of 16 MiB.
/// Device memory of such a program lies in the lowest 2 GiB.
inline constexpr std::uint32_t kNarrowSharedWindow = 0xff00'0000, kNarrowLocalWindow = 0xfe00'0000;
inline constexpr std::uint32_t kNarrowWindowMask = 0xff00'0000;

/// Converts a 32-bit generic address to 64 bits.
constexpr std::uint64_t widen_generic(std::uint32_t address) {
  const std::uint32_t window = address & kNarrowWindowMask;
  if (window == kNarrowSharedWindow) return kSharedWindow | (address & ~kNarrowWindowMask);
  return window == kNarrowLocalWindow ? kLocalWindow | (address & ~kNarrowWindowMask) : address;
}

/// State of a kernel launch shared by all its blocks.
struct LaunchState {
  const Kernel* kernel = nullptr;
  Dim3 grid, block;
  std::uint64_t id = 0;
  std::uint32_t shared_bytes = 0;  ///< static + dynamic
  std::uint32_t dynamic_shared_bytes = 0;
  std::uint64_t code_address = 0;  ///< code address for instruction caches, outside device memory
  std::vector<std::byte> parameters;
};

/// One resident thread block.
struct BlockState {
  const LaunchState* launch = nullptr;
  Dim3 index;  ///< blockIdx
  std::uint64_t linear_index = 0;
  std::uint32_t threads = 0;  ///< threads of the block
  SmId sm;
  BlockSlot slot;
  std::byte* shared = nullptr;  ///< launch->shared_bytes bytes
};

/// 32 consecutive threads of a block.
struct WarpState {
  BlockState* block = nullptr;
  std::uint32_t index = 0;               ///< in the block: threads 32*index .. 32*index+31
  std::uint32_t warp_slot = 0;           ///< %warpid
  std::uint32_t live = 0;                ///< threads that exist and have not exited
  std::byte* registers = nullptr;        ///< kernel->frame_bytes bytes, 64-byte aligned
  const std::byte* constants = nullptr;  ///< of the kernel: here, because every instruction needs them
  std::byte* local = nullptr;            ///< 32 x kernel->local_bytes, lane by lane
};

}  // namespace heddle::isa
