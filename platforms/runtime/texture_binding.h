// SPDX-License-Identifier: Apache-2.0
// Converts the API's descriptions of resources, views and sampling to the texture unit's form.
#pragma once

#include <array>

#include "cuda_runtime_api.h"
#include "gpu/texture/texture.h"

namespace heddle::runtime {

class Runtime;

/// Sampling rules common to texture objects and references.
struct ReadingRules {
  std::array<cudaTextureAddressMode, 3> addressing{};
  cudaTextureFilterMode filter = cudaFilterModePoint, mipmap_filter = cudaFilterModePoint;
  bool normalized_coordinates = false, read_normalized = false, srgb = false, seamless = false;
  float level_bias = 0, least_level = 0, most_level = 0;
};
/// All throw ApiError. Call for memory first, then the view, then the rules.
void set_rules(gpu::Texture& texture, const ReadingRules& rules);

void set_linear(Runtime& runtime, gpu::Texture& texture, const void* pointer, const cudaChannelFormatDesc& format,
                std::size_t bytes);
void set_pitched(Runtime& runtime, gpu::Texture& texture, const void* pointer, const cudaChannelFormatDesc& format,
                 std::size_t width, std::size_t height, std::size_t pitch);
void set_array(Runtime& runtime, gpu::Texture& texture, cudaArray_const_t array);
void set_mipmap(Runtime& runtime, gpu::Texture& texture, cudaMipmappedArray_const_t array);
/// The array must have been created for surfaces.
void set_surface(Runtime& runtime, gpu::Texture& texture, cudaArray_const_t array);
/// Sets a range of levels and layers, in a format of the same texel size.
void set_view(gpu::Texture& texture, const cudaResourceViewDesc& view);

}  // namespace heddle::runtime
