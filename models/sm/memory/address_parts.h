// SPDX-License-Identifier: Apache-2.0
// Lanes of an access that address shared or local memory, by the instruction's space or by their generic address.
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
