// SPDX-License-Identifier: Apache-2.0
// Which lanes of an access lie in shared and in local memory: named by the instruction, or found in a generic address.
#pragma once

#include <cstdint>

#include "isa/execute.h"

namespace heddle::sm {

inline std::uint32_t shared_part(const isa::Addresses& addresses) {
  return addresses.space == isa::Space::shared ? addresses.mask : addresses.shared_lanes & addresses.mask;
}

inline std::uint32_t local_part(const isa::Addresses& addresses) {
  return addresses.space == isa::Space::local ? addresses.mask : addresses.local_lanes & addresses.mask;
}

}  // namespace heddle::sm
