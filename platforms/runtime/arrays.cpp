// SPDX-License-Identifier: Apache-2.0
#include "runtime/arrays.h"

#include <algorithm>
#include <bit>

#include <fmt/core.h>

#include "runtime/messages.h"
#include "runtime/runtime.h"

namespace heddle::runtime {

cudaArray_t ArrayTable::add(const cudaArray& array) {
  auto owned = std::make_unique<cudaArray>(array);
  cudaArray_t handle = owned.get();
  arrays_.emplace(handle, std::move(owned));
  return handle;
}

cudaMipmappedArray_t ArrayTable::add(const cudaMipmappedArray& array) {
  auto owned = std::make_unique<cudaMipmappedArray>(array);
  cudaMipmappedArray_t handle = owned.get();
  mipmapped_.emplace(handle, std::move(owned));
  return handle;
}

const cudaArray* ArrayTable::find(cudaArray_const_t array) const {
  const auto found = arrays_.find(array);
  return found == arrays_.end() ? nullptr : found->second.get();
}

const cudaMipmappedArray* ArrayTable::find(cudaMipmappedArray_const_t array) const {
  const auto found = mipmapped_.find(array);
  return found == mipmapped_.end() ? nullptr : found->second.get();
}

bool ArrayTable::remove(cudaArray_t array) { return arrays_.erase(array) == 1; }

bool ArrayTable::remove(cudaMipmappedArray_t array) {
  const cudaMipmappedArray* found = find(array);
  if (found == nullptr) return false;
  for (const cudaArray_t level : found->levels) arrays_.erase(level);
  return mipmapped_.erase(array) == 1;
}

bool set_format(gpu::Texture& texture, const cudaChannelFormatDesc& format) {
  const int bits[4] = {format.x, format.y, format.z, format.w};
  unsigned count = 0;
  while (count < 4 && bits[count] != 0) ++count;
  for (unsigned i = 0; i < 4; ++i) {
    if (bits[i] != (i < count ? bits[0] : 0)) return false;
  }
  if (count != 1 && count != 2 && count != 4) return false;
  if (bits[0] != 8 && bits[0] != 16 && bits[0] != 32) return false;
  switch (format.f) {
    case cudaChannelFormatKindSigned:
      texture.kind = gpu::TexelKind::signed_integer;
      break;
    case cudaChannelFormatKindUnsigned:
      texture.kind = gpu::TexelKind::unsigned_integer;
      break;
    case cudaChannelFormatKindFloat:
      texture.kind = gpu::TexelKind::floating;
      break;
    default:
      return false;
  }
  if (texture.kind == gpu::TexelKind::floating && bits[0] == 8) return false;
  texture.components = static_cast<std::uint8_t>(count);
  texture.component_bytes = static_cast<std::uint8_t>(bits[0] / 8);
  return true;
}

}  // namespace heddle::runtime

using heddle::runtime::api;
using heddle::runtime::require;
using heddle::runtime::Runtime;

namespace {

constexpr unsigned kFlags =
    cudaArrayLayered | cudaArrayCubemap | cudaArraySurfaceLoadStore | cudaArrayTextureGather | cudaArrayColorAttachment;
constexpr std::size_t kRowAlignment = 64, kLevelAlignment = 512;  // bytes
constexpr std::size_t kMaxExtent = 1 << 27;
constexpr std::uint64_t kMostArrayBytes = std::uint64_t{1} << 60;

/// Describes an array or mip level without allocating memory. Throws ApiError for an invalid shape.
cudaArray shape_of(const cudaChannelFormatDesc& format, cudaExtent extent, unsigned flags) {
  if ((flags & ~kFlags) != 0) {
    heddle::runtime::say_error(
        fmt::format("an array with flags {:#x}: sparse arrays and deferred mapping are not modelled", flags));
    throw heddle::runtime::ApiError(cudaErrorNotSupported);
  }
  require(extent.width != 0 && extent.width <= kMaxExtent && extent.height <= kMaxExtent && extent.depth <= kMaxExtent,
          cudaErrorInvalidValue);
  heddle::gpu::Texture texture;
  require(heddle::runtime::set_format(texture, format), cudaErrorInvalidChannelDescriptor);
  cudaArray made;
  made.format = format;
  made.extent = extent;
  made.flags = flags;
  if (made.cube()) {
    require(extent.width == extent.height && extent.depth != 0 && extent.depth % 6 == 0, cudaErrorInvalidValue);
    require(made.layered() || extent.depth == 6, cudaErrorInvalidValue);
  } else if (made.layered()) {
    require(extent.depth != 0, cudaErrorInvalidValue);
  } else {
    require(extent.depth == 0 || extent.height != 0, cudaErrorInvalidValue);
  }
  const bool flat = extent.height != 0 && (extent.depth == 0 || made.layered() || made.cube());
  require((flags & cudaArrayTextureGather) == 0 || flat, cudaErrorInvalidValue);
  made.texel_bytes = texture.texel_bytes();
  made.row_bytes = (extent.width * made.texel_bytes + kRowAlignment - 1) / kRowAlignment * kRowAlignment;
  made.slice_bytes = made.row_bytes * made.height();
  require(made.depth() <= kMostArrayBytes / made.slice_bytes, cudaErrorMemoryAllocation);
  return made;
}

std::uint64_t allocate(Runtime& runtime, std::uint64_t bytes) {
  const std::uint64_t address = runtime.device().memory().allocate(bytes, heddle::gpu::AllocationKind::array);
  require(address != 0, cudaErrorMemoryAllocation);
  return address;
}

cudaExtent extent_of_level(cudaExtent extent, unsigned flags, unsigned level) {
  const auto smaller = [level](std::size_t size) { return size != 0 ? std::max<std::size_t>(size >> level, 1) : 0; };
  const bool slices = (flags & (cudaArrayLayered | cudaArrayCubemap)) != 0;
  return {smaller(extent.width), smaller(extent.height), slices ? extent.depth : smaller(extent.depth)};
}

}  // namespace

cudaError_t cudaMalloc3DArray(cudaArray_t* array, const cudaChannelFormatDesc* format, cudaExtent extent,
                              unsigned flags) {
  return api([&](Runtime& runtime) {
    require(array != nullptr && format != nullptr, cudaErrorInvalidValue);
    cudaArray made = shape_of(*format, extent, flags);
    made.address = allocate(runtime, made.bytes());
    *array = runtime.arrays().add(made);
  });
}

cudaError_t cudaMallocArray(cudaArray_t* array, const cudaChannelFormatDesc* format, std::size_t width,
                            std::size_t height, unsigned flags) {
  return cudaMalloc3DArray(array, format, {width, height, 0}, flags);
}

cudaError_t cudaFreeArray(cudaArray_t array) {
  return api([&](Runtime& runtime) {
    if (array == nullptr) return;
    const cudaArray* found = runtime.arrays().find(array);
    // A level is freed with its mip map.
    require(found != nullptr && !found->level, cudaErrorInvalidValue);
    runtime.device().memory().release(found->address);
    runtime.arrays().remove(array);
  });
}

cudaError_t cudaMallocMipmappedArray(cudaMipmappedArray_t* array, const cudaChannelFormatDesc* format,
                                     cudaExtent extent, unsigned levels, unsigned flags) {
  return api([&](Runtime& runtime) {
    require(array != nullptr && format != nullptr, cudaErrorInvalidValue);
    const bool slices = (flags & (cudaArrayLayered | cudaArrayCubemap)) != 0;
    const std::size_t longest = std::max({extent.width, extent.height, slices ? 0 : extent.depth});
    require(longest != 0, cudaErrorInvalidValue);
    levels = std::clamp(levels, 1u, static_cast<unsigned>(std::bit_width(longest)));
    std::vector<cudaArray> made;
    std::uint64_t bytes = 0;
    for (unsigned level = 0; level < levels; ++level) {
      made.push_back(shape_of(*format, extent_of_level(extent, flags, level), flags));
      made.back().level = true;
      made.back().address = bytes;
      bytes += (made.back().bytes() + kLevelAlignment - 1) / kLevelAlignment * kLevelAlignment;
    }
    cudaMipmappedArray whole;
    whole.address = allocate(runtime, bytes);
    for (cudaArray& level : made) {
      level.address += whole.address;
      whole.levels.push_back(runtime.arrays().add(level));
    }
    *array = runtime.arrays().add(whole);
  });
}

cudaError_t cudaGetMipmappedArrayLevel(cudaArray_t* level, cudaMipmappedArray_const_t array, unsigned number) {
  return api([&](Runtime& runtime) {
    const cudaMipmappedArray* found = runtime.arrays().find(array);
    require(found != nullptr, cudaErrorInvalidResourceHandle);
    require(level != nullptr && number < found->levels.size(), cudaErrorInvalidValue);
    *level = found->levels[number];
  });
}

cudaError_t cudaFreeMipmappedArray(cudaMipmappedArray_t array) {
  return api([&](Runtime& runtime) {
    if (array == nullptr) return;
    const cudaMipmappedArray* found = runtime.arrays().find(array);
    require(found != nullptr, cudaErrorInvalidValue);
    runtime.device().memory().release(found->address);
    runtime.arrays().remove(array);
  });
}

cudaError_t cudaArrayGetInfo(cudaChannelFormatDesc* format, cudaExtent* extent, unsigned* flags, cudaArray_t array) {
  return api([&](Runtime& runtime) {
    const cudaArray* found = runtime.arrays().find(array);
    require(found != nullptr, cudaErrorInvalidResourceHandle);
    if (format != nullptr) *format = found->format;
    if (extent != nullptr) *extent = found->extent;
    if (flags != nullptr) *flags = found->flags;
  });
}

cudaError_t cudaGetChannelDesc(cudaChannelFormatDesc* format, cudaArray_const_t array) {
  return api([&](Runtime& runtime) {
    require(format != nullptr, cudaErrorInvalidValue);
    const cudaArray* found = runtime.arrays().find(array);
    require(found != nullptr, cudaErrorInvalidResourceHandle);
    *format = found->format;
  });
}

cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w, cudaChannelFormatKind kind) {
  return {x, y, z, w, kind};
}
