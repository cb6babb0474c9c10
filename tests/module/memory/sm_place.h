// SPDX-License-Identifier: Apache-2.0
// A module in the place of an SM: parent of the caches that a machine would build inside the SM.
#pragma once

#include <systemc>
#include <utility>

#include "memory/cache/sm_caches.h"

namespace heddle::memory {

struct SmPlace final : sc_core::sc_module {
  /// What follows the name: arguments of SmCaches.
  template <typename... Arguments>
  explicit SmPlace(sc_core::sc_module_name module_name, Arguments&&... arguments)
      : sc_module(module_name), caches(std::forward<Arguments>(arguments)...) {}
  SmCaches caches;
};

}  // namespace heddle::memory
