// SPDX-License-Identifier: Apache-2.0
// Plain scoreboard of a warp's registers with a pending result; an instruction that reads or writes one of them waits.
// Operands are read in order, so write-after-read hazards need no check.
// Source: docs/sources/branch-and-warp-interweaving.md, 2.1; docs/sources/cache-conscious-and-divergence-aware.md, 2.0.
#include <algorithm>
#include <array>
#include <bit>
#include <span>
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
    const unsigned predicate_words = (predicates + 63) / 64;
    if (registers <= first_predicate_ && first_predicate_ / 64 + predicate_words <= words_) return;
    // The kernel needs more registers than any before it: grow, and keep the pending bits of resident blocks.
    const unsigned old_words = words_, old_first = first_predicate_;
    const std::vector<std::uint64_t> old_pending = std::move(pending_), old_memory = std::move(memory_);
    first_predicate_ = std::max(first_predicate_, (registers + 63) / 64 * 64);
    words_ = std::max(first_predicate_ / 64 + predicate_words, old_words + (first_predicate_ - old_first) / 64);
    pending_.assign(std::size_t{warps_} * words_, 0);
    memory_.assign(pending_.size(), 0);
    for (std::size_t w = 0; w < warps_; ++w) {
      for (std::size_t i = 0; i < old_words; ++i) {
        const std::size_t to = i < old_first / 64 ? i : i + (first_predicate_ - old_first) / 64;
        pending_[w * words_ + to] = old_pending[w * old_words + i];
        memory_[w * words_ + to] = old_memory[w * old_words + i];
      }
    }
  }

  Wait check(const ContextTable& contexts, ContextId context, const isa::MicroOp& op) override {
    if (used_[contexts[context].warp] == 0) return Wait::none;
    const std::size_t base = std::size_t{contexts[context].warp} * words_;
    const isa::RegisterUse& use = registers_of(op, named_);
    Wait wait = Wait::none;
    const auto look = [&](isa::RegisterId id) {
      if (pending(contexts[context].warp, id)) {
        const std::size_t bit = bit_of(id);
        const bool memory = (memory_[base + bit / 64] >> (bit % 64)) & 1;
        if (wait != Wait::memory) wait = memory ? Wait::memory : Wait::hazard;
      }
    };
    for (unsigned i = 0; i < use.read_count; ++i) look(use.reads[i]);
    for (unsigned i = 0; i < use.write_count; ++i) look(use.writes[i]);
    if (wait == Wait::none && limit_ != 0 && use.write_count != 0 && used_[contexts[context].warp] >= limit_)
      return Wait::hazard;
    return wait;
  }

  WordWaits check_word(const ContextTable& contexts, std::size_t w, std::uint64_t some) override {
    if (!std::has_single_bit(some)) return check_several(contexts, w, some);
    const ContextId c(64 * w + static_cast<std::size_t>(std::countr_zero(some)));
    WordWaits waits;
    const Wait wait = check(contexts, c, *contexts[c].next);
    if (wait != Wait::none) (wait == Wait::memory ? waits.memory : waits.hazard) = some;
    return waits;
  }

  std::uint32_t issued(const ContextTable&, const Packet& packet, bool variable) override {
    // Only another packet of the same instruction, or a replay of it, can write a pending register.
    const isa::RegisterUse& use = registers_of(*packet.op, named_);
    const bool further = !packet.first || packet.kind == PacketKind::replay;
    if (further && use.write_count != 0 && pending(packet.warp, use.writes[0])) {
      further_.push_back({packet.op, packet.warp});
    } else {
      mark(*packet.op, packet.warp, true, variable);
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
    mark(*release.op, release.warp, false, release.variable);
  }

  void issued_together(const ContextTable& contexts, Packet& packet, bool variable,
                       std::span<PacketMember> members) override {
    if (!packet.first || packet.kind == PacketKind::replay) {
      HazardTracker::issued_together(contexts, packet, variable, members);
    } else {
      mark(*packet.op, members, true, variable);
    }
  }

  void released_together(const Release& of_all, std::span<const PacketMember> members) override {
    if (!further_.empty()) {
      HazardTracker::released_together(of_all, members);
    } else {
      mark(*of_all.op, members, false, of_all.variable);
    }
  }

  std::size_t pending(WarpId warp) const override {
    std::size_t bits = used_[warp];
    for (const Further& packet : further_) bits += packet.warp == warp;
    for (std::size_t i = warp * std::size_t{words_}; i < (warp + 1u) * std::size_t{words_}; ++i)
      bits += static_cast<std::size_t>(std::popcount(pending_[i] | memory_[i]));
    return bits;
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
  // Apart, so that it costs nothing where contexts are on their own.
  [[gnu::noinline]] WordWaits check_several(const ContextTable& contexts, std::size_t w, std::uint64_t some) const {
    WordWaits waits;
    const isa::MicroOp* op = nullptr;
    Uses uses;
    const std::size_t words = words_;
    const unsigned* const used = used_.data();
    const std::uint64_t* const all_pending = pending_.data();
    for (; some != 0; some &= some - 1) {
      const Context& context = contexts[64 * w + static_cast<std::size_t>(std::countr_zero(some))];
      const std::size_t warp = context.warp;
      if (used[warp] == 0) continue;
      if (context.next != op) {
        op = context.next;
        uses.find(*this, *op);
      }
      const std::uint64_t bit = some & -some;
      if (used[warp] >= uses.most) waits.hazard |= bit;
      const std::uint64_t* const pending = all_pending + warp * words;
      for (unsigned i = 0; i < uses.count; ++i) {
        const std::uint64_t found = pending[uses.words[i]] & uses.masks[i];
        if (found == 0) continue;
        waits.hazard |= bit;
        if ((found & memory_[warp * words + uses.words[i]]) != 0) waits.memory |= bit;
      }
    }
    waits.hazard &= ~waits.memory;
    return waits;
  }

  /// The registers that an instruction reads or writes, as bits of words.
  struct Uses {
    static constexpr unsigned kMost = isa::RegisterUse::kMaxReads + isa::RegisterUse::kMaxWrites;
    unsigned count = 0;
    unsigned most = 0;  ///< instructions with a result pending that are too many for this one
    std::array<std::uint32_t, kMost> words;
    std::array<std::uint64_t, kMost> masks;

    void find(const Scoreboard& in, const isa::MicroOp& op) {
      const isa::RegisterUse& use = registers_of(op, in.named_);
      count = 0;
      most = in.limit_ != 0 && use.write_count != 0 ? in.limit_ : ~0u;
      for (unsigned i = 0; i < use.read_count; ++i) add(in.bit_of(use.reads[i]));
      for (unsigned i = 0; i < use.write_count; ++i) add(in.bit_of(use.writes[i]));
    }
    void add(std::size_t bit) {
      const auto word = static_cast<std::uint32_t>(bit / 64);
      const std::uint64_t one = std::uint64_t{1} << (bit % 64);
      // Most instructions use one word of registers and perhaps one of predicates.
      if (count != 0 && words[count - 1] == word) {
        masks[count - 1] |= one;
        return;
      }
      words[count] = word;
      masks[count++] = one;
    }
  };
  std::size_t bit_of(isa::RegisterId id) const {
    return id >= isa::kFirstPredicate ? std::size_t{first_predicate_} + (id - isa::kFirstPredicate) : id;
  }
  bool pending(WarpId warp, isa::RegisterId id) const {
    const std::size_t bit = bit_of(id);
    return (pending_[std::size_t{warp} * words_ + bit / 64] >> (bit % 64)) & 1;
  }
  void mark(const isa::MicroOp& op, WarpId warp, bool set, bool variable) {
    const isa::RegisterUse& use = registers_of(op, named_);
    for (unsigned i = 0; i < use.write_count; ++i) mark(bit_of(use.writes[i]), warp, set, variable);
    if (use.write_count != 0) used_[warp] += set ? 1 : -1;
  }
  void mark(const isa::MicroOp& op, std::span<const PacketMember> members, bool set, bool variable) {
    const isa::RegisterUse& use = registers_of(op, named_);
    for (unsigned i = 0; i < use.write_count; ++i) {
      const std::size_t bit = bit_of(use.writes[i]);
      for (const PacketMember& member : members) mark(bit, member.warp, set, variable);
    }
    if (use.write_count == 0) return;
    for (const PacketMember& member : members) used_[member.warp] += set ? 1 : -1;
  }
  void mark(std::size_t bit, WarpId warp, bool set, bool variable) {
    const std::size_t word = std::size_t{warp} * words_ + bit / 64;
    const std::uint64_t one = std::uint64_t{1} << (bit % 64);
    pending_[word] = set ? pending_[word] | one : pending_[word] & ~one;
    if (variable) memory_[word] = set ? memory_[word] | one : memory_[word] & ~one;
  }

  /// A packet in flight beyond the first of its instruction.
  struct Further {
    const isa::MicroOp* op;
    WarpId warp;
    bool operator==(const Further&) const = default;
  };

  bool named_;
  unsigned limit_, warps_;
  unsigned words_ = 0, first_predicate_ = 0;
  std::vector<std::uint64_t> pending_, memory_;  ///< words_ per warp: registers, then predicates
  std::vector<unsigned> used_;
  std::vector<Further> further_;
};

HEDDLE_REGISTER(HazardTracker, Scoreboard, "scoreboard",
                "instructions wait for registers of their warp with a pending result",
                "docs/sources/branch-and-warp-interweaving.md 2.1");

}  // namespace heddle::sm
