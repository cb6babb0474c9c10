// SPDX-License-Identifier: Apache-2.0
#include "sm/grouping/resizing/dynamic_warp_resizing.h"

#include "sm/grouping/resizing/partner_barriers.h"
#include "sm/grouping/resizing/partner_slots.h"

namespace heddle::sm {

namespace {

constexpr unsigned kLeastWidth = 8, kMostWidth = 32;

const GroupingShape& resizable(const ResizingParameters& p, const GroupingShape& shape) {
  if (shape.warp_size != shape.simd_width || shape.simd_width < kLeastWidth || shape.simd_width > kMostWidth) {
    fail(ExitCode::configuration,
         "sm.grouping dynamic_warp_resizing: warps of {} threads on {} lanes; a sub-warp is as wide as the datapath, "
         "which has {} to {} lanes: make sm.warp_size equal to sm.simd_width",
         shape.warp_size, shape.simd_width, kLeastWidth, kMostWidth);
  }
  if (shape.threads % (p.partners * shape.warp_size) != 0) {
    fail(ExitCode::configuration,
         "sm.residency.threads: {} threads are no whole number of groups of {} sub-warps of {} threads", shape.threads,
         p.partners, shape.warp_size);
  }
  if (shape.threads / (p.partners * shape.warp_size) < shape.issue_slots) {
    fail(ExitCode::configuration,
         "sm.schedulers: {} schedulers for {} groups of partners; a group belongs to one scheduler", shape.issue_slots,
         shape.threads / (p.partners * shape.warp_size));
  }
  return checked(shape, 1);
}

}  // namespace

GroupingTraits DynamicWarpResizing::traits(const Parameters& p, const GroupingShape& shape) {
  GroupingTraits traits{.contexts = shape.threads / shape.warp_size,
                        .granule = p.partners * shape.warp_size,
                        .span = shape.warp_size,
                        .places_granules = true,
                        .own_warps = true};
  if (p.barrier == Parameters::Barrier::real_isa) traits.code_pass = std::make_shared<PartnerBarriers>(p.lat);
  if (p.lat_release == Parameters::Release::per_largewarp) traits.needs = {Feature::load_holds_context};
  return traits;
}

DynamicWarpResizing::DynamicWarpResizing(const Parameters& p, const GroupingShape& shape, ContextTable& table)
    : StackWarps(resizable(p, shape), table, traits(p, shape)),
      parameters_(p),
      partners_{shape.threads / shape.warp_size / p.partners, p.partners} {
  for (ContextSet& members : members_) members.clear();
  for (unsigned w = 0; w < warps_; ++w) members_[w / p.partners % shape.issue_slots].set(w);
}

DynamicWarpResizing::~DynamicWarpResizing() = default;

void DynamicWarpResizing::build(SmSite& site) {
  site_ = &site;
  if (!site.parameters.vetoes.names().empty()) {
    fail(ExitCode::configuration,
         "sm.vetoes: {} makes sub-warps wait for each other, so no policy may withhold some of them; use none", name());
  }
  ignore_list_ = std::make_unique<PcList>("ignore_list", site, parameters_.ilt,
                                          "large-warp-intensive instructions whose barrier is ignored");
  table_of_partners_ = std::make_unique<PartnerSynchTable>("partner_synch", site,
                                                           PartnerSynchShape{partners_.groups, partners_.partners});
  combiner_ = std::make_unique<SubWarpCombiner>("sub_warp_combiner", site,
                                                MaskMergeShape{partners_.partners, shape_.warp_size});
  synchroniser_ = std::make_unique<SubWarpSynchroniser>("sub_warp_synchroniser", site, parameters_, partners_, table_);
  synchroniser_->ignored.bind(ignore_list_->calls);
  synchroniser_->table.bind(table_of_partners_->calls);
  synchroniser_->combiner.bind(combiner_->calls);
  if (synchroniser_->learned() == nullptr) return;
  learned_ = std::make_unique<PcList>("learned_list", site, parameters_.ilt,
                                      "instructions that the SM has found to be large-warp-intensive");
  synchroniser_->learned()->bind(learned_->calls);
}

void DynamicWarpResizing::subscribe(SmEvents& events) {
  if (!parameters_.ilt_flush_on_launch) return;
  events.launched.add([this](ContextId c) {
    if (table_.valid.test(c)) synchroniser_->launched(table_[c].words->block->launch->id);
  });
}

std::unique_ptr<IssueScheme> DynamicWarpResizing::make_scheme() { return std::make_unique<PartnerSlots>(*this); }

void DynamicWarpResizing::started(ContextId c, const ThreadSet& threads) {
  StackWarps::started(c, threads);
  synchroniser_->started(c);
}

void DynamicWarpResizing::advanced(ContextId c) {
  synchroniser_->issued(c);
  StackWarps::advanced(c);
}

void DynamicWarpResizing::exited(ContextId c, const ThreadSet& threads) {
  StackWarps::exited(c, threads);
  synchroniser_->changed(c);
}

void DynamicWarpResizing::waiting_changed(ContextId c, const ThreadSet& awaited) {
  StackWarps::waiting_changed(c, awaited);
  synchroniser_->changed(c);
}

const char* DynamicWarpResizing::role_of(const isa::MicroOp& op) const {
  if (op.opcode == isa::Opcode::bar_partner) return "partner_barrier";
  return is_large_warp_intensive(op, parameters_.lat) ? "large_warp_intensive" : nullptr;
}

void DynamicWarpResizing::declare_state(ModuleState& state) {
  StackWarps::declare_state(state);
  constexpr unsigned kPublishedWidth = 8, kPublishedPartners = 8, kPublishedThreads = 1024;
  if (shape_.warp_size != kPublishedWidth || partners_.partners != kPublishedPartners ||
      shape_.threads != kPublishedThreads)
    return;
  const std::string source = "docs/sources/dynamic-warp-resizing.md 6";
  state.publish({"partner_synch_table", "16 entries with a valid bit, a PC and 8 lock bits", source, 82 * 8});
  if (parameters_.ilt.sets == 4 && parameters_.ilt.ways == 8 && !parameters_.ilt.unlimited)
    state.publish({"ignore_list", "32 entries with a valid bit and a tag of 30 bits", source, 124 * 8});
}

HEDDLE_REGISTER(GroupingUnit, DynamicWarpResizing, "dynamic_warp_resizing",
                "narrow sub-warps that issue loads and stores together with their partners, as one large warp",
                "docs/sources/dynamic-warp-resizing.md 2");

}  // namespace heddle::sm
