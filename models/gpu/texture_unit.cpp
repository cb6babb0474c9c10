// SPDX-License-Identifier: Apache-2.0
#include "gpu/texture_unit.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <utility>

#include "core/error.h"
#include "gpu/device_memory.h"
#include "isa/operands.h"

namespace heddle::gpu {
namespace {

/// The texel index an address mode makes of `i`, or -1 for the border.
std::int64_t resolve(std::int64_t i, std::int64_t extent, TextureAddressing mode) {
  if (i >= 0 && i < extent) return i;
  switch (mode) {
    case TextureAddressing::clamp:
      return std::clamp<std::int64_t>(i, 0, extent - 1);
    case TextureAddressing::border:
      return -1;
    case TextureAddressing::wrap:
      return ((i % extent) + extent) % extent;
    case TextureAddressing::mirror: {
      const std::int64_t period = 2 * extent, m = ((i % period) + period) % period;
      return m < extent ? m : period - 1 - m;
    }
  }
  return -1;
}

/// Interpolation weights have 8 fractional bits.
float rounded_weight(float fraction) { return std::floor(fraction * 256.0f + 0.5f) / 256.0f; }

struct Axis {
  std::int64_t index[2] = {0, 0};  ///< -1: border
  float weight[2] = {1, 0};
  unsigned count = 1;
};

Axis real_axis(const Texture& texture, unsigned axis, float coordinate) {
  const std::int64_t extent = texture.extent[axis];
  TextureAddressing mode = texture.addressing[axis];
  // Wrap and mirror exist for normalised coordinates only.
  if (!texture.normalized_coordinates && mode != TextureAddressing::border) mode = TextureAddressing::clamp;
  float x = texture.normalized_coordinates ? coordinate * static_cast<float>(extent) : coordinate;
  if (std::isnan(x)) x = 0;
  x = std::clamp(x, -1e9f, 1e9f);
  Axis result;
  if (!texture.filter_linearly) {
    result.index[0] = resolve(static_cast<std::int64_t>(std::floor(x)), extent, mode);
    return result;
  }
  const float base = std::floor(x - 0.5f);
  const float alpha = rounded_weight(x - 0.5f - base);
  result.count = 2;
  for (unsigned i = 0; i < 2; ++i) result.index[i] = resolve(static_cast<std::int64_t>(base) + i, extent, mode);
  result.weight[0] = 1 - alpha;
  result.weight[1] = alpha;
  return result;
}

Axis integer_axis(const Texture& texture, unsigned axis, std::int32_t index) {
  Axis result;
  const TextureAddressing mode = texture.linear_memory ? TextureAddressing::border : texture.addressing[axis];
  result.index[0] = resolve(index, texture.extent[axis], mode);
  return result;
}

float half_to_float(std::uint16_t bits) {
  const std::uint32_t sign = std::uint32_t{bits & 0x8000u} << 16;
  const std::uint32_t exponent = bits >> 10 & 0x1f, fraction = bits & 0x3ff;
  if (exponent == 0) {
    const float magnitude = std::ldexp(static_cast<float>(fraction), -24);
    return sign != 0 ? -magnitude : magnitude;
  }
  if (exponent == 31) return std::bit_cast<float>(sign | 0x7f800000u | fraction << 13);
  return std::bit_cast<float>(sign | (exponent + 112) << 23 | fraction << 13);
}

/// One component as it lies in memory: sign- or zero-extended, or the bits of a float.
std::uint32_t component(const Texture& texture, std::uint64_t address, unsigned i) {
  const auto* at = reinterpret_cast<const std::byte*>(address) + i * texture.component_bytes;
  std::uint32_t value = 0;
  std::memcpy(&value, at, texture.component_bytes);
  if (texture.kind == TexelKind::floating) {
    return texture.component_bytes == 2 ? std::bit_cast<std::uint32_t>(half_to_float(static_cast<std::uint16_t>(value)))
                                        : value;
  }
  if (texture.kind == TexelKind::signed_integer && texture.component_bytes < 4) {
    const unsigned shift = 32 - 8 * texture.component_bytes;
    return static_cast<std::uint32_t>(static_cast<std::int32_t>(value << shift) >> shift);
  }
  return value;
}

/// The component as the number that is interpolated.
float number(const Texture& texture, std::uint32_t bits) {
  if (texture.kind == TexelKind::floating) return std::bit_cast<float>(bits);
  const unsigned width = 8 * texture.component_bytes;
  if (texture.kind == TexelKind::signed_integer) {
    const auto most = static_cast<float>((std::int64_t{1} << (width - 1)) - 1);
    return std::max(-1.0f, static_cast<float>(static_cast<std::int32_t>(bits)) / most);
  }
  return static_cast<float>(bits) / static_cast<float>((std::uint64_t{1} << width) - 1);
}

TextureCoordinates coordinates_of(const isa::MicroOp& op, const isa::WarpState& warp, unsigned lane) {
  TextureCoordinates coordinates;
  const isa::OperandBases bases(warp);
  coordinates.dimensions = op.texture_dimensions;
  coordinates.integer = !isa::is_float(op.source_type);
  for (unsigned i = 0; i < coordinates.dimensions; ++i) {
    const auto bits = static_cast<std::uint32_t>(value_of(op.sources[1 + i], bases, lane));
    coordinates.real[i] = std::bit_cast<float>(bits);
    coordinates.index[i] = static_cast<std::int32_t>(bits);
  }
  return coordinates;
}

}  // namespace

unsigned texture_taps(const Texture& texture, const TextureCoordinates& coordinates, std::array<Tap, 8>& taps) {
  std::array<Axis, 3> axes;
  for (unsigned i = 0; i < coordinates.dimensions; ++i) {
    axes[i] = coordinates.integer ? integer_axis(texture, i, coordinates.index[i])
                                  : real_axis(texture, i, coordinates.real[i]);
  }
  unsigned count = 0;
  for (unsigned z = 0; z < axes[2].count; ++z) {
    for (unsigned y = 0; y < axes[1].count; ++y) {
      for (unsigned x = 0; x < axes[0].count; ++x) {
        Tap& tap = taps[count++];
        tap.weight = axes[0].weight[x] * axes[1].weight[y] * axes[2].weight[z];
        const std::int64_t i = axes[0].index[x], j = axes[1].index[y], k = axes[2].index[z];
        const bool outside = i < 0 || j < 0 || k < 0;
        tap.address = outside ? 0
                              : texture.address + static_cast<std::uint64_t>(i) * texture.texel_bytes() +
                                    static_cast<std::uint64_t>(j) * texture.row_bytes +
                                    static_cast<std::uint64_t>(k) * texture.slice_bytes;
      }
    }
  }
  return count;
}

std::array<std::uint32_t, 4> texture_value(const Texture& texture, const std::array<Tap, 8>& taps, unsigned count) {
  std::array<std::uint32_t, 4> result{};
  const bool as_number = texture.kind == TexelKind::floating || texture.read_normalized;
  for (unsigned c = 0; c < texture.components; ++c) {
    if (!as_number) {
      // Integers are never filtered; outside the range they are zero.
      result[c] = taps[0].address != 0 ? component(texture, taps[0].address, c) : 0;
      continue;
    }
    float sum = 0;
    for (unsigned t = 0; t < count; ++t) {
      const float value =
          taps[t].address != 0 ? number(texture, component(texture, taps[t].address, c)) : texture.border[c];
      sum = count == 1 ? value : sum + taps[t].weight * value;
    }
    result[c] = std::bit_cast<std::uint32_t>(sum);
  }
  return result;
}

std::uint64_t TextureTable::add(Texture texture) {
  textures_.push_back(std::move(texture));
  return textures_.size();
}

Texture* TextureTable::find(std::uint64_t handle) {
  if (handle == 0 || handle > textures_.size()) return nullptr;
  return &textures_[handle - 1];
}

bool TextureTable::remove(std::uint64_t handle) {
  Texture* texture = find(handle);
  if (texture == nullptr || !texture->bound) return false;
  *texture = {};
  return true;
}

void TextureTable::clear() {
  for (Texture& texture : textures_) texture.bound = false;
}

const Texture& TextureTable::texture_of(const isa::MicroOp& op, const isa::WarpState& warp, unsigned lane) {
  const std::uint64_t handle = value_of(op.sources[0], isa::OperandBases(warp), lane);
  const Texture* texture = find(handle);
  if (texture == nullptr || !texture->bound) {
    const isa::Kernel& kernel = *warp.block->launch->kernel;
    const std::string what = texture == nullptr || texture->name.empty()
                                 ? fmt::format("{:#x} is no texture object", handle)
                                 : fmt::format("texture reference '{}' is not bound to memory", texture->name);
    fail(ExitCode::kMemoryFault, "{}:{}: texture fetch in kernel '{}', thread {} of block ({},{},{}): {}",
         kernel.ptx_name, op.ptx_line, kernel.name, warp.index * isa::kWordThreads + lane, warp.block->index.x,
         warp.block->index.y, warp.block->index.z, what);
  }
  return *texture;
}

unsigned TextureTable::taps_of(const isa::MicroOp& op, const isa::WarpState& warp, unsigned lane,
                               std::array<Tap, 8>& taps, std::uint32_t& texel_bytes) {
  const Texture& texture = texture_of(op, warp, lane);
  texel_bytes = texture.texel_bytes();
  return texture_taps(texture, coordinates_of(op, warp, lane), taps);
}

void TextureTable::fetch(const isa::MicroOp& op, isa::WarpState& warp, std::uint32_t mask, const DeviceMemory& memory) {
  const isa::OperandBases bases(warp);
  isa::for_each_lane(mask, [&](unsigned lane) {
    const Texture& texture = texture_of(op, warp, lane);
    std::array<Tap, 8> taps;
    const unsigned count = texture_taps(texture, coordinates_of(op, warp, lane), taps);
    for (unsigned t = 0; t < count; ++t) {
      if (taps[t].address == 0 || memory.accessible(taps[t].address, taps[t].address + texture.texel_bytes())) continue;
      const isa::Kernel& kernel = *warp.block->launch->kernel;
      fail(ExitCode::kMemoryFault,
           "{}:{}: texture fetch in kernel '{}', thread {} of block ({},{},{}): texel at {:#x}: {}", kernel.ptx_name,
           op.ptx_line, kernel.name, warp.index * isa::kWordThreads + lane, warp.block->index.x, warp.block->index.y,
           warp.block->index.z, taps[t].address, memory.nearest(taps[t].address));
    }
    const std::array<std::uint32_t, 4> value = texture_value(texture, taps, count);
    for (unsigned c = 0; c < op.destination_count; ++c) set_value(op.destinations[c], bases, lane, value[c]);
  });
}

}  // namespace heddle::gpu
