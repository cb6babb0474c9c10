// SPDX-License-Identifier: Apache-2.0
// The texture unit: what handles name, and the operations on them. Loads and stores of surfaces are global memory's;
// here they get their addresses.
#pragma once

#include <cstdint>
#include <deque>
#include <string>

#include "gpu/texel_format.h"
#include "gpu/texture.h"
#include "isa/execute.h"

namespace heddle::gpu {

class DeviceMemory;

/// Every texture and surface by handle. Handles are small numbers from 1 and are not reused.
class TextureTable {
 public:
  std::uint64_t add(Texture texture);
  /// Null for a handle that was never given or was removed.
  Texture* find(std::uint64_t handle);
  bool remove(std::uint64_t handle);
  void clear();

  /// Executes an operation of the texture unit for the lanes of `mask`. Throws Error(kMemoryFault) for an unknown or
  /// unbound handle, one of another kind than the operation needs, texels in memory that was freed, and an access
  /// outside a surface that is to trap.
  void fetch(const isa::MicroOp& op, isa::WarpState& warp, std::uint32_t mask, const DeviceMemory& memory);
  /// The texels one lane's fetch reads, for timing, and the bytes of one. Operations other than fetches read none.
  unsigned taps_of(const isa::MicroOp& op, const isa::WarpState& warp, unsigned lane, Taps& taps,
                   std::uint32_t& texel_bytes);

 private:
  const Texture& texture_of(const isa::MicroOp& op, const isa::WarpState& warp, unsigned lane);
  std::deque<Texture> textures_;  ///< by handle - 1
};

}  // namespace heddle::gpu
