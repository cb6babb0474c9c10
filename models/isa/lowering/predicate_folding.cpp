// SPDX-License-Identifier: Apache-2.0
#include "isa/lowering/predicate_folding.h"

#include <cstring>

#include "isa/analysis/control_flow.h"
#include "isa/collective.h"
#include "isa/lowering/copy_folding.h"

namespace heddle::isa {
namespace {

class PredicateFolder {
 public:
  explicit PredicateFolder(Ir& ir) : ir_(ir), flow_(ir.ops, ir.target_lists) {}

  void run() {
    count();
    std::vector<bool> keep(ir_.ops.size(), true);
    bool any = false;
    for (std::uint32_t i = 0; i < ir_.ops.size(); ++i) {
      if (!sums_predicates(ir_.ops[i])) continue;
      Operand& predicate = ir_.ops[i].sources[1];
      const std::uint32_t test = only_writer(predicate),
                          choice = test == Ir::kUnbound ? Ir::kUnbound : number_tested_by(test);
      if (choice == Ir::kUnbound || !same_block(choice, i)) continue;
      const Operand whole = ir_.ops[choice].sources[2];
      if (whole.base != Operand::Base::frame || written_between(whole.offset, choice, i)) continue;
      const bool negate = predicate.negate != whole.negate;
      drop_read(predicate, test, keep);
      if (!keep[test]) drop_read(ir_.ops[test].sources[0], choice, keep);
      predicate = whole;
      predicate.negate = negate;
      ++reads_[whole.offset];
      any = true;
    }
    if (any) remove_ops(ir_, keep);
  }

 private:
  void count() {
    reads_.assign(ir_.registers.size(), 0);
    writes_.assign(ir_.registers.size(), 0);
    writer_.assign(ir_.registers.size(), Ir::kUnbound);
    for (std::uint32_t i = 0; i < ir_.ops.size(); ++i) {
      for_each_read(ir_.ops[i], [&](const Operand& operand) { ++reads_[operand.offset]; });
      for_each_write(ir_.ops[i], [&](const Operand& operand) {
        ++writes_[operand.offset];
        writer_[operand.offset] = i;
      });
    }
  }
  std::uint32_t only_writer(const Operand& operand) const {
    return operand.base == Operand::Base::frame && writes_[operand.offset] == 1 ? writer_[operand.offset]
                                                                                : Ir::kUnbound;
  }
  bool same_block(std::uint32_t a, std::uint32_t b) const { return a < b && flow_.block_of[a] == flow_.block_of[b]; }
  bool written_between(std::uint32_t reg, std::uint32_t from, std::uint32_t to) const {
    bool written = false;
    for (std::uint32_t i = from + 1; i < to; ++i) {
      for_each_write(ir_.ops[i], [&](const Operand& operand) { written = written || operand.offset == reg; });
    }
    return written;
  }
  /// Whether the operand is this 32-bit immediate.
  bool is(const Operand& operand, std::uint32_t value) const {
    if (operand.base != Operand::Base::constants || operand.type != DataType::b32) return false;
    std::uint32_t held;
    std::memcpy(&held, ir_.constants.bytes().data() + operand.offset, sizeof held);
    return held == value;
  }
  /// The op `selp r, 1, 0, q` if `test` is `setp.ne p, r, 0` in the same block; else none.
  std::uint32_t number_tested_by(std::uint32_t test) const {
    const MicroOp& op = ir_.ops[test];
    if (op.opcode != Opcode::setp || op.guard.present() || op.compare != Compare::ne || op.source_count != 2 ||
        op.destination_count != 1 || is_float(op.type) || !is(op.sources[1], 0)) {
      return Ir::kUnbound;
    }
    const std::uint32_t choice = only_writer(op.sources[0]);
    if (choice == Ir::kUnbound || !same_block(choice, test)) return Ir::kUnbound;
    const MicroOp& selp = ir_.ops[choice];
    const bool fits =
        selp.opcode == Opcode::selp && !selp.guard.present() && is(selp.sources[0], 1) && is(selp.sources[1], 0);
    return fits ? choice : Ir::kUnbound;
  }
  void drop_read(const Operand& operand, std::uint32_t writer, std::vector<bool>& keep) {
    if (--reads_[operand.offset] == 0) keep[writer] = false;
  }

  Ir& ir_;
  ControlFlow flow_;
  std::vector<std::uint32_t> reads_, writes_, writer_;  // by register
};

}  // namespace

void fold_predicates(Ir& ir) {
  for (const MicroOp& op : ir.ops) {
    if (sums_predicates(op)) return PredicateFolder(ir).run();
  }
}

}  // namespace heddle::isa
