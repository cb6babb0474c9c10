// SPDX-License-Identifier: Apache-2.0
// Textures and surfaces behind handles, and the texels a fetch reads. Rules of the CUDA C++ programming guide, appendix
// "Texture Fetching".
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "isa/types.h"

namespace heddle::gpu {

enum class TextureAddressing : std::uint8_t { wrap, clamp, mirror, border };
enum class TexelKind : std::uint8_t { signed_integer, unsigned_integer, floating };

/// One mip-map level; a texture without mip maps has one.
struct TextureLevel {
  std::uint64_t address = 0;
  std::uint32_t extent[3] = {1, 1, 1};           ///< texels: width, height, depth
  std::uint64_t row_bytes = 0, slice_bytes = 0;  ///< layers and cube faces are slices
};

/// The object bound to a handle.
struct Texture {
  bool bound = false;
  bool surface = false;        ///< written and read by surface instructions, not fetched
  bool linear_memory = false;  ///< fetched by integer index; out of range gives zero
  bool layered = false;
  bool cube = false;                                                ///< six faces, or six per layer
  bool gathers = true;                                              ///< allows gathers; an array needs a flag
  std::vector<TextureLevel> levels = std::vector<TextureLevel>(1);  ///< finest first
  std::uint32_t slices = 1;                                         ///< layers, or faces of all layers
  std::uint8_t components = 1;                                      ///< 1, 2 or 4
  std::uint8_t component_bytes = 4;                                 ///< 1, 2 or 4
  TexelKind kind = TexelKind::floating;
  std::array<TextureAddressing, 3> addressing = {TextureAddressing::clamp, TextureAddressing::clamp,
                                                 TextureAddressing::clamp};
  bool filter_linearly = false;
  bool read_normalized = false;  ///< integers are read as fractions of their range
  bool srgb = false;             ///< 8-bit fractions, except the fourth component, follow the sRGB curve
  bool normalized_coordinates = false;
  bool seamless = false;  ///< cube: filters across its edges
  std::array<float, 4> border = {0, 0, 0, 0};
  bool blend_levels = false;  ///< interpolate between the two nearest levels; else use the nearest
  float level_bias = 0, least_level = 0, most_level = 0;
  std::string name;  ///< reference name, for messages

  std::uint32_t texel_bytes() const { return std::uint32_t{components} * component_bytes; }
};

/// One texel a fetch reads.
struct Tap {
  std::uint64_t address = 0;  ///< 0: outside, use the border colour
  float weight = 1;
};
/// Maximum texels per fetch: two filtered levels of three dimensions.
inline constexpr unsigned kMaxTaps = 16;
using Taps = std::array<Tap, kMaxTaps>;

/// Coordinates of one fetch: integers are texel indices, never filtered. For a cube: a direction.
struct TextureCoordinates {
  unsigned dimensions = 1;  ///< 1 to 3
  bool integer = false;
  std::array<float, 3> real = {0, 0, 0};
  std::array<std::int32_t, 3> index = {0, 0, 0};
  std::uint32_t layer = 0;  ///< clamped
  isa::TextureLod lod = isa::TextureLod::base;
  float level = 0;
  std::array<float, 3> gradient_x = {0, 0, 0}, gradient_y = {0, 0, 0};
};

/// The level of detail of a fetch, with bias and limits: 0 is the finest level, fractions lie between levels. Uses the
/// longer gradient, in texels of the finest level; filtering is isotropic.
float level_of_detail(const Texture& texture, const TextureCoordinates& coordinates);

/// The texels a fetch reads: 1, or 2, 4, 8 when filtering, and twice that between two levels. Returns the number of
/// taps written.
unsigned texture_taps(const Texture& texture, const TextureCoordinates& coordinates, Taps& taps);
/// The four texels of a two-dimensional filter, in tld4 order: lower left, lower right, upper right, upper left, the
/// second coordinate growing downwards.
void gather_taps(const Texture& texture, const TextureCoordinates& coordinates, Taps& taps);

/// Target of a surface access.
struct SurfacePoint {
  std::int32_t x = 0, y = 0, z = 0;
  std::uint32_t layer = 0;
  bool in_texels = false;   ///< x is in texels; else in bytes
  std::uint32_t bytes = 4;  ///< of the access
};
/// The address of a surface access; empty when it is out of range and `clamp` is false.
std::optional<std::uint64_t> surface_address(const Texture& surface, const SurfacePoint& point, bool clamp);

}  // namespace heddle::gpu
