// SPDX-License-Identifier: Apache-2.0
// Texture objects and texture references.
#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "runtime/runtime.h"

using heddle::gpu::Texture;
using heddle::gpu::TextureAddressing;
using heddle::runtime::api;
using heddle::runtime::require;
using heddle::runtime::Runtime;

namespace {

constexpr std::size_t kAlignment = 512;  // bytes; cudaDeviceProp::textureAlignment

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
  throw heddle::runtime::ApiError(cudaErrorInvalidValue);
}

/// What both forms say of how a texture is read.
struct ReadingRules {
  std::array<cudaTextureAddressMode, 3> addressing{};
  cudaTextureFilterMode filter = cudaFilterModePoint;
  bool normalized_coordinates = false, read_normalized = false;
};

void set_rules(Texture& texture, const ReadingRules& rules) {
  for (std::size_t i = 0; i < 3; ++i) texture.addressing[i] = addressing_of(rules.addressing[i]);
  texture.filter_linearly = rules.filter == cudaFilterModeLinear;
  texture.normalized_coordinates = rules.normalized_coordinates;
  texture.read_normalized = rules.read_normalized && texture.kind != heddle::gpu::TexelKind::floating;
  const bool integers = texture.kind != heddle::gpu::TexelKind::floating;
  require(!texture.read_normalized || texture.component_bytes < 4, cudaErrorInvalidNormSetting);
  require(!texture.filter_linearly || !integers || texture.read_normalized, cudaErrorInvalidFilterSetting);
}

void set_linear(Runtime& runtime, Texture& texture, const void* pointer, const cudaChannelFormatDesc& format,
                std::size_t bytes) {
  require(heddle::runtime::set_format(texture, format), cudaErrorInvalidChannelDescriptor);
  texture.address = reinterpret_cast<std::uint64_t>(pointer);
  require(runtime.device().memory().accessible(texture.address, texture.address + 1), cudaErrorInvalidValue);
  texture.linear_memory = true;
  texture.extent[0] = static_cast<std::uint32_t>(std::min<std::size_t>(bytes / texture.texel_bytes(), 1u << 27));
  texture.row_bytes = texture.slice_bytes = bytes;
}

void set_pitched(Runtime& runtime, Texture& texture, const void* pointer, const cudaChannelFormatDesc& format,
                 std::size_t width, std::size_t height, std::size_t pitch) {
  require(heddle::runtime::set_format(texture, format), cudaErrorInvalidChannelDescriptor);
  require(width != 0 && height != 0 && pitch >= width * texture.texel_bytes(), cudaErrorInvalidValue);
  texture.address = reinterpret_cast<std::uint64_t>(pointer);
  const std::uint64_t end = texture.address + (height - 1) * pitch + width * texture.texel_bytes();
  require(runtime.device().memory().accessible(texture.address, end), cudaErrorInvalidValue);
  texture.extent[0] = static_cast<std::uint32_t>(width);
  texture.extent[1] = static_cast<std::uint32_t>(height);
  texture.row_bytes = pitch;
  texture.slice_bytes = pitch * height;
}

void set_array(Runtime& runtime, Texture& texture, cudaArray_const_t handle) {
  const cudaArray* array = runtime.arrays().find(handle);
  require(array != nullptr, cudaErrorInvalidResourceHandle);
  require(heddle::runtime::set_format(texture, array->format), cudaErrorInvalidChannelDescriptor);
  texture.address = array->address;
  texture.extent[0] = static_cast<std::uint32_t>(array->width());
  texture.extent[1] = static_cast<std::uint32_t>(array->height());
  texture.extent[2] = static_cast<std::uint32_t>(array->depth());
  texture.row_bytes = array->row_bytes;
  texture.slice_bytes = array->slice_bytes;
}

struct ObjectDescription {
  cudaResourceDesc resource;
  cudaTextureDesc texture;
};
std::map<cudaTextureObject_t, ObjectDescription>& objects() {
  static auto& all = *new std::map<cudaTextureObject_t, ObjectDescription>;
  return all;
}

}  // namespace

// -- objects

cudaError_t cudaCreateTextureObject(cudaTextureObject_t* object, const cudaResourceDesc* resource,
                                    const cudaTextureDesc* rules, const cudaResourceViewDesc* view) {
  return api([&](Runtime& runtime) {
    require(object != nullptr && resource != nullptr && rules != nullptr, cudaErrorInvalidValue);
    require(view == nullptr && rules->sRGB == 0, cudaErrorNotSupported);
    Texture texture;
    switch (resource->resType) {
      case cudaResourceTypeLinear: {
        const auto& linear = resource->res.linear;
        set_linear(runtime, texture, linear.devPtr, linear.desc, linear.sizeInBytes);
        break;
      }
      case cudaResourceTypePitch2D: {
        const auto& pitched = resource->res.pitch2D;
        set_pitched(runtime, texture, pitched.devPtr, pitched.desc, pitched.width, pitched.height,
                    pitched.pitchInBytes);
        break;
      }
      case cudaResourceTypeArray:
        set_array(runtime, texture, resource->res.array.array);
        break;
      default:
        throw heddle::runtime::ApiError(cudaErrorNotSupported);
    }
    require(
        texture.address % kAlignment == 0 || resource->resType != cudaResourceTypeLinear || texture.address % 256 == 0,
        cudaErrorInvalidValue);
    set_rules(texture, {{rules->addressMode[0], rules->addressMode[1], rules->addressMode[2]},
                        rules->filterMode,
                        rules->normalizedCoords != 0,
                        rules->readMode == cudaReadModeNormalizedFloat});
    std::copy(std::begin(rules->borderColor), std::end(rules->borderColor), texture.border.begin());
    texture.bound = true;
    *object = runtime.device().port().textures().add(texture);
    objects()[*object] = {*resource, *rules};
  });
}

cudaError_t cudaDestroyTextureObject(cudaTextureObject_t object) {
  return api([&](Runtime& runtime) {
    if (object == 0) return;
    require(objects().erase(object) == 1, cudaErrorInvalidValue);
    runtime.device().port().textures().remove(object);
  });
}

cudaError_t cudaGetTextureObjectResourceDesc(cudaResourceDesc* resource, cudaTextureObject_t object) {
  return api([&](Runtime&) {
    const auto found = objects().find(object);
    require(resource != nullptr && found != objects().end(), cudaErrorInvalidValue);
    *resource = found->second.resource;
  });
}

cudaError_t cudaGetTextureObjectTextureDesc(cudaTextureDesc* rules, cudaTextureObject_t object) {
  return api([&](Runtime&) {
    const auto found = objects().find(object);
    require(rules != nullptr && found != objects().end(), cudaErrorInvalidValue);
    *rules = found->second.texture;
  });
}

// -- references

namespace {

/// Binds `texture` to the reference: `fill` sets what depends on the memory.
template <typename Fill>
void bind(Runtime& runtime, const textureReference* reference, Fill&& fill) {
  require(reference != nullptr, cudaErrorInvalidTexture);
  bool read_normalized = false;
  const std::uint64_t handle = runtime.modules().find_texture(reference, runtime.site(), read_normalized);
  Texture* slot = runtime.device().port().textures().find(handle);
  require(slot != nullptr, cudaErrorInvalidTexture);
  Texture texture;
  texture.name = slot->name;
  fill(texture);
  set_rules(texture, {{reference->addressMode[0], reference->addressMode[1], reference->addressMode[2]},
                      reference->filterMode,
                      reference->normalized != 0,
                      read_normalized});
  texture.bound = true;
  *slot = std::move(texture);
}

}  // namespace

cudaError_t cudaBindTexture(std::size_t* offset, const textureReference* reference, const void* pointer,
                            const cudaChannelFormatDesc* format, std::size_t bytes) {
  return api([&](Runtime& runtime) {
    require(format != nullptr, cudaErrorInvalidValue);
    const auto address = reinterpret_cast<std::uint64_t>(pointer);
    const auto allocation = runtime.device().memory().find(address);
    require(allocation.has_value(), cudaErrorInvalidValue);
    // Textures start at granules of device memory; what lies before the pointer is the program's to skip.
    const std::size_t skip = address % heddle::gpu::DeviceMemory::kGranuleBytes;
    require(skip == 0 || offset != nullptr, cudaErrorInvalidValue);
    const std::size_t room = allocation->address + allocation->bytes - address;
    bind(runtime, reference, [&](Texture& texture) {
      set_linear(runtime, texture, reinterpret_cast<const void*>(address - skip), *format,
                 std::min(bytes, room) + skip);
    });
    if (offset != nullptr) *offset = skip;
  });
}

cudaError_t cudaBindTexture2D(std::size_t* offset, const textureReference* reference, const void* pointer,
                              const cudaChannelFormatDesc* format, std::size_t width, std::size_t height,
                              std::size_t pitch) {
  return api([&](Runtime& runtime) {
    require(format != nullptr, cudaErrorInvalidValue);
    bind(runtime, reference,
         [&](Texture& texture) { set_pitched(runtime, texture, pointer, *format, width, height, pitch); });
    if (offset != nullptr) *offset = 0;
  });
}

cudaError_t cudaBindTextureToArray(const textureReference* reference, cudaArray_const_t array,
                                   const cudaChannelFormatDesc*) {
  return api([&](Runtime& runtime) {
    bind(runtime, reference, [&](Texture& texture) { set_array(runtime, texture, array); });
  });
}

cudaError_t cudaUnbindTexture(const textureReference* reference) {
  return api([&](Runtime& runtime) {
    bool read_normalized = false;
    const std::uint64_t handle = runtime.modules().find_texture(reference, runtime.site(), read_normalized);
    Texture* slot = runtime.device().port().textures().find(handle);
    require(slot != nullptr, cudaErrorInvalidTexture);
    slot->bound = false;
  });
}

cudaError_t cudaGetTextureAlignmentOffset(std::size_t* offset, const textureReference* reference) {
  return api([&](Runtime&) {
    require(offset != nullptr && reference != nullptr, cudaErrorInvalidTexture);
    *offset = 0;
  });
}

cudaError_t cudaGetTextureReference(const textureReference** reference, const void* symbol) {
  return api([&](Runtime& runtime) {
    require(reference != nullptr, cudaErrorInvalidValue);
    bool read_normalized = false;
    const auto* candidate = static_cast<const textureReference*>(symbol);
    require(runtime.modules().find_texture(candidate, runtime.site(), read_normalized) != 0, cudaErrorInvalidTexture);
    *reference = candidate;
  });
}
