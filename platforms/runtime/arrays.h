// SPDX-License-Identifier: Apache-2.0
// CUDA arrays and mip-mapped arrays: texels in rows of device memory. Rows are aligned to 64 bytes; layers, cube faces
// and the third dimension are slices.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "cuda_runtime_api.h"
#include "gpu/texture/texture.h"

struct cudaArray {
  cudaChannelFormatDesc format{};
  cudaExtent extent{};  ///< texels; 0 where a dimension is absent; layers or faces count as depth
  unsigned flags = 0;
  std::uint64_t address = 0, row_bytes = 0, slice_bytes = 0;
  std::uint32_t texel_bytes = 0;
  bool level = false;  ///< a level of a mip-mapped array, which owns the memory

  std::size_t width() const { return extent.width; }
  std::size_t height() const { return extent.height != 0 ? extent.height : 1; }
  std::size_t depth() const { return extent.depth != 0 ? extent.depth : 1; }
  bool layered() const { return (flags & cudaArrayLayered) != 0; }
  bool cube() const { return (flags & cudaArrayCubemap) != 0; }
  std::uint64_t bytes() const { return slice_bytes * depth(); }
};

struct cudaMipmappedArray {
  std::vector<cudaArray_t> levels;  ///< finest first
  std::uint64_t address = 0;
};

namespace heddle::runtime {

class ArrayTable {
 public:
  cudaArray_t add(const cudaArray& array);
  cudaMipmappedArray_t add(const cudaMipmappedArray& array);
  /// Null when there is no such array.
  const cudaArray* find(cudaArray_const_t array) const;
  const cudaMipmappedArray* find(cudaMipmappedArray_const_t array) const;
  bool remove(cudaArray_t array);
  /// Removes the array with its levels.
  bool remove(cudaMipmappedArray_t array);
  void clear() { arrays_.clear(), mipmapped_.clear(); }

 private:
  std::map<const cudaArray*, std::unique_ptr<cudaArray>> arrays_;
  std::map<const cudaMipmappedArray*, std::unique_ptr<cudaMipmappedArray>> mipmapped_;
};

/// Sets number, size and kind of components in `texture`. False for an unsupported format: textures have 1, 2 or 4
/// equal components of 8, 16 or 32 bits.
bool set_format(gpu::Texture& texture, const cudaChannelFormatDesc& format);

}  // namespace heddle::runtime
