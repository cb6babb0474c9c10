// SPDX-License-Identifier: Apache-2.0
// Texel addresses of a texture fetch. The memory stage needs this interface of a memory port that knows textures.
#pragma once

#include <cstdint>
#include <vector>

#include "isa/execute.h"

namespace heddle::sm {

class TexelSource {
 public:
  virtual ~TexelSource() = default;
  /// Appends to `texels` the addresses read by the lanes of `mask`: element i holds the i-th texel of every lane that
  /// reads that many (1; with filtering 2, 4 or 8, and twice that between two mip levels). Texels outside the texture
  /// are omitted. Texture operations that fetch nothing append nothing. Throws Error(kMemoryFault) for a handle that
  /// names no texture.
  virtual void texels(const isa::MicroOp& op, const isa::WarpState& warp, std::uint32_t mask,
                      std::vector<isa::Addresses>& texels) = 0;
};

}  // namespace heddle::sm
