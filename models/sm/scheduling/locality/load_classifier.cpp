// SPDX-License-Identifier: Apache-2.0
#include "sm/scheduling/locality/load_classifier.h"

#include <algorithm>
#include <bit>

#include "sm/scheduling/locality/gated_load.h"

namespace heddle::sm {
namespace {

/// Loads of sampling warps that may be on their way at once; the oldest is given up.
constexpr std::size_t kMostLoads = 256;

std::uint64_t group_of(std::uint64_t access) { return access >> 32; }

}  // namespace

LoadClassifier::LoadClassifier(sc_core::sc_module_name module_name, SmSite& site,
                               const DivergenceAwareParameters& parameters, unsigned contexts,
                               const std::string& charged_to)
    : sc_module(module_name),
      call("call"),
      lost_locality("lost_locality"),
      parameters_(parameters),
      gate_(site.gate),
      sm_(site.number),
      loops_(parameters.table_entries),
      classes_(parameters.table_entries),
      divergence_(parameters.table_entries),
      repetitions_(parameters.repetition_sets, parameters.repetition_ways),
      group_(site.statistics, "load_classifier"),
      samplings_(group_, "samplings", "times a warp became the sampling warp of a loop", unit::kEvents),
      followed_(group_, "loads", "loads of sampling warps of which all lines were looked up", unit::kInstructions),
      captured_(group_, "captured", "of these, loads that hit a line which their warp had brought in",
                unit::kInstructions),
      lost_loads_(group_, "lost",
                  "of these, loads that captured nothing and missed a line in the victim tags of their warp",
                  unit::kInstructions),
      no_entry_(group_, "no_entry", "loops and loads that were not classified because the tables were full",
                unit::kEvents),
      state_(site.services, site.path(basename()), site.domain()) {
  call.bind(*this);
  lost_locality.bind(*this);
  site.events.coalesced.add([this](const Packet& packet, std::size_t lines) { coalesced(packet, lines); });
  site.events.l1d.add([this](const CacheEvent& event) { looked_up(event); });
  site.events.issued.add([this](const Packet& packet) { issued(packet); });
  site.events.l1d_built.add(
      [this](const L1dShape& l1d) { line_bits_ = static_cast<unsigned>(std::countr_zero(l1d.line_bytes)); });
  declare(contexts, charged_to);
}

void LoadClassifier::declare(unsigned contexts, const std::string& charged_to) {
  state_.charge_to(charged_to);
  // What is shown has caught up: else it would depend on when statistics were last read.
  const auto low = [](CodeAddress at) { return at & 0xffffffff; };
  Structure& loops = state_.traced_structure(
      "loops", "sampling warp of each loop, and its locality", parameters_.table_entries,
      {{"loop", 32, 1, 1, true}, {"warp", index_bits(contexts), 1, 1}, {"sampled", 1, 1, 1}, {"locality", 8, 1, 1}});
  loops.read([this, low](std::size_t i, std::size_t field) -> std::uint64_t {
    catch_up();
    if (i >= loops_.entries().size()) return 0;
    const SamplingTable::Entry& entry = loops_.entries()[i];
    const std::uint64_t values[] = {low(entry.loop), entry.warp, entry.sampled,
                                    static_cast<std::uint8_t>(entry.locality.value())};
    return values[field];
  });
  loops.occupied([this](std::size_t i) { return i < loops_.entries().size(); });
  loops.change_by_time();
  Structure& classes = state_.structure(
      "classes", "classes of loads in loops", parameters_.table_entries,
      {{"loop", 32, 1, 1, true}, {"load", 32, 1, 1, true}, {"divergent", 1, 1, 1}, {"repetition", 6, 1, 1}});
  classes.read([this, low](std::size_t i, std::size_t field) -> std::uint64_t {
    catch_up();
    if (i >= classes_.entries().size()) return 0;
    const LoadClasses::Entry& entry = classes_.entries()[i];
    const std::uint64_t values[] = {low(entry.loop), low(entry.load), entry.divergent, entry.repetition};
    return values[field];
  });
  classes.occupied([this](std::size_t i) { return i < classes_.entries().size(); });
  Structure& divergence = state_.structure("divergence", "divergence counters of loads", parameters_.table_entries,
                                           {{"load", 32, 1, 1, true}, {"count", 4, 1, 1}});
  divergence.read([this, low](std::size_t i, std::size_t field) -> std::uint64_t {
    catch_up();
    if (i >= divergence_.entries().size()) return 0;
    const DivergenceDetector::Entry& entry = divergence_.entries()[i];
    return field == 0 ? low(entry.load) : static_cast<std::uint64_t>(entry.count.value()) & 0xf;
  });
  divergence.occupied([this](std::size_t i) { return i < divergence_.entries().size(); });
  // Tags of 48-bit addresses, without line offset and set index.
  const unsigned tag_bits = 48 - 7 - static_cast<unsigned>(std::countr_zero(parameters_.repetition_sets));
  Structure& repetitions = state_.structure("repetitions", "lines accessed by sampling warps in the trip under way",
                                            repetitions_.entries().size(),
                                            {{"tag", tag_bits, 1, 1, true},
                                             {"load", 32, 1, 1},
                                             {"warp", index_bits(contexts), 1, 1, true},
                                             {"valid", 1, 1, 1}});
  repetitions.read([this, low](std::size_t i, std::size_t field) -> std::uint64_t {
    catch_up();
    const RepetitionDetector::Entry& entry = repetitions_.entries()[i];
    const std::uint64_t values[] = {entry.line / parameters_.repetition_sets, low(entry.load), entry.warp,
                                    entry.used != 0};
    return values[field];
  });
  repetitions.occupied([this](std::size_t i) { return repetitions_.entries()[i].used != 0; });
}

// -- what is heard

void LoadClassifier::coalesced(const Packet& packet, std::size_t transactions) {
  if (transactions == 0 || packet.kind != PacketKind::normal || !is_gated_load(*packet.op)) return;
  catch_up();
  if (!sampling_warps_.test(packet.warp)) return;
  coalesced_.push_back({packet.warp, packet.op->pc, packet.active, static_cast<std::uint32_t>(transactions)});
}

void LoadClassifier::looked_up(const CacheEvent& event) {
  using What = CacheEvent::What;
  // Loads that see the stores of other SMs are passed on, and told of as writes.
  if (event.what == What::fill || event.what == What::evict || event.kind != AccessKind::load ||
      event.requester.sm != sm_)
    return;
  catch_up();
  if (!sampling_warps_.test(event.requester.warp)) return;
  look_ups_.push_back({event.requester.warp, event.pc, event.address >> line_bits_, event.access,
                       event.what == What::hit && event.owner == event.requester});
}

void LoadClassifier::lost(const CacheEvent& miss, Cycle) {
  catch_up();
  if (sampling_warps_.test(miss.requester.warp)) lost_.push_back(miss.access);
}

void LoadClassifier::issued(const Packet& packet) {
  if (!packet.first) return;
  catch_up();
  if (sampling_contexts_.test(packet.context)) steps_.push_back({packet.context, packet.op->pc, {}});
}

void LoadClassifier::trip_begins(const LoopTrip& trip) {
  catch_up();
  steps_.push_back({trip.context, trip.loop->begin, trip});
}

void LoadClassifier::ended(ContextId context) {
  catch_up();
  // No loop contains this one.
  if (sampling_contexts_.test(context)) steps_.push_back({context, ~std::uint32_t{0}, {}});
}

unsigned LoadClassifier::lines(CodeAddress loop, unsigned threads) {
  catch_up();
  const SamplingTable::Entry* const entry = loops_.find(loop);
  if (entry == nullptr || entry->locality.value() <= 0) return 0;
  return classes_.groups(loop).lines(threads, parameters_.converged_lines);
}

// -- what is learned

void LoadClassifier::catch_up() {
  const Cycle now = gate_.now();
  if (heard_at_ == now) return;
  heard_at_ = now;
  // By kind, as the order in which modules are called in a cycle has no meaning.
  for (const Coalesced& load : coalesced_) apply(load);
  for (const LookUp& look_up : look_ups_)
    apply(look_up, std::find(lost_.begin(), lost_.end(), look_up.access) != lost_.end());
  for (const Step& step : steps_) apply(step);
  coalesced_.clear();
  look_ups_.clear();
  lost_.clear();
  if (steps_.empty()) return;
  steps_.clear();
  find_sampled();
}

SamplingTable::Entry* LoadClassifier::sampled(WarpId warp, std::uint32_t pc) {
  for (SamplingTable::Entry& entry : loops_.entries()) {
    if (!entry.sampled || entry.warp != warp) continue;
    const isa::LoopExtent* const loop = entry.loops->innermost(pc);
    if (loop != nullptr && entry.code + loop->begin == entry.loop) return &entry;
  }
  return nullptr;
}

void LoadClassifier::apply(const Coalesced& from) {
  const SamplingTable::Entry* const entry = sampled(from.warp, from.pc);
  if (entry == nullptr) return;
  const CodeAddress load = entry->code + from.pc;
  divergence_.observe(load, from.threads, from.lines);
  classes_.set_divergent(load, divergence_.divergent(load));
  if (loads_.size() == kMostLoads) loads_.erase(loads_.begin());
  loads_.push_back({entry->loop, load, from.warp, from.pc, from.lines});
}

void LoadClassifier::apply(const LookUp& look_up, bool lost) {
  const SamplingTable::Entry* const entry = sampled(look_up.warp, look_up.pc);
  if (entry == nullptr) return;
  const CodeAddress load = entry->code + look_up.pc;
  if (const CodeAddress first = repetitions_.probe(look_up.line, load, look_up.warp); first != kNoCode && first != load)
    classes_.repeat(first, load);
  // Transactions of a warp's loads are looked up in the order of the loads.
  const std::uint64_t group = group_of(look_up.access);
  const auto of = std::find_if(loads_.begin(), loads_.end(), [&](const Load& l) {
    return l.warp == look_up.warp && l.pc == look_up.pc && (l.access == 0 || l.access == group);
  });
  if (of == loads_.end()) return;
  of->access = group;
  of->own = of->own || look_up.own;
  of->lost = of->lost || lost;
  if (--of->left != 0) return;
  report(*of);
  loads_.erase(of);
}

void LoadClassifier::report(const Load& load) {
  ++followed_;
  if (load.own) ++captured_;
  if (!load.own && load.lost) ++lost_loads_;
  SamplingTable::Entry& entry = *loops_.find(load.loop);
  entry.locality.count(load.own || load.lost);
  if (entry.locality.value() <= 0) return;
  if (!classes_.knows(load.load)) {
    if (!classes_.add(load.loop, load.load)) {
      ++no_entry_;
      return;
    }
    classes_.set_divergent(load.load, divergence_.divergent(load.load));
  }
}

void LoadClassifier::apply(const Step& step) {
  for (SamplingTable::Entry& entry : loops_.entries()) {
    if (!entry.sampled || entry.context != step.context) continue;
    const CodeAddress at = entry.code + step.pc;
    if (entry.loop <= at && at <= entry.end) continue;
    entry.sampled = false;
    repetitions_.clear(entry.warp);
  }
  if (step.trip.loop != nullptr) begin_sampling(step.trip);
}

void LoadClassifier::begin_sampling(const LoopTrip& trip) {
  const CodeAddress loop = trip.code + trip.loop->begin;
  if (SamplingTable::Entry* const entry = loops_.find(loop); entry != nullptr && entry->sampled) {
    if (entry->context == trip.context) repetitions_.clear(entry->warp);
    return;
  }
  if (!trip.enters || trip.threads <= DivergenceDetector::kThreshold) return;
  CodeAddress replaced = kNoCode;
  SamplingTable::Entry* const entry = loops_.use(loop, replaced);
  if (replaced != kNoCode) classes_.forget(replaced);
  if (entry == nullptr) {
    ++no_entry_;
    return;
  }
  entry->end = trip.code + trip.loop->end;
  entry->code = trip.code;
  entry->loops = trip.loops;
  entry->context = trip.context;
  entry->warp = trip.warp;
  entry->sampled = true;
  ++samplings_;
}

void LoadClassifier::find_sampled() {
  sampling_warps_.clear();
  sampling_contexts_.clear();
  for (const SamplingTable::Entry& entry : loops_.entries()) {
    if (!entry.sampled) continue;
    sampling_warps_.set(entry.warp);
    sampling_contexts_.set(entry.context);
  }
  std::erase_if(loads_, [this](const Load& load) {
    const SamplingTable::Entry* const entry = loops_.find(load.loop);
    return entry == nullptr || !entry->sampled || entry->warp != load.warp;
  });
}

}  // namespace heddle::sm
