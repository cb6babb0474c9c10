// SPDX-License-Identifier: Apache-2.0
// From the API's descriptions of memory, of views of it and of how it is read, to what the texture unit works with.
#pragma once

#include <array>

#include "cuda_runtime_api.h"
#include "gpu/texture.h"

namespace heddle::runtime {

class Runtime;

/// What objects and references both say of how a texture is read.
struct ReadingRules {
  std::array<cudaTextureAddressMode, 3> addressing{};
  cudaTextureFilterMode filter = cudaFilterModePoint, mipmap_filter = cudaFilterModePoint;
  bool normalized_coordinates = false, read_normalized = false, srgb = false, seamless = false;
  float level_bias = 0, least_level = 0, most_level = 0;
};
/// All throw ApiError. The memory first, then a view of it, then the rules.
void set_rules(gpu::Texture& texture, const ReadingRules& rules);

void set_linear(Runtime& runtime, gpu::Texture& texture, const void* pointer, const cudaChannelFormatDesc& format,
                std::size_t bytes);
void set_pitched(Runtime& runtime, gpu::Texture& texture, const void* pointer, const cudaChannelFormatDesc& format,
                 std::size_t width, std::size_t height, std::size_t pitch);
void set_array(Runtime& runtime, gpu::Texture& texture, cudaArray_const_t array);
void set_mipmap(Runtime& runtime, gpu::Texture& texture, cudaMipmappedArray_const_t array);
/// The array must have been made for it.
void set_surface(Runtime& runtime, gpu::Texture& texture, cudaArray_const_t array);
/// A range of levels and layers, in a format of the same size.
void set_view(gpu::Texture& texture, const cudaResourceViewDesc& view);

}  // namespace heddle::runtime
