// SPDX-License-Identifier: Apache-2.0
#include "memory/locality/locality_analysis.h"

#include <algorithm>
#include <map>
#include <memory>

#include "core/error.h"
#include "core/quantity_text.h"

namespace heddle::memory {
namespace {

const char* name_of(IndexHash index) {
  switch (index) {
    case IndexHash::xor_:
      return "xor";
    case IndexHash::fermi:
      return "fermi";
    case IndexHash::none:
      break;
  }
  return "none";
}

/// The recorded machine's hash where it is defined for so many sets, or none.
IndexHash hash_for(IndexHash recorded, unsigned sets, bool same_lines) {
  if (recorded == IndexHash::xor_ && (sets & (sets - 1)) == 0) return recorded;
  if (recorded == IndexHash::fermi && (sets == 32 || sets == 64) && same_lines) return recorded;
  return IndexHash::none;
}

/// A hit on a line that `owner` brought.
void add_hit(LocalityCounts& counts, const Reference& one, ReplayCache::Owner owner) {
  if (owner.warp != one.warp) {
    ++counts.inter_warp;
    return;
  }
  ++((owner.lanes & one.lanes) != 0 ? counts.intra_thread : counts.inter_thread);
  if (one.trip == TripClass::this_trip) ++counts.this_trip;
  if (one.trip == TripClass::last_trip) ++counts.last_trip;
  if (one.trip == TripClass::other) ++counts.other_trip;
}

/// Applies a reference to a cache; true with the owner if it is a load that hits.
ReplayCache::Answer apply(const Reference& one, const TracedCache& machine, ReplayCache& cache) {
  if (one.kind == TracedKind::load) return cache.load(one.line, {one.warp, one.lanes}, one.next_use);
  switch (machine.effect_of(one.kind)) {
    case StoreEffect::invalidates:
      cache.invalidate(one.line);
      break;
    case StoreEffect::updates:
      cache.update(one.line, one.next_use);
      break;
    case StoreEffect::allocates:
      cache.load(one.line, {one.warp, one.lanes}, one.next_use);
      break;
  }
  return {};
}

}  // namespace

const char* name_of(ReplayPolicy policy) {
  switch (policy) {
    case ReplayPolicy::fifo:
      return "fifo";
    case ReplayPolicy::belady:
      return "belady";
    case ReplayPolicy::unbounded:
      return "unbounded";
    case ReplayPolicy::lru:
      break;
  }
  return "lru";
}

LocalityRequest LocalityRequest::usual(const TracedCache& recorded) {
  LocalityRequest request;
  if (!recorded.unlimited()) request.replays = {{ReplayPolicy::lru}, {ReplayPolicy::belady}};
  request.replays.push_back({ReplayPolicy::unbounded});
  request.limits = {1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 24, 32};
  return request;
}

LocalityAnalysis::LocalityAnalysis(const LocalityRequest& request, TracedMachine machine)
    : request_(request), machine_(std::move(machine)) {
  for (const ReplayRequest& one : request_.replays) caches_.push_back(cache_of(one));
}

LocalityAnalysis::Cache LocalityAnalysis::cache_of(const ReplayRequest& request) const {
  const TracedCache& recorded = machine_.cache;
  const unsigned line_bytes = request.line_bytes != 0 ? request.line_bytes : recorded.line_bytes;
  if (request.policy == ReplayPolicy::unbounded) return {{ReplayPolicy::unbounded}, line_bytes};
  const std::uint64_t bytes = request.bytes != 0 ? request.bytes : recorded.bytes();
  const unsigned ways = request.ways != 0 ? request.ways : recorded.ways;
  if (bytes == 0 || ways == 0) {
    fail(ExitCode::usage, "the recorded cache is unlimited, so a replay under {} needs a size and a number of ways",
         name_of(request.policy));
  }
  const std::uint64_t sets = bytes / line_bytes / ways;
  if (sets == 0 || sets > 1U << 24 || sets * ways * line_bytes != bytes) {
    fail(ExitCode::usage, "there is no cache of {} with {} ways of {}-byte lines: its size must be a multiple of {}",
         size_text(bytes), ways, line_bytes, size_text(std::uint64_t{ways} * line_bytes));
  }
  const auto number = static_cast<unsigned>(sets);
  return {{request.policy, number, ways, hash_for(recorded.index, number, line_bytes == recorded.line_bytes)},
          line_bytes};
}

LocalityAnalysis::OfKernel& LocalityAnalysis::of(const TracedKernel& kernel) {
  for (OfKernel& known : kernels_) {
    if (known.kernel.name == kernel.name && known.places.size() == kernel.places.size()) return known;
  }
  OfKernel& made = kernels_.emplace_back();
  made.kernel = kernel;
  made.places.resize(kernel.places.size());
  for (Place& place : made.places) place.replays.resize(caches_.size());
  const bool limits = request_.model_limits && !machine_.cache.unlimited();
  made.limits.resize(limits ? request_.limits.size() + 1 : 0);
  for (LimitSum& limit : made.limits) limit.places.resize(kernel.places.size());
  return made;
}

void LocalityAnalysis::add(const TracedKernel& kernel, const TracedLaunch& launch) {
  OfKernel& to = of(kernel);
  ++to.launches;
  to.warp_instructions += launch.warp_instructions;
  to.thread_instructions += launch.thread_instructions;
  to.cycles += launch.cycles;
  to.truncated = to.truncated || launch.truncated;
  for (const TracedSm& sm : launch.sms) {
    const std::vector<Reference> references = references_of(sm, kernel, machine_.cache, machine_.cache.line_bytes);
    add_run(sm, references, to);
    add_causes(sm, references, to);
    add_replays(sm, to);
    if (!to.limits.empty()) add_limits(sm, launch.times, to);
  }
}

/// What the recorded cache answered.
void LocalityAnalysis::add_run(const TracedSm& sm, const std::vector<Reference>& references, OfKernel& to) const {
  std::unordered_map<std::uint64_t, ReplayCache::Owner> brought;
  for (const Reference& one : references) {
    const TracedOutcome outcome = sm.accesses[one.access].outcome;
    if (outcome == TracedOutcome::miss) brought[one.line] = {one.warp, one.lanes};
    if (one.kind != TracedKind::load) continue;
    LocalityCounts& counts = to.places[one.place].counts;
    switch (outcome) {
      case TracedOutcome::miss:
        ++counts.misses;
        break;
      case TracedOutcome::merge:
        ++counts.merges;
        break;
      case TracedOutcome::own_hit:
      case TracedOutcome::other_hit:
        // Not as the cache saw it, which knows the warp by its number: that may have been an earlier warp's.
        add_hit(counts, one, brought[one.line]);
        break;
      case TracedOutcome::none:
        break;
    }
  }
}

void LocalityAnalysis::add_causes(const TracedSm& sm, const std::vector<Reference>& references, OfKernel& to) const {
  struct Line {
    std::uint64_t touched = 0, stored = 0;  ///< positions from 1
  };
  struct Warp {
    std::unique_ptr<ReplayCache> own;
    std::unordered_map<std::uint64_t, std::uint64_t> touched;
    std::uint64_t left = 0;  ///< loads
  };
  const TracedCache& cache = machine_.cache;
  const ReplayGeometry own{cache.unlimited() ? ReplayPolicy::unbounded : ReplayPolicy::lru, std::max(1U, cache.sets),
                           std::max(1U, cache.ways), cache.index};
  std::vector<Warp> warps(sm.warps.size());
  for (const Reference& one : references) warps[one.warp].left += one.kind == TracedKind::load ? 1 : 0;
  std::unordered_map<std::uint64_t, Line> lines;
  std::uint64_t position = 0;
  for (const Reference& one : references) {
    ++position;
    Line& line = lines[one.line];
    if (one.kind != TracedKind::load) {
      if (cache.effect_of(one.kind) == StoreEffect::invalidates) line.stored = position;
      continue;
    }
    Warp& warp = warps[one.warp];
    if (!warp.own) warp.own = std::make_unique<ReplayCache>(own);
    std::uint64_t& touched = warp.touched[one.line];
    const bool own_hit = warp.own->load(one.line, {one.warp, one.lanes}).hit && line.stored < touched;
    if (sm.accesses[one.access].outcome == TracedOutcome::miss) {
      MissCauses& causes = to.places[one.place].causes;
      if (line.touched == 0) {
        ++causes.first;
      } else if (line.stored > line.touched) {
        ++causes.stored;
      } else if (own_hit) {
        ++causes.lost;
      } else {
        ++(touched != 0 ? causes.too_far : causes.other_warps);
      }
    }
    touched = line.touched = position;
    if (--warp.left == 0) warp = {};
  }
}

void LocalityAnalysis::add_replays(const TracedSm& sm, OfKernel& to) const {
  std::map<unsigned, std::vector<Reference>> by_line_bytes;
  for (std::size_t r = 0; r < caches_.size(); ++r) {
    const auto [found, fresh] = by_line_bytes.try_emplace(caches_[r].line_bytes);
    if (fresh) found->second = references_of(sm, to.kernel, machine_.cache, caches_[r].line_bytes);
    ReplayCache cache(caches_[r].geometry);
    for (const Reference& one : found->second) {
      const ReplayCache::Answer answer = apply(one, machine_.cache, cache);
      if (one.kind != TracedKind::load) continue;
      LocalityCounts& counts = to.places[one.place].replays[r];
      if (answer.hit) {
        add_hit(counts, one, answer.owner);
      } else {
        ++counts.misses;
      }
    }
  }
}

void LocalityAnalysis::add_limits(const TracedSm& sm, const TracedTimes& times, OfKernel& to) const {
  const LimitModel model(machine_, to.kernel, times, sm);
  to.warps = std::max(to.warps, model.most_warps());
  LimitResult unlimited = model.run(model.most_warps());
  for (std::size_t i = 0; i < to.limits.size(); ++i) {
    const bool limits = i < request_.limits.size() && request_.limits[i] < model.most_warps();
    const LimitResult result = limits ? model.run(request_.limits[i]) : unlimited;
    LimitSum& sum = to.limits[i];
    sum.cycles += result.cycles;
    for (std::size_t p = 0; p < result.places.size(); ++p) {
      sum.places[p].hits += result.places[p].hits;
      sum.places[p].merges += result.places[p].merges;
      sum.places[p].misses += result.places[p].misses;
    }
  }
}

RunLocality LocalityAnalysis::result() const {
  RunLocality all;
  all.machine = machine_.name;
  all.cache_bytes = machine_.cache.bytes();
  all.cache_ways = machine_.cache.ways;
  all.line_bytes = machine_.cache.line_bytes;
  for (const Cache& cache : caches_) {
    const ReplayGeometry& geometry = cache.geometry;
    if (geometry.policy == ReplayPolicy::unbounded) {
      all.replays.push_back({name_of(geometry.policy), 0, 0, cache.line_bytes, "none"});
    } else {
      all.replays.push_back({name_of(geometry.policy), std::uint64_t{geometry.sets} * geometry.ways * cache.line_bytes,
                             geometry.ways, cache.line_bytes, name_of(geometry.index)});
    }
  }
  for (const OfKernel& kernel : kernels_) all.kernels.push_back(result_of(kernel, all));
  return all;
}

RunLocality::Kernel LocalityAnalysis::result_of(const OfKernel& of, RunLocality& all) const {
  const TracedKernel& kernel = of.kernel;
  RunLocality::Kernel out;
  out.name = kernel.name;
  out.launches = of.launches;
  out.warp_instructions = of.warp_instructions;
  out.thread_instructions = of.thread_instructions;
  out.cycles = of.cycles;
  out.warps = of.warps;
  out.truncated = of.truncated;
  const auto file_of = [&](const TracedSource& source) -> std::int32_t {
    if (source.file < 0) return -1;
    const std::string& path = kernel.files[static_cast<std::size_t>(source.file)];
    const auto found = std::find(all.files.begin(), all.files.end(), path);
    if (found == all.files.end()) all.files.push_back(path);
    return static_cast<std::int32_t>(std::find(all.files.begin(), all.files.end(), path) - all.files.begin());
  };
  for (std::size_t p = 0; p < kernel.places.size(); ++p) {
    const TracedPlace& place = kernel.places[p];
    if (of.places[p].counts.accesses() == 0) continue;
    out.loads.push_back({place.pc, place.ptx_line, place.loop, file_of(place.source), place.source.line, place.text,
                         of.places[p].counts, of.places[p].causes, of.places[p].replays});
  }
  std::sort(out.loads.begin(), out.loads.end(), [](const auto& a, const auto& b) { return a.pc < b.pc; });
  for (const TracedLoop& loop : kernel.loops)
    out.loops.push_back({loop.pc, loop.depth, loop.source.line, loop.parent, file_of(loop.source), {}});
  for (std::size_t i = 0; i < of.limits.size(); ++i) {
    const bool last = i == request_.limits.size();
    const unsigned warps = last ? std::max(of.warps, 1U) : request_.limits[i];
    if (!last && warps >= of.warps) continue;
    RunLocality::Limit& whole = out.limits.emplace_back(RunLocality::Limit{warps, 0, 0, 0, of.limits[i].cycles});
    for (RunLocality::Loop& loop : out.loops) loop.limits.push_back({warps, 0, 0, 0, 0});
    for (std::size_t p = 0; p < kernel.places.size(); ++p) {
      const LimitCounts& counts = of.limits[i].places[p];
      const auto add = [&counts](RunLocality::Limit& to) {
        to.hits += counts.hits;
        to.merges += counts.merges;
        to.misses += counts.misses;
      };
      add(whole);
      for (std::int32_t loop = kernel.places[p].loop; loop >= 0;
           loop = out.loops[static_cast<std::size_t>(loop)].parent)
        add(out.loops[static_cast<std::size_t>(loop)].limits.back());
    }
  }
  return out;
}

}  // namespace heddle::memory
