// SPDX-License-Identifier: Apache-2.0
#include "gpu/recording/instruction_profile.h"

#include <algorithm>

#include "core/unit.h"
#include "sm/sm.h"

namespace heddle::gpu {
namespace {

std::vector<RunProfile::Named> count_names() {
  const auto named = [](const char* name, Unit unit, const char* sentence) {
    return RunProfile::Named{name, unit.name, sentence};
  };
  return {named("issues", unit::kInstructions, "times a context issued it"),
          named("packets", unit::kInstructions, "packets in which it issued"),
          named("active_lanes", unit::kThreadInstructions, "threads that executed it, after the guard"),
          named("offered_lanes", unit::kThreadInstructions, "lanes offered by its packets"),
          named("transactions", unit::kTransactions, "transactions sent to the caches"),
          named("transaction_bytes", unit::kBytes, "bytes of these transactions"),
          named("l1_hits", unit::kRequests, "requests that hit in the L1 data cache"),
          named("l1_misses", unit::kRequests, "requests that missed in the L1 data cache"),
          named("l1_merges", unit::kRequests, "requests merged into an outstanding miss of the L1 data cache"),
          named("l2_hits", unit::kRequests, "requests that hit in the L2"),
          named("l2_misses", unit::kRequests, "requests that missed in the L2"),
          named("l2_merges", unit::kRequests, "requests merged into an outstanding miss of the L2")};
}

}  // namespace

class InstructionProfile::OfSm final : public sm::SmListenerBase {
 public:
  OfSm(InstructionProfile& profile, const sm::Sm& sm) : profile_(profile), number_(sm.number()) {}

  void issued(const sm::Packet& packet, const sm::ContextSituation& context, unsigned offered_lanes,
              Cycle now) override {
    OfKernel* const of = profile_.of(*context.kernel);
    if (packet.op->unit == isa::Unit::memory) profile_.of_warp_[{number_, packet.warp}] = of;
    if (of == nullptr || !taken(context.context, now)) return;
    Numbers& numbers = of->instructions[packet.op->pc];
    if (packet.first) numbers.add(Count::issues);
    numbers.add(Count::packets);
    numbers.add(Count::active_lanes, packet.active);
    numbers.add(Count::offered_lanes, offered_lanes);
  }
  void sent(const sm::Packet& packet, std::uint64_t, unsigned bytes, bool first, Cycle now) override {
    if (!first || !taken(packet.context, now)) return;
    OfKernel* const of = profile_.of_warp_[{number_, packet.warp}];
    if (of == nullptr) return;
    of->instructions[packet.op->pc].add(Count::transactions);
    of->instructions[packet.op->pc].add(Count::transaction_bytes, bytes);
  }
  void waited(const sm::ContextSituation& was_in, Cycle first, Cycle last) override {
    OfKernel* const of = profile_.of(*was_in.kernel);
    if (of == nullptr || was_in.pc >= of->instructions.size() || !profile_.filter_.warp(was_in.context)) return;
    std::uint64_t& stall = of->instructions[was_in.pc].stalls[static_cast<std::size_t>(was_in.state)];
    const Windows& windows = profile_.filter_.windows();
    for (Cycle from = first; from <= last;) {
      const CycleWindow* const window = windows.from(from);
      if (window == nullptr || window->first > last) return;
      const Cycle begin = std::max(from, window->first), end = std::min(last, window->last);
      stall += end - begin + 1;
      from = end + 1;
    }
  }

 private:
  bool taken(ContextId context, Cycle now) const {
    return profile_.filter_.warp(context) && profile_.filter_.cycle(now);
  }
  InstructionProfile& profile_;
  SmId number_;
};

InstructionProfile::InstructionProfile(const TraceFilter& filter) : filter_(filter) {}
InstructionProfile::~InstructionProfile() = default;

void InstructionProfile::listen_to(sm::Sm& sm) {
  if (!filter_.sm(sm.number())) return;
  groupings_.push_back(&sm.grouping());
  sms_.push_back(std::make_unique<OfSm>(*this, sm));
  sm.listen(*sms_.back());
}

InstructionProfile::OfKernel* InstructionProfile::of(const isa::Kernel& kernel) {
  if (const auto found = known_.find(&kernel); found != known_.end()) return found->second;
  OfKernel* made = nullptr;
  if (filter_.kernel(kernel.name)) {
    kernels_.push_back(std::make_unique<OfKernel>(OfKernel{&kernel, std::vector<Numbers>(kernel.ops.size())}));
    made = kernels_.back().get();
  }
  known_[&kernel] = made;
  return made;
}

void InstructionProfile::OfCache::cache_event(const CacheEvent& event) {
  std::size_t outcome = 0;
  switch (event.what) {
    case CacheEvent::What::hit:
      break;
    case CacheEvent::What::miss:
      outcome = 1;
      break;
    case CacheEvent::What::merge:
      outcome = 2;
      break;
    default:
      return;
  }
  const auto warp = profile_.of_warp_.find(event.requester);
  if (warp == profile_.of_warp_.end() || warp->second == nullptr || event.kind == AccessKind::instruction) return;
  std::vector<Numbers>& instructions = warp->second->instructions;
  if (event.pc < instructions.size()) ++instructions[event.pc].counts[static_cast<std::size_t>(hits_) + outcome];
}

std::string InstructionProfile::role_of(const isa::MicroOp& op) const {
  for (const sm::GroupingUnit* grouping : groupings_) {
    if (const char* const role = grouping->role_of(op); role != nullptr) return role;
  }
  return {};
}

RunProfile InstructionProfile::result() const {
  RunProfile profile;
  profile.counts = count_names();
  for (const sm::ContextStateText& state : sm::kContextStateTexts)
    profile.causes.push_back({state.name, unit::kCycles.name, state.sentence});
  std::unordered_map<std::string, std::int32_t> files;
  for (const auto& of : kernels_) {
    const isa::Kernel& kernel = *of->kernel;
    RunProfile::Kernel& out = profile.kernels.emplace_back();
    out.name = kernel.name;
    for (const isa::MicroOp& op : kernel.ops) {
      RunProfile::Instruction& instruction = out.instructions.emplace_back();
      instruction.pc = op.pc;
      instruction.ptx_line = op.ptx_line;
      instruction.text = kernel.text(op);
      instruction.role = role_of(op);
      if (op.source_line != 0 && op.source_file != 0 && op.source_file < kernel.files.size()) {
        const auto [place, fresh] =
            files.try_emplace(kernel.files[op.source_file], static_cast<std::int32_t>(profile.files.size()));
        if (fresh) profile.files.push_back(place->first);
        instruction.file = place->second;
        instruction.line = op.source_line;
      }
      const Numbers& numbers = of->instructions[op.pc];
      instruction.counts.assign(numbers.counts.begin(), numbers.counts.end());
      instruction.stalls.assign(numbers.stalls.begin(), numbers.stalls.end());
    }
    std::stable_sort(out.instructions.begin(), out.instructions.end(),
                     [](const auto& a, const auto& b) { return a.ptx_line < b.ptx_line; });
  }
  return profile;
}

}  // namespace heddle::gpu
