// SPDX-License-Identifier: Apache-2.0
#include "isa/describe.h"

#include <fmt/format.h>

namespace heddle::isa {

std::string describe_lanes(const ThreadSet& threads, std::uint32_t first) {
  std::string text;
  for (std::size_t from = threads.first(); from < ThreadSet::kBits;) {
    std::size_t last = from;
    while (last + 1 < ThreadSet::kBits && threads.test(last + 1)) ++last;
    text += fmt::format("{}{}", text.empty() ? "" : ",", first + from);
    if (last > from) text += fmt::format("-{}", first + last);
    from = threads.next(last + 1);
  }
  return text;
}

std::string describe_lanes(std::uint32_t mask, std::uint32_t first) {
  return describe_lanes(ThreadSet::of_word(mask), first);
}

std::string describe_threads(const BlockState& block, const ThreadSet& threads, std::uint32_t first) {
  return fmt::format("threads {} of block ({},{},{})", describe_lanes(threads, first), block.index.x, block.index.y,
                     block.index.z);
}

std::string describe_threads(const WarpState& warp, std::uint32_t mask) {
  return describe_threads(*warp.block, ThreadSet::of_word(mask), warp.index * kWordThreads);
}

std::string describe_instruction(const WarpState& warp, std::uint32_t pc) {
  return describe_instruction(*warp.block->launch->kernel, pc);
}

std::string describe_source(const Kernel& kernel, const MicroOp& op) {
  if (op.source_line == 0 || op.source_file == 0 || op.source_file >= kernel.files.size()) return {};
  std::string text = fmt::format("{}:{}", kernel.files[op.source_file], op.source_line);
  if (op.inlined != 0 && op.inlined < kernel.inlined.size()) {
    const SourcePlace& place = kernel.inlined[op.inlined];
    text += fmt::format(", inlined from {}:{}", kernel.files[place.file], place.line);
  }
  return text;
}

std::string describe_instruction(const Kernel& kernel, std::uint32_t pc) {
  if (pc >= kernel.ops.size()) return fmt::format("the end of kernel '{}'", kernel.name);
  const MicroOp& op = kernel.ops[pc];
  std::string text = fmt::format("{}:{}", kernel.ptx_name, op.ptx_line);
  if (op.text < kernel.texts.size()) text += fmt::format(" `{}`", kernel.texts[op.text]);
  if (const std::string source = describe_source(kernel, op); !source.empty()) text += fmt::format(" ({})", source);
  return text;
}

}  // namespace heddle::isa
