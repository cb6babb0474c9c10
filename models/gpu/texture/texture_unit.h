// SPDX-License-Identifier: Apache-2.0
// The texture unit: a table of handles and the operations on them. Surface loads and stores are executed by global
// memory; the texture unit only computes their addresses.
#pragma once

#include <cstdint>
#include <deque>
#include <string>

#include "gpu/texture/texel_format.h"
#include "gpu/texture/texture.h"
#include "isa/execute.h"

namespace heddle::gpu {

class DeviceMemory;

/// Every texture and surface by handle. Handles are small numbers from 1 and are not reused.
class TextureTable {
 public:
  std::uint64_t add(Texture texture);
  /// Null for an unknown or removed handle.
  Texture* find(std::uint64_t handle);
  bool remove(std::uint64_t handle);
  void clear();

  /// Executes an operation of the texture unit for the lanes of `mask`. Throws Error(kMemoryFault) for an unknown,
  /// unbound or mismatched handle, texels in freed memory, and a trapping out-of-range surface access.
  void fetch(const isa::MicroOp& op, isa::WarpState& warp, std::uint32_t mask, const DeviceMemory& memory);
  /// The texels one lane's fetch reads and the size of each, for timing. Operations other than fetches read none.
  unsigned taps_of(const isa::MicroOp& op, const isa::WarpState& warp, unsigned lane, Taps& taps,
                   std::uint32_t& texel_bytes);

 private:
  const Texture& texture_of(const isa::MicroOp& op, const isa::WarpState& warp, unsigned lane);
  std::deque<Texture> textures_;  ///< by handle - 1
};

}  // namespace heddle::gpu
