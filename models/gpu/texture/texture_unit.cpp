// SPDX-License-Identifier: Apache-2.0
#include "gpu/texture/texture_unit.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "core/error.h"
#include "gpu/device_memory.h"
#include "isa/operands.h"

namespace heddle::gpu {
namespace {

using isa::TextureAction;
using isa::TextureGeometry;
using isa::TextureQuery;

[[noreturn]] void fault(const isa::MicroOp& op, const isa::WarpState& warp, unsigned lane, const std::string& what) {
  const isa::Kernel& kernel = *warp.block->launch->kernel;
  const bool surface = op.texture.action == TextureAction::address || op.texture.action == TextureAction::pack;
  fail(ExitCode::memory_fault, "{}:{}: {} in kernel '{}', thread {} of block ({},{},{}): {}", kernel.ptx_name,
       op.ptx_line, surface ? "surface access" : "texture fetch", kernel.name, warp.index * isa::kWordThreads + lane,
       warp.block->index.x, warp.block->index.y, warp.block->index.z, what);
}

std::string_view kind_name(bool layered, bool cube) {
  return layered && cube ? "a layered cube map" : cube ? "a cube map" : layered ? "an array of layers" : "one layer";
}

/// Why a handle does not suit the operation; empty if it does.
std::string mismatch(const isa::MicroOp& op, const Texture& texture) {
  const TextureGeometry geometry = op.texture.geometry;
  const bool layers = isa::has_layers(geometry), cube = isa::is_cube(geometry);
  switch (op.texture.action) {
    case TextureAction::query:
      return {};
    case TextureAction::address:
      if (!texture.surface) return "the handle names a texture, which cannot be written";
      // Cube map faces count as layers.
      if (layers != (texture.layered || texture.cube))
        return fmt::format("the surface is {}, the instruction is for {}", kind_name(texture.layered, texture.cube),
                           kind_name(layers, cube));
      return {};
    case TextureAction::pack:
      return texture.surface ? "" : "the handle names a texture, which cannot be written";
    case TextureAction::fetch:
    case TextureAction::gather:
      if (texture.surface) return "the handle names a surface, which cannot be fetched from";
      if (layers != texture.layered || cube != texture.cube)
        return fmt::format("the texture is {}, the instruction is for {}", kind_name(texture.layered, texture.cube),
                           kind_name(layers, cube));
      if (op.texture.action == TextureAction::gather && !texture.gathers)
        return "a gather needs an array made with cudaArrayTextureGather";
      return {};
  }
  return {};
}

TextureCoordinates coordinates_of(const isa::MicroOp& op, const isa::WarpState& warp, unsigned lane) {
  TextureCoordinates coordinates;
  const isa::OperandBases bases(warp);
  unsigned next = 1;
  const auto bits = [&] { return static_cast<std::uint32_t>(value_of(op.sources[next++], bases, lane)); };
  coordinates.dimensions = isa::dimensions_of(op.texture.geometry);
  coordinates.integer = !isa::is_float(op.source_type);
  if (isa::has_layers(op.texture.geometry)) coordinates.layer = bits();
  for (unsigned i = 0; i < coordinates.dimensions; ++i) {
    const std::uint32_t value = bits();
    coordinates.real[i] = std::bit_cast<float>(value);
    coordinates.index[i] = static_cast<std::int32_t>(value);
  }
  coordinates.lod = op.texture.lod;
  if (op.texture.lod == isa::TextureLod::level) coordinates.level = std::bit_cast<float>(bits());
  if (op.texture.lod == isa::TextureLod::gradient) {
    for (unsigned i = 0; i < coordinates.dimensions; ++i) coordinates.gradient_x[i] = std::bit_cast<float>(bits());
    for (unsigned i = 0; i < coordinates.dimensions; ++i) coordinates.gradient_y[i] = std::bit_cast<float>(bits());
  }
  return coordinates;
}

/// OpenCL numbering of channel types.
std::uint32_t channel_type(const Texture& texture) {
  const unsigned size = texture.component_bytes == 1 ? 0 : texture.component_bytes == 2 ? 1 : 2;
  if (texture.kind == TexelKind::floating) return size == 1 ? 0x10dd : 0x10de;
  const bool is_signed = texture.kind == TexelKind::signed_integer;
  if (texture.read_normalized) return (is_signed ? 0x10d0 : 0x10d2) + size;
  return (is_signed ? 0x10d7 : 0x10da) + size;
}

std::uint32_t answer(const Texture& texture, TextureQuery query, std::uint32_t level) {
  const TextureLevel& at = texture.levels[std::min<std::size_t>(level, texture.levels.size() - 1)];
  switch (query) {
    case TextureQuery::width:
      return at.extent[0];
    case TextureQuery::height:
      return at.extent[1];
    case TextureQuery::depth:
      return at.extent[2];
    case TextureQuery::array_size:
      return texture.cube ? texture.slices / 6 : texture.slices;
    case TextureQuery::num_mipmap_levels:
      return static_cast<std::uint32_t>(texture.levels.size());
    case TextureQuery::channel_data_type:
      return channel_type(texture);
    case TextureQuery::channel_order:  // OpenCL's R, RG, RGBA
      return texture.components == 1 ? 0x10b0 : texture.components == 2 ? 0x10b2 : 0x10b5;
    case TextureQuery::normalized_coords:
      return texture.normalized_coordinates ? 1 : 0;
    case TextureQuery::num_samples:
      return 1;
    case TextureQuery::memory_layout:
    case TextureQuery::force_unnormalized_coords:
      return 0;
    case TextureQuery::filter_mode:
      return texture.filter_linearly ? 1 : 0;
    case TextureQuery::addr_mode_0:
    case TextureQuery::addr_mode_1:
    case TextureQuery::addr_mode_2:
      return static_cast<std::uint32_t>(
          texture.addressing[static_cast<unsigned>(query) - static_cast<unsigned>(TextureQuery::addr_mode_0)]);
  }
  return 0;
}

void give_address(const isa::MicroOp& op, const isa::WarpState& warp, unsigned lane, const Texture& surface) {
  const isa::OperandBases bases(warp);
  const bool fits = !op.texture.by_size || surface.texel_bytes() == op.texture.access_bytes;
  std::optional<std::uint64_t> address;
  if (fits) {
    const TextureCoordinates at = coordinates_of(op, warp, lane);
    const SurfacePoint point{at.index[0], at.index[1],          at.index[2],
                             at.layer,    op.texture.formatted, op.texture.access_bytes};
    address = surface_address(surface, point, op.texture.bound == isa::SurfaceBound::clamp);
    if (!address && op.texture.bound != isa::SurfaceBound::zero) {
      const TextureLevel& level = surface.levels.front();
      fault(op, warp, lane,
            fmt::format("{} bytes at {} {}, row {}, slice {} of a surface of {} x {} x {} texels of {} bytes",
                        point.bytes, point.in_texels ? "texel" : "byte", point.x, point.y,
                        isa::has_layers(op.texture.geometry) ? static_cast<std::int32_t>(point.layer) : point.z,
                        level.extent[0], level.extent[1], std::max(surface.slices, level.extent[2]),
                        surface.texel_bytes()));
    }
  }
  set_value(op.destinations[0], bases, lane, address.value_or(0));
  if (op.destination_count > 1) set_value(op.destinations[1], bases, lane, address.has_value() ? 1 : 0);
}

void pack(const isa::MicroOp& op, const isa::WarpState& warp, unsigned lane, const Texture& surface) {
  const isa::OperandBases bases(warp);
  std::array<std::uint32_t, 4> components{};
  for (unsigned c = 1; c < op.source_count; ++c)
    components[c - 1] = static_cast<std::uint32_t>(value_of(op.sources[c], bases, lane));
  const std::array<std::uint32_t, 4> words = pack_texel(surface, components);
  for (unsigned w = 0; w < 4; ++w) set_value(op.destinations[w], bases, lane, words[w]);
}

}  // namespace

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
    const bool surface = op.texture.action == TextureAction::address || op.texture.action == TextureAction::pack;
    fault(
        op, warp, lane,
        texture == nullptr || texture->name.empty()
            ? fmt::format("{:#x} is not a {} object", handle, surface ? "surface" : "texture")
            : fmt::format("{} reference '{}' is not bound to memory", surface ? "surface" : "texture", texture->name));
  }
  if (const std::string why = mismatch(op, *texture); !why.empty()) fault(op, warp, lane, why);
  return *texture;
}

unsigned TextureTable::taps_of(const isa::MicroOp& op, const isa::WarpState& warp, unsigned lane, Taps& taps,
                               std::uint32_t& texel_bytes) {
  const TextureAction action = op.texture.action;
  if (action != TextureAction::fetch && action != TextureAction::gather) return 0;
  const Texture& texture = texture_of(op, warp, lane);
  texel_bytes = texture.texel_bytes();
  const TextureCoordinates coordinates = coordinates_of(op, warp, lane);
  if (action == TextureAction::fetch) return texture_taps(texture, coordinates, taps);
  gather_taps(texture, coordinates, taps);
  return 4;
}

void TextureTable::fetch(const isa::MicroOp& op, isa::WarpState& warp, std::uint32_t mask, const DeviceMemory& memory) {
  const isa::OperandBases bases(warp);
  isa::for_each_lane(mask, [&](unsigned lane) {
    const Texture& texture = texture_of(op, warp, lane);
    switch (op.texture.action) {
      case TextureAction::address:
        return give_address(op, warp, lane, texture);
      case TextureAction::pack:
        return pack(op, warp, lane, texture);
      case TextureAction::query: {
        const auto level = static_cast<std::uint32_t>(value_of(op.sources[1], bases, lane));
        return set_value(op.destinations[0], bases, lane, answer(texture, op.texture.query, level));
      }
      default:
        break;
    }
    Taps taps;
    std::uint32_t bytes = 0;
    const unsigned count = taps_of(op, warp, lane, taps, bytes);
    for (unsigned t = 0; t < count; ++t) {
      if (taps[t].address == 0 || memory.accessible(taps[t].address, taps[t].address + bytes)) continue;
      fault(op, warp, lane, fmt::format("texel at {:#x}: {}", taps[t].address, memory.nearest(taps[t].address)));
    }
    const std::array<std::uint32_t, 4> value = op.texture.action == TextureAction::gather
                                                   ? gather_value(texture, taps, op.texture.component)
                                                   : texture_value(texture, taps, count);
    for (unsigned c = 0; c < op.destination_count; ++c) set_value(op.destinations[c], bases, lane, value[c]);
  });
}

}  // namespace heddle::gpu
