// SPDX-License-Identifier: Apache-2.0
// Large host pages for the objects of a timed machine.
#pragma once

namespace heddle::runtime {

/// Asks the host to back subsequent allocations with large pages. A timed machine consists of many small objects
/// visited every cycle, so TLB misses dominate with small pages. Has no effect where the host has no large pages or the
/// thread does not allocate from the main heap.
void prefer_large_pages();

}  // namespace heddle::runtime
