// SPDX-License-Identifier: Apache-2.0
#include "isa/analysis/uniformity.h"

#include <algorithm>

#include "isa/analysis/register_visits.h"
#include "isa/branches.h"
#include "isa/collective.h"

namespace heddle::isa {
namespace {

constexpr std::uint32_t kNoBlock = ~std::uint32_t{0};

// A value is one write of a register, or the one that a block chooses among those of its predecessors. Numbers: 0 is
// undefined, then the writes by op and destination, then the choices.
constexpr std::uint32_t kUndefined = 0;
constexpr std::uint32_t written_value(std::uint32_t op, unsigned destination) {
  return 1 + op * MicroOp::kMaxDestinations + destination;
}

/// The value of each register at the start and the end of each block: static single assignment without rewriting the
/// ops. Source: R. Cytron et al., "Efficiently Computing Static Single Assignment Form and the Control Dependence
/// Graph", ACM TOPLAS 13(4), 1991.
class Values {
 public:
  Values(const Kernel& kernel, const Liveness& liveness) : kernel_(kernel), live_in_(liveness.live_in) {
    find_last_writes(liveness.ranges.size());
    place_choices(liveness.ranges.size());
    name();
  }

  std::uint32_t count() const { return count_; }
  const std::vector<std::uint32_t>& registers_at(std::uint32_t block) const { return live_in_[block]; }
  /// By index in registers_at().
  const std::vector<std::uint32_t>& values_at(std::uint32_t block) const { return in_[block]; }
  bool chosen_at(std::uint32_t block, std::size_t index) const { return chosen_[block][index]; }

  std::uint32_t at_end(std::uint32_t block, std::uint32_t reg) const {
    const auto& writes = last_writes_[block];
    const auto write = std::lower_bound(writes.begin(), writes.end(), std::pair(reg, std::uint32_t{0}));
    if (write != writes.end() && write->first == reg) return write->second;
    const auto& live = live_in_[block];
    const auto place = std::lower_bound(live.begin(), live.end(), reg);
    return place != live.end() && *place == reg ? in_[block][static_cast<std::size_t>(place - live.begin())]
                                                : kUndefined;
  }

 private:
  void find_last_writes(std::size_t registers) {
    last_writes_.resize(kernel_.blocks.size());
    std::vector<std::uint32_t> seen(registers, kNoBlock);  // by register: the last block that writes it
    for (std::uint32_t b = 0; b < kernel_.blocks.size(); ++b) {
      auto& writes = last_writes_[b];
      for (std::uint32_t i = kernel_.blocks[b].last + 1; i-- > kernel_.blocks[b].first;) {
        const MicroOp& op = kernel_.ops[i];
        for (unsigned d = 0; d < op.destination_count; ++d) {
          const Operand& to = op.destinations[d];
          if (to.base != Operand::Base::frame || seen[to.offset] == b) continue;
          seen[to.offset] = b;
          writes.emplace_back(to.offset, written_value(i, d));
        }
      }
      std::sort(writes.begin(), writes.end());
    }
  }

  /// Blocks where a value of the block meets another one, by block.
  std::vector<std::vector<std::uint32_t>> dominance_frontiers() const {
    std::vector<std::vector<std::uint32_t>> frontiers(kernel_.blocks.size());
    for (std::uint32_t b = 0; b < kernel_.blocks.size(); ++b) {
      const BasicBlock& block = kernel_.blocks[b];
      // The entry is also entered from outside.
      if (block.predecessors.size() < 2 && b != 0) continue;
      for (std::uint32_t at : block.predecessors) {
        while (at != block.immediate_dominator || b == 0) {
          if (frontiers[at].empty() || frontiers[at].back() != b) frontiers[at].push_back(b);
          if (at == kernel_.blocks[at].immediate_dominator) break;
          at = kernel_.blocks[at].immediate_dominator;
        }
      }
    }
    return frontiers;
  }

  void place_choices(std::size_t registers) {
    const auto frontiers = dominance_frontiers();
    std::vector<std::vector<std::uint32_t>> writers(registers);  // of registers that live into some block
    chosen_.resize(kernel_.blocks.size());
    for (std::uint32_t b = 0; b < kernel_.blocks.size(); ++b) {
      chosen_[b].assign(live_in_[b].size(), false);
      for (const auto& [reg, value] : last_writes_[b]) writers[reg].push_back(b);
    }
    // Outside of the kernel all registers are undefined, which counts as a write before the entry: it meets others
    // where the entry does.
    std::vector<std::uint32_t> work;
    for (std::uint32_t reg = 0; reg < registers; ++reg) {
      if (writers[reg].empty()) continue;
      work = writers[reg];
      work.push_back(0);
      while (!work.empty()) {
        const std::uint32_t from = work.back();
        work.pop_back();
        for (const std::uint32_t b : frontiers[from]) {
          const auto place = std::lower_bound(live_in_[b].begin(), live_in_[b].end(), reg);
          if (place == live_in_[b].end() || *place != reg) continue;
          const auto index = static_cast<std::size_t>(place - live_in_[b].begin());
          if (chosen_[b][index]) continue;
          chosen_[b][index] = true;
          work.push_back(b);
        }
      }
    }
  }

  void name() {
    count_ = written_value(static_cast<std::uint32_t>(kernel_.ops.size()), 0);
    in_.resize(kernel_.blocks.size());
    std::vector<bool> named(kernel_.blocks.size(), false);
    std::vector<std::uint32_t> work;
    for (std::uint32_t b = 0; b < kernel_.blocks.size(); ++b) {
      // The immediate dominator first.
      for (std::uint32_t at = b; !named[at]; at = kernel_.blocks[at].immediate_dominator) {
        named[at] = true;
        work.push_back(at);
      }
      for (; !work.empty(); work.pop_back()) name(work.back());
    }
  }
  void name(std::uint32_t block) {
    const auto& live = live_in_[block];
    in_[block].resize(live.size());
    for (std::size_t i = 0; i < live.size(); ++i) {
      if (chosen_[block][i]) {
        in_[block][i] = count_++;
      } else {
        in_[block][i] = block == 0 ? kUndefined : at_end(kernel_.blocks[block].immediate_dominator, live[i]);
      }
    }
  }

  const Kernel& kernel_;
  const std::vector<std::vector<std::uint32_t>>& live_in_;
  std::vector<std::vector<std::pair<std::uint32_t, std::uint32_t>>> last_writes_;  // by block: register, value
  std::vector<std::vector<bool>> chosen_;
  std::vector<std::vector<std::uint32_t>> in_;
  std::uint32_t count_ = 0;
};

bool same_for_block(SpecialRegister name) {
  switch (name) {
    case SpecialRegister::ntid_x:
    case SpecialRegister::ntid_y:
    case SpecialRegister::ntid_z:
    case SpecialRegister::ctaid_x:
    case SpecialRegister::ctaid_y:
    case SpecialRegister::ctaid_z:
    case SpecialRegister::nctaid_x:
    case SpecialRegister::nctaid_y:
    case SpecialRegister::nctaid_z:
    case SpecialRegister::nwarpid:
    case SpecialRegister::smid:
    case SpecialRegister::nsmid:
    case SpecialRegister::gridid:
    case SpecialRegister::dynamic_smem_size:
    case SpecialRegister::total_smem_size:
    case SpecialRegister::zero:
      return true;
    default:
      return false;
  }
}

/// Whether the results depend on nothing but the sources and what is the same for all threads of a block.
bool depends_on_sources_only(const MicroOp& op) {
  if (op.opcode == Opcode::ld) return op.space == Space::param || op.space == Space::constant;
  if (op.opcode == Opcode::special) return same_for_block(op.special);
  // The same generic address in local memory is another place for each thread.
  if (op.opcode == Opcode::cvta && op.space == Space::local) return false;
  return op.unit != Unit::memory && op.unit != Unit::control && !crosses_lanes(op);
}

/// Sources that determine where a memory operation accesses; 0: not known before it executes, or a place per thread.
unsigned address_sources(const MicroOp& op) {
  if (op.space == Space::local) return 0;
  switch (op.opcode) {
    case Opcode::ld:
    case Opcode::st:
    case Opcode::atom:
    case Opcode::red:
    case Opcode::prefetch:
    case Opcode::mbarrier:
      return 1;
    case Opcode::async_copy:
      return 2;
    default:
      return 0;
  }
}

/// Waits for all threads of the block that have not exited.
bool is_full_barrier(const MicroOp& op) {
  if (op.opcode != Opcode::bar || op.guard.present() || op.bar_mode == BarMode::arrive) return false;
  return op.source_count < 2 || !op.sources[1].present();
}

/// Where the threads that execute a block together may have come by different ways.
class Ways {
 public:
  explicit Ways(const Kernel& kernel) : kernel_(kernel) {
    for (std::vector<bool>* list : {&mixed_, &divided_, &splits_, &loose_, &barrier_, &full_barrier_}) {
      list->assign(kernel.blocks.size(), false);
    }
    walked_.assign(kernel.blocks.size(), 0);
    for (const MicroOp& op : kernel.ops) {
      if (op.opcode == Opcode::bar) barrier_[op.block] = true;
      if (!is_full_barrier(op)) continue;
      full_barrier_[op.block] = some_full_barrier_ = true;
    }
  }

  /// Whether threads that execute the block together may have entered it from different blocks, or not equally often.
  bool mixed(std::uint32_t block) const { return mixed_[block]; }
  bool splits(std::uint32_t block) const { return splits_[block]; }

  /// Marks what lies between a divergent branch and its reconvergence point, and where its ways join.
  void divide(std::uint32_t branch) {
    splits_[branch] = true;
    const BasicBlock& block = kernel_.blocks[branch];
    const std::uint32_t meet = block.immediate_post_dominator, earlier_walks = walk_;
    std::vector<std::uint32_t> work;
    for (const std::uint32_t successor : block.successors) {
      ++walk_;
      work.push_back(successor);
      while (!work.empty()) {
        const std::uint32_t at = work.back();
        work.pop_back();
        if (walked_[at] == walk_) continue;
        if (walked_[at] > earlier_walks && kernel_.blocks[at].predecessors.size() > 1) mixed_[at] = true;
        walked_[at] = walk_;
        if (at == meet) continue;
        divided_[at] = true;
        barriers_hold_ = barriers_hold_ && !barrier_[at];
        work.insert(work.end(), kernel_.blocks[at].successors.begin(), kernel_.blocks[at].successors.end());
      }
    }
    // Threads leave these loops in different iterations.
    for (std::uint32_t loop = block.loop; loop != 0; loop = kernel_.loops[loop - 1].parent) {
      const Loop& around = kernel_.loops[loop - 1];
      if (std::binary_search(around.blocks.begin(), around.blocks.end(), meet)) break;
      mixed_[around.header] = true;
    }
  }

  /// Lets threads of an access go ahead where it may take several transactions; false if nothing is new.
  bool loosen() {
    std::vector<bool> before(kernel_.blocks.size(), false);
    loose_.swap(before);
    for (const MicroOp& op : kernel_.ops) {
      if (is_full_barrier(op) && holds(op.block)) loose_[op.block] = false;
      if (op.unit != Unit::memory) continue;
      const bool plain = op.opcode == Opcode::ld || op.opcode == Opcode::st;
      if (!plain || op.uniformity != Uniformity::always) loose_[op.block] = true;
    }
    return loose_ != before;
  }

  /// Behind the reconvergence point of a divergent branch some threads may be ahead of others: by whole iterations of a
  /// loop, unless each has a barrier.
  void let_run_ahead() {
    std::vector<bool> apart(kernel_.blocks.size(), false);
    for (std::uint32_t b = 0; b < kernel_.blocks.size(); ++b) {
      const BasicBlock& block = kernel_.blocks[b];
      if (splits_[b] && block.immediate_post_dominator < kernel_.blocks.size()) {
        go_on(block.immediate_post_dominator, apart);
      }
      if (!loose_[b]) continue;
      for (const std::uint32_t successor : block.successors) go_on(successor, apart);
    }
    for (const Loop& loop : kernel_.loops) {
      if (apart[loop.header] && !mixed_[loop.header] && may_return(loop.header)) mixed_[loop.header] = true;
    }
    const auto some = [](const std::vector<bool>& list) {
      return std::find(list.begin(), list.end(), true) != list.end();
    };
    if (!some(splits_) && !some(loose_)) return;
    if (!kernel_.irreducible && all_reach_exit()) return;
    // Loops without a header, or reconvergence points that some ways avoid.
    for (std::uint32_t b = 0; b < kernel_.blocks.size(); ++b) {
      if (kernel_.blocks[b].predecessors.size() > 1) mixed_[b] = true;
    }
  }

 private:
  /// Whether all threads wait for each other in the block.
  bool holds(std::uint32_t block) const { return full_barrier_[block] && barriers_hold_; }

  /// Marks the blocks that threads may enter from there on without waiting for others.
  void go_on(std::uint32_t block, std::vector<bool>& reached) const {
    std::vector<std::uint32_t> work = {block};
    while (!work.empty()) {
      const std::uint32_t b = work.back();
      work.pop_back();
      if (reached[b]) continue;
      reached[b] = true;
      if (holds(b)) continue;
      work.insert(work.end(), kernel_.blocks[b].successors.begin(), kernel_.blocks[b].successors.end());
    }
  }
  bool may_return(std::uint32_t block) const {
    if (holds(block)) return false;
    if (!barriers_hold_ || !some_full_barrier_) return true;
    std::vector<bool> reached(kernel_.blocks.size(), false);
    for (const std::uint32_t successor : kernel_.blocks[block].successors) go_on(successor, reached);
    return reached[block];
  }

  /// Where some block does not, immediate_post_dominators() ignores edges.
  bool all_reach_exit() const {
    std::vector<bool> reaches(kernel_.blocks.size(), false);
    std::vector<std::uint32_t> work;
    for (std::uint32_t b = 0; b < kernel_.blocks.size(); ++b) {
      if (kernel_.blocks[b].successors.empty()) work.push_back(b);
    }
    std::size_t count = 0;
    while (!work.empty()) {
      const std::uint32_t b = work.back();
      work.pop_back();
      if (reaches[b]) continue;
      reaches[b] = true;
      ++count;
      work.insert(work.end(), kernel_.blocks[b].predecessors.begin(), kernel_.blocks[b].predecessors.end());
    }
    return count == kernel_.blocks.size();
  }

  const Kernel& kernel_;
  // By block:
  std::vector<bool> mixed_;
  std::vector<bool> divided_;          // between a divergent branch and its reconvergence point
  std::vector<bool> splits_;           // ends in a divergent branch
  std::vector<bool> loose_;            // ends with threads of an access on their own
  std::vector<bool> barrier_;          // contains a barrier
  std::vector<bool> full_barrier_;     // contains a barrier for all threads
  std::vector<std::uint32_t> walked_;  // the last walk of divide() that came by
  std::uint32_t walk_ = 0;
  /// No barrier is under divergent control: there, threads could wait for others that are at another one.
  bool barriers_hold_ = true;
  bool some_full_barrier_ = false;
};

class Analysis {
 public:
  Analysis(Kernel& kernel, const Values& values, std::size_t registers)
      : kernel_(kernel),
        values_(values),
        ways_(kernel),
        uniform_(values.count(), true),
        current_(registers, kUndefined) {
    uniform_[kUndefined] = false;
  }

  void run() {
    solve();
    sweep([](MicroOp& op, bool uniform) { op.uniformity = uniform ? Uniformity::always : Uniformity::none; });
    while (ways_.loosen()) {
      ways_.let_run_ahead();
      solve();
      sweep([](MicroOp& op, bool uniform) {
        if (op.uniformity == Uniformity::always && !uniform) op.uniformity = Uniformity::whole_accesses;
      });
    }
  }

 private:
  // Values only turn non-uniform and branches only divergent, so this ends.
  void solve() {
    while (sweep([](MicroOp&, bool) {})) ways_.let_run_ahead();
  }

  bool is_uniform(const Operand& operand) const {
    return operand.base != Operand::Base::frame || uniform_[current_[operand.offset]];
  }
  bool are_uniform(const MicroOp& op, unsigned sources) const {
    return std::all_of(op.sources.begin(), op.sources.begin() + sources,
                       [&](const Operand& source) { return is_uniform(source); });
  }

  bool acts_uniformly(const MicroOp& op, bool uniform_guard) const {
    if (is_branch(op)) return uniform_guard && are_uniform(op, op.source_count);
    const unsigned sources = address_sources(op);
    return op.unit == Unit::memory && sources != 0 && are_uniform(op, std::min<unsigned>(sources, op.source_count));
  }

  /// Passes over all ops once; false if that changed nothing. Calls visit(op, whether it acts uniformly).
  template <typename Visit>
  bool sweep(Visit&& visit) {
    bool changed = false;
    const auto lower = [&](std::uint32_t value, bool uniform) {
      changed |= uniform_[value] && !uniform;
      uniform_[value] = uniform_[value] && uniform;
    };
    for (std::uint32_t b = 0; b < kernel_.blocks.size(); ++b) {
      const auto& registers = values_.registers_at(b);
      // Registers that do not live into the block may still be read, undefined, where no write reaches.
      for (std::uint32_t i = kernel_.blocks[b].first; i <= kernel_.blocks[b].last; ++i) {
        for_each_read(kernel_.ops[i], [&](const Operand& r) { current_[r.offset] = kUndefined; });
        for_each_write(kernel_.ops[i], [&](const Operand& r) { current_[r.offset] = kUndefined; });
      }
      for (std::size_t i = 0; i < registers.size(); ++i) {
        const std::uint32_t value = values_.values_at(b)[i];
        current_[registers[i]] = value;
        if (values_.chosen_at(b, i)) lower(value, is_choice_uniform(b, registers[i]));
      }
      for (std::uint32_t i = kernel_.blocks[b].first; i <= kernel_.blocks[b].last; ++i) {
        MicroOp& op = kernel_.ops[i];
        const bool guard = is_uniform(op.guard), alike = acts_uniformly(op, guard);
        visit(op, alike);
        if (is_branch(op) && !alike && !ways_.splits(b) && kernel_.blocks[b].successors.size() > 1) {
          ways_.divide(b);
          changed = true;
        }
        if (op.destination_count == 0) continue;
        const bool result = guard && depends_on_sources_only(op) && are_uniform(op, op.source_count);
        for (unsigned d = 0; d < op.destination_count; ++d) {
          const Operand& to = op.destinations[d];
          if (to.base != Operand::Base::frame) continue;
          // A guarded write may leave the old value.
          lower(written_value(i, d), result && (!op.guard.present() || is_uniform(to)));
        }
        for (unsigned d = 0; d < op.destination_count; ++d) {
          if (op.destinations[d].base == Operand::Base::frame)
            current_[op.destinations[d].offset] = written_value(i, d);
        }
      }
    }
    return changed;
  }

  bool is_choice_uniform(std::uint32_t block, std::uint32_t reg) const {
    if (ways_.mixed(block) || block == 0) return false;
    return std::all_of(kernel_.blocks[block].predecessors.begin(), kernel_.blocks[block].predecessors.end(),
                       [&](std::uint32_t from) { return uniform_[values_.at_end(from, reg)]; });
  }

  Kernel& kernel_;
  const Values& values_;
  Ways ways_;
  std::vector<bool> uniform_;           // by value
  std::vector<std::uint32_t> current_;  // by register: its value at the op in hand
};

}  // namespace

void mark_uniform_ops(Kernel& kernel, const Liveness& liveness) {
  const Values values(kernel, liveness);
  Analysis(kernel, values, liveness.ranges.size()).run();
}

}  // namespace heddle::isa
