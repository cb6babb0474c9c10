// SPDX-License-Identifier: Apache-2.0
#include "isa/lowering/lower.h"

#include <algorithm>

#include "isa/analysis/control_flow.h"
#include "isa/analysis/liveness.h"
#include "isa/analysis/loops.h"
#include "isa/analysis/register_allocation.h"
#include "isa/analysis/sync_points.h"
#include "isa/analysis/uniformity.h"
#include "isa/collective.h"
#include "isa/execute.h"
#include "isa/lowering/call_graph.h"
#include "isa/lowering/copy_folding.h"
#include "isa/lowering/expander.h"
#include "isa/lowering/layout.h"
#include "isa/lowering/predicate_folding.h"
#include "isa/lowering/recursion.h"
#include "isa/lowering/spilling.h"

namespace heddle::isa {
namespace {

constexpr std::uint32_t kSpillAlignment = 8, kStackAlignment = 16;  // bytes of local memory

void fill_blocks(Kernel& kernel, const ControlFlow& flow) {
  const std::vector<std::uint32_t> dominators = immediate_dominators(flow.graph);
  const std::vector<std::uint32_t> post_dominators = immediate_post_dominators(flow.graph, flow.exits);
  const LoopForest forest = find_loops(flow.graph);
  // Only natural loops are reported; loops nested in an irreducible region are attached to the loop enclosing it.
  std::vector<std::uint32_t> shown(forest.loops.size(), 0);  // index + 1 of the innermost natural loop at or around it
  for (std::uint32_t i = 0; i < forest.loops.size(); ++i) {
    const FlowLoop& loop = forest.loops[i];
    const std::uint32_t parent = loop.parent == FlowGraph::kNone ? 0 : shown[loop.parent];
    shown[i] = parent;
    if (!loop.reducible) {
      kernel.irreducible = true;
      continue;
    }
    kernel.loops.push_back({loop.header, parent, parent == 0 ? 1 : kernel.loops[parent - 1].depth + 1, {}});
    shown[i] = static_cast<std::uint32_t>(kernel.loops.size());
  }
  kernel.blocks.resize(flow.blocks.size());
  for (std::uint32_t b = 0; b < flow.blocks.size(); ++b) {
    BasicBlock& block = kernel.blocks[b];
    block.first = flow.blocks[b].first;
    block.last = flow.blocks[b].last;
    block.successors = flow.graph.successors[b];
    block.predecessors = flow.graph.predecessors[b];
    block.immediate_dominator = dominators[b];
    block.immediate_post_dominator = post_dominators[b];
    block.loop = forest.innermost[b] == FlowGraph::kNone ? 0 : shown[forest.innermost[b]];
    for (std::uint32_t loop = block.loop; loop != 0; loop = kernel.loops[loop - 1].parent) {
      kernel.loops[loop - 1].blocks.push_back(b);
    }
  }
}

void fill_control(Kernel& kernel, const ControlFlow& flow) {
  const auto end = static_cast<std::uint32_t>(kernel.ops.size());
  for (std::uint32_t pc = 0; pc < end; ++pc) {
    MicroOp& op = kernel.ops[pc];
    op.pc = pc;
    op.block = flow.block_of[pc];
    if (op.opcode == Opcode::bra || op.opcode == Opcode::brx) {
      const std::uint32_t meet = kernel.blocks[op.block].immediate_post_dominator;
      op.reconvergence_pc = meet == kernel.blocks.size() ? end : kernel.blocks[meet].first;
    }
    kernel.uses_collectives = kernel.uses_collectives || may_meet(op);
  }
}

// Renumbers virtual registers without gaps, in order of occurrence.
std::vector<std::uint32_t> compact_names(const std::vector<MicroOp>& ops, const std::vector<DataType>& registers,
                                         std::uint32_t& plain, std::uint32_t& predicates) {
  std::vector<std::uint32_t> out(registers.size(), FlowGraph::kNone);
  plain = predicates = 0;
  const auto visit = [&](const Operand& r) {
    if (out[r.offset] != FlowGraph::kNone) return;
    out[r.offset] = registers[r.offset] == DataType::pred ? predicates++ : plain++;
  };
  for (const MicroOp& op : ops) {
    for_each_write(op, visit);
    for_each_read(op, visit);
  }
  return out;
}

template <std::size_t N>
void add_use(std::array<RegisterId, N>& list, std::uint8_t& count, std::uint32_t id) {
  const auto value = static_cast<RegisterId>(id);
  if (std::find(list.begin(), list.begin() + count, value) != list.begin() + count) return;
  if (count == N) heddle::fail(ExitCode::internal, "an instruction uses more than {} registers", N);
  list[count++] = value;
}

class RegisterAssigner {
 public:
  RegisterAssigner(Kernel& kernel, const Ir& ir, const Liveness& liveness) : kernel_(kernel), registers_(ir.registers) {
    const std::vector<DataType>& registers = ir.registers;
    std::vector<std::uint8_t> units(registers.size()), masks(registers.size());
    for (std::size_t i = 0; i < registers.size(); ++i) {
      masks[i] = registers[i] == DataType::pred ? 1 : 0;
      units[i] = masks[i] != 0 ? 0 : registers[i] == DataType::b64 ? 2 : 1;
    }
    plain_ = allocate_units(liveness.ranges, units);
    masks_ = allocate_units(liveness.ranges, masks);
  }

  void run() {
    kernel_.registers = plain_.used;
    kernel_.predicates = masks_.used;
    if (plain_.used >= kFirstPredicate || masks_.used >= kNoRegister - kFirstPredicate) {
      heddle::fail(ExitCode::ptx,
                   "{}: kernel '{}' needs {} registers and {} predicates per thread at once, more than can be numbered",
                   kernel_.ptx_name, kernel_.name, plain_.used, masks_.used);
    }
    kernel_.predicate_offset = kernel_.registers * kRegisterUnitBytes;
    kernel_.frame_bytes = (kernel_.predicate_offset + 4 * kernel_.predicates + 63) / 64 * 64;
    std::uint32_t plain = 0, predicates = 0;
    names_ = compact_names(kernel_.ops, registers_, plain, predicates);
    // With many inlined calls a kernel may name more registers than there are numbers; hazards then use allocated ones.
    by_name_ = plain < kFirstPredicate && predicates < kNoRegister - kFirstPredicate;
    kernel_.named_registers = by_name_ ? plain : kernel_.registers;
    kernel_.named_predicates = by_name_ ? predicates : kernel_.predicates;
    for (MicroOp& op : kernel_.ops) {
      for_each_read(op, [&](const Operand& r) { use(op.allocated.reads, op.allocated.read_count, r, false); });
      for_each_write(op, [&](const Operand& r) { use(op.allocated.writes, op.allocated.write_count, r, false); });
      for_each_read(op, [&](const Operand& r) { use(op.named.reads, op.named.read_count, r, by_name_); });
      for_each_write(op, [&](const Operand& r) { use(op.named.writes, op.named.write_count, r, by_name_); });
      for_each_read(op, [&](Operand& r) { r.offset = offset_of(r); });
      for_each_write(op, [&](Operand& r) { r.offset = offset_of(r); });
    }
  }

 private:
  template <std::size_t N>
  void use(std::array<RegisterId, N>& list, std::uint8_t& count, const Operand& r, bool named) const {
    const bool predicate = registers_[r.offset] == DataType::pred;
    if (named) {
      add_use(list, count, names_[r.offset] + (predicate ? kFirstPredicate : 0));
    } else if (predicate) {
      add_use(list, count, kFirstPredicate + masks_.units[r.offset]);
    } else {
      add_use(list, count, plain_.units[r.offset]);
      if (registers_[r.offset] == DataType::b64) add_use(list, count, plain_.units[r.offset] + 1);
    }
  }

  std::uint32_t offset_of(const Operand& r) const {
    return registers_[r.offset] == DataType::pred ? kernel_.predicate_offset + 4 * masks_.units[r.offset]
                                                  : plain_.units[r.offset] * kRegisterUnitBytes;
  }

  Kernel& kernel_;
  const std::vector<DataType>& registers_;
  Allocation plain_, masks_;
  std::vector<std::uint32_t> names_;
  bool by_name_ = true;
};

constexpr std::uint32_t round_up(std::uint32_t bytes, std::uint32_t unit) { return (bytes + unit - 1) / unit * unit; }

/// Spills to meet the register limit; spill slots start at `first_byte` of local memory.
Spilled spill(Kernel& kernel, Ir& ir, std::uint32_t limit, std::uint32_t first_byte) {
  SpillRequest request{limit, first_byte};
  request.load_text = static_cast<std::uint32_t>(kernel.texts.size());
  request.store_text = request.load_text + 1;
  const Spilled spilled = spill_registers(ir, request);
  if (spilled.values == 0) return spilled;
  kernel.texts.emplace_back("ld.local (inserted)");
  kernel.texts.emplace_back("st.local (inserted)");
  kernel.spilled_values = spilled.values;
  kernel.spilled_bytes = spilled.bytes;
  return spilled;
}

/// Whether only a lane function can execute the operation.
bool needs_lane_function(const MicroOp& op) {
  if (op.unit == Unit::memory || op.unit == Unit::control || crosses_lanes(op)) return false;
  // Parameter addresses are known only at launch.
  const bool knows_later = (op.opcode == Opcode::cvta || op.opcode == Opcode::isspacep) && op.space == Space::param;
  return op.opcode != Opcode::special && !knows_later;
}

/// Adds a note on a register limit below the kernel's need.
void note_register_limit(Kernel& kernel, std::uint32_t limit, std::uint32_t need, bool may_spill) {
  if (limit == 0 || need <= limit) return;
  std::string note =
      fmt::format("kernel '{}' needs {} registers per thread, above its limit of {}: ", kernel.name, need, limit);
  if (!may_spill) {
    note += fmt::format("it runs with {}", kernel.registers);
  } else if (kernel.spilled_values == 0) {
    note += "spilling would not reduce that";
  } else {
    note += fmt::format("{} of its values are spilled to local memory, {} bytes per thread", kernel.spilled_values,
                        kernel.spilled_bytes);
    if (kernel.registers > limit) note += fmt::format("; it needs {} after spilling", kernel.registers);
  }
  kernel.notes.push_back(std::move(note));
}

}  // namespace

std::shared_ptr<const Kernel> lower_kernel(const SymbolTable& symbols, std::uint32_t function,
                                           const SymbolResolver& resolver, const LowerOptions& options) {
  auto kernel = std::make_shared<Kernel>();
  const CallGraph graph(symbols, function);
  Ir ir = Expander(symbols, graph, resolver, *kernel).expand(function);
  resolve_labels(ir);
  fold_copies(ir);
  fold_predicates(ir);
  // Local memory holds variables, then spill slots, then the stack.
  const bool has_stack = !ir.subroutines.empty();
  if (has_stack) lower_recursion(ir);
  kernel->texts.emplace_back("bra (inserted)");
  lay_out(ir, static_cast<std::uint32_t>(kernel->texts.size() - 1), options.code_order);
  std::uint32_t limit = kernel->max_registers, need = 0;
  if (options.spill_limit) {
    limit = options.spill_limit(*kernel);
    const std::uint32_t first_byte = round_up(kernel->local_bytes, kSpillAlignment);
    need = limit == 0 ? 0 : spill(*kernel, ir, limit, first_byte).need;
    if (kernel->spilled_bytes != 0) kernel->local_bytes = first_byte + kernel->spilled_bytes;
  }
  if (has_stack) {
    const std::uint32_t start = round_up(kernel->local_bytes, kStackAlignment);
    set_stack_start(ir, start);
    kernel->local_bytes = start + options.stack_bytes;
  }
  for (const auto& pass : options.passes) {
    kernel->texts.emplace_back(pass->text());
    pass->run(ir, static_cast<std::uint32_t>(kernel->texts.size() - 1));
  }
  kernel->ops = std::move(ir.ops);
  kernel->target_lists = std::move(ir.target_lists);
  const ControlFlow flow(kernel->ops, kernel->target_lists);
  fill_blocks(*kernel, flow);
  fill_control(*kernel, flow);
  kernel->sync_points = find_sync_points(*kernel);
  const Liveness liveness = find_liveness(kernel->ops, flow, ir.registers.size(), ir.first_temporary);
  mark_uniform_ops(*kernel, liveness);
  RegisterAssigner(*kernel, ir, liveness).run();
  note_register_limit(*kernel, limit, std::max(need, kernel->registers), static_cast<bool>(options.spill_limit));
  kernel->constants = ir.constants.bytes();
  for (MicroOp& op : kernel->ops) {
    op.lane_function = lane_function(op);
    if (op.lane_function == nullptr && needs_lane_function(op)) {
      heddle::fail(ExitCode::ptx, "{}:{}: '{}' is not a legal combination of types and modifiers", kernel->ptx_name,
                   op.ptx_line, kernel->text(op));
    }
  }
  return kernel;
}

}  // namespace heddle::isa
