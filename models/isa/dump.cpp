// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <iterator>

#include "isa/module.h"

namespace heddle::isa {
namespace {

std::string register_name(RegisterId id) {
  return id >= kFirstPredicate ? fmt::format("p{}", id - kFirstPredicate) : fmt::format("r{}", id);
}

template <std::size_t N>
std::string register_list(const std::array<RegisterId, N>& ids, unsigned count) {
  std::string out;
  for (unsigned i = 0; i < count; ++i) out += (i == 0 ? "" : ",") + register_name(ids[i]);
  return out;
}

}  // namespace

std::string dump(const Kernel& kernel) {
  std::string out;
  const auto to = std::back_inserter(out);
  fmt::format_to(to, "kernel {}: {} instructions, {} blocks, {} registers, {} predicates, {} B shared, {} B local{}\n",
                 kernel.name, kernel.ops.size(), kernel.blocks.size(), kernel.registers, kernel.predicates,
                 kernel.static_shared_bytes, kernel.local_bytes, kernel.irreducible ? ", irreducible" : "");
  for (const MicroOp& op : kernel.ops) {
    const BasicBlock& block = kernel.blocks[op.block];
    if (block.first == op.pc) {
      fmt::format_to(to, "block {}", op.block);
      if (block.loop != 0) {
        const Loop& loop = kernel.loops[block.loop - 1];
        fmt::format_to(to, ", loop {} depth {}{}", block.loop - 1, loop.depth,
                       loop.header == op.block ? " header" : "");
      }
      out += '\n';
    }
    std::string flow;
    if (op.opcode == Opcode::bra) flow = fmt::format(" -> {}", op.target);
    if (op.opcode == Opcode::brx) flow = fmt::format(" -> {}", fmt::join(kernel.target_lists[op.target_list], ","));
    if (!flow.empty() && op.guard.present()) flow += fmt::format(" meet {}", op.reconvergence_pc);
    fmt::format_to(to, "{:6} {:5}  {:<60} {} <- {}{}\n", op.pc, op.ptx_line, kernel.text(op),
                   register_list(op.allocated.writes, op.allocated.write_count),
                   register_list(op.allocated.reads, op.allocated.read_count), flow);
  }
  return out;
}

}  // namespace heddle::isa
