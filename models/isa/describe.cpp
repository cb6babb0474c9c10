// SPDX-License-Identifier: Apache-2.0
#include "isa/describe.h"

#include <fmt/format.h>

namespace heddle::isa {

std::string describe_lanes(std::uint32_t mask, std::uint32_t first) {
  std::string text;
  for (unsigned i = 0; i < kWordThreads; ++i) {
    if ((mask >> i & 1) == 0) continue;
    unsigned last = i;
    while (last + 1 < kWordThreads && (mask >> (last + 1) & 1) != 0) ++last;
    text += fmt::format("{}{}", text.empty() ? "" : ",", first + i);
    if (last > i) text += fmt::format("-{}", first + last);
    i = last;
  }
  return text;
}

std::string describe_threads(const WarpState& warp, std::uint32_t mask) {
  const Dim3& block = warp.block->index;
  return fmt::format("threads {} of block ({},{},{})", describe_lanes(mask, warp.index * kWordThreads), block.x,
                     block.y, block.z);
}

std::string describe_instruction(const WarpState& warp, std::uint32_t pc) {
  return describe_instruction(*warp.block->launch->kernel, pc);
}

std::string describe_instruction(const Kernel& kernel, std::uint32_t pc) {
  if (pc >= kernel.ops.size()) return fmt::format("the end of kernel '{}'", kernel.name);
  const MicroOp& op = kernel.ops[pc];
  std::string text = fmt::format("{}:{}", kernel.ptx_name, op.ptx_line);
  if (op.text < kernel.texts.size()) text += fmt::format(" `{}`", kernel.texts[op.text]);
  if (op.source_file != 0 && op.source_file < kernel.files.size()) {
    text += fmt::format(" ({}:{})", kernel.files[op.source_file], op.source_line);
  }
  return text;
}

}  // namespace heddle::isa
