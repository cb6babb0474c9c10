// SPDX-License-Identifier: Apache-2.0
// The place of a cache in the machine, given in addition to its parameters.
#pragma once

#include <cstdint>
#include <memory>

#include "memory/address_map.h"

namespace heddle::memory {

struct CacheSetting {
  unsigned sockets = 1;                      ///< sockets above
  std::uint64_t seed = 0;                    ///< of the configuration, for random replacement
  std::shared_ptr<const AddressMap> slices;  ///< L2 slice: sets are indexed by the address within the slice
  bool of_one_sm = false;                    ///< bypassed by coherent loads: it does not see stores of other SMs
  bool unlimited = false;                    ///< any number of lines: nothing is evicted to make room
};

}  // namespace heddle::memory
