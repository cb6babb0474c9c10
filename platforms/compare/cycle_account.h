// SPDX-License-Identifier: Apache-2.0
// Divides time among the causes charged to issue slots; see docs/statistics.md, "Comparing runs".
#pragma once

#include <cstdint>
#include <vector>

namespace heddle::compare {

/// Divides `whole` (cycles, or slot-nanoseconds) in proportion to `slots` into whole numbers with the exact sum
/// `whole`: largest remainders first, ties in order. All shares are 0 if all slots are. slots: slot-cycles by cause
/// over all issue slots of a machine.
std::vector<std::uint64_t> share(std::uint64_t whole, const std::vector<std::uint64_t>& slots);

/// Nanoseconds of so many cycles, rounded. kilohertz: not 0.
std::uint64_t nanoseconds_of(std::uint64_t cycles, std::uint64_t kilohertz);

}  // namespace heddle::compare
