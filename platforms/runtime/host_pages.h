// SPDX-License-Identifier: Apache-2.0
// Large pages of the host for what a timed machine is made of.
#pragma once

namespace heddle::runtime {

/// Asks the host to back what is allocated next by large pages. The parts of a timed machine are many, small and looked
/// at in turn every cycle: finding them costs more than reading them where each page is small. Does nothing, and harms
/// nothing, where the host has no large pages or the thread does not allocate from the process's heap.
void prefer_large_pages();

}  // namespace heddle::runtime
