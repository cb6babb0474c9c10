// SPDX-License-Identifier: Apache-2.0
// Selection of the lane-operation level, shared by the code outside the lane functions.
#pragma once

#include <cstddef>
#include <string_view>

#include "isa/semantics/lane_operations.h"

namespace heddle::isa {

/// The level selected, or null before the first selection.
extern const LaneOperations* selected_lane_operations;

/// The selected level; selects the best the host supports when there is none.
const LaneOperations& select_best_lane_operations();
inline const LaneOperations& lane_operations() {
  return selected_lane_operations != nullptr ? *selected_lane_operations : select_best_lane_operations();
}

/// Whether this processor supports a level of HEDDLE_LANE_LEVELS.
bool host_supports(std::string_view level);

inline std::byte* operand_place(const Operand& operand, std::byte* const* bases) {
  return bases[static_cast<unsigned>(operand.base)] + operand.offset;
}

}  // namespace heddle::isa
