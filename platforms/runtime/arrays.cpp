// SPDX-License-Identifier: Apache-2.0
#include "runtime/arrays.h"

#include <cstring>

#include "runtime/runtime.h"

namespace heddle::runtime {

cudaArray_t ArrayTable::add(const cudaArray& array) {
  auto owned = std::make_unique<cudaArray>(array);
  cudaArray_t handle = owned.get();
  arrays_.emplace(handle, std::move(owned));
  return handle;
}

const cudaArray* ArrayTable::find(cudaArray_const_t array) const {
  const auto found = arrays_.find(array);
  return found == arrays_.end() ? nullptr : found->second.get();
}

bool ArrayTable::remove(cudaArray_t array) { return arrays_.erase(array) == 1; }

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

cudaError_t cudaMalloc3DArray(cudaArray_t* array, const cudaChannelFormatDesc* format, cudaExtent extent,
                              unsigned flags) {
  return api([&](Runtime& runtime) {
    require(array != nullptr && format != nullptr && extent.width != 0, cudaErrorInvalidValue);
    // Layers and cube maps would need opcodes the front end does not have.
    require((flags & (cudaArrayLayered | cudaArrayCubemap)) == 0, cudaErrorNotSupported);
    heddle::gpu::Texture texture;
    require(heddle::runtime::set_format(texture, *format), cudaErrorInvalidChannelDescriptor);
    cudaArray made;
    made.format = *format;
    made.extent = extent;
    made.flags = flags;
    made.texel_bytes = texture.texel_bytes();
    made.row_bytes = (extent.width * made.texel_bytes + 63) / 64 * 64;
    made.slice_bytes = made.row_bytes * made.height();
    made.address =
        runtime.device().memory().allocate(made.slice_bytes * made.depth(), heddle::gpu::AllocationKind::array);
    require(made.address != 0, cudaErrorMemoryAllocation);
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
