// SPDX-License-Identifier: Apache-2.0
#include "sm/grouping/resizing/sub_warp_synchroniser.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

namespace heddle::sm {

namespace {

using Barrier = ResizingParameters::Barrier;

const TextTable kStatusTexts = {"free",          "ready",      "in_pipeline", "memory", "wait_synch_partner",
                                "combine_ready", "at_barrier", "exited"};
const TextTable kCauseTexts = {"same_pc", "different_pc", "waiting", "exit"};
/// By ReleaseCause.
struct ReleaseText {
  const char *name, *sentence;
};
constexpr std::array<ReleaseText, kReleaseCauses> kReleaseTexts = {{
    {"releases_same_pc", "releases of locked sub-warps that were all at one instruction"},
    {"releases_different_pc", "releases of locked sub-warps that were at different instructions"},
    {"releases_waiting", "releases because a partner waited at a block barrier or a collective"},
    {"releases_exit", "releases of sub-warps at one instruction whose other partners had exited"},
}};

}  // namespace

SubWarpSynchroniser::SubWarpSynchroniser(sc_core::sc_module_name module_name, SmSite& site,
                                         const ResizingParameters& parameters, const Shape& shape,
                                         ContextTable& contexts)
    : sc_module(module_name),
      table("table"),
      ignored("ignored"),
      combiner("combiner"),
      parameters_(parameters),
      shape_(shape),
      instruction_bytes_(site.parameters.fetch.instruction_bytes),
      contexts_(contexts),
      gate_(site.gate),
      learned_(parameters.sync_mode == ResizingParameters::Synch::learned
                   ? std::make_unique<CallPort<PcListCall>>("learned")
                   : nullptr),
      rules_(shape.groups, parameters.ilt_insert_on_barrier),
      together_(shape.groups),
      group_(site.statistics, basename()),
      barriers_(group_, "barriers", "times a sub-warp entered the barrier of its partners", unit::kEvents),
      ignored_picks_(group_, "ignored", "times a sub-warp passed a barrier because the ignore list had it",
                     unit::kEvents),
      learned_picks_(group_, "unlearned",
                     "large-warp-intensive instructions picked that the SM did not know to be such", unit::kEvents),
      wait_cycles_(group_, "wait_cycles", "cycles from the pick of a sub-warp at its barrier to its release",
                   unit::kWarpCycles),
      waiting_(group_, "locked_warp_cycles", "sub-warps locked at their barrier, summed over cycles",
               unit::kWarpCycles),
      state_(site.services, site.path(basename()), site.domain()),
      passes_(state_.signals.pulse("passes", index_bits(std::uint64_t{shape.groups} * shape.partners),
                                   "sub-warp that enters the barrier; the last one of a cycle")),
      released_(state_.signals.pulse("released", shape.partners, "partners that go on; the last group of a cycle")),
      cause_(state_.signals.pulse("cause", 2, "why they go on", &kCauseTexts)) {
  for (const ReleaseText& text : kReleaseTexts) releases_.emplace_back(group_, text.name, text.sentence, unit::kEvents);
  declare(basename());
}

void SubWarpSynchroniser::declare(const std::string& name) {
  const unsigned warps = shape_.groups * shape_.partners;
  state_.show_set("locked", warps, "sub-warps that wait for their partners", locked_);
  state_.show_set("combine_ready", warps, "sub-warps that may issue together with partners", combine_ready_);
  state_.show_set("in_barrier", warps, "sub-warps whose barrier has not taken effect yet", bubble_);
  state_.charge_to(name);
  Structure& status =
      state_.traced_structure("status", "status of each sub-warp in its scheduler", warps, {{"status", 3, 1, 1}});
  status.occupied([this](std::size_t c) { return contexts_.valid.test(c); });
  status.read([this](std::size_t c, std::size_t) { return static_cast<std::uint64_t>(status_of(ContextId(c))); });
}

SubWarpStatus SubWarpSynchroniser::status_of(ContextId c) const {
  if (!contexts_.valid.test(c)) return absent_.test(c) ? SubWarpStatus::free : SubWarpStatus::exited;
  if (locked_.test(c)) return SubWarpStatus::waits_for_partners;
  if (combine_ready_.test(c)) return SubWarpStatus::combine_ready;
  if (contexts_.barrier.test(c) || contexts_.rendezvous.test(c)) return SubWarpStatus::at_barrier;
  if (contexts_.long_latency.test(c)) return SubWarpStatus::waits_for_memory;
  return contexts_.ready.test(c) ? SubWarpStatus::ready : SubWarpStatus::in_pipeline;
}

std::uint32_t SubWarpSynchroniser::pc_of(ContextId c, std::uint32_t pc) const {
  return static_cast<std::uint32_t>(contexts_[c].code_address / instruction_bytes_) + pc;
}

void SubWarpSynchroniser::started(ContextId c) { absent_.assign(c, contexts_[c].threads.none()); }

void SubWarpSynchroniser::launched(std::uint64_t launch) {
  if (launch == launch_) return;
  launch_ = launch;
  ignored->clear();
}

void SubWarpSynchroniser::begin_cycle() {
  const Cycle now = gate_.now();
  for (; !hits_.empty() && hits_.front().due <= now; hits_.pop_front()) {
    const ContextId c = hits_.front().context;
    bubble_.reset(c);
    alone_.set(c);
    hold(c, false);
  }
  for (; !passing_.empty() && passing_.front().due <= now; passing_.pop_front()) takes_effect(passing_.front());
  for (const std::uint32_t pc : decoded_) (*learned_)->insert(pc);
  decoded_.clear();
  if (dirty_.none()) return;
  dirty_.for_each([this](std::size_t group) {
    const auto g = static_cast<unsigned>(group);
    if (partners_in(locked_, g) == 0) return;
    release(g, rules_.look(*table.operator->(), *ignored.operator->(), g, situation_of(g)));
  });
  dirty_.clear();
}

void SubWarpSynchroniser::takes_effect(const Passing& barrier) {
  const ContextId c = barrier.context;
  bubble_.reset(c);
  if (parameters_.barrier == Barrier::real_isa && ignored->look_up(barrier.pc)) {
    ++ignored_picks_;
    hold(c, false);
    return;
  }
  const unsigned group = group_of(c);
  locked_.set(c);
  count_waiting(1);
  release(group, rules_.arrive(*table.operator->(), *ignored.operator->(), group, partner_of(c), barrier.pc,
                               situation_of(group)));
}

PartnerSituation SubWarpSynchroniser::situation_of(unsigned group) const {
  PartnerSituation situation;
  const PartnerMask valid = partners_in(contexts_.valid, group);
  situation.absent = static_cast<PartnerMask>(partners_in(absent_, group) & ~valid);
  const auto all = static_cast<PartnerMask>((1u << shape_.partners) - 1);
  situation.exited = static_cast<PartnerMask>(all & ~valid & ~situation.absent);
  for_each_partner(static_cast<PartnerMask>(valid & ~partners_in(locked_, group)), [&](unsigned partner) {
    const Context& context = contexts_[context_of(group, partner)];
    if (contexts_.waits(context.warp, context.threads))
      situation.waiting = static_cast<PartnerMask>(situation.waiting | 1u << partner);
  });
  return situation;
}

void SubWarpSynchroniser::release(unsigned group, const PartnerRelease& release) {
  if (release.released == 0) return;
  ++releases_[static_cast<std::size_t>(release.cause)];
  if (state_.signals.on()) {
    state_.signals.fire(released_, release.released);
    state_.signals.fire(cause_, static_cast<std::uint64_t>(release.cause));
  }
  for_each_partner(release.released, [&](unsigned partner) {
    const ContextId c = context_of(group, partner);
    locked_.reset(c);
    combine_ready_.set(c);
    wait_cycles_ += gate_.now() - since_[c];
    count_waiting(-1);
    hold(c, false);
  });
}

void SubWarpSynchroniser::pass(ContextId c, std::uint32_t pc) {
  ++barriers_;
  if (state_.signals.on()) state_.signals.fire(passes_, c);
  bubble_.set(c);
  since_[c] = gate_.now();
  passing_.push_back({gate_.now() + parameters_.barrier_latency, c, pc});
  hold(c, true);
}

SubWarpSynchroniser::Turn SubWarpSynchroniser::picked(ContextId c, const isa::MicroOp& op) {
  if (combine_ready_.test(c)) return sm::is_large_warp_intensive(op, {true, true, true}) ? Turn::together : Turn::alone;
  if (alone_.test(c) || !meets_at(op)) return Turn::alone;
  const std::uint32_t pc = pc_of(c, op.pc);
  if (learned_ != nullptr && !(*learned_)->look_up(pc)) {
    ++learned_picks_;
    decoded_.push_back(pc);
    alone_.set(c);
    return Turn::alone;
  }
  if (!ignored->look_up(pc)) {
    pass(c, pc);
    return Turn::waits;
  }
  ++ignored_picks_;
  if (parameters_.ilt_hit_latency == 0) {
    alone_.set(c);
    return Turn::alone;
  }
  bubble_.set(c);
  hits_.push_back({gate_.now() + parameters_.ilt_hit_latency, c, pc});
  hold(c, true);
  return Turn::waits;
}

LargeWarp SubWarpSynchroniser::combine(ContextId c) {
  const unsigned group = group_of(c);
  MergeRequest request{.selected = static_cast<std::uint8_t>(partner_of(c)),
                       .ready = partners_in(combine_ready_, group)};
  for_each_partner(request.ready, [&](unsigned partner) {
    const Context& context = contexts_[context_of(group, partner)];
    request.pcs[partner] = context.pc;
    request.active[partner] = context.threads.word32(0);
  });
  return combiner->merge(request, group * shape_.partners);
}

void SubWarpSynchroniser::issued(ContextId c) {
  alone_.reset(c);
  if (!combine_ready_.test(c)) return;
  combine_ready_.reset(c);
  const PartnerMask members = together_[group_of(c)];
  if (parameters_.lat_release == ResizingParameters::Release::per_largewarp && (members >> partner_of(c) & 1) != 0)
    with_[c] = members;
}

std::string SubWarpSynchroniser::company_of(ContextId c) const {
  const unsigned group = group_of(c);
  const PartnerMask members = together_[group];
  if (!combine_ready_.test(c) || (members >> partner_of(c) & 1) == 0 || std::has_single_bit(members)) return {};
  return "large warp " + name_of(group, members);
}

std::string SubWarpSynchroniser::name_of(unsigned group, PartnerMask members) const {
  std::string text;
  for (unsigned first = 0; first < shape_.partners; ++first) {
    if ((members >> first & 1) == 0) continue;
    unsigned last = first;
    while ((members >> (last + 1) & 1) != 0) ++last;
    text += fmt::format("{}c{}", text.empty() ? "" : " ", context_of(group, first));
    if (last != first) text += fmt::format("-{}", context_of(group, last));
    first = last;
  }
  return text;
}

void SubWarpSynchroniser::retired(ContextId c) {
  const PartnerMask members = with_[c];
  if (members == 0) return;
  const unsigned group = group_of(c);
  done_.set(c);
  hold(c, true);
  if ((members & ~partners_in(done_, group)) != 0) return;
  for_each_partner(members, [&](unsigned partner) {
    const ContextId member = context_of(group, partner);
    done_.reset(member);
    with_[member] = 0;
    hold(member, false);
  });
}

Cycle SubWarpSynchroniser::next_event() const {
  if (dirty_.any() || !decoded_.empty()) return gate_.now() + 1;
  Cycle next = kNever;
  if (!passing_.empty()) next = passing_.front().due;
  if (!hits_.empty()) next = std::min(next, hits_.front().due);
  return next;
}

}  // namespace heddle::sm
