// SPDX-License-Identifier: Apache-2.0
// Conversion between texels in memory and fetch results.
#pragma once

#include "gpu/texture/texture.h"

namespace heddle::gpu {

/// The four result registers of a fetch, as bits of f32, s32 or u32. `taps`: from texture_taps, in accessible memory.
std::array<std::uint32_t, 4> texture_value(const Texture& texture, const Taps& taps, unsigned count);
/// The same for a gather: one component of four texels.
std::array<std::uint32_t, 4> gather_value(const Texture& texture, const Taps& taps, unsigned component);
/// Packs components into a texel, as little-endian words. Components are f32 bits for floating-point formats and
/// otherwise integers, clamped to range. Missing components are zero.
std::array<std::uint32_t, 4> pack_texel(const Texture& surface, const std::array<std::uint32_t, 4>& components);

}  // namespace heddle::gpu
