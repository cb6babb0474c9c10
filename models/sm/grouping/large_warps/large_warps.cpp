// SPDX-License-Identifier: Apache-2.0
// Large warps: 64 to 512 threads share one PC; a packer cuts each instruction into sub-warps, one of which issues per
// cycle. Source: docs/sources/large-warps-and-database-search.md, 2.5; the parameters are its variants.
#include "isa/collective.h"
#include "sm/grouping/large_warps/packed_slot.h"
#include "sm/grouping/large_warps/packer_owner.h"
#include "sm/grouping/reconvergence_stack.h"

namespace heddle::sm {

class LargeWarps final : public StackWarps, public PackerOwner, public PacketCutter {
 public:
  struct Parameters {
    PackMode pack = PackMode::columns;
    bool jump_token = true;
    bool memory_rows = true;
    Refetch branch_refetch = Refetch::all_packets;
    Refetch memory_refetch = Refetch::first_packet;
    void describe(ParameterVisitor& v) {
      v("pack", pack, "which threads of an instruction form a sub-warp",
        choices<PackMode>({{"columns", PackMode::columns, "the first thread of each column"},
                           {"rows", PackMode::rows, "the threads of a row"},
                           {"arbitrary", PackMode::arbitrary, "any threads; needs a register-file port per lane"}}));
      v("jump_token", jump_token, "an unconditional jump issues once, as a token for all threads", unit::kNone, any());
      v("memory_rows", memory_rows, "accesses to global memory issue row by row, to keep them coalesced", unit::kNone,
        any());
      v("branch_refetch", branch_refetch, "sub-warps of a conditional branch that the next fetch waits for",
        choices<Refetch>({{"all", Refetch::all_packets, "all of them"},
                          {"divergent", Refetch::first_divergent, "enough to show that the threads diverge"}}));
      v("memory_refetch", memory_refetch, "sub-warps of an access to global memory that the next fetch waits for",
        choices<Refetch>(
            {{"first", Refetch::first_packet, "the first"}, {"all", Refetch::all_packets, "all of them"}}));
    }
  };

  static GroupingTraits traits(const GroupingShape& shape) {
    GroupingTraits traits = StackWarps::traits(shape);
    traits.needs.add(Feature::threads_in_flight);
    traits.release_lead = 1;
    return traits;
  }
  LargeWarps(const Parameters& parameters, const GroupingShape& shape, ContextTable& table)
      : StackWarps(checked(shape, 1), table, traits(shape)),
        PackerOwner({shape.warp_size / isa::kWordThreads, shape.simd_width, parameters.pack == PackMode::arbitrary}),
        parameters_(parameters) {
    if (shape.issue_slots != 1)
      fail(ExitCode::configuration, "sm.schedulers: large_warps packs one instruction at a time, so it needs 1, not {}",
           shape.issue_slots);
    if (shape.simd_width != isa::kWordThreads) {
      fail(ExitCode::configuration,
           "sm.simd_width: large_warps has rows of {} threads, so it needs as many lanes, not {}", isa::kWordThreads,
           shape.simd_width);
    }
  }

  void build(SmSite& site) override { build_packer(site); }
  std::unique_ptr<IssueScheme> make_scheme() override { return std::make_unique<PackedSlot>(*this, warps_); }
  std::string name() const override { return "large_warps"; }

  LanePlan lanes(ContextId, const isa::MicroOp&, const ThreadSet& threads) const override {
    LaneMask lanes;
    if (parameters_.pack == PackMode::arbitrary) {
      lanes = LaneMask::first_n(std::min<std::size_t>(threads.count(), shape_.simd_width));
    } else {
      std::uint64_t columns = 0;
      for (unsigned row = 0; row < rows(); ++row) columns |= threads.word32(row);
      lanes.set_word(0, columns);
    }
    return {lanes, 1};
  }

  Cut next_packet(ContextId, const isa::MicroOp& op, const Request& request, ThreadSet& threads,
                  ThreadSet& left) override {
    if (op.opcode == isa::Opcode::bar) return barrier(request, threads, left);
    PackRequest asked;
    asked.work = request.left;
    asked.guard = request.guarded;
    if (request.busy != nullptr) asked.in_flight = *request.busy;
    asked.mode = mode_of(op);
    const SubWarp packed = packer_->pack(asked);
    left = packed.left;
    // A token changes only the PC, so it serves all threads even if some are in flight.
    threads = asked.mode == PackMode::token ? request.left : packed.threads;
    return packed.any || packed.last ? Cut::packet : Cut::bubble;
  }
  void packet_issues(const isa::MicroOp& op) override {
    if (op.opcode != isa::Opcode::bar) packer_->goes();
  }
  Refetch refetch(const isa::MicroOp& op) const override {
    // The first packet of a jump already determines the target of all threads.
    if (isa::is_branch(op)) return is_jump(op) ? Refetch::first_packet : parameters_.branch_refetch;
    return is_global(op) ? parameters_.memory_refetch : Refetch::first_packet;
  }

  void declare_state(ModuleState& state) override {
    StackWarps::declare_state(state);
    // One of each per SM, since the packer works on one large warp at a time. The active masks themselves take no more
    // storage than those of the equivalent narrow warps.
    state
        .structure("working_mask", "threads of the instruction being packed that are not yet in a sub-warp", 1,
                   {{"threads", shape_.warp_size, 1, 1}})
        .added_by("large_warps");
    state
        .structure("branch_masks", "threads of the current branch by direction", 2,
                   {{"threads", shape_.warp_size, 1, 1}})
        .added_by("large_warps");
    state.publish({"large_warps", "the working mask, two branch masks, an in-flight bit per thread",
                   "docs/sources/large-warps-and-database-search.md 2.5.1: 224 bytes for 256 threads",
                   3 * shape_.warp_size + shape_.threads});
  }

 private:
  unsigned rows() const { return shape_.warp_size / isa::kWordThreads; }
  static bool is_jump(const isa::MicroOp& op) { return op.opcode == isa::Opcode::bra && !op.guard.present(); }
  static bool is_global(const isa::MicroOp& op) {
    return op.unit == isa::Unit::memory && op.space != isa::Space::shared;
  }
  /// A barrier issues as one packet for all threads once none of them is in flight. Source:
  /// docs/sources/large-warps-and-database-search.md, decision 13.
  static Cut barrier(const Request& request, ThreadSet& threads, ThreadSet& left) {
    if (request.busy != nullptr && request.busy->intersects(request.left)) {
      left = request.left;
      return Cut::bubble;
    }
    threads = request.guarded;
    left.clear();
    return Cut::packet;
  }
  PackMode mode_of(const isa::MicroOp& op) const {
    if (parameters_.jump_token && is_jump(op)) return PackMode::token;
    // Operations across the lanes of an ISA warp need all its threads together.
    if (isa::crosses_lanes(op) || (parameters_.memory_rows && is_global(op))) return PackMode::rows;
    return parameters_.pack;
  }

  const Parameters parameters_;
};

HEDDLE_REGISTER(GroupingUnit, LargeWarps, "large_warps",
                "large warps that issue as sub-warps of one thread per column, one per cycle",
                "docs/sources/large-warps-and-database-search.md 2.5.3");

}  // namespace heddle::sm
