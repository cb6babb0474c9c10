// SPDX-License-Identifier: Apache-2.0
// Textures: what a handle names, which texels a fetch touches, and their filtered value. Rules of the CUDA C++
// programming guide, appendix "Texture Fetching".
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <string>

#include "isa/execute.h"

namespace heddle::gpu {

class DeviceMemory;

enum class TextureAddressing : std::uint8_t { wrap, clamp, mirror, border };
enum class TexelKind : std::uint8_t { signed_integer, unsigned_integer, floating };

/// What is bound to a texture handle.
struct Texture {
  bool bound = false;
  bool linear_memory = false;  ///< fetched by integer index; out of range gives zero
  std::uint64_t address = 0;
  std::uint32_t extent[3] = {1, 1, 1};  ///< texels: width, height, depth
  std::uint64_t row_bytes = 0, slice_bytes = 0;
  std::uint8_t components = 1;       ///< 1, 2 or 4
  std::uint8_t component_bytes = 4;  ///< 1, 2 or 4
  TexelKind kind = TexelKind::floating;
  std::array<TextureAddressing, 3> addressing = {TextureAddressing::clamp, TextureAddressing::clamp,
                                                 TextureAddressing::clamp};
  bool filter_linearly = false;
  bool read_normalized = false;  ///< integers are read as fractions of their range
  bool normalized_coordinates = false;
  std::array<float, 4> border = {0, 0, 0, 0};
  std::string name;  ///< of a texture reference, for messages

  std::uint32_t texel_bytes() const { return std::uint32_t{components} * component_bytes; }
};

/// One texel a fetch reads.
struct Tap {
  std::uint64_t address = 0;  ///< 0: outside, the border colour counts
  float weight = 1;
};

/// Coordinates of one fetch: integers are texel indices, never filtered.
struct TextureCoordinates {
  unsigned dimensions = 1;  ///< 1 to 3
  bool integer = false;
  std::array<float, 3> real = {0, 0, 0};
  std::array<std::int32_t, 3> index = {0, 0, 0};
};

/// The texels a fetch reads: 1, or 2, 4, 8 when it filters. Returns how many of `taps` were written.
unsigned texture_taps(const Texture& texture, const TextureCoordinates& coordinates, std::array<Tap, 8>& taps);

/// The four result registers of a fetch, as bits of f32, s32 or u32. `taps`: from texture_taps, in accessible memory.
std::array<std::uint32_t, 4> texture_value(const Texture& texture, const std::array<Tap, 8>& taps, unsigned count);

/// Every texture by handle. Handles are small numbers from 1 and are not reused.
class TextureTable {
 public:
  std::uint64_t add(Texture texture);
  /// Null for a handle that was never given or was removed.
  Texture* find(std::uint64_t handle);
  bool remove(std::uint64_t handle);
  void clear();

  /// Executes `tex` for the lanes of `mask`. Throws Error(kMemoryFault) for an unknown or unbound handle and for texels
  /// in memory that was freed.
  void fetch(const isa::MicroOp& op, isa::WarpState& warp, std::uint32_t mask, const DeviceMemory& memory);
  /// The texels one lane's fetch reads, for timing, and the bytes of one.
  unsigned taps_of(const isa::MicroOp& op, const isa::WarpState& warp, unsigned lane, std::array<Tap, 8>& taps,
                   std::uint32_t& texel_bytes);

 private:
  const Texture& texture_of(const isa::MicroOp& op, const isa::WarpState& warp, unsigned lane);
  std::deque<Texture> textures_;  ///< by handle - 1
};

}  // namespace heddle::gpu
