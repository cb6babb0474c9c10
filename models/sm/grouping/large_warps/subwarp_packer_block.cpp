// SPDX-License-Identifier: Apache-2.0
#include "sm/grouping/large_warps/subwarp_packer_block.h"

#include <bit>

#include "sm/blocks/block_site.h"

namespace heddle::sm {
namespace {

const TextTable kModes = {"columns", "rows", "token", "arbitrary"};

}  // namespace

SubwarpPackerBlock::SubwarpPackerBlock(sc_core::sc_module_name module_name, SmSite& sm, const PackerShape& shape)
    : sc_module(module_name),
      call("call"),
      shape_(shape),
      unit_(make(sm.parameters.blocks.packer, shape, block_site(sm, "packer"))),
      group_(sm.statistics, "packer"),
      subwarps_(group_, "subwarps", "sub-warps with threads issued", unit::kInstructions),
      threads_(group_, "threads", "threads in issued sub-warps", unit::kThreadInstructions),
      null_subwarps_(group_, "null_subwarps", "sub-warps without threads because every guard was false",
                     unit::kInstructions),
      tokens_(group_, "tokens", "jumps issued as one token", unit::kInstructions),
      bubbles_(group_, "bubbles", "cycles in which a unit was free but every remaining thread was still in flight",
               unit::kCycles),
      state_(sm.services, sm.path("packer"), sm.domain()),
      mode_(state_.signals.pulse("mode", 2, "how the instruction is cut", &kModes)),
      lanes_taken_(state_.signals.pulse("lanes", shape.columns, "columns with a thread in the sub-warp")),
      rows_left_(state_.signals.pulse("rows_left", shape.rows, "rows with threads left for later cycles")),
      last_(state_.signals.pulse("last", 1, "last sub-warp of the instruction")) {
  call.bind(*this);
  state_.signals.show(lanes_taken_, Radix::hexadecimal);
  state_.signals.show(rows_left_, Radix::hexadecimal);
  // A find-first-set over the rows of each column.
  Structure& find_first =
      state_.structure("find_first", "find-first-set of each column", shape.columns, {{"rows", shape.rows, 0, 0}});
  find_first.added_by("subwarp_packer");
  find_first.is_logic();
}

SubWarp SubwarpPackerBlock::pack(const PackRequest& request) {
  const SubWarp packed = unit_->pack(request);
  mode_asked_ = request.mode;
  packed_ = packed.threads.count();
  if (!packed.any && !packed.last) ++bubbles_;
  if (state_.signals.on()) show(request, packed);
  return packed;
}

void SubwarpPackerBlock::goes() {
  if (packed_ != 0) {
    ++subwarps_;
    threads_ += packed_;
  } else if (mode_asked_ == PackMode::token) {
    ++tokens_;
  } else {
    ++null_subwarps_;
  }
}

void SubwarpPackerBlock::show(const PackRequest& request, const SubWarp& packed) {
  std::uint64_t columns = 0, rows = 0;
  packed.threads.for_each([&](std::size_t thread) { columns |= std::uint64_t{1} << (thread % shape_.columns); });
  packed.left.for_each([&](std::size_t thread) { rows |= std::uint64_t{1} << (thread / shape_.columns); });
  state_.signals.fire(mode_, static_cast<std::uint64_t>(request.mode));
  state_.signals.fire(lanes_taken_, columns);
  state_.signals.fire(rows_left_, rows);
  state_.signals.fire(last_, packed.last ? 1 : 0);
}

}  // namespace heddle::sm
