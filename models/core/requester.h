// SPDX-License-Identifier: Apache-2.0
// Who asked for a line of a cache, and so may own it: a warp of an SM.
#pragma once

#include <cstddef>
#include <functional>

#include "core/identifier.h"

namespace heddle {

struct Requester {
  SmId sm;
  WarpId warp;
  bool operator==(const Requester&) const = default;
};

}  // namespace heddle

template <>
struct std::hash<heddle::Requester> {
  std::size_t operator()(heddle::Requester requester) const noexcept { return requester.sm << 16 | requester.warp; }
};
