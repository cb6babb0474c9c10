// SPDX-License-Identifier: Apache-2.0
// The device code a CUDA program registers: PTX text as it is, or a container of several variants, some compressed.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace heddle::runtime {

/// What __cudaRegisterFatBinary is given. Layout set by the compilers.
struct FatBinaryWrapper {
  static constexpr std::uint32_t kMagic = 0x466243b1;
  std::uint32_t magic;
  std::uint32_t version;       ///< 1: `data` stands alone; 2: `members` lists the images to link
  const void* data;            ///< PTX text ended by NUL, or a container
  const void* const* members;  ///< version 2: pointers like `data`, ended by null; names the group. version 1: ignored
};

/// One variant of the device code in a container.
struct DeviceImage {
  enum class Kind { ptx, machine_code };
  Kind kind = Kind::ptx;
  unsigned architecture = 0;  ///< 70 for sm_70; 0 when not said
  std::string text;           ///< PTX, decompressed; empty for machine code
};

/// Every variant at `data`: PTX text, or a container of NVIDIA's compiler. Throws Error(kPtx) when it is neither or is
/// damaged; `origin` names it in messages.
std::vector<DeviceImage> read_device_images(const void* data, const std::string& origin);

/// The PTX that suits a device of compute capability `capability` (70) best: the newest it can run, else the oldest
/// there is. Throws Error(kPtx) when there is none: machine code alone cannot be modelled.
const DeviceImage& choose_image(const std::vector<DeviceImage>& images, unsigned capability, const std::string& origin);

/// The newest architecture a PTX text is for: its `.target sm_NN`; 0 when it has none.
unsigned target_of(const std::string& ptx);

}  // namespace heddle::runtime
