// SPDX-License-Identifier: Apache-2.0
#include "sm/scheduling/locality/victim_tag_array.h"

#include <fmt/format.h>

#include <bit>
#include <utility>

#include "sm/blocks/block_site.h"

namespace heddle::sm {

namespace {

using What = CacheEvent::What;

Buckets by_warp(unsigned warps) {
  std::vector<std::string> labels;
  for (unsigned w = 0; w < warps; ++w) labels.push_back(fmt::format("w{}", w));
  return Buckets::named(std::move(labels));
}

}  // namespace

VictimTagArray::VictimTagArray(sc_core::sc_module_name module_name, SmSite& site, const VictimTagParameters& parameters,
                               unsigned warps, const std::string& charged_to)
    : sc_module(module_name),
      scheduler("scheduler"),
      parameters_(parameters),
      warps_(warps),
      site_(site),
      group_(site.statistics, basename()),
      own_hits_(group_, "own_hits", "loads that hit a line of the L1 data cache that their own warp brought in",
                unit::kAccesses),
      other_hits_(group_, "other_hits", "loads that hit a line that another warp brought in", unit::kAccesses),
      inserted_(group_, "inserted", "lines replaced in the L1 data cache whose tags were kept", unit::kLines),
      refreshed_(group_, "refreshed", "of these, lines whose tags were still there", unit::kLines),
      removed_(group_, "removed", "tags removed because their line was written", unit::kLines),
      probes_(group_, "probes", "loads that missed the L1 data cache, also those that merged with another",
              unit::kAccesses),
      hits_(group_, "hits", "of these, loads of a line that their warp had lost: lost intra-warp locality",
            unit::kAccesses),
      hits_by_warp_(group_, "hits_by_warp", "lost intra-warp locality, by warp of the SM", unit::kAccesses,
                    by_warp(warps)),
      state_(site.services, site.path(basename()), site.domain()),
      hit_(
          state_.signals.pulse("hit", index_bits(warps), "warp that has lost the line it loads; the last of a cycle")) {
  site.events.l1d.add([this](const CacheEvent& event) { cache_event(event); });
  site.events.l1d_built.add([this, charged_to](const L1dShape& l1d) { built(l1d, charged_to); });
}

void VictimTagArray::built(const L1dShape& l1d, const std::string& charged_to) {
  line_bits_ = static_cast<unsigned>(std::countr_zero(l1d.line_bytes));
  VictimSetShape shape{.ways = parameters_.set_ways(), .replacement = parameters_.replacement};
  if (parameters_.entries != 0) {
    shape.tag_bits = kVictimAddressBits - line_bits_ - static_cast<unsigned>(std::countr_zero(parameters_.sets()));
    lookup_ = make(site_.parameters.blocks.victim_lookup, shape, block_site(site_, "victim_lookup"));
  }
  for (unsigned w = 0; w < warps_; ++w) partitions_.emplace_back(lookup_.get(), parameters_);
  declare(l1d, shape, charged_to);
}

void VictimTagArray::declare(const L1dShape& l1d, const VictimSetShape& shape, const std::string& charged_to) {
  state_.charge_to(charged_to);
  state_.structure("line_owner", "warp that brought in each line of the L1 data cache", l1d.lines,
                   {{"warp", index_bits(warps_), 1, 1}});
  const unsigned sets = parameters_.sets();
  if (sets == 0) return;  // no hardware
  const auto set_of = [this, sets](std::size_t number) -> const VictimSet& {
    return partitions_[number / sets].set(static_cast<unsigned>(number % sets));
  };
  Structure& tags = state_.structure("tags", "lines that each warp has lost", std::size_t{warps_} * sets * shape.ways,
                                     {{"tag", shape.tag_bits, 1, 1, true}, {"valid", 1, 1, 1}});
  const auto valid = [set_of, ways = shape.ways](std::size_t entry) {
    return (set_of(entry / ways).valid >> (entry % ways) & 1) != 0;
  };
  tags.occupied(valid);
  tags.read([set_of, valid, ways = shape.ways](std::size_t entry, std::size_t field) -> std::uint64_t {
    return field == 1 ? valid(entry) : set_of(entry / ways).tags[entry % ways];
  });
  if (shape.ways == 1) return;  // there is no choice
  const bool fifo = shape.replacement == VictimReplacement::fifo;
  Structure& order =
      state_.structure("order", "the way of each set that is replaced next, or its ways by last use",
                       std::size_t{warps_} * sets, {{"ways", index_bits(shape.ways) * (fifo ? 1 : shape.ways), 1, 1}});
  if (fifo) order.read([set_of](std::size_t entry, std::size_t) { return set_of(entry).order; });
}

void VictimTagArray::warp_ended(WarpId warp) {
  if (parameters_.clear_on_warp_exit && !partitions_.empty()) partitions_[warp].clear();
}

void VictimTagArray::cache_event(const CacheEvent& event) {
  const bool loads = event.kind == AccessKind::load;
  const std::uint64_t line = event.address >> line_bits_;
  switch (event.what) {
    case What::hit:
      if (!loads) break;
      ++(event.owner == event.requester ? own_hits_ : other_hits_);
      if (event.owner == event.requester) uses_[line] = site_.gate.now();
      break;
    case What::miss:
      insert_replaced(event);
      uses_[line] = site_.gate.now();
      if (loads) probe(event);
      break;
    case What::merge:
      if (loads) probe(event);
      break;
    case What::fill:
      insert_replaced(event);
      break;
    case What::write:
      if (!loads) remove(line);
      break;
    case What::evict:
      break;
  }
  // An eviction by the write before it makes no room.
  just_evicted_ = event.what == What::evict && !(just_written_ && written_ == line);
  just_written_ = event.what == What::write;
  written_ = line;
  if (event.what != What::evict) return;
  evicted_ = event;
  const auto use = uses_.extract(line);
  evicted_use_ = use.empty() ? 0 : use.mapped();
}

void VictimTagArray::insert_replaced(const CacheEvent& event) {
  // A cache that is emptied evicts, too, but nothing follows in that cycle.
  if (!just_evicted_ || evicted_.cycle != event.cycle || !(evicted_.requester == event.requester)) return;
  if (evicted_.owner.sm != site_.number) return;
  ++inserted_;
  if (partitions_[evicted_.owner.warp].insert(evicted_.address >> line_bits_, evicted_use_)) ++refreshed_;
}

void VictimTagArray::probe(const CacheEvent& miss) {
  if (miss.requester.sm != site_.number) return;
  ++probes_;
  const auto last_use = partitions_[miss.requester.warp].find(miss.address >> line_bits_);
  if (!last_use) return;
  ++hits_;
  hits_by_warp_.add(miss.requester.warp);
  if (state_.signals.on()) state_.signals.fire(hit_, miss.requester.warp);
  scheduler->lost(miss, *last_use);
}

void VictimTagArray::remove(std::uint64_t line) {
  for (VictimPartition& partition : partitions_) {
    if (partition.remove(line)) ++removed_;
  }
}

}  // namespace heddle::sm
