// SPDX-License-Identifier: Apache-2.0
#include "isa/lowering/lower.h"

#include <algorithm>

#include "isa/analysis/control_flow.h"
#include "isa/analysis/liveness.h"
#include "isa/analysis/loops.h"
#include "isa/analysis/register_allocation.h"
#include "isa/collective.h"
#include "isa/execute.h"
#include "isa/lowering/call_graph.h"
#include "isa/lowering/copy_folding.h"
#include "isa/lowering/expander.h"
#include "isa/lowering/layout.h"
#include "isa/lowering/recursion.h"

namespace heddle::isa {
namespace {

constexpr std::uint32_t kNone = FlowGraph::kNone;

void fill_blocks(Kernel& kernel, const ControlFlow& flow) {
  const std::vector<std::uint32_t> dominators = immediate_dominators(flow.graph);
  const std::vector<std::uint32_t> post_dominators = immediate_post_dominators(flow.graph, flow.exits);
  const LoopForest forest = find_loops(flow.graph);
  // Only natural loops are shown; what is nested in an irreducible region hangs on the loop around that.
  std::vector<std::uint32_t> shown(forest.loops.size(), 0);  // index + 1 of the innermost natural loop at or around it
  for (std::uint32_t i = 0; i < forest.loops.size(); ++i) {
    const FlowLoop& loop = forest.loops[i];
    const std::uint32_t parent = loop.parent == kNone ? 0 : shown[loop.parent];
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
    block.loop = forest.innermost[b] == kNone ? 0 : shown[forest.innermost[b]];
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

// Numbers of virtual registers without gaps, in the order in which they occur.
std::vector<std::uint32_t> compact_names(const std::vector<MicroOp>& ops, const std::vector<DataType>& registers,
                                         std::uint32_t& plain, std::uint32_t& predicates) {
  std::vector<std::uint32_t> out(registers.size(), kNone);
  plain = predicates = 0;
  const auto visit = [&](const Operand& r) {
    if (out[r.offset] != kNone) return;
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
  if (std::find(list.begin(), list.begin() + count, value) == list.begin() + count) list[count++] = value;
}

class RegisterAssigner {
 public:
  RegisterAssigner(Kernel& kernel, const std::vector<DataType>& registers, const ControlFlow& flow)
      : kernel_(kernel), registers_(registers) {
    const Liveness liveness = find_liveness(kernel.ops, flow, registers.size());
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
      heddle::fail(ExitCode::kPtx,
                   "{}: kernel '{}' needs {} registers and {} predicates a thread at once, more than can be numbered",
                   kernel_.ptx_name, kernel_.name, plain_.used, masks_.used);
    }
    kernel_.predicate_offset = kernel_.registers * kRegisterUnitBytes;
    kernel_.frame_bytes = (kernel_.predicate_offset + 4 * kernel_.predicates + 63) / 64 * 64;
    std::uint32_t plain = 0, predicates = 0;
    names_ = compact_names(kernel_.ops, registers_, plain, predicates);
    // A kernel of many inlined calls may name more registers than there are numbers: hazards then see allocated ones.
    by_name_ = plain < kFirstPredicate && predicates < kNoRegister - kFirstPredicate;
    kernel_.named_registers = by_name_ ? plain : kernel_.registers;
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

/// .maxnreg, also as -maxrregcount writes it. No value is spilled.
void note_register_limit(Kernel& kernel) {
  const std::uint32_t limit = kernel.max_registers;
  if (limit == 0 || kernel.registers <= limit) return;
  kernel.notes.push_back(fmt::format("kernel '{}' needs {} registers a thread, above its limit of {}: it runs with {}",
                                     kernel.name, kernel.registers, limit, kernel.registers));
}

}  // namespace

std::shared_ptr<const Kernel> lower_kernel(const SymbolTable& symbols, std::uint32_t function,
                                           const SymbolResolver& resolver, const LowerOptions& options) {
  auto kernel = std::make_shared<Kernel>();
  const CallGraph graph(symbols, function);
  Ir ir = Expander(symbols, graph, resolver, *kernel).expand(function);
  resolve_labels(ir);
  fold_copies(ir);
  if (!ir.subroutines.empty()) {
    const std::uint32_t start = (kernel->local_bytes + 15) / 16 * 16;
    lower_recursion(ir, start);
    kernel->local_bytes = start + options.stack_bytes;
  }
  kernel->texts.emplace_back("bra (inserted)");
  lay_out(ir, static_cast<std::uint32_t>(kernel->texts.size() - 1));
  kernel->ops = std::move(ir.ops);
  kernel->target_lists = std::move(ir.target_lists);
  const ControlFlow flow(kernel->ops, kernel->target_lists);
  fill_blocks(*kernel, flow);
  fill_control(*kernel, flow);
  RegisterAssigner(*kernel, ir.registers, flow).run();
  note_register_limit(*kernel);
  kernel->constants = ir.constants.bytes();
  for (MicroOp& op : kernel->ops) op.lane_function = lane_function(op);
  return kernel;
}

}  // namespace heddle::isa
