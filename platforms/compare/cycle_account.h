// SPDX-License-Identifier: Apache-2.0
// Cycles shared out among what the issue slots were charged to. docs/statistics.md, "Comparing runs",
// says what that means.
#pragma once

#include <cstdint>
#include <vector>

namespace heddle::compare {

/// Shares `cycles` out in proportion to `slots`, in whole cycles that add up to `cycles` exactly: largest remainders
/// first, earlier ones first among equals. Without a single slot all shares are 0.
/// slots: charges by cause of all issue slots of a machine, so that machines of any width are brought to one scale.
std::vector<std::uint64_t> share_cycles(std::uint64_t cycles, const std::vector<std::uint64_t>& slots);

}  // namespace heddle::compare
