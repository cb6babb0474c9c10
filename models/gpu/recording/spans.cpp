// SPDX-License-Identifier: Apache-2.0
#include "gpu/recording/spans.h"

#include <algorithm>
#include <utility>

#include "sm/sm.h"

namespace heddle::gpu {

class SpanRecorder::OfSm final : public sm::SmListenerBase {
 public:
  OfSm(const TraceFilter& filter, const sm::Sm& sm)
      : filter_(filter), number_(sm.number()), blocks_(sm.parameters().residency.blocks), warps_(sm::kMaxContexts) {}

  void block_begins(BlockSlot slot, const isa::LaunchState& launch, std::uint64_t block, Cycle now) override {
    blocks_[slot] = {filter_.kernel(launch.kernel->name), {number_, slot, launch.id, block, now, now}};
  }
  void block_ends(BlockSlot slot, Cycle now) override {
    Open<RunSpans::Block>& open = blocks_[slot];
    open.span.last = now;
    if (std::exchange(open.present, false)) keep(spans_.blocks, open.span);
  }
  void issued(const sm::Packet& packet, const sm::ContextSituation& context, unsigned, Cycle now) override {
    if (!packet.first) return;
    // A context created in this cycle may issue before its state is reported.
    if (!warps_[context.context].present) begin(context, now);
    ++warps_[context.context].span.instructions;
  }
  void state_begins(const sm::ContextSituation& situation, Cycle from, Cycle) override {
    Open<RunSpans::Warp>& open = warps_[situation.context];
    const bool present = situation.state != sm::ContextState::none;
    const RunSpans::Block& block = blocks_[situation.block_slot].span;
    // A context that changed its block without a gap starts a new span.
    if (open.present && (!present || open.span.block_slot != situation.block_slot || open.span.block != block.block ||
                         open.span.launch != block.launch)) {
      open.span.last = std::max(open.span.first, from) - (from > open.span.first ? 1 : 0);
      open.present = false;
      keep(spans_.warps, open.span);
    }
    if (present && !open.present) begin(situation, from);
  }
  void add_to(RunSpans& all, Cycle now) const {
    const auto add = [now](auto& to, const auto& done, const auto& open) {
      to.insert(to.end(), done.begin(), done.end());
      for (const auto& one : open) {
        if (!one.present) continue;
        to.push_back(one.span);
        to.back().last = std::max(now, one.span.first);
      }
    };
    add(all.blocks, spans_.blocks, blocks_);
    add(all.warps, spans_.warps, warps_);
    all.truncated = all.truncated || spans_.truncated;
  }

 private:
  template <typename Span>
  struct Open {
    bool present = false;
    Span span{};
  };
  void begin(const sm::ContextSituation& situation, Cycle first) {
    const Open<RunSpans::Block>& block = blocks_[situation.block_slot];
    if (!block.present || !filter_.warp(situation.context)) return;
    warps_[situation.context] = {true,
                                 {number_, situation.context, situation.block_slot, block.span.launch, block.span.block,
                                  first, first, std::uint64_t{0}}};
  }
  template <typename Span>
  void keep(std::vector<Span>& to, const Span& span) {
    if (to.size() < RunSpans::kMost) {
      to.push_back(span);
    } else {
      spans_.truncated = true;
    }
  }

  const TraceFilter& filter_;
  SmId number_;
  std::vector<Open<RunSpans::Block>> blocks_;
  std::vector<Open<RunSpans::Warp>> warps_;
  RunSpans spans_;
};

SpanRecorder::SpanRecorder(const TraceFilter& filter) : filter_(filter) {}
SpanRecorder::~SpanRecorder() = default;

void SpanRecorder::listen_to(sm::Sm& sm) {
  if (!filter_.sm(sm.number())) return;
  sms_.push_back(std::make_unique<OfSm>(filter_, sm));
  sm.listen(*sms_.back());
}

RunSpans SpanRecorder::result(Cycle now) const {
  RunSpans all;
  for (const auto& sm : sms_) sm->add_to(all, now);
  const auto trim = [&all](auto& rows) {
    if (rows.size() <= RunSpans::kMost) return;
    // Keep the earliest spans of all SMs, not all spans of the first SMs.
    std::stable_sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    rows.resize(RunSpans::kMost);
    std::stable_sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) { return a.sm < b.sm; });
    all.truncated = true;
  };
  trim(all.blocks);
  trim(all.warps);
  return all;
}

}  // namespace heddle::gpu
