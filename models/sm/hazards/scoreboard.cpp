// SPDX-License-Identifier: Apache-2.0
// Plain scoreboard of a warp's registers with a pending result; an instruction that reads or writes one of them waits.
// Operands are read in order, so write-after-read hazards need no check.
// Source: docs/sources/branch-and-warp-interweaving.md, 2.1; docs/sources/cache-conscious-and-divergence-aware.md, 2.0.
#include <algorithm>
#include <array>
#include <bit>
#include <vector>

#include "sm/hazards/hazard_tracker.h"

namespace heddle::sm {

class Scoreboard final : public HazardTracker {
 public:
  struct Parameters {
    unsigned entries = 0;
    void describe(ParameterVisitor& v) {
      v("entries", entries, "instructions of a warp that may have a result pending; 0: unlimited", unit::kEntries,
        range(0, 64));
    }
  };

  Scoreboard(const Parameters& parameters, const HazardShape& shape)
      : named_(shape.named_registers), limit_(parameters.entries), warps_(shape.warps), used_(shape.warps) {}

  void admit(const isa::Kernel& kernel) override {
    const unsigned registers = named_ ? kernel.named_registers : kernel.registers;
    const unsigned predicates = named_ ? kernel.named_predicates : kernel.predicates;
    if (registers <= first_predicate_ && first_predicate_ + predicates <= bits_) return;
    // The kernel needs more registers than any before it: grow, and keep the pending bits of resident blocks.
    const unsigned old_bits = bits_, old_first = first_predicate_;
    const std::vector<std::uint64_t> old_pending = std::move(pending_), old_memory = std::move(memory_);
    first_predicate_ = std::max(first_predicate_, registers);
    bits_ = first_predicate_ + std::max(predicates, old_bits - old_first);
    pending_.assign(std::size_t{bits_} * ((warps_ + 63) / 64), 0);
    memory_.assign(pending_.size(), 0);
    for (std::size_t from = 0; from < old_pending.size(); ++from) {
      const std::size_t bit = from % old_bits;
      const std::size_t to = from / old_bits * bits_ + (bit < old_first ? bit : bit + (first_predicate_ - old_first));
      pending_[to] = old_pending[from];
      memory_[to] = old_memory[from];
    }
  }

  Wait check(const ContextTable& contexts, ContextId context, const isa::MicroOp& op) override {
    const WordWaits waits = check_run(contexts, context, std::uint64_t{1} << (context % 64), op);
    return waits.memory != 0 ? Wait::memory : waits.hazard != 0 ? Wait::hazard : Wait::none;
  }

  std::uint32_t issued(const ContextTable&, const Packet& packet, bool variable) override {
    // Only another packet of the same instruction, or a replay of it, can write a pending register.
    const isa::RegisterUse& use = registers_of(*packet.op, named_);
    const bool further = !packet.first || packet.kind == PacketKind::replay;
    if (further && use.write_count != 0 && pending(packet.warp, use.writes[0])) {
      further_.push_back({packet.op, packet.warp});
    } else {
      mark(*packet.op, packet.warp, 1, true, variable);
    }
    return 0;
  }

  void released(const Release& release) override {
    // The last packet of an instruction clears its registers.
    if (!further_.empty()) {
      const auto packet = std::find(further_.begin(), further_.end(), Further{release.op, release.warp});
      if (packet != further_.end()) {
        further_.erase(packet);
        return;
      }
    }
    mark(*release.op, release.warp, 1, false, release.variable);
  }

  std::size_t pending(WarpId warp) const override {
    std::size_t bits = used_[warp];
    for (const Further& packet : further_) bits += packet.warp == warp;
    for (std::size_t i = first_word_of(warp), end = i + bits_; i < end; ++i)
      bits += (pending_[i] | memory_[i]) >> (warp % 64) & 1;
    return bits;
  }

  bool mark(const isa::MicroOp& op, WarpId first, std::uint8_t warps, bool set, bool variable) override {
    const isa::RegisterUse& use = registers_of(op, named_);
    if (use.write_count == 0) return true;
    for (unsigned i = 0; i < use.write_count; ++i)
      mark(first_word_of(first) + bit_of(use.writes[i]), std::uint64_t{warps} << (first % 64), set, variable);
    const int more = set ? 1 : -1;
    for_each_of(ContextId(first.number()), warps,
                [&](ContextId warp) { used_[warp] = static_cast<std::uint16_t>(used_[warp] + more); });
    return true;
  }

  WordWaits check_run(const ContextTable& contexts, ContextId first, std::uint64_t run,
                      const isa::MicroOp& op) override {
    const WarpId warp = contexts[first].warp;
    if ((run & (run - 1)) == 0 && used_[warp] == 0) return {};
    const std::size_t base = first_word_of(warp);
    const isa::RegisterUse& use = registers_of(op, named_);
    std::uint64_t waits = 0, memory = 0;
    const auto look = [&](isa::RegisterId id) {
      const std::size_t word = base + bit_of(id);
      waits |= pending_[word];
      memory |= pending_[word] & memory_[word];
    };
    for (unsigned i = 0; i < use.read_count; ++i) look(use.reads[i]);
    for (unsigned i = 0; i < use.write_count; ++i) look(use.writes[i]);
    // From bits of warps to bits of contexts.
    waits = waits >> (warp % 64) << (first % 64) & run;
    memory = memory >> (warp % 64) << (first % 64) & run;
    WordWaits found{.hazard = waits & ~memory, .memory = memory};
    if (limit_ == 0 || use.write_count == 0) return found;
    for_each_in(first / 64, run & ~waits, [&](ContextId c, std::uint64_t bit) {
      if (used_[contexts[c].warp] >= limit_) found.hazard |= bit;
    });
    return found;
  }

  static HazardTraits traits() { return {.offers = {Feature::register_waits}, .shared_by_warp = true}; }
  unsigned entries() const override { return limit_; }

  /// Without a limit on entries, declares one bit per register and predicate of the instruction set.
  void declare_state(ModuleState& state) override {
    constexpr unsigned kRegisters = 256, kPredicates = 64;
    if (limit_ == 0) {
      state.structure("scoreboard", "registers of each warp with a pending result", warps_,
                      {{"pending", kRegisters + kPredicates, 4, 2}});
    } else {
      state.structure("scoreboard", "registers with a pending result", std::size_t{warps_} * limit_,
                      {{"register", index_bits(kRegisters + kPredicates), 4, 2, true}, {"valid", 1, 4, 2}});
    }
    state
        .traced_structure("waiting", "number of instructions of each warp with a pending result", warps_,
                          {{"count", 7, 1, 2}})
        .is_view()
        .read([this](std::size_t warp, std::size_t) { return std::uint64_t{used_[warp]}; });
  }

 private:
  std::size_t bit_of(isa::RegisterId id) const {
    return id >= isa::kFirstPredicate ? std::size_t{first_predicate_} + (id - isa::kFirstPredicate) : id;
  }
  std::size_t first_word_of(WarpId warp) const { return std::size_t{warp} / 64 * bits_; }
  bool pending(WarpId warp, isa::RegisterId id) const {
    return pending_[first_word_of(warp) + bit_of(id)] >> (warp % 64) & 1;
  }
  void mark(std::size_t word, std::uint64_t warps, bool set, bool variable) {
    pending_[word] = set ? pending_[word] | warps : pending_[word] & ~warps;
    if (variable) memory_[word] = set ? memory_[word] | warps : memory_[word] & ~warps;
  }

  /// A packet in flight beyond the first of its instruction.
  struct Further {
    const isa::MicroOp* op;
    WarpId warp;
    bool operator==(const Further&) const = default;
  };

  bool named_;
  unsigned limit_, warps_;
  unsigned bits_ = 0, first_predicate_ = 0;  ///< registers and predicates; registers
  /// By 64 warps, then by register or predicate: warps in which it is pending, one bit each.
  std::vector<std::uint64_t> pending_, memory_;
  std::vector<std::uint16_t> used_;  ///< by warp: instructions with a result pending
  std::vector<Further> further_;
};

HEDDLE_REGISTER(HazardTracker, Scoreboard, "scoreboard",
                "instructions wait for registers of their warp with a pending result",
                "docs/sources/branch-and-warp-interweaving.md 2.1");

}  // namespace heddle::sm
