// SPDX-License-Identifier: Apache-2.0
// Texture references and surface references.
#include <algorithm>
#include <iterator>
#include <utility>

#include "runtime/runtime.h"
#include "runtime/texture_binding.h"

using heddle::gpu::Texture;
using heddle::runtime::api;
using heddle::runtime::require;
using heddle::runtime::Runtime;

namespace {

/// Binds `texture` to the reference; `fill` sets the memory-dependent fields.
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
  heddle::runtime::ReadingRules rules;
  std::copy(std::begin(reference->addressMode), std::end(reference->addressMode), rules.addressing.begin());
  rules.filter = reference->filterMode;
  rules.mipmap_filter = reference->mipmapFilterMode;
  rules.normalized_coordinates = reference->normalized != 0;
  rules.read_normalized = read_normalized;
  rules.srgb = reference->sRGB != 0;
  rules.level_bias = reference->mipmapLevelBias;
  rules.least_level = reference->minMipmapLevelClamp;
  rules.most_level = reference->maxMipmapLevelClamp;
  set_rules(texture, rules);
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
    // Textures start at granules of device memory; the program must skip the bytes before the pointer.
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

cudaError_t cudaBindTextureToMipmappedArray(const textureReference* reference, cudaMipmappedArray_const_t array,
                                            const cudaChannelFormatDesc*) {
  return api([&](Runtime& runtime) {
    bind(runtime, reference, [&](Texture& texture) { set_mipmap(runtime, texture, array); });
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

// -- surfaces

cudaError_t cudaBindSurfaceToArray(const surfaceReference* reference, cudaArray_const_t array,
                                   const cudaChannelFormatDesc*) {
  return api([&](Runtime& runtime) {
    Texture* slot = runtime.device().port().textures().find(runtime.modules().find_surface(reference, runtime.site()));
    require(slot != nullptr, cudaErrorInvalidSurface);
    Texture surface;
    surface.name = slot->name;
    heddle::runtime::set_surface(runtime, surface, array);
    surface.bound = true;
    *slot = std::move(surface);
  });
}

cudaError_t cudaGetSurfaceReference(const surfaceReference** reference, const void* symbol) {
  return api([&](Runtime& runtime) {
    require(reference != nullptr, cudaErrorInvalidValue);
    const auto* candidate = static_cast<const surfaceReference*>(symbol);
    require(runtime.modules().find_surface(candidate, runtime.site()) != 0, cudaErrorInvalidSurface);
    *reference = candidate;
  });
}
