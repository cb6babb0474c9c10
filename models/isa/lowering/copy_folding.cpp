// SPDX-License-Identifier: Apache-2.0
#include "isa/lowering/copy_folding.h"

#include "isa/analysis/control_flow.h"

namespace heddle::isa {
namespace {

class CopyFolder {
 public:
  explicit CopyFolder(Ir& ir) : ir_(ir), flow_(ir.ops, ir.target_lists), tree_(immediate_dominators(flow_.graph)) {}

  void run() {
    count_writes();
    choose();
    if (!any_) return;
    check_reads();
    apply();
  }

 private:
  bool reached(std::uint32_t op) const {
    const std::uint32_t block = flow_.block_of[op];
    return tree_.dominates(block, block);
  }
  bool dominates(std::uint32_t a, std::uint32_t b) const {
    const std::uint32_t block_a = flow_.block_of[a], block_b = flow_.block_of[b];
    return block_a == block_b ? a < b : tree_.dominates(block_a, block_b);
  }

  void count_writes() {
    writes_.assign(ir_.registers.size(), 0);
    writer_.assign(ir_.registers.size(), Ir::kUnbound);
    for (std::uint32_t i = 0; i < ir_.ops.size(); ++i) {
      if (!reached(i)) continue;
      for_each_write(ir_.ops[i], [&](const Operand& operand) {
        ++writes_[operand.offset];
        writer_[operand.offset] = i;
      });
    }
  }

  void choose() {
    move_of_.assign(ir_.registers.size(), Ir::kUnbound);
    for (std::uint32_t i = 0; i < ir_.ops.size(); ++i) {
      if (!ir_.foldable[i] || !reached(i)) continue;
      const MicroOp& op = ir_.ops[i];
      const Operand &to = op.destinations[0], &from = op.sources[0];
      if (op.guard.present() || writes_[to.offset] != 1 || to.type != from.type) continue;
      if (from.base == Operand::Base::frame && (writes_[from.offset] != 1 || !dominates(writer_[from.offset], i))) {
        continue;
      }
      move_of_[to.offset] = i;
      any_ = true;
    }
  }

  void check_reads() {
    for (std::uint32_t i = 0; i < ir_.ops.size(); ++i) {
      if (!reached(i)) continue;
      for_each_read(ir_.ops[i], [&](const Operand& operand) {
        const std::uint32_t move = move_of_[operand.offset];
        if (move != Ir::kUnbound && !dominates(move, i)) move_of_[operand.offset] = Ir::kUnbound;
      });
    }
  }

  // Follows folded copies to the final operand. Terminates because every step leads to an earlier write.
  Operand value_of(std::uint32_t reg) {
    Operand value = ir_.reg(reg);
    while (value.base == Operand::Base::frame && move_of_[value.offset] != Ir::kUnbound) {
      value = ir_.ops[move_of_[value.offset]].sources[0];
    }
    return value;
  }

  void apply() {
    std::vector<bool> keep(ir_.ops.size(), true);
    std::vector<Operand> values(ir_.registers.size());
    for (std::uint32_t reg = 0; reg < values.size(); ++reg) {
      if (move_of_[reg] != Ir::kUnbound) values[reg] = value_of(reg);
    }
    for (std::uint32_t reg = 0; reg < values.size(); ++reg) {
      if (move_of_[reg] != Ir::kUnbound) keep[move_of_[reg]] = false;
    }
    for (std::uint32_t i = 0; i < ir_.ops.size(); ++i) {
      if (!keep[i]) continue;
      for_each_read(ir_.ops[i], [&](Operand& operand) {
        if (move_of_[operand.offset] == Ir::kUnbound) return;
        const bool negate = operand.negate;
        operand = values[operand.offset];
        operand.negate = negate;
      });
    }
    remove_ops(ir_, keep);
  }

  Ir& ir_;
  ControlFlow flow_;
  DominatorTree tree_;
  std::vector<std::uint32_t> writes_, writer_;
  std::vector<std::uint32_t> move_of_;  // by register: the move that may be folded
  bool any_ = false;
};

}  // namespace

void fold_copies(Ir& ir) { CopyFolder(ir).run(); }

void resolve_labels(Ir& ir) {
  for (MicroOp& op : ir.ops) {
    if (op.opcode == Opcode::bra || op.opcode == Opcode::call) op.target = ir.labels[op.target];
  }
  for (auto& list : ir.target_lists) {
    for (std::uint32_t& target : list) target = ir.labels[target];
  }
  ir.labels.clear();
}

void remove_ops(Ir& ir, const std::vector<bool>& keep) {
  std::vector<std::uint32_t> moved(ir.ops.size());
  std::uint32_t next = 0;
  for (std::size_t i = 0; i < ir.ops.size(); ++i) {
    moved[i] = next;
    if (!keep[i]) continue;
    if (next != i) {
      ir.ops[next] = ir.ops[i];
      ir.foldable[next] = ir.foldable[i];
    }
    ++next;
  }
  ir.ops.resize(next);
  ir.foldable.resize(next);
  for (MicroOp& op : ir.ops) {
    if (op.opcode == Opcode::bra || op.opcode == Opcode::call) op.target = moved[op.target];
  }
  for (auto& list : ir.target_lists) {
    for (std::uint32_t& target : list) target = moved[target];
  }
}

}  // namespace heddle::isa
