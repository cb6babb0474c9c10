// SPDX-License-Identifier: Apache-2.0
#include "sm/prefix_sum/prefix_sum_block.h"

#include <bit>

#include "sm/blocks/block_site.h"

namespace heddle::sm {

PrefixSumBlock::PrefixSumBlock(sc_core::sc_module_name module_name, SmContext& sm, unsigned lanes)
    : sc_module(module_name),
      call("call"),
      network_(lanes),
      unit_(make(sm.parameters.blocks.prefix_sum, lanes, block_site(sm, "prefix_sum"))),
      group_(sm.statistics, "prefix_sum"),
      sums_(group_, "sums", "prefix sums computed for threads that met", unit::kEvents),
      lanes_held_(group_, "held", "threads whose predicate was true, over all sums", unit::kThreads),
      state_(sm.services, sm.path("prefix_sum"), sm.domain()),
      predicates_(state_.signals.pulse("predicates", lanes, "summed predicates; the last of a cycle")),
      total_(state_.signals.pulse("total", network_.levels() + 1, "sum of the predicates")) {
  call.bind(*this);
  state_.signals.show(predicates_, Radix::hexadecimal);
  for (unsigned level = 1; level <= network_.levels(); ++level) {
    Structure& adders =
        state_.structure("level" + std::to_string(level), "adders of this level of the network", network_.adders(level),
                         {{"full_adder", isa::PrefixSum::adder_bits(level), 0, 0}});
    adders.added_by("prefix_sum");
    adders.is_logic();
  }
}

isa::PrefixSums PrefixSumBlock::sum(std::uint64_t predicates) {
  const isa::PrefixSums sums = unit_->sum(predicates);
  ++sums_;
  lanes_held_ += sums.total;
  if (state_.signals.on()) {
    state_.signals.fire(predicates_, predicates);
    state_.signals.fire(total_, sums.total);
  }
  return sums;
}

}  // namespace heddle::sm
