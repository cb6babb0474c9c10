// SPDX-License-Identifier: Apache-2.0
// Texels as they lie in memory, and as fetches give them.
#pragma once

#include "gpu/texture.h"

namespace heddle::gpu {

/// The four result registers of a fetch, as bits of f32, s32 or u32. `taps`: from texture_taps, in accessible memory.
std::array<std::uint32_t, 4> texture_value(const Texture& texture, const Taps& taps, unsigned count);
/// The same of a gather: one component of four texels.
std::array<std::uint32_t, 4> gather_value(const Texture& texture, const Taps& taps, unsigned component);
/// The bytes of a texel made of components, which are bits of f32 for floating-point formats and integers for the
/// others, clamped to their range; little-endian words. Missing components are zero.
std::array<std::uint32_t, 4> pack_texel(const Texture& surface, const std::array<std::uint32_t, 4>& components);

}  // namespace heddle::gpu
