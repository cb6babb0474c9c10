// SPDX-License-Identifier: Apache-2.0
// What a cache is told beside its parameters: where in a machine it stands.
#pragma once

#include <cstdint>
#include <memory>

#include "memory/address_map.h"

namespace heddle::memory {

struct CacheSetting {
  unsigned sockets = 1;                      ///< sockets above
  std::uint64_t seed = 0;                    ///< of the configuration, for replacement by lot
  std::shared_ptr<const AddressMap> slices;  ///< an L2 slice: sets are chosen by the address within the slice
  bool of_one_sm = false;                    ///< coherent loads pass it: stores of other SMs do not show in it
};

}  // namespace heddle::memory
