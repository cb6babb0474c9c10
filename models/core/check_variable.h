// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdlib>
#include <string_view>

namespace heddle {

/// Whether a variable of the environment, HEDDLE_CHECK_..., turns a check on: it is "1".
inline bool check_wanted(const char* variable) {
  const char* const value = std::getenv(variable);
  return value != nullptr && std::string_view(value) == "1";
}

}  // namespace heddle
