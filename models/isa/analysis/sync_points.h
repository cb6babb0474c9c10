// SPDX-License-Identifier: Apache-2.0
// Points where threads of a warp that took different ways should wait for each other.
#pragma once

#include <vector>

#include "isa/image.h"

namespace heddle::isa {

/// The reconvergence points of the branches with several successors, each once, ascending. A point is left out if the
/// immediate dominator does not end before it: threads may not wait for threads that go back. Where several branches
/// meet at one point, the immediate dominator lies before all of them. Needs blocks with their dominators. Source:
/// docs/sources/branch-and-warp-interweaving.md, 2.5.
std::vector<SyncPoint> find_sync_points(const Kernel& kernel);

}  // namespace heddle::isa
