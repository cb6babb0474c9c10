// SPDX-License-Identifier: Apache-2.0
#include "gpu/functional/functional_warp.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "gpu/functional/functional_block.h"
#include "isa/fault.h"
#include "isa/memory_watch.h"
#include "isa/operands.h"
#include "isa/semantics/memory_access.h"

namespace heddle::gpu {
namespace {

/// No other split ahead.
constexpr std::uint32_t kNoLimit = ~std::uint32_t{0};

/// Whether all lanes of `mask` name the same member mask; otherwise the caller handles lanes one by one.
bool uniform_members(const isa::MicroOp& op, const isa::OperandBases& bases, std::uint32_t mask,
                     std::uint32_t& members) {
  const isa::Operand& operand = op.sources[isa::member_mask_source(op)];
  members = static_cast<std::uint32_t>(value_of(operand, bases, static_cast<unsigned>(std::countr_zero(mask))));
  if (operand.base == isa::Operand::Base::constants) return true;
  bool uniform = true;
  isa::for_each_lane(mask, [&](unsigned lane) { uniform = uniform && value_of(operand, bases, lane) == members; });
  return uniform;
}

}  // namespace

void FunctionalWarp::start(const Execution& execution, const isa::WarpState& state, unsigned threads) {
  state_ = state;
  state_.live = threads == 32 ? ~0u : (1u << threads) - 1;
  bases_ = {state_.registers, const_cast<std::byte*>(execution.program->kernel().constants.data())};
  count_ = 0;
  for (unsigned first = 0; first < threads; first += execution.group_threads) {
    const std::uint32_t group = execution.group_threads == 32 ? ~0u : ((1u << execution.group_threads) - 1) << first;
    add_split({0, group & state_.live});
  }
  ready_ = true;
  starved_ = turn_ = 0;
  sleeps_ = false;
  if (execution.observer != nullptr) execution.observer->started(state_);
}

std::uint32_t FunctionalWarp::guarded(const Step& step, std::uint32_t mask) const {
  return step.guarded ? mask & predicate_of(step.op->guard, isa::OperandBases(bases_.data())) : mask;
}

/// Merges ready splits at the same instruction, then selects the one with the lowest program counter, or, once that has
/// starved the others for too long, the others in turn. `limit`: the program counter at which the selected split meets
/// another.
int FunctionalWarp::select(Execution& execution, std::uint32_t& limit) {
  limit = kNoLimit;
  if (count_ == 1) return splits_[0].state == Split::State::ready ? 0 : -1;
  const unsigned group = execution.group_threads;
  for (unsigned i = 0; i < count_; ++i) {
    if (splits_[i].state != Split::State::ready) continue;
    for (unsigned j = i + 1; j < count_;) {
      const bool together = splits_[j].state == Split::State::ready && splits_[j].pc == splits_[i].pc &&
                            (group == 32 || static_cast<unsigned>(std::countr_zero(splits_[i].mask)) / group ==
                                                static_cast<unsigned>(std::countr_zero(splits_[j].mask)) / group);
      if (together) {
        splits_[i].mask |= splits_[j].mask;
        remove_split(j);
      } else {
        ++j;
      }
    }
  }
  int lowest = -1;
  unsigned ready = 0;
  for (unsigned i = 0; i < count_; ++i) {
    if (splits_[i].state != Split::State::ready) continue;
    ++ready;
    if (lowest < 0 || splits_[i].pc < splits_[static_cast<unsigned>(lowest)].pc) lowest = static_cast<int>(i);
  }
  if (ready <= 1) return lowest;
  int chosen = lowest;
  if (execution.stop_at_back_edges || std::exchange(sleeps_, false)) {
    // Round robin over all splits, so that the choice depends only on state covered by the digest.
    chosen = nth_ready(turn_++ % ready);
  } else if (starved_ >= execution.starvation_limit) {
    starved_ = 0;
    execution.starvation_limit = std::max(execution.starvation_limit / 2, kLeastStarvation);
    // One of the others, in turn.
    unsigned other = turn_++ % (ready - 1);
    if (nth_ready(other) == lowest) other = ready - 1;
    chosen = nth_ready(other);
  }
  for (unsigned i = 0; i < count_; ++i) {
    const Split& other = splits_[i];
    if (static_cast<int>(i) != chosen && other.state == Split::State::ready &&
        other.pc > splits_[static_cast<unsigned>(chosen)].pc) {
      limit = std::min(limit, other.pc);
    }
  }
  contended_ = true;
  return chosen;
}

int FunctionalWarp::nth_ready(unsigned n) const {
  for (unsigned i = 0; i < count_; ++i) {
    if (splits_[i].state == Split::State::ready && n-- == 0) return static_cast<int>(i);
  }
  return -1;
}

FunctionalWarp::Stop FunctionalWarp::run(Execution& execution, FunctionalBlock& block, std::uint32_t slice) {
  const std::uint64_t end = execution.warp_instructions + slice;
  stop_ = false;
  do {
    std::uint32_t limit;
    contended_ = false;
    const int chosen = select(execution, limit);
    if (chosen < 0) {
      ready_ = false;
      return count_ == 0 ? Stop::finished : Stop::blocked;
    }
    const std::uint64_t before = execution.warp_instructions;
    // A split that runs while others are ready stops early, so that spinning on another split's store ends soon.
    const std::uint64_t room = contended_ ? std::min<std::uint64_t>(slice, execution.starvation_limit) : slice;
    const std::uint64_t until = std::min(end, before + room);
    if (execution.loop == nullptr) {
      run_split<false>(execution, block, static_cast<unsigned>(chosen), limit, until);
    } else {
      run_split<true>(execution, block, static_cast<unsigned>(chosen), limit, until);
    }
    starved_ = contended_ ? starved_ + static_cast<std::uint32_t>(execution.warp_instructions - before) : 0;
  } while (!stop_ && execution.warp_instructions < end);
  return Stop::slice;
}

template <bool kWatched>
void FunctionalWarp::run_split(Execution& execution, FunctionalBlock& block, unsigned index, std::uint32_t limit,
                               std::uint64_t end) {
  const Step* const steps = execution.program->steps();
  std::uint32_t pc = splits_[index].pc;
  const std::uint32_t mask = splits_[index].mask;
  const auto threads = static_cast<unsigned>(std::popcount(mask));
  std::uint64_t issued = 0;
  const std::uint64_t room = end > execution.warp_instructions ? end - execution.warp_instructions : 0;
  const auto leave = [&] {
    execution.warp_instructions += issued;
    execution.thread_instructions += issued * threads;
    issued = 0;
  };
  // Only taken branches can make a split run long, so the slice is checked there.
  while (pc < limit) {
    const Step& step = steps[pc];
    const isa::MicroOp& op = *step.op;
    ++issued;
    if constexpr (kWatched) execution.loop->executed(pc);
    const std::uint32_t active = guarded(step, mask);
    switch (step.kind) {
      case StepKind::lanes:
        step.function(op, bases_.data(), active);
        ++pc;
        continue;
      case StepKind::special:
        execute_special(execution, op, active, execution.warp_instructions + issued);
        ++pc;
        continue;
      case StepKind::memory:
        if (active != 0) access_memory(execution, op, active);
        ++pc;
        continue;
      case StepKind::poll:
        ++pc;
        if (active == 0) continue;
        access_memory(execution, op, active);
        stop_ = sleeps_ = true;
        break;
      case StepKind::fence:
        if (execution.observer != nullptr && active != 0) execution.observer->fence(op, state_, active);
        ++pc;
        continue;
      case StepKind::copies:
        if (execution.observer != nullptr && active != 0) execution.observer->copies(op, state_, active);
        ++pc;
        continue;
      case StepKind::nothing:
        ++pc;
        continue;
      case StepKind::uncounted:
        --issued;
        ++pc;
        continue;
      case StepKind::sleep:
        ++pc;
        if (active == 0) continue;
        stop_ = sleeps_ = true;
        break;
      case StepKind::branch: {
        const std::uint32_t taken = isa::resolve_branch(op, state_, mask).taken;
        if (taken == 0) {
          ++pc;
          continue;
        }
        const bool backward = op.target <= pc;
        if constexpr (kWatched) {
          if (backward) execution.loop->branched(op.target, pc);
        }
        if (taken == mask) {
          pc = op.target;
          if (issued < room && !(backward && execution.stop_at_back_edges)) continue;
        } else {
          add_split({op.target, taken});
          splits_[index].mask = mask & ~taken;
          ++pc;
        }
        stop_ = stop_ || (backward && execution.stop_at_back_edges);
        break;
      }
      case StepKind::collective:
        if (active != 0) exchange(execution, op, active);
        ++pc;
        continue;
      case StepKind::rendezvous: {
        if (active == 0) {
          ++pc;
          continue;
        }
        std::uint32_t members;
        if (uniform_members(op, isa::OperandBases(bases_.data()), active, members) &&
            (members & state_.live & ~active) == 0) {
          // Synchronise first, so that a store of the operation is ordered after the threads' earlier accesses.
          if (execution.observer != nullptr) execution.observer->met(state_, active);
          if (op.opcode != isa::Opcode::bar_warp) exchange(execution, op, active);
          ++pc;
          continue;
        }
        splits_[index].pc = pc;
        splits_[detach(index, active)].state = Split::State::rendezvous;
        leave();
        try_rendezvous(execution);
        return;
      }
      case StepKind::system_call:
        if (active != 0) execution.port->system_call(op, state_, active);
        execution.changed = true;
        ++pc;
        if (!execution.port->wants_cut()) continue;
        splits_[index].pc = pc;
        leave();
        execution.port->cut();
        return;
      case StepKind::barrier:
        if (active == 0) {
          ++pc;
          continue;
        }
        splits_[index].pc = pc;
        leave();
        arrive(execution, block, detach(index, active), op);
        return;
      case StepKind::exit:
        if (active == 0) {
          ++pc;
          continue;
        }
        splits_[index].pc = pc;
        leave();
        exit_threads(execution, block, detach(index, active));
        return;
      case StepKind::indirect:
        splits_[index].pc = pc;
        leave();
        branch_indirect(execution, index, op, active);
        return;
      case StepKind::trap:
        if (active == 0) {
          ++pc;
          continue;
        }
        isa::fail_trap(state_, active, pc);
    }
    break;
  }
  splits_[index].pc = pc;
  leave();
}

void FunctionalWarp::note_state(const isa::Kernel& kernel, isa::LoopWatch& loop) const {
  loop.begin_state(kernel);
  StateDigest digest;
  digest.add(state_.live);
  // Splits take turns, so reaching the same state with the same turn means that each has run.
  digest.add(count_ == 0 ? 0 : turn_ % count_);
  for (unsigned i = 0; i < count_; ++i) {
    digest.add(std::uint64_t{splits_[i].pc} << 32 | splits_[i].mask);
    digest.add(static_cast<std::uint64_t>(splits_[i].state) << 8 | splits_[i].barrier);
  }
  loop.add_registers(digest, state_.registers);
  loop.note_state(digest, true);
}

/// Splits off the lanes `mask` of split `index`, which stay at its instruction; the others continue after it. Returns
/// the split of `mask`.
unsigned FunctionalWarp::detach(unsigned index, std::uint32_t mask) {
  if (splits_[index].mask == mask) return index;
  add_split({splits_[index].pc, mask});
  splits_[index].mask &= ~mask;
  ++splits_[index].pc;
  return count_ - 1;
}

void FunctionalWarp::execute_special(Execution& execution, const isa::MicroOp& op, std::uint32_t mask,
                                     std::uint64_t clock) {
  if (isa::reads_time(op)) execution.changed = true;
  execution.environment.clock = clock;
  isa::execute_lanes(op, state_, mask, execution.environment);
}

void FunctionalWarp::access_memory(Execution& execution, const isa::MicroOp& op, std::uint32_t mask) {
  if (op.opcode == isa::Opcode::tex) {
    execution.port->texture(op, state_, mask);
    return;
  }
  isa::Addresses addresses;
  isa::compute_addresses(op, state_, mask, addresses);
  move_bytes(execution, op, addresses);
}

void FunctionalWarp::move_bytes(Execution& execution, const isa::MicroOp& op, const isa::Addresses& addresses) {
  if (execution.observer != nullptr) {
    show_memory(execution, op, addresses);
  } else {
    perform(execution, op, addresses);
  }
}

void FunctionalWarp::perform(Execution& execution, const isa::MicroOp& op, const isa::Addresses& addresses) {
  if (execution.watch_memory && !execution.changed) {
    const isa::MemoryWatch watch({execution.device_begin, execution.device_end}, op, state_, addresses);
    isa::execute_memory(op, state_, addresses, *execution.port);
    execution.changed = watch.changed();
    execution.loop->changed_local(watch.local_change());
    execution.loop->reads(op, addresses);
    return;
  }
  isa::execute_memory(op, state_, addresses, *execution.port);
}

/// Memory operations with an observer.
void FunctionalWarp::show_memory(Execution& execution, const isa::MicroOp& op, const isa::Addresses& addresses) {
  const auto show = [&](const isa::Addresses& shown) {
    // An observer may inspect the bytes.
    isa::CheckedAccess checked;
    isa::check_access(op, state_, shown, *execution.port, checked);
    execution.observer->memory(op, state_, shown);
  };
  if (op.opcode == isa::Opcode::mbarrier && addresses.space == isa::Space::shared) {
    // Each lane may complete a phase, which affects the next lane's operation.
    isa::for_each_lane(addresses.mask, [&](unsigned lane) {
      isa::Addresses one = addresses;
      one.mask = 1u << lane;
      show(one);
      perform(execution, op, one);
    });
    return;
  }
  const bool copies = op.opcode == isa::Opcode::async_copy;
  if (!copies && op.opcode != isa::Opcode::syscall && op.opcode != isa::Opcode::prefetch && addresses.mask != 0)
    show(addresses);
  perform(execution, op, addresses);
  if (copies) execution.observer->copied(op, state_, addresses);
}

void FunctionalWarp::exchange(Execution& execution, const isa::MicroOp& op, std::uint32_t mask) {
  if (isa::sums_predicates(op)) {
    share(execution, op, mask, isa::prefix_shares(op, state_, mask));
  } else {
    isa::execute_collective(op, state_, mask);
  }
}

/// Executes the lanes at one instruction with the predicate sums over all participating threads.
void FunctionalWarp::share(Execution& execution, const isa::MicroOp& op, std::uint32_t mask,
                           const isa::PrefixShares& shares) {
  if (op.opcode == isa::Opcode::tree_traverse) {
    isa::execute_tree_traverse(op, state_, mask, shares);
    return;
  }
  isa::Addresses addresses;
  isa::compute_addresses(op, state_, mask, shares, addresses);
  move_bytes(execution, op, addresses);
}

void FunctionalWarp::arrive(Execution& execution, FunctionalBlock& block, unsigned index, const isa::MicroOp& op) {
  Split& split = splits_[index];
  const std::uint32_t mask = split.mask;
  const auto barrier = static_cast<std::uint32_t>(
      value_of(op.sources[0], isa::OperandBases(bases_.data()), static_cast<unsigned>(std::countr_zero(mask))));
  if (barrier >= FunctionalBlock::kBarriers) {
    isa::fail_barrier_number(state_, mask, split.pc, barrier);
  }
  if (op.bar_mode == isa::BarMode::arrive) {
    ++split.pc;
  } else {
    split.state = Split::State::barrier;
    split.barrier = static_cast<std::uint8_t>(barrier);
  }
  block.arrive(execution, *this, op, mask, barrier);
}

std::uint32_t FunctionalWarp::waiting_at(unsigned barrier) const {
  std::uint32_t mask = 0;
  for (unsigned i = 0; i < count_; ++i) {
    if (splits_[i].state == Split::State::barrier && splits_[i].barrier == barrier) mask |= splits_[i].mask;
  }
  return mask;
}

void FunctionalWarp::release(const FunctionalProgram& program, const BlockBarrier& outcome, unsigned barrier) {
  for (unsigned i = 0; i < count_; ++i) {
    Split& split = splits_[i];
    if (split.state != Split::State::barrier || split.barrier != barrier) continue;
    const isa::MicroOp& op = *program.steps()[split.pc].op;
    std::uint64_t result = 0;
    switch (op.bar_mode) {
      case isa::BarMode::red_popc:
        result = outcome.true_count;
        break;
      case isa::BarMode::red_and:
        result = outcome.all_true;
        break;
      case isa::BarMode::red_or:
        result = outcome.any_true;
        break;
      default:
        break;
    }
    isa::for_each_lane(split.mask, [&](unsigned lane) {
      set_value(op.destinations[0], isa::OperandBases(bases_.data()), lane, result);
    });
    split.state = Split::State::ready;
    ++split.pc;
    ready_ = true;
  }
}

void FunctionalWarp::exit_threads(Execution& execution, FunctionalBlock& block, unsigned index) {
  const std::uint32_t mask = splits_[index].mask;
  remove_split(index);
  state_.live &= ~mask;
  // Rendezvous do not wait for exited threads.
  try_rendezvous(execution);
  block.threads_exited(execution, static_cast<unsigned>(std::popcount(mask)));
}

void FunctionalWarp::branch_indirect(Execution& execution, unsigned index, const isa::MicroOp& op, std::uint32_t mask) {
  std::uint32_t rest = mask;
  if (mask != splits_[index].mask) {
    const std::uint32_t pc = splits_[index].pc;
    index = detach(index, mask);
    splits_[index].pc = pc;
  }
  if (mask == 0) return;
  bool first = true;
  while (rest != 0) {
    const std::uint32_t target = isa::resolve_indirect(op, state_, static_cast<unsigned>(std::countr_zero(rest)));
    std::uint32_t same = 0;
    isa::for_each_lane(
        rest, [&](unsigned lane) { same |= std::uint32_t{isa::resolve_indirect(op, state_, lane) == target} << lane; });
    rest &= ~same;
    if (first) {
      stop_ = stop_ || (execution.stop_at_back_edges && target <= splits_[index].pc);
      if (execution.loop != nullptr && target <= splits_[index].pc) execution.loop->branched(target, splits_[index].pc);
      splits_[index] = {target, same};
    } else {
      add_split({target, same});
    }
    first = false;
  }
}

/// Executes every `.sync` operation whose named threads have all arrived.
void FunctionalWarp::try_rendezvous(Execution& execution) {
  const Step* const steps = execution.program->steps();
  const isa::OperandBases bases(bases_.data());
  std::uint32_t waiting = 0;
  isa::MeetingPlaces places{};
  std::array<std::uint32_t, isa::kWordThreads> members{};
  for (unsigned i = 0; i < count_; ++i) {
    if (splits_[i].state != Split::State::rendezvous) continue;
    waiting |= splits_[i].mask;
    const isa::MicroOp& op = *steps[splits_[i].pc].op;
    const isa::Operand& operand = op.sources[isa::member_mask_source(op)];
    isa::for_each_lane(splits_[i].mask, [&](unsigned lane) {
      places[lane] = &op;
      members[lane] = static_cast<std::uint32_t>(value_of(operand, bases, lane)) | 1u << lane;
    });
  }
  for (std::uint32_t rest = waiting; rest != 0;) {
    const auto leader = static_cast<unsigned>(std::countr_zero(rest));
    std::uint32_t here = 0;
    isa::for_each_lane(rest, [&](unsigned lane) {
      const bool meets = members[lane] == members[leader] && isa::same_collective(*places[lane], *places[leader]);
      here |= std::uint32_t{meets} << lane;
    });
    rest &= ~here;
    if ((members[leader] & state_.live & ~here) == 0) meet(execution, here, places);
  }
}

void FunctionalWarp::meet(Execution& execution, std::uint32_t mask, const isa::MeetingPlaces& places) {
  if (execution.observer != nullptr) execution.observer->met(state_, mask);
  if (isa::sums_predicates(*places[static_cast<unsigned>(std::countr_zero(mask))])) {
    const isa::PrefixShares shares = isa::prefix_shares(places, state_, mask);
    for (std::uint32_t rest = mask; rest != 0;) {
      const isa::MicroOp* op = places[static_cast<unsigned>(std::countr_zero(rest))];
      std::uint32_t here = 0;
      isa::for_each_lane(rest, [&](unsigned lane) { here |= std::uint32_t{places[lane] == op} << lane; });
      share(execution, *op, here, shares);
      rest &= ~here;
    }
  } else {
    isa::execute_collective(places, state_, mask);
  }
  for (unsigned i = 0, before = count_; i < before; ++i) {
    const std::uint32_t met = splits_[i].mask & mask;
    if (met == 0) continue;
    const std::uint32_t rest = splits_[i].mask & ~mask;
    const std::uint32_t at = splits_[i].pc;
    if (rest != 0) add_split({at, rest, Split::State::rendezvous});
    splits_[i] = {at + 1, met};
  }
  ready_ = true;
}

}  // namespace heddle::gpu
