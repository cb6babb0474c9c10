// SPDX-License-Identifier: Apache-2.0
// Divides cycles among the causes charged to issue slots; see docs/statistics.md, "Comparing runs".
#pragma once

#include <cstdint>
#include <vector>

namespace heddle::compare {

/// Divides `cycles` in proportion to `slots` into whole cycles with the exact sum `cycles`: largest remainders first,
/// ties in order. All shares are 0 if all slots are. slots: charges by cause over all issue slots of a machine, which
/// normalises machines of different widths.
std::vector<std::uint64_t> share_cycles(std::uint64_t cycles, const std::vector<std::uint64_t>& slots);

}  // namespace heddle::compare
