// SPDX-License-Identifier: Apache-2.0
// Where the texels of a fetch lie: what the memory stage needs of a memory port that knows textures.
#pragma once

#include <cstdint>
#include <vector>

#include "isa/execute.h"

namespace heddle::sm {

class TexelSource {
 public:
  virtual ~TexelSource() = default;
  /// Appends to `texels` the addresses that the lanes of `mask` read: element i holds the i-th texel of every lane that
  /// reads so many (one; 2, 4 or 8 where a fetch filters, and twice that between two levels of a mip map). Texels
  /// outside the texture are left out. Operations of the texture unit that fetch nothing append nothing. Throws
  /// Error(kMemoryFault) for a handle that names no texture.
  virtual void texels(const isa::MicroOp& op, const isa::WarpState& warp, std::uint32_t mask,
                      std::vector<isa::Addresses>& texels) = 0;
};

}  // namespace heddle::sm
