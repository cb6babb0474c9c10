// SPDX-License-Identifier: Apache-2.0
// Driver API: arrays, mip maps, texture objects, surface objects. Views have the same layout in both interfaces except
// for the reserved tail.
#include <algorithm>
#include <iterator>
#include <map>
#include <mutex>

#include "runtime/driver.h"

using namespace heddle::runtime;

namespace {

/// Size and kind of a channel; kind `none` for an unknown format.
cudaChannelFormatDesc format_of(CUarray_format format, unsigned channels) {
  int bits = 0;
  cudaChannelFormatKind kind = cudaChannelFormatKindNone;
  switch (format) {
    case CU_AD_FORMAT_UNSIGNED_INT8:
      bits = 8, kind = cudaChannelFormatKindUnsigned;
      break;
    case CU_AD_FORMAT_UNSIGNED_INT16:
      bits = 16, kind = cudaChannelFormatKindUnsigned;
      break;
    case CU_AD_FORMAT_UNSIGNED_INT32:
      bits = 32, kind = cudaChannelFormatKindUnsigned;
      break;
    case CU_AD_FORMAT_SIGNED_INT8:
      bits = 8, kind = cudaChannelFormatKindSigned;
      break;
    case CU_AD_FORMAT_SIGNED_INT16:
      bits = 16, kind = cudaChannelFormatKindSigned;
      break;
    case CU_AD_FORMAT_SIGNED_INT32:
      bits = 32, kind = cudaChannelFormatKindSigned;
      break;
    case CU_AD_FORMAT_HALF:
      bits = 16, kind = cudaChannelFormatKindFloat;
      break;
    case CU_AD_FORMAT_FLOAT:
      bits = 32, kind = cudaChannelFormatKindFloat;
      break;
  }
  const auto of = [&](unsigned channel) { return channel < channels ? bits : 0; };
  return {of(0), of(1), of(2), of(3), kind};
}

CUarray_format format_of(const cudaChannelFormatDesc& format) {
  for (const CUarray_format one :
       {CU_AD_FORMAT_UNSIGNED_INT8, CU_AD_FORMAT_UNSIGNED_INT16, CU_AD_FORMAT_UNSIGNED_INT32, CU_AD_FORMAT_SIGNED_INT8,
        CU_AD_FORMAT_SIGNED_INT16, CU_AD_FORMAT_SIGNED_INT32, CU_AD_FORMAT_HALF}) {
    const cudaChannelFormatDesc known = format_of(one, 1);
    if (known.f == format.f && known.x == format.x) return one;
  }
  return CU_AD_FORMAT_FLOAT;
}

unsigned channels_of(const cudaChannelFormatDesc& format) {
  return (format.x != 0) + (format.y != 0) + (format.z != 0) + (format.w != 0);
}

/// False for a resource of no known type.
bool convert(const CUDA_RESOURCE_DESC& from, cudaResourceDesc& to) {
  to = {};
  switch (from.resType) {
    case CU_RESOURCE_TYPE_ARRAY:
      to.resType = cudaResourceTypeArray;
      to.res.array.array = from.res.array.hArray;
      return true;
    case CU_RESOURCE_TYPE_MIPMAPPED_ARRAY:
      to.resType = cudaResourceTypeMipmappedArray;
      to.res.mipmap.mipmap = from.res.mipmap.hMipmappedArray;
      return true;
    case CU_RESOURCE_TYPE_LINEAR:
      to.resType = cudaResourceTypeLinear;
      to.res.linear = {reinterpret_cast<void*>(from.res.linear.devPtr),
                       format_of(from.res.linear.format, from.res.linear.numChannels), from.res.linear.sizeInBytes};
      return true;
    case CU_RESOURCE_TYPE_PITCH2D:
      to.resType = cudaResourceTypePitch2D;
      to.res.pitch2D = {reinterpret_cast<void*>(from.res.pitch2D.devPtr),
                        format_of(from.res.pitch2D.format, from.res.pitch2D.numChannels), from.res.pitch2D.width,
                        from.res.pitch2D.height, from.res.pitch2D.pitchInBytes};
      return true;
  }
  return false;
}

void convert(const cudaResourceDesc& from, CUDA_RESOURCE_DESC& to) {
  to = {};
  to.resType = static_cast<CUresourcetype>(from.resType);
  switch (from.resType) {
    case cudaResourceTypeArray:
      to.res.array.hArray = from.res.array.array;
      return;
    case cudaResourceTypeMipmappedArray:
      to.res.mipmap.hMipmappedArray = from.res.mipmap.mipmap;
      return;
    case cudaResourceTypeLinear: {
      const auto& linear = from.res.linear;
      to.res.linear = {reinterpret_cast<CUdeviceptr>(linear.devPtr), format_of(linear.desc), channels_of(linear.desc),
                       linear.sizeInBytes};
      return;
    }
    case cudaResourceTypePitch2D: {
      const auto& pitched = from.res.pitch2D;
      to.res.pitch2D = {reinterpret_cast<CUdeviceptr>(pitched.devPtr),
                        format_of(pitched.desc),
                        channels_of(pitched.desc),
                        pitched.width,
                        pitched.height,
                        pitched.pitchInBytes};
      return;
    }
  }
}

/// Bits per channel. 32-bit integers are never read as fractions.
int channel_bits(const cudaResourceDesc& resource, const CUDA_RESOURCE_VIEW_DESC* view) {
  if (view != nullptr) {
    const unsigned group = (static_cast<unsigned>(view->format) - 1) / 3;
    return group < 2 ? 8 : group < 4 || group == 6 ? 16 : 32;
  }
  cudaChannelFormatDesc format{};
  switch (resource.resType) {
    case cudaResourceTypeArray:
      cudaGetChannelDesc(&format, resource.res.array.array);
      break;
    case cudaResourceTypeMipmappedArray: {
      cudaArray_t level = nullptr;
      if (cudaGetMipmappedArrayLevel(&level, resource.res.mipmap.mipmap, 0) == cudaSuccess)
        cudaGetChannelDesc(&format, level);
      break;
    }
    case cudaResourceTypeLinear:
      return resource.res.linear.desc.x;
    case cudaResourceTypePitch2D:
      return resource.res.pitch2D.desc.x;
  }
  return format.x;
}

cudaTextureDesc rules_of(const CUDA_TEXTURE_DESC& from, int bits) {
  cudaTextureDesc to{};
  for (int i = 0; i < 3; ++i) to.addressMode[i] = static_cast<cudaTextureAddressMode>(from.addressMode[i]);
  to.filterMode = static_cast<cudaTextureFilterMode>(from.filterMode);
  const bool fractions = (from.flags & CU_TRSF_READ_AS_INTEGER) == 0 && bits < 32;
  to.readMode = fractions ? cudaReadModeNormalizedFloat : cudaReadModeElementType;
  to.sRGB = (from.flags & CU_TRSF_SRGB) != 0;
  to.normalizedCoords = (from.flags & CU_TRSF_NORMALIZED_COORDINATES) != 0;
  to.disableTrilinearOptimization = (from.flags & CU_TRSF_DISABLE_TRILINEAR_OPTIMIZATION) != 0;
  to.seamlessCubemap = (from.flags & CU_TRSF_SEAMLESS_CUBEMAP) != 0;
  to.maxAnisotropy = from.maxAnisotropy;
  to.mipmapFilterMode = static_cast<cudaTextureFilterMode>(from.mipmapFilterMode);
  to.mipmapLevelBias = from.mipmapLevelBias;
  to.minMipmapLevelClamp = from.minMipmapLevelClamp;
  to.maxMipmapLevelClamp = from.maxMipmapLevelClamp;
  std::copy(std::begin(from.borderColor), std::end(from.borderColor), std::begin(to.borderColor));
  return to;
}

cudaResourceViewDesc convert(const CUDA_RESOURCE_VIEW_DESC& from) {
  return {static_cast<cudaResourceViewFormat>(from.format),
          from.width,
          from.height,
          from.depth,
          from.firstMipmapLevel,
          from.lastMipmapLevel,
          from.firstLayer,
          from.lastLayer};
}

}  // namespace

// -- arrays

CUresult cuArray3DCreate(CUarray* array, const CUDA_ARRAY3D_DESCRIPTOR* description) {
  return driver::call([&] {
    if (array == nullptr || description == nullptr) return cudaErrorInvalidValue;
    const cudaChannelFormatDesc format = format_of(description->Format, description->NumChannels);
    return cudaMalloc3DArray(array, &format, {description->Width, description->Height, description->Depth},
                             description->Flags);
  });
}

CUresult cuArrayCreate(CUarray* array, const CUDA_ARRAY_DESCRIPTOR* description) {
  if (description == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const CUDA_ARRAY3D_DESCRIPTOR all{description->Width,  description->Height,      0,
                                    description->Format, description->NumChannels, 0};
  return cuArray3DCreate(array, &all);
}

CUresult cuArrayGetDescriptor(CUDA_ARRAY_DESCRIPTOR* description, CUarray array) {
  return driver::call([&] {
    if (description == nullptr) return cudaErrorInvalidValue;
    cudaChannelFormatDesc format;
    cudaExtent extent;
    const cudaError_t code = cudaArrayGetInfo(&format, &extent, nullptr, array);
    if (code != cudaSuccess) return code;
    *description = {extent.width, extent.height, format_of(format), channels_of(format)};
    return cudaSuccess;
  });
}

CUresult cuArrayDestroy(CUarray array) {
  return driver::call([&] { return cudaFreeArray(array); });
}

CUresult cuArray3DGetDescriptor(CUDA_ARRAY3D_DESCRIPTOR* description, CUarray array) {
  return driver::call([&] {
    if (description == nullptr) return cudaErrorInvalidValue;
    cudaChannelFormatDesc format;
    cudaExtent extent;
    unsigned flags = 0;
    const cudaError_t code = cudaArrayGetInfo(&format, &extent, &flags, array);
    if (code != cudaSuccess) return code;
    *description = {extent.width, extent.height, extent.depth, format_of(format), channels_of(format), flags};
    return cudaSuccess;
  });
}

// -- mip maps

CUresult cuMipmappedArrayCreate(CUmipmappedArray* array, const CUDA_ARRAY3D_DESCRIPTOR* description, unsigned levels) {
  return driver::call([&] {
    if (array == nullptr || description == nullptr) return cudaErrorInvalidValue;
    const cudaChannelFormatDesc format = format_of(description->Format, description->NumChannels);
    return cudaMallocMipmappedArray(array, &format, {description->Width, description->Height, description->Depth},
                                    levels, description->Flags);
  });
}

CUresult cuMipmappedArrayGetLevel(CUarray* level, CUmipmappedArray array, unsigned number) {
  return driver::call([&] { return cudaGetMipmappedArrayLevel(level, array, number); });
}

CUresult cuMipmappedArrayDestroy(CUmipmappedArray array) {
  return driver::call([&] { return cudaFreeMipmappedArray(array); });
}

// -- texture objects

namespace {

/// The original driver descriptions, which hold more than their converted form. Guarded by their own lock.
struct GivenRules {
  std::mutex lock;
  std::map<CUtexObject, CUDA_TEXTURE_DESC> of;
};
GivenRules& given_rules() {
  static auto& all = *new GivenRules;
  return all;
}

}  // namespace

CUresult cuTexObjectCreate(CUtexObject* object, const CUDA_RESOURCE_DESC* resource, const CUDA_TEXTURE_DESC* rules,
                           const CUDA_RESOURCE_VIEW_DESC* view) {
  return driver::call([&] {
    cudaResourceDesc memory;
    if (object == nullptr || resource == nullptr || rules == nullptr || !convert(*resource, memory))
      return cudaErrorInvalidValue;
    const cudaTextureDesc all = rules_of(*rules, channel_bits(memory, view));
    cudaResourceViewDesc part{};
    if (view != nullptr) part = convert(*view);
    cudaTextureObject_t made = 0;
    const cudaError_t code = cudaCreateTextureObject(&made, &memory, &all, view != nullptr ? &part : nullptr);
    if (code != cudaSuccess) return code;
    *object = made;
    const std::lock_guard guard(given_rules().lock);
    given_rules().of[made] = *rules;
    return cudaSuccess;
  });
}

CUresult cuTexObjectDestroy(CUtexObject object) {
  return driver::call([&] {
    const std::lock_guard guard(given_rules().lock);
    given_rules().of.erase(object);
    return cudaDestroyTextureObject(object);
  });
}

CUresult cuTexObjectGetResourceDesc(CUDA_RESOURCE_DESC* resource, CUtexObject object) {
  return driver::call([&] {
    cudaResourceDesc memory;
    if (resource == nullptr) return cudaErrorInvalidValue;
    const cudaError_t code = cudaGetTextureObjectResourceDesc(&memory, object);
    if (code == cudaSuccess) convert(memory, *resource);
    return code;
  });
}

CUresult cuTexObjectGetTextureDesc(CUDA_TEXTURE_DESC* rules, CUtexObject object) {
  return driver::call([&] {
    const std::lock_guard guard(given_rules().lock);
    const auto found = given_rules().of.find(object);
    if (rules == nullptr || found == given_rules().of.end()) return cudaErrorInvalidValue;
    *rules = found->second;
    return cudaSuccess;
  });
}

CUresult cuTexObjectGetResourceViewDesc(CUDA_RESOURCE_VIEW_DESC* view, CUtexObject object) {
  return driver::call([&] {
    cudaResourceViewDesc part;
    if (view == nullptr) return cudaErrorInvalidValue;
    const cudaError_t code = cudaGetTextureObjectResourceViewDesc(&part, object);
    if (code != cudaSuccess) return code;
    *view = {};
    view->format = static_cast<CUresourceViewFormat>(part.format);
    view->width = part.width;
    view->height = part.height;
    view->depth = part.depth;
    view->firstMipmapLevel = part.firstMipmapLevel;
    view->lastMipmapLevel = part.lastMipmapLevel;
    view->firstLayer = part.firstLayer;
    view->lastLayer = part.lastLayer;
    return cudaSuccess;
  });
}

// -- surface objects

CUresult cuSurfObjectCreate(CUsurfObject* object, const CUDA_RESOURCE_DESC* resource) {
  return driver::call([&] {
    cudaResourceDesc memory;
    if (object == nullptr || resource == nullptr || !convert(*resource, memory)) return cudaErrorInvalidValue;
    return cudaCreateSurfaceObject(object, &memory);
  });
}

CUresult cuSurfObjectDestroy(CUsurfObject object) {
  return driver::call([&] { return cudaDestroySurfaceObject(object); });
}

CUresult cuSurfObjectGetResourceDesc(CUDA_RESOURCE_DESC* resource, CUsurfObject object) {
  return driver::call([&] {
    cudaResourceDesc memory;
    if (resource == nullptr) return cudaErrorInvalidValue;
    const cudaError_t code = cudaGetSurfaceObjectResourceDesc(&memory, object);
    if (code == cudaSuccess) convert(memory, *resource);
    return code;
  });
}
