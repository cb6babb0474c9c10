// SPDX-License-Identifier: Apache-2.0
// Kernels on the machines of variable warp size.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <string>
#include <vector>

#include "sm_fixture.h"

namespace heddle {

class GangingMachines : public SmTest {
 protected:
  /// r1: thread of the block, r2: its slice; rd1: words_ from a line on, rd2: the thread's word of it.
  Cycle run_body(const std::string& body, unsigned threads, unsigned blocks = 1) {
    return run(kernel("",
                      ".reg .pred %p<8>; .reg .b32 %r<32>; .reg .b64 %rd<8>; .shared .align 4 .b32 box[2048]; "
                      "mov.u32 %r1, %tid.x; shr.u32 %r2, %r1, 2; and.b32 %r2, %r2, 7; mov.u64 %rd1, " +
                          std::to_string(address(words())) + "; mad.wide.u32 %rd2, %r1, 4, %rd1; " + body + " ret;"),
               {blocks}, {threads}, {});
  }
  std::uint32_t* words() { return reinterpret_cast<std::uint32_t*>((address(words_.data()) + 127) / 128 * 128); }
  double instructions() const { return static_cast<double>(kernels_.back()->ops.size()); }
  /// Cycles in which warps were in gangs of these sizes, or alone; in no others.
  void expect_sizes(std::initializer_list<unsigned> sizes) {
    for (unsigned size = 1; size <= 8; ++size) {
      const bool expected = std::find(sizes.begin(), sizes.end(), size) != sizes.end();
      EXPECT_EQ(counted(fmt::format("ganging.warps_in_{}", size)) > 0, expected) << "gangs of " << size;
    }
  }
  static std::string adds(unsigned count) {
    std::string text;
    for (unsigned i = 0; i < count; ++i) text += "add.u32 %r3, %r3, %r1; ";
    return text;
  }
  std::vector<std::uint32_t> words_ = std::vector<std::uint32_t>(64 * 1024);
};

}  // namespace heddle
