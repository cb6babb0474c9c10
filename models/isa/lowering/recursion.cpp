// SPDX-License-Identifier: Apache-2.0
#include "isa/lowering/recursion.h"

#include <algorithm>

#include "isa/analysis/control_flow.h"
#include "isa/analysis/liveness.h"
#include "isa/classify.h"

namespace heddle::isa {
namespace {

constexpr std::uint32_t kFrameAlignment = 16;

class RecursionLowering {
 public:
  explicit RecursionLowering(Ir& ir) : ir_(ir) {}

  void run() {
    number_sites();
    find_saved();
    size_frames();
    emit();
  }

 private:
  struct Saved {
    std::uint32_t reg;
    std::uint32_t offset = 0;  // in the frame
  };

  // Numbers each call site within its callee's return list and builds those lists, which begin at target list
  // `first_list_`.
  void number_sites() {
    first_list_ = static_cast<std::uint32_t>(ir_.target_lists.size());
    ir_.target_lists.resize(first_list_ + ir_.subroutines.size());
    numbers_.assign(ir_.call_sites.size(), 0);
    saved_.resize(ir_.call_sites.size());
    for (std::uint32_t i = 0; i < ir_.ops.size(); ++i) {
      if (ir_.ops[i].opcode != Opcode::call) continue;
      const std::uint32_t site = ir_.ops[i].target_list;
      auto& list = ir_.target_lists[first_list_ + ir_.call_sites[site].callee];
      numbers_[site] = static_cast<std::uint32_t>(list.size());
      list.push_back(i + 1);
    }
  }

  bool within_recursion(const Ir::CallSite& site) const {
    return site.owner != 0 && ir_.subroutines[site.owner - 1].instance == ir_.subroutines[site.callee].instance;
  }

  // Finds the registers an activation must save around a recursive call: its own registers that are live at the return.
  void find_saved() {
    // Treat calls as falling through. On the path through the callee, its activation writes the same registers, which
    // would hide that the caller still needs them.
    const ControlFlow flow(ir_.ops, ir_.target_lists);
    const Liveness live = find_liveness(ir_.ops, flow, ir_.registers.size());
    for (std::uint32_t i = 0; i < ir_.ops.size(); ++i) {
      if (ir_.ops[i].opcode != Opcode::call) continue;
      const Ir::CallSite& site = ir_.call_sites[ir_.ops[i].target_list];
      if (!within_recursion(site)) continue;
      const std::uint32_t instance = ir_.subroutines[site.callee].instance;
      for (const std::uint32_t reg : live.live_in[flow.block_of[i + 1]]) {
        const std::uint32_t owner = ir_.owners[reg];
        if (owner != 0 && ir_.subroutines[owner - 1].instance == instance) {
          saved_[ir_.ops[i].target_list].push_back({reg});
        }
      }
    }
  }

  unsigned bytes_of(std::uint32_t reg) const { return ir_.registers[reg] == DataType::b64 ? 8 : 4; }

  // Local variables first, then saved registers, wide ones first.
  void size_frames() {
    frames_.assign(ir_.subroutines.size(), 0);
    for (std::size_t s = 0; s < frames_.size(); ++s) frames_[s] = ir_.subroutines[s].local_bytes;
    for (std::size_t i = 0; i < saved_.size(); ++i) {
      if (saved_[i].empty()) continue;
      const std::uint32_t owner = ir_.call_sites[i].owner - 1;
      std::stable_sort(saved_[i].begin(), saved_[i].end(),
                       [&](const Saved& a, const Saved& b) { return bytes_of(a.reg) > bytes_of(b.reg); });
      std::uint32_t at = (ir_.subroutines[owner].local_bytes + 7) / 8 * 8;
      for (Saved& saved : saved_[i]) {
        saved.offset = at;
        at += bytes_of(saved.reg);
      }
      frames_[owner] = std::max(frames_[owner], at);
    }
    for (std::uint32_t& frame : frames_) frame = (frame + kFrameAlignment - 1) / kFrameAlignment * kFrameAlignment;
  }

  void emit() {
    std::vector<MicroOp> ops = std::move(ir_.ops);
    ir_.ops.clear();
    ir_.foldable.clear();
    std::vector<std::uint32_t> moved(ops.size() + 1), returns(ops.size() + 1);
    MicroOp set_up = made(ops[0], Opcode::mov, DataType::u64);
    set_up.destinations[set_up.destination_count++] = ir_.stack_base();
    ir_.push(set_up);
    for (std::uint32_t i = 0; i < ops.size(); ++i) {
      moved[i] = static_cast<std::uint32_t>(ir_.ops.size());
      MicroOp& op = ops[i];
      if (op.opcode == Opcode::ret) {
        op.opcode = Opcode::brx;
        op.target_list += first_list_;
        ir_.push(op);
      } else if (op.opcode == Opcode::call) {
        returns[i + 1] = call(op);
      } else {
        ir_.push(op);
      }
    }
    for (MicroOp& op : ir_.ops) {
      if (op.opcode == Opcode::bra) op.target = moved[op.target];
    }
    for (std::size_t list = 0; list < ir_.target_lists.size(); ++list) {
      for (std::uint32_t& target : ir_.target_lists[list])
        target = list < first_list_ ? moved[target] : returns[target];
    }
  }

  // Saves registers, pushes a frame, jumps. Returns the op index of the return site, where registers are restored.
  std::uint32_t call(const MicroOp& op) {
    const std::uint32_t site = op.target_list;
    const Ir::CallSite& where = ir_.call_sites[site];
    for (const Saved& saved : saved_[site]) save(op, saved);
    const std::uint32_t frame = where.owner == 0 ? 0 : frames_[where.owner - 1];
    move_stack(op, frame);
    MicroOp number = made(op, Opcode::mov, DataType::u32);
    number.destinations[number.destination_count++] = ir_.reg(ir_.return_site);
    number.sources[number.source_count++] = ir_.constants.add(DataType::b32, numbers_[site]);
    ir_.push(number);
    MicroOp go = made(op, Opcode::bra, DataType::none);
    go.uniform = true;
    go.target = op.target;
    ir_.push(go);
    const auto back = static_cast<std::uint32_t>(ir_.ops.size());
    move_stack(op, 0 - std::uint64_t{frame});
    for (const Saved& saved : saved_[site]) restore(op, saved);
    return back;
  }

  static MicroOp made(const MicroOp& like, Opcode opcode, DataType type) {
    MicroOp op = derived(like, opcode);
    op.type = type;
    classify(op);
    return op;
  }

  void move_stack(const MicroOp& like, std::uint64_t bytes) {
    if (bytes == 0) return;
    MicroOp op = made(like, Opcode::add, DataType::u64);
    op.destinations[op.destination_count++] = ir_.stack_base();
    op.sources[op.source_count++] = ir_.stack_base();
    op.sources[op.source_count++] = ir_.constants.add(DataType::b64, bytes);
    ir_.push(op);
  }

  MicroOp access(const MicroOp& like, Opcode opcode, const Saved& saved) {
    MicroOp op =
        made(like, opcode, ir_.registers[saved.reg] == DataType::pred ? DataType::b32 : ir_.registers[saved.reg]);
    op.space = Space::local;
    op.sources[op.source_count++] = ir_.stack_base();
    op.address_offset = saved.offset;
    return op;
  }

  // Predicates are stored as 0 and 1.
  void save(const MicroOp& like, const Saved& saved) {
    Operand value = ir_.reg(saved.reg);
    if (value.type == DataType::pred) {
      MicroOp select = made(like, Opcode::selp, DataType::b32);
      select.destinations[select.destination_count++] = ir_.reg(ir_.add_register(DataType::b32, 0));
      select.sources[0] = ir_.constants.add(DataType::b32, 1);
      select.sources[1] = ir_.constants.add(DataType::b32, 0);
      select.sources[2] = value;
      select.source_count = 3;
      ir_.push(select);
      value = select.destinations[0];
    }
    MicroOp store = access(like, Opcode::st, saved);
    store.sources[store.source_count++] = value;
    ir_.push(store);
  }

  void restore(const MicroOp& like, const Saved& saved) {
    const Operand to = ir_.reg(saved.reg);
    MicroOp load = access(like, Opcode::ld, saved);
    load.destinations[load.destination_count++] =
        to.type == DataType::pred ? ir_.reg(ir_.add_register(DataType::b32, 0)) : to;
    ir_.push(load);
    if (to.type != DataType::pred) return;
    MicroOp compare = made(like, Opcode::setp, DataType::u32);
    compare.compare = Compare::ne;
    compare.destinations[0] = to;
    compare.destination_count = 2;  // the second one is unused
    compare.sources[0] = load.destinations[0];
    compare.sources[1] = ir_.constants.add(DataType::b32, 0);
    compare.source_count = 2;
    ir_.push(compare);
  }

  Ir& ir_;
  std::uint32_t first_list_ = 0;
  std::vector<std::uint32_t> numbers_;     // by call site
  std::vector<std::vector<Saved>> saved_;  // by call site
  std::vector<std::uint32_t> frames_;      // by subroutine: bytes
};

}  // namespace

void lower_recursion(Ir& ir) {
  if (ir.subroutines.empty()) return;
  RecursionLowering(ir).run();
}

void set_stack_start(Ir& ir, std::uint32_t byte) {
  // Before and after layout, it is the kernel's first op.
  ir.ops[0].sources[0] = ir.constants.add(DataType::b64, byte);
  ir.ops[0].source_count = 1;
}

}  // namespace heddle::isa
