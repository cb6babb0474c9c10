// SPDX-License-Identifier: Apache-2.0
#include "runtime/texture_binding.h"

#include <algorithm>

#include "runtime/messages.h"
#include "runtime/runtime.h"

namespace heddle::runtime {
namespace {

using gpu::Texture;
using gpu::TextureAddressing;
using gpu::TextureLevel;

TextureAddressing addressing_of(cudaTextureAddressMode mode) {
  switch (mode) {
    case cudaAddressModeWrap:
      return TextureAddressing::wrap;
    case cudaAddressModeClamp:
      return TextureAddressing::clamp;
    case cudaAddressModeMirror:
      return TextureAddressing::mirror;
    case cudaAddressModeBorder:
      return TextureAddressing::border;
  }
  throw ApiError(cudaErrorInvalidValue);
}

[[noreturn]] void refuse(cudaError_t code, const char* sentence) {
  say_error(sentence);
  throw ApiError(code);
}

/// Format and layers, common to all mip levels.
void set_kind(Texture& texture, const cudaArray& array) {
  require(set_format(texture, array.format), cudaErrorInvalidChannelDescriptor);
  texture.layered = array.layered();
  texture.cube = array.cube();
  texture.gathers = (array.flags & cudaArrayTextureGather) != 0;
  if (texture.layered || texture.cube) texture.slices = static_cast<std::uint32_t>(array.depth());
}

TextureLevel level_of(const cudaArray& array) {
  TextureLevel level;
  level.address = array.address;
  level.extent[0] = static_cast<std::uint32_t>(array.width());
  level.extent[1] = static_cast<std::uint32_t>(array.height());
  level.extent[2] = array.layered() || array.cube() ? 1 : static_cast<std::uint32_t>(array.depth());
  level.row_bytes = array.row_bytes;
  level.slice_bytes = array.slice_bytes;
  return level;
}

const cudaArray& find(Runtime& runtime, cudaArray_const_t handle) {
  const cudaArray* array = runtime.arrays().find(handle);
  require(array != nullptr, cudaErrorInvalidResourceHandle);
  return *array;
}

/// Components and their kind, in the order of cudaResourceViewFormat, starting at 1.
cudaChannelFormatDesc format_of(cudaResourceViewFormat format) {
  struct Group {
    int bits;
    cudaChannelFormatKind kind;
  };
  constexpr Group kGroups[] = {{8, cudaChannelFormatKindUnsigned},  {8, cudaChannelFormatKindSigned},
                               {16, cudaChannelFormatKindUnsigned}, {16, cudaChannelFormatKindSigned},
                               {32, cudaChannelFormatKindUnsigned}, {32, cudaChannelFormatKindSigned},
                               {16, cudaChannelFormatKindFloat},    {32, cudaChannelFormatKindFloat}};
  if (format > cudaResViewFormatFloat4)
    refuse(cudaErrorNotSupported, "block-compressed textures are not modelled; decompress the texels first");
  require(format != cudaResViewFormatNone, cudaErrorInvalidValue);
  const unsigned index = static_cast<unsigned>(format) - 1;
  const Group& group = kGroups[index / 3];
  const unsigned components = 1u << (index % 3);
  const auto of = [&](unsigned channel) { return channel < components ? group.bits : 0; };
  return {of(0), of(1), of(2), of(3), group.kind};
}

}  // namespace

void set_rules(Texture& texture, const ReadingRules& rules) {
  for (std::size_t i = 0; i < 3; ++i) texture.addressing[i] = addressing_of(rules.addressing[i]);
  texture.filter_linearly = rules.filter == cudaFilterModeLinear;
  texture.blend_levels = rules.mipmap_filter == cudaFilterModeLinear;
  texture.normalized_coordinates = rules.normalized_coordinates;
  texture.read_normalized = rules.read_normalized && texture.kind != gpu::TexelKind::floating;
  texture.srgb = rules.srgb;
  texture.seamless = rules.seamless;
  texture.level_bias = rules.level_bias;
  texture.least_level = rules.least_level;
  texture.most_level = rules.most_level;
  const bool integers = texture.kind != gpu::TexelKind::floating;
  require(!texture.read_normalized || texture.component_bytes < 4, cudaErrorInvalidNormSetting);
  require(!texture.filter_linearly || !integers || texture.read_normalized, cudaErrorInvalidFilterSetting);
  if (texture.levels.size() > 1) {
    require(!texture.blend_levels || !integers || texture.read_normalized, cudaErrorInvalidFilterSetting);
    if (!texture.normalized_coordinates)
      refuse(cudaErrorInvalidValue, "a mip-mapped texture needs normalised coordinates (normalizedCoords = 1)");
  }
}

void set_linear(Runtime& runtime, Texture& texture, const void* pointer, const cudaChannelFormatDesc& format,
                std::size_t bytes) {
  require(set_format(texture, format), cudaErrorInvalidChannelDescriptor);
  TextureLevel& level = texture.levels.front();
  level.address = reinterpret_cast<std::uint64_t>(pointer);
  require(runtime.device().memory().accessible(level.address, level.address + 1), cudaErrorInvalidValue);
  texture.linear_memory = true;
  level.extent[0] = static_cast<std::uint32_t>(std::min<std::size_t>(bytes / texture.texel_bytes(), 1u << 27));
  level.row_bytes = level.slice_bytes = bytes;
}

void set_pitched(Runtime& runtime, Texture& texture, const void* pointer, const cudaChannelFormatDesc& format,
                 std::size_t width, std::size_t height, std::size_t pitch) {
  require(set_format(texture, format), cudaErrorInvalidChannelDescriptor);
  require(width != 0 && height != 0 && pitch >= width * texture.texel_bytes(), cudaErrorInvalidValue);
  TextureLevel& level = texture.levels.front();
  level.address = reinterpret_cast<std::uint64_t>(pointer);
  const std::uint64_t end = level.address + (height - 1) * pitch + width * texture.texel_bytes();
  require(runtime.device().memory().accessible(level.address, end), cudaErrorInvalidValue);
  level.extent[0] = static_cast<std::uint32_t>(width);
  level.extent[1] = static_cast<std::uint32_t>(height);
  level.row_bytes = pitch;
  level.slice_bytes = pitch * height;
}

void set_array(Runtime& runtime, Texture& texture, cudaArray_const_t handle) {
  const cudaArray& array = find(runtime, handle);
  set_kind(texture, array);
  texture.levels = {level_of(array)};
}

void set_mipmap(Runtime& runtime, Texture& texture, cudaMipmappedArray_const_t handle) {
  const cudaMipmappedArray* array = runtime.arrays().find(handle);
  require(array != nullptr, cudaErrorInvalidResourceHandle);
  set_kind(texture, *array->levels.front());
  texture.levels.clear();
  for (const cudaArray_t level : array->levels) texture.levels.push_back(level_of(*level));
}

void set_surface(Runtime& runtime, Texture& texture, cudaArray_const_t handle) {
  const cudaArray& array = find(runtime, handle);
  if ((array.flags & cudaArraySurfaceLoadStore) == 0)
    refuse(cudaErrorInvalidValue, "a surface needs an array made with cudaArraySurfaceLoadStore");
  set_array(runtime, texture, handle);
  texture.surface = true;
}

void set_view(Texture& texture, const cudaResourceViewDesc& view) {
  const std::uint32_t texel_bytes = texture.texel_bytes();
  require(set_format(texture, format_of(view.format)), cudaErrorInvalidChannelDescriptor);
  if (texture.texel_bytes() != texel_bytes)
    refuse(cudaErrorInvalidValue, "a resource view's texel size differs from its array's");
  require(view.firstMipmapLevel <= view.lastMipmapLevel && view.lastMipmapLevel < texture.levels.size(),
          cudaErrorInvalidValue);
  texture.levels = {texture.levels.begin() + view.firstMipmapLevel, texture.levels.begin() + view.lastMipmapLevel + 1};
  const gpu::TextureLevel& finest = texture.levels.front();
  const auto is = [](std::size_t said, std::size_t true_one) {
    return said == true_one || (said == 0 && true_one == 1);
  };
  const bool slices = texture.layered || texture.cube;
  // Layers may be given by the range alone or also by the depth.
  if (!is(view.width, finest.extent[0]) || !is(view.height, finest.extent[1]) ||
      !(slices || is(view.depth, finest.extent[2])))
    refuse(cudaErrorInvalidValue, "a resource view's width, height or depth differs from its first level's");
  require(view.firstLayer <= view.lastLayer && view.lastLayer < texture.slices, cudaErrorInvalidValue);
  const std::uint32_t count = view.lastLayer - view.firstLayer + 1;
  require(!texture.cube || (count % 6 == 0 && (texture.layered || count == 6)), cudaErrorInvalidValue);
  for (gpu::TextureLevel& level : texture.levels) level.address += view.firstLayer * level.slice_bytes;
  texture.slices = count;
}

}  // namespace heddle::runtime
