// SPDX-License-Identifier: Apache-2.0
#include "gpu/recording/pipeline_log.h"

#include <algorithm>
#include <span>

#include "gpu/recording/pipeline_lines.h"
#include "sm/sm.h"

namespace heddle::gpu {
namespace {

using sm::ContextSituation;
using sm::FetchRequest;
using sm::Packet;
using sm::PipelineStage;

/// Processing order of events within a cycle, which makes the log independent of the order in which stages are called.
enum class Kind : std::uint8_t { block, requested, decoding, decoded, issued, entered, sent, ended, state };

struct Event {
  Kind kind;
  std::uint64_t key;  ///< context or trace id; orders events of the same kind
  std::uint32_t pc = 0, count = 0;
  PipelineStage stage = PipelineStage::operands;
  ContextSituation situation{};
  std::size_t issue = 0;  ///< index into issues
};

}  // namespace

struct PipelineLog::Texts : InstructionTexts {};

/// Collects the events of a cycle and processes them in a fixed order at its end.
class PipelineLog::OfSm final : public sm::SmListenerBase {
 public:
  OfSm(PipelineLog& log, const sm::Sm& sm)
      : log_(log),
        grouping_(sm.grouping()),
        lines_(log.writer_, log.filter_, sm.number(), log.lines_ == Lines::packets, *log.texts_, log.retired_) {}

  bool follows_instructions() const override { return true; }
  void block_begins(BlockSlot slot, const isa::LaunchState&, std::uint64_t, Cycle now) override {
    add(now, {Kind::block, slot});
  }
  void requested(const FetchRequest& request, Cycle now) override {
    add(now, {Kind::requested, request.context, request.pc, request.count});
  }
  void fetched(const FetchRequest& request, Cycle now) override {
    add(now, now + 1, {Kind::decoding, request.context, request.pc, request.count});
  }
  void decoded(const FetchRequest& request, Cycle now) override {
    add(now, {Kind::decoded, request.context, request.pc, request.count});
  }
  void issued(const Packet& packet, const ContextSituation& context, unsigned, Cycle now) override {
    Event event{Kind::issued, packet.trace_id};
    event.situation = context;
    add(now, event);
    if (events_.empty()) return;  // the log is full
    events_.back().issue = issues_.size();
    issues_.emplace_back(packet, grouping_.company_of(packet.context), words_);
  }
  void entered(std::uint64_t trace_id, PipelineStage stage, Cycle now) override {
    Event event{Kind::entered, trace_id};
    event.stage = stage;
    add(now, event);
  }
  void sent(const Packet& packet, std::uint64_t, unsigned, bool, Cycle now) override {
    add(now, {Kind::sent, packet.trace_id});
  }
  void ended(std::uint64_t trace_id, Cycle now) override { add(now, {Kind::ended, trace_id}); }
  void state_begins(const ContextSituation& situation, Cycle from, Cycle now) override {
    Event event{Kind::state, situation.context};
    event.situation = situation;
    add(now, from, event);
  }

  /// Processes the events of this cycle; events reported for the next cycle move up.
  void write(Cycle now) {
    if (events_.empty()) {
      std::swap(events_, next_);
      return;
    }
    sort_events();
    lines_.begin_cycle(now);
    // Instructions are looked up in their context's kernel, which a block dispatched in this cycle may define.
    for (const Event& event : events_) {
      if (event.kind == Kind::state) lines_.note(event.situation);
    }
    for (std::size_t i = 0; i < order_.size(); ++i) {
      const Event& event = event_at(i);
      // If a state is reported twice, the last report holds. States of issuing contexts, reported in the cycle before,
      // are dropped.
      if (event.kind == Kind::state &&
          (issued_.test(event.key) || (i + 1 < order_.size() && event_at(i + 1).key == event.key)))
        continue;
      if (event.kind == Kind::issued && issues_[event.issue].first) issued_.set(event.situation.context);
      work(event);
    }
    issued_.clear();
    events_.clear();
    issues_.clear();
    words_.clear();
    std::swap(events_, next_);
  }
  bool empty() const { return events_.empty(); }
  void finish() { lines_.finish(); }

 private:
  /// at: `now` or the next cycle.
  void add(Cycle now, const Event& event) { add(now, now, event); }
  void add(Cycle now, Cycle at, const Event& event) {
    if (log_.writer_.full()) return;
    log_.reach(now);
    (at == now ? events_ : next_).push_back(event);
  }
  /// By kind and key, those of the same in the order of their reports.
  void sort_events() {
    order_.clear();
    for (std::uint64_t i = 0; i < events_.size(); ++i) {
      const Event& event = events_[i];
      order_.push_back(std::uint64_t(event.kind) << (kKeyBits + kNumberBits) | event.key << kNumberBits | i);
    }
    std::sort(order_.begin(), order_.end());
  }
  const Event& event_at(std::size_t place) const {
    return events_[order_[place] & ((std::uint64_t{1} << kNumberBits) - 1)];
  }
  std::span<const IssuedPacket::Word> words_of(const IssuedPacket& packet) const {
    return std::span(words_).subspan(packet.first_word, packet.end_word - packet.first_word);
  }
  void work(const Event& event) {
    switch (event.kind) {
      case Kind::block:
        lines_.forget_values(BlockSlot(event.key));
        break;
      case Kind::requested:
        lines_.requested(ContextId(event.key), event.pc, event.count);
        break;
      case Kind::decoding:
        lines_.fetched(ContextId(event.key), event.pc, event.count, "D");
        break;
      case Kind::decoded:
        lines_.fetched(ContextId(event.key), event.pc, event.count, "I");
        break;
      case Kind::issued:
        lines_.issued(issues_[event.issue], words_of(issues_[event.issue]), event.situation);
        break;
      case Kind::entered:
        lines_.entered(event.key, event.stage);
        break;
      case Kind::sent:
        lines_.sent(event.key);
        break;
      case Kind::ended:
        lines_.ended(event.key);
        break;
      case Kind::state:
        lines_.state(event.situation);
        break;
    }
  }

  PipelineLog& log_;
  const sm::GroupingUnit& grouping_;
  PipelineLines lines_;
  std::vector<Event> events_, next_;
  /// Events in the order in which they are processed: kind, key, number in events_. A cycle has fewer than a million
  /// events, and an SM issues fewer than 2^40 packets.
  std::vector<std::uint64_t> order_;
  static constexpr unsigned kKeyBits = 40, kNumberBits = 20;
  std::vector<IssuedPacket> issues_;
  std::vector<IssuedPacket::Word> words_;  ///< of issues_
  ContextSet issued_;                      ///< contexts whose instruction began to issue in this cycle
};

PipelineLog::PipelineLog(const std::filesystem::path& path, Lines lines, const TraceFilter& filter,
                         std::uint64_t most_bytes)
    : writer_(path, most_bytes), lines_(lines), filter_(filter), texts_(std::make_unique<Texts>()) {}

PipelineLog::~PipelineLog() = default;

void PipelineLog::listen_to(sm::Sm& sm) {
  if (!filter_.sm(sm.number())) return;
  sms_.push_back(std::make_unique<OfSm>(*this, sm));
  sm.listen(*sms_.back());
}

void PipelineLog::reach(Cycle cycle) {
  while (now_ < cycle) {
    bool more = false;
    for (const auto& sm : sms_) {
      sm->write(now_);
      more = more || !sm->empty();
    }
    now_ = more ? now_ + 1 : cycle;
  }
}

void PipelineLog::finish() {
  reach(now_ + 2);
  for (const auto& sm : sms_) sm->finish();
  writer_.close();
}

}  // namespace heddle::gpu
