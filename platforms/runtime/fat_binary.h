// SPDX-License-Identifier: Apache-2.0
// The device code a CUDA program registers: plain PTX text or a container of variants, possibly compressed.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace heddle::runtime {

/// Argument of __cudaRegisterFatBinary. The compilers define the layout.
struct FatBinaryWrapper {
  static constexpr std::uint32_t kMagic = 0x466243b1;
  std::uint32_t magic;
  std::uint32_t version;  ///< 1: only `data`; 2: `members` lists the images to link
  const void* data;       ///< NUL-terminated PTX text, or a container
  const void* const*
      members;  ///< version 2: null-terminated pointers like `data`; identifies the group. version 1: ignored
};

/// One variant of the device code in a container.
struct DeviceImage {
  enum class Kind { ptx, machine_code };
  Kind kind = Kind::ptx;
  unsigned architecture = 0;  ///< 70 for sm_70; 0 when not stated
  std::string text;           ///< PTX, decompressed; empty for machine code
};

/// All variants at `data`: PTX text, or an NVIDIA container. Throws Error(kPtx) when it is neither or is damaged;
/// `origin` names it in messages.
std::vector<DeviceImage> read_device_images(const void* data, const std::string& origin);

/// The best PTX for a device of compute capability `capability` (70): the newest it can run, else the oldest available.
/// Throws Error(kPtx) when there is none, as machine code cannot be modelled.
const DeviceImage& choose_image(const std::vector<DeviceImage>& images, unsigned capability, const std::string& origin);

/// The architecture in a PTX text's `.target sm_NN`, the newest if several; 0 when it has none.
unsigned target_of(const std::string& ptx);

}  // namespace heddle::runtime
