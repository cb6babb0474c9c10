// SPDX-License-Identifier: Apache-2.0
// Texture objects and surface objects.
#include <algorithm>
#include <iterator>
#include <map>
#include <optional>

#include "runtime/runtime.h"
#include "runtime/texture_binding.h"

using heddle::gpu::Texture;
using heddle::runtime::api;
using heddle::runtime::require;
using heddle::runtime::Runtime;

namespace {

constexpr std::size_t kAlignment = 256;  // of linear memory, in bytes

struct ObjectDescription {
  cudaResourceDesc resource;
  cudaTextureDesc texture;
  std::optional<cudaResourceViewDesc> view;
};
std::map<cudaTextureObject_t, ObjectDescription>& objects() {
  static auto& all = *new std::map<cudaTextureObject_t, ObjectDescription>;
  return all;
}
std::map<cudaSurfaceObject_t, cudaResourceDesc>& surfaces() {
  static auto& all = *new std::map<cudaSurfaceObject_t, cudaResourceDesc>;
  return all;
}

void set_resource(Runtime& runtime, Texture& texture, const cudaResourceDesc& resource) {
  switch (resource.resType) {
    case cudaResourceTypeLinear: {
      const auto& linear = resource.res.linear;
      heddle::runtime::set_linear(runtime, texture, linear.devPtr, linear.desc, linear.sizeInBytes);
      require(reinterpret_cast<std::uint64_t>(linear.devPtr) % kAlignment == 0, cudaErrorInvalidValue);
      return;
    }
    case cudaResourceTypePitch2D: {
      const auto& pitched = resource.res.pitch2D;
      return heddle::runtime::set_pitched(runtime, texture, pitched.devPtr, pitched.desc, pitched.width, pitched.height,
                                          pitched.pitchInBytes);
    }
    case cudaResourceTypeArray:
      return heddle::runtime::set_array(runtime, texture, resource.res.array.array);
    case cudaResourceTypeMipmappedArray:
      return heddle::runtime::set_mipmap(runtime, texture, resource.res.mipmap.mipmap);
  }
  throw heddle::runtime::ApiError(cudaErrorInvalidValue);
}

heddle::runtime::ReadingRules rules_of(const cudaTextureDesc& rules) {
  heddle::runtime::ReadingRules out;
  std::copy(std::begin(rules.addressMode), std::end(rules.addressMode), out.addressing.begin());
  out.filter = rules.filterMode;
  out.mipmap_filter = rules.mipmapFilterMode;
  out.normalized_coordinates = rules.normalizedCoords != 0;
  out.read_normalized = rules.readMode == cudaReadModeNormalizedFloat;
  out.srgb = rules.sRGB != 0;
  // The structure of CUDA versions before 12 ends before this field; the memory there is rarely 1.
  out.seamless = rules.seamlessCubemap == 1;
  out.level_bias = rules.mipmapLevelBias;
  out.least_level = rules.minMipmapLevelClamp;
  out.most_level = rules.maxMipmapLevelClamp;
  return out;
}

}  // namespace

cudaError_t cudaCreateTextureObject(cudaTextureObject_t* object, const cudaResourceDesc* resource,
                                    const cudaTextureDesc* rules, const cudaResourceViewDesc* view) {
  return api([&](Runtime& runtime) {
    require(object != nullptr && resource != nullptr && rules != nullptr, cudaErrorInvalidValue);
    Texture texture;
    set_resource(runtime, texture, *resource);
    if (view != nullptr) {
      require(resource->resType == cudaResourceTypeArray || resource->resType == cudaResourceTypeMipmappedArray,
              cudaErrorInvalidValue);
      heddle::runtime::set_view(texture, *view);
    }
    heddle::runtime::set_rules(texture, rules_of(*rules));
    std::copy(std::begin(rules->borderColor), std::end(rules->borderColor), texture.border.begin());
    texture.bound = true;
    *object = runtime.device().port().textures().add(texture);
    objects()[*object] = {*resource, *rules, view != nullptr ? std::optional(*view) : std::nullopt};
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

cudaError_t cudaGetTextureObjectResourceViewDesc(cudaResourceViewDesc* view, cudaTextureObject_t object) {
  return api([&](Runtime&) {
    const auto found = objects().find(object);
    require(view != nullptr && found != objects().end() && found->second.view.has_value(), cudaErrorInvalidValue);
    *view = *found->second.view;
  });
}

// -- surfaces

cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t* object, const cudaResourceDesc* resource) {
  return api([&](Runtime& runtime) {
    require(object != nullptr && resource != nullptr && resource->resType == cudaResourceTypeArray,
            cudaErrorInvalidValue);
    Texture surface;
    heddle::runtime::set_surface(runtime, surface, resource->res.array.array);
    surface.bound = true;
    *object = runtime.device().port().textures().add(surface);
    surfaces()[*object] = *resource;
  });
}

cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t object) {
  return api([&](Runtime& runtime) {
    if (object == 0) return;
    require(surfaces().erase(object) == 1, cudaErrorInvalidValue);
    runtime.device().port().textures().remove(object);
  });
}

cudaError_t cudaGetSurfaceObjectResourceDesc(cudaResourceDesc* resource, cudaSurfaceObject_t object) {
  return api([&](Runtime&) {
    const auto found = surfaces().find(object);
    require(resource != nullptr && found != surfaces().end(), cudaErrorInvalidValue);
    *resource = found->second;
  });
}
