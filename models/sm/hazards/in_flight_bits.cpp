// SPDX-License-Identifier: Apache-2.0
// One in-flight bit per thread: set when its packet issues, cleared when that packet completes; the packer leaves out
// threads whose bit is set. Registers are not tracked. Source: docs/sources/large-warps-and-database-search.md, 2.5.4.
#include <algorithm>
#include <optional>
#include <vector>

#include "sm/hazards/hazard_tracker.h"

namespace heddle::sm {

class InFlightBits final : public HazardTracker {
 public:
  explicit InFlightBits(const HazardShape& shape) : shape_(shape), busy_(shape.warps) {}

  static HazardTraits traits() {
    return {.offers = {Feature::hazards_by_thread, Feature::threads_in_flight}, .keeps_time = true};
  }
  void admit(const isa::Kernel&) override {}
  /// Never holds an instruction: the packer selects the free threads.
  Wait check(const ContextTable&, ContextId, const isa::MicroOp&) override { return Wait::none; }
  std::uint32_t issued(const ContextTable&, const Packet& packet, bool) override {
    std::uint32_t token = 0;
    while (token < tokens_.size() && tokens_[token].used) ++token;
    if (token == tokens_.size()) tokens_.emplace_back();
    // A jump also serves threads still in flight; their bits are cleared by the packets that set them.
    tokens_[token] = {true, packet.warp, packet.issue_id, packet.threads - busy_[packet.warp]};
    if (overlap_ && packet.first) note_overlap(packet);
    busy_[packet.warp] |= packet.threads;
    return token;
  }
  void released(const Release& release) override {
    busy_[release.warp] -= tokens_[release.token].threads;
    tokens_[release.token].used = false;
  }
  Cycle release_at(const Packet& packet, Cycle done) const override {
    const Cycle lead = shape_.release_lead;
    if (lead == 0) return done;
    // In a barrel pipeline a memory packet is in flight until it has passed all stages, even if its data came earlier.
    if (packet.latency == 0) return std::max(done, packet.issued + shape_.barrel_depth - lead);
    return std::max(done, packet.issued + 1 + lead) - lead;
  }
  std::size_t pending(WarpId warp) const override { return busy_[warp].count(); }
  const ThreadSet* busy_threads(WarpId warp) const override { return &busy_[warp]; }
  void declare_statistics(const StatisticsGroup& group) override {
    overlap_.emplace(group, "most_overlap", "most instructions of a warp in flight at the same time, excluding jumps",
                     unit::kInstructions);
  }
  void declare_state(ModuleState& state) override {
    state.structure("in_flight", "threads of each warp in packets that have not completed", busy_.size(),
                    {{"threads", shape_.warp_threads, 1, 2}});
    Structure& busy =
        state.traced_structure("busy", "number of threads of each warp in flight", busy_.size(), {{"count", 10, 1, 2}});
    busy.is_view();
    busy.read([this](std::size_t warp, std::size_t) { return std::uint64_t{busy_[warp].count()}; });
  }

 private:
  void note_overlap(const Packet& packet) {
    if (packet.op->opcode == isa::Opcode::bra && !packet.op->guard.present()) return;
    unsigned instructions = 1;
    // Tokens of an instruction need not be adjacent: count only the first token of each issue_id.
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
      const Token& token = tokens_[i];
      if (!token.used || token.warp != packet.warp || token.issue_id == packet.issue_id || token.threads.none())
        continue;
      bool seen = false;
      for (std::size_t j = 0; j < i && !seen; ++j)
        seen = tokens_[j].used && tokens_[j].warp == packet.warp && tokens_[j].issue_id == token.issue_id;
      if (!seen) ++instructions;
    }
    overlap_->record(instructions);
  }
  struct Token {
    bool used = false;
    WarpId warp;
    std::uint64_t issue_id = 0;
    ThreadSet threads;
  };
  const HazardShape shape_;
  std::vector<ThreadSet> busy_;  ///< by warp: threads in packets that have not completed
  std::vector<Token> tokens_;
  std::optional<Maximum> overlap_;
};

HEDDLE_REGISTER(HazardTracker, InFlightBits, "in_flight_bits",
                "one bit per thread keeps it out of packets while its last packet is in flight",
                "docs/sources/large-warps-and-database-search.md 2.5.4");

}  // namespace heddle::sm
