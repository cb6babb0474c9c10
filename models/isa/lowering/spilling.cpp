// SPDX-License-Identifier: Apache-2.0
#include "isa/lowering/spilling.h"

#include <algorithm>
#include <array>

#include "isa/analysis/control_flow.h"
#include "isa/analysis/liveness.h"
#include "isa/analysis/loops.h"
#include "isa/analysis/register_allocation.h"
#include "isa/classify.h"

namespace heddle::isa {
namespace {

constexpr unsigned kSizes = 2;  // registers of one and of two units; they never share storage

unsigned units_of(DataType storage) { return storage == DataType::pred ? 0 : storage == DataType::b64 ? 2 : 1; }

/// Register pressure of one size at each position, and the hot positions where it is high.
class Pressure {
 public:
  explicit Pressure(std::size_t positions) : live_(positions + 1, 0), hot_(positions + 2, 0) {}

  void add(const LiveRange& range, int count) {
    for (std::uint32_t at = range.first; at < range.second; ++at) live_[at] += count;
  }
  /// Marks positions with more than `most` - `depth` live registers as hot. `most` is the result of maximum().
  void find_hot(int most, int depth) {
    for (std::size_t at = 0; at < live_.size(); ++at) hot_[at + 1] = hot_[at] + (live_[at] > most - depth ? 1 : 0);
  }
  int maximum() const { return *std::max_element(live_.begin(), live_.end()); }
  /// Number of hot positions in [from, to).
  std::uint32_t hot(std::uint32_t from, std::uint32_t to) const { return hot_[to] - hot_[from]; }

 private:
  std::vector<int> live_;
  std::vector<std::uint32_t> hot_;  // before each position
};

class Spiller {
 public:
  Spiller(Ir& ir, const SpillRequest& request) : ir_(ir), request_(request) {}

  Spilled run() {
    originals_ = static_cast<std::uint32_t>(ir_.registers.size());
    ir_.first_temporary = originals_;
    in_memory_.assign(originals_, false);
    while (round()) {
    }
    return assign_places();
  }

 private:
  // Spills one set of values. False when the limit is met or no remaining candidate would help.
  bool round() {
    const ControlFlow flow(ir_.ops, ir_.target_lists);
    const Liveness live = find_liveness(ir_.ops, flow, ir_.registers.size(), ir_.first_temporary);
    if (lives_.empty()) lives_ = live.ranges;
    std::vector<std::uint8_t> units;
    for (const DataType storage : ir_.registers) units.push_back(static_cast<std::uint8_t>(units_of(storage)));
    const std::uint32_t used = allocate_units(live.ranges, units).used;
    if (need_ == 0) need_ = used;
    used_ = used;
    if (used <= request_.limit) return false;
    weigh(flow);
    const std::vector<std::uint32_t> chosen = choose(live, used);
    if (chosen.empty()) return false;
    for (const std::uint32_t reg : chosen) in_memory_[reg] = true;
    rewrite(chosen);
    return true;
  }

  // Spill cost per register: the accesses to insert and the ops that need them.
  void weigh(const ControlFlow& flow) {
    const LoopForest forest = find_loops(flow.graph);
    weights_.assign(originals_, 0);
    touched_.assign(originals_, {});
    for (std::uint32_t i = 0; i < ir_.ops.size(); ++i) {
      const std::uint32_t loop = forest.innermost[flow.block_of[i]];
      double weight = 1;
      for (std::uint32_t depth = loop == FlowGraph::kNone ? 0 : forest.loops[loop].depth; depth > 0; --depth)
        weight *= 10;
      const auto touch = [&](const Operand& operand) {
        if (operand.offset >= originals_) return;
        weights_[operand.offset] += weight;
        auto& ops = touched_[operand.offset];
        if (ops.empty() || ops.back() != i) ops.push_back(i);
      };
      for_each_read(ir_.ops[i], touch);
      for_each_write(ir_.ops[i], touch);
    }
  }

  // Calls visit(from, to) for the parts of a range at ops that access the register, where spilling does not free it.
  template <typename Visit>
  void for_each_touch(std::uint32_t reg, const LiveRange& range, Visit&& visit) const {
    const auto& ops = touched_[reg];
    for (auto op = std::lower_bound(ops.begin(), ops.end(), range.first / 2); op != ops.end(); ++op) {
      if (2 * *op >= range.second) break;
      visit(std::max(range.first, 2 * *op), std::min(range.second, 2 * *op + 2));
    }
  }

  // Number of hot positions relieved by spilling the register.
  std::uint32_t relief(std::uint32_t reg, const std::vector<LiveRange>& ranges, const Pressure& pressure) const {
    std::uint32_t sum = 0;
    for (const LiveRange& range : ranges) {
      sum += pressure.hot(range.first, range.second);
      for_each_touch(reg, range, [&](std::uint32_t from, std::uint32_t to) { sum -= pressure.hot(from, to); });
    }
    return sum;
  }

  void take_away(std::uint32_t reg, const std::vector<LiveRange>& ranges, Pressure& pressure) const {
    for (const LiveRange& range : ranges) {
      pressure.add(range, -1);
      for_each_touch(reg, range, [&](std::uint32_t from, std::uint32_t to) { pressure.add({from, to}, 1); });
    }
  }

  // Chooses the cheapest registers until the rest should fit; an estimate, as the loads and stores do not exist yet.
  std::vector<std::uint32_t> choose(const Liveness& live, std::uint32_t used) {
    std::array<Pressure, kSizes> pressure{Pressure(2 * ir_.ops.size()), Pressure(2 * ir_.ops.size())};
    std::vector<std::uint32_t> candidates;
    for (std::uint32_t reg = 0; reg < ir_.registers.size(); ++reg) {
      const unsigned units = units_of(ir_.registers[reg]);
      if (units == 0 || live.ranges[reg].empty()) continue;
      for (const LiveRange& range : live.ranges[reg]) pressure[units - 1].add(range, 1);
      if (reg < originals_ && !in_memory_[reg]) candidates.push_back(reg);
    }
    const auto need = [&] { return pressure[0].maximum() + 2 * pressure[1].maximum(); };
    // Assume that the loss to holes and alignment stays constant.
    const int lost = std::max(0, static_cast<int>(used) - need());
    const int goal = std::max(0, static_cast<int>(request_.limit) - lost);
    std::vector<std::uint32_t> chosen;
    for (int excess = need() - goal; excess > 0; excess = need() - goal) {
      std::array<Pressure, kSizes> peaks = pressure;
      for (unsigned size = 1; size <= kSizes; ++size) {
        const int most = pressure[size - 1].maximum();
        peaks[size - 1].find_hot(most, 1);
        pressure[size - 1].find_hot(most, static_cast<int>((static_cast<unsigned>(excess) + size - 1) / size));
      }
      auto best = candidates.end();
      double best_weight = 0;
      for (auto it = candidates.begin(); it != candidates.end(); ++it) {
        const unsigned units = units_of(ir_.registers[*it]);
        if (relief(*it, live.ranges[*it], peaks[units - 1]) == 0) continue;
        const double weight = weights_[*it] / (units * relief(*it, live.ranges[*it], pressure[units - 1]));
        if (best != candidates.end() && weight >= best_weight) continue;
        best = it;
        best_weight = weight;
      }
      if (best == candidates.end()) break;
      take_away(*best, live.ranges[*best], pressure[units_of(ir_.registers[*best]) - 1]);
      chosen.push_back(*best);
      candidates.erase(best);
    }
    return chosen;
  }

  // -- loads and stores

  void rewrite(const std::vector<std::uint32_t>& chosen) {
    std::vector<bool> moves(ir_.registers.size(), false);
    for (const std::uint32_t reg : chosen) moves[reg] = true;
    std::vector<MicroOp> ops = std::move(ir_.ops);
    ir_.ops.clear();
    ir_.ops.reserve(2 * ops.size());
    std::vector<std::uint32_t> place(ops.size());
    for (std::uint32_t i = 0; i < ops.size(); ++i) {
      place[i] = static_cast<std::uint32_t>(ir_.ops.size());
      rewrite_op(ops[i], moves);
    }
    ir_.foldable.assign(ir_.ops.size(), false);
    for (MicroOp& op : ir_.ops) {
      if (op.opcode == Opcode::bra) op.target = place[op.target];
    }
    for (auto& list : ir_.target_lists) {
      for (std::uint32_t& target : list) target = place[target];
    }
  }

  struct Move {
    std::uint32_t reg, temporary;
    bool read = false, written = false;
  };

  void rewrite_op(MicroOp op, const std::vector<bool>& moves) {
    std::array<Move, MicroOp::kMaxSources + MicroOp::kMaxDestinations> list;
    unsigned count = 0;
    const auto move_of = [&](const Operand& operand) -> Move* {
      if (operand.offset >= moves.size() || !moves[operand.offset]) return nullptr;
      for (unsigned i = 0; i < count; ++i) {
        if (list[i].reg == operand.offset) return &list[i];
      }
      list[count] = {operand.offset, ir_.add_register(operand.type, ir_.owners[operand.offset])};
      return &list[count++];
    };
    bool overwrites_guard = false;
    for_each_read(op, [&](Operand& operand) {
      Move* move = move_of(operand);
      if (move == nullptr) return;
      move->read = true;
      operand.offset = move->temporary;
    });
    for_each_write(op, [&](Operand& operand) {
      overwrites_guard |= op.guard.present() && operand.offset == op.guard.offset;
      Move* move = move_of(operand);
      if (move == nullptr) return;
      move->written = true;
      operand.offset = move->temporary;
    });
    // If the op overwrites its own guard, the store is unguarded: threads whose guard was false store back the value
    // they loaded.
    const Operand guard = overwrites_guard ? Operand{} : op.guard;
    for (unsigned i = 0; i < count; ++i) {
      if (!list[i].read && !overwrites_guard) continue;
      MicroOp load = access(op, Opcode::ld, list[i], guard);
      load.destinations[0] = ir_.reg(list[i].temporary);
      load.destination_count = 1;
      load.source_count = 1;
      ir_.ops.push_back(load);
    }
    ir_.ops.push_back(op);
    for (unsigned i = 0; i < count; ++i) {
      if (!list[i].written) continue;
      MicroOp store = access(op, Opcode::st, list[i], guard);
      store.sources[1] = ir_.reg(list[i].temporary);
      store.source_count = 2;
      ir_.ops.push_back(store);
    }
  }

  MicroOp access(const MicroOp& like, Opcode opcode, const Move& move, const Operand& guard) {
    MicroOp op = derived(like, opcode);
    op.text = opcode == Opcode::ld ? request_.load_text : request_.store_text;
    op.type = ir_.registers[move.reg];
    op.space = Space::local;
    op.absolute_address = true;
    op.address_offset = move.reg;  // replaced by the slot offset once all are known
    op.guard = guard;
    classify(op);
    return op;
  }

  // Spilled values may share a slot if their live ranges in the original program are disjoint.
  Spilled assign_places() {
    std::vector<std::uint8_t> units(originals_, 0);
    Spilled out;
    out.need = need_;
    out.registers = used_;
    for (std::uint32_t reg = 0; reg < originals_; ++reg) {
      if (!in_memory_[reg]) continue;
      units[reg] = static_cast<std::uint8_t>(units_of(ir_.registers[reg]));
      ++out.values;
    }
    if (out.values == 0) return out;
    const Allocation places = allocate_units(lives_, units);
    out.bytes = 4 * places.used;
    for (MicroOp& op : ir_.ops) {
      if (!is_inserted(op)) continue;
      op.address_offset = request_.first_byte + 4 * places.units[static_cast<std::uint32_t>(op.address_offset)];
    }
    return out;
  }

  bool is_inserted(const MicroOp& op) const {
    return (op.opcode == Opcode::ld && op.text == request_.load_text) ||
           (op.opcode == Opcode::st && op.text == request_.store_text);
  }

  Ir& ir_;
  SpillRequest request_;
  std::uint32_t need_ = 0, used_ = 0;  // registers before and after
  std::uint32_t originals_ = 0;        // registers of the original program; later ones are temporaries of a single op
  std::vector<bool> in_memory_;        // by register
  std::vector<std::vector<LiveRange>> lives_;  // in the original program
  std::vector<double> weights_;
  std::vector<std::vector<std::uint32_t>> touched_;
};

}  // namespace

Spilled spill_registers(Ir& ir, SpillRequest request) {
  Ir moved = ir;
  Spilled out = Spiller(moved, request).run();
  if (out.registers > request.limit) {
    // Limit unreachable: retry with the smallest count achieved, to avoid needless spills.
    request.limit = out.registers;
    moved = ir;
    out = Spiller(moved, request).run();
  }
  ir = std::move(moved);
  return out;
}

}  // namespace heddle::isa
