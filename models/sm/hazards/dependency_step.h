// SPDX-License-Identifier: Apache-2.0
// The step of a dependency matrix: which hot contexts hold threads of an instruction in flight, after the threads of
// the warp have moved once. Stateless, so that a synthesizable block can replace it.
// Source: docs/sources/branch-and-warp-interweaving.md, 2.7 and 8. Logic only.
#pragma once

#include <array>
#include <cstdint>
#include <memory>

#include "core/config/mechanism.h"

namespace heddle::sm {

/// A Boolean 3 x 3 matrix, bit 3 * row + column. Rows and columns 0 and 1 are the hot contexts of a warp, 2 stands for
/// all its other threads. Entry [i][j]: some thread of i, when the matrix began, is in j now.
using DependencyMatrix = std::uint16_t;

inline constexpr DependencyMatrix kNoDependencies = 0, kAllDependencies = 0777;

/// Most entries of a warp that are stepped at once.
inline constexpr unsigned kMaxDependencyEntries = 16;

struct StepRequest {
  DependencyMatrix step = 0;                                      ///< of this move
  std::array<DependencyMatrix, kMaxDependencyEntries> entries{};  ///< before it
  bool operator==(const StepRequest&) const = default;
};

struct StepAnswer {
  std::array<DependencyMatrix, kMaxDependencyEntries> entries{};  ///< after it
  bool operator==(const StepAnswer&) const = default;
};

struct StepShape {
  unsigned entries = 6;  ///< 1 .. kMaxDependencyEntries; the rest are zero
};

struct BlockSite;

/// Interface of a step, implemented by the model or RTL as chosen by the key sm.blocks.dependency_step.
class DependencyStep {
 public:
  using MakeArguments = void(const StepShape& shape, const BlockSite& site);
  virtual ~DependencyStep() = default;
  virtual StepAnswer step(const StepRequest& request) = 0;
};

/// Boolean product.
DependencyMatrix product(DependencyMatrix entry, DependencyMatrix step);

}  // namespace heddle::sm
