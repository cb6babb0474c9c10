// SPDX-License-Identifier: Apache-2.0
#include "sm/grouping/ganging/gang_fetch.h"

#include <algorithm>
#include <bit>

#include "core/error.h"
#include "sm/scheduling/order_policy.h"

namespace heddle::sm {

SliceMask FetchPortArbiter::grant(SliceMask wanting, unsigned ports) {
  unsigned granted = 0;
  const unsigned first = first_, all = (1u << slices_) - 1;
  // Bit i is of the slice that is asked as the i-th.
  unsigned turns = (unsigned{wanting} >> first | unsigned{wanting} << (slices_ - first)) & all;
  for (; turns != 0 && ports != 0; turns &= turns - 1) {
    const unsigned slice = (first + static_cast<unsigned>(std::countr_zero(turns))) % slices_;
    granted |= 1u << slice;
    --ports;
    first_ = (slice + 1) % slices_;
  }
  return static_cast<SliceMask>(granted);
}

GangFetch::GangFetch(VariableWarps& warps)
    : warps_(warps),
      parameters_(warps.parameters()),
      instruction_bytes_(warps.site().parameters.fetch.instruction_bytes),
      arbiter_(warps.slices()),
      last_(warps.slices(), kNoContext),
      candidate_(warps.slices(), kNoContext),
      group_(warps.site().statistics, "gang_fetch"),
      gang_fetches_(group_, "gangs", "fetches for gangs, one for all warps of a gang", unit::kRequests),
      slice_fetches_(group_, "slices", "fetches for warps that their slice schedules", unit::kRequests),
      l0_hits_(group_, "from_l0", "of these, fetches from an L0 store", unit::kRequests),
      cache_fetches_(group_, "from_cache", "fetches that took a port of the instruction cache", unit::kRequests),
      refused_(group_, "refused", "cycles of slices that wanted a port of the instruction cache and got none",
               unit::kEvents),
      state_(warps.site().services, warps.site().path("gang_fetch"), warps.site().domain()),
      gang_ports_(state_.signals.pulse("gang_ports", 5, "ports of the instruction cache that gangs take")),
      slice_ports_(state_.signals.pulse("slice_grants", kMaxSlices, "slices that get a port of the instruction cache")),
      from_l0_(state_.signals.pulse("l0_hits", kMaxSlices, "slices that fetch from their L0 store")) {
  const SmParameters& p = warps.site().parameters;
  const unsigned needed = parameters_.l0_bytes == 0
                              ? std::min(parameters_.fetch_ports, warps.slices() + parameters_.gang_fetches)
                              : warps.slices() + std::min(parameters_.fetch_ports, parameters_.gang_fetches);
  if (p.fetch.width < needed) {
    fail(ExitCode::configuration, "sm.fetch.width: {} is less than the {} fetches that {} can start in a cycle",
         p.fetch.width, needed, warps.name());
  }
}

bool GangFetch::has_room(const InstructionSupply& supply, unsigned set, SliceMask gang) const {
  const ContextId first = warps_.unit().context_of(set, static_cast<unsigned>(std::countr_zero(unsigned{gang})));
  return supply.next_pc(first) - warps_.contexts()[first].pc < parameters_.gang_buffer;
}

std::uint64_t GangFetch::address_of(const InstructionSupply& supply, ContextId c) const {
  return warps_.contexts()[c].code_address + std::uint64_t{supply.next_pc(c)} * instruction_bytes_;
}

void GangFetch::cycle(InstructionSupply& supply, const ContextSet& wanting) {
  unsigned ports = parameters_.fetch_ports;
  // Slices that have gone without for long keep a port.
  const bool keeps = parameters_.aging != 0 && denied_ >= parameters_.aging;
  const ContextSet gangs = for_gangs(supply, wanting);
  const unsigned taken = gangs.none() ? 0 : fetch_for_gangs(supply, gangs, keeps ? ports - 1 : ports);
  ports -= taken;
  if (taken != 0 && state_.signals.on()) state_.signals.fire(gang_ports_, taken);
  if (wanting.intersects(warps_.unit().alone())) fetch_for_slices(supply, wanting, ports);
}

[[gnu::always_inline]] inline unsigned GangFetch::fetch_for_gangs(InstructionSupply& supply, const ContextSet& wanting,
                                                                  unsigned ports) {
  const WarpGangingUnit& unit = warps_.unit();
  const unsigned entries = unit.shape().sets * kGangWays;
  const unsigned most = std::min(ports, parameters_.gang_fetches);
  const std::uint64_t candidates = unit.sets_in(wanting) & unit.sets_with_gangs();
  unsigned taken = 0;
  bool room = true;
  // In turn, from the entry behind the last one on: its set comes first with these ways, and last with all.
  const unsigned start = (last_gang_ + 1) % entries, own = start / kGangWays;
  std::uint64_t sets = std::rotr(candidates, static_cast<int>(own));
  bool own_again = (sets & 1) != 0;
  // With one instruction ahead, those that want some have none yet.
  bool may_be_full = parameters_.gang_buffer != 1;
  unsigned allowed = own_again ? ~0u << start % kGangWays : ~0u;
  while (taken < most && room) {
    if (sets == 0) {
      if (!own_again) break;
      own_again = false;
      may_be_full = true;
      sets = 1;
    }
    const unsigned set = (static_cast<unsigned>(std::countr_zero(sets)) + own) % 64;
    sets &= sets - 1;
    const GangSetState& of = unit.table()[set];
    unsigned ways = of.ways_within(unit.slices_in(wanting, set)) & allowed;
    for (; ways != 0 && taken < most && room; ways &= ways - 1) {
      const auto way = static_cast<unsigned>(std::countr_zero(ways));
      if (may_be_full && !has_room(supply, set, of.gangs[way])) continue;
      room = supply.can_request();
      if (!room) continue;
      fetch_for(supply, set, way);
      ++taken;
    }
    allowed = ~0u;
  }
  gang_fetches_ += taken;
  cache_fetches_ += taken;
  return taken;
}

[[gnu::always_inline]] inline void GangFetch::fetch_for(InstructionSupply& supply, unsigned set, unsigned way) {
  const SliceMask gang = warps_.unit().table()[set].gangs[way];
  const auto first = static_cast<unsigned>(std::countr_zero(unsigned{gang}));
  supply.request(warps_.unit().context_of(set, first), static_cast<std::uint8_t>(gang >> first));
  last_gang_ = set * kGangWays + way;
  if (warps_.site().services.probes.attached()) for_each_slice(gang, [&](unsigned s) { warps_.slice(s).fetches(set); });
}

void GangFetch::fetch_for_slices(InstructionSupply& supply, const ContextSet& wanting, unsigned ports) {
  unsigned asking = 0, hits = 0;
  const auto from_l0 = static_cast<std::uint8_t>(warps_.slices() + 1);
  const bool has_l0 = parameters_.l0_bytes != 0;
  const ContextSet singles = wanting & warps_.unit().alone();
  for (unsigned rest = warps_.unit().slices_in(singles); rest != 0; rest &= rest - 1) {
    const auto s = static_cast<unsigned>(std::countr_zero(rest));
    candidate_[s] = next_in_turn(singles & warps_.slice_members()[s], last_[s]);
    if (!has_l0 || !warps_.slice(s).l0()->holds(address_of(supply, candidate_[s]))) {
      asking |= 1u << s;
      continue;
    }
    if (!supply.can_request()) return;
    hits |= 1u << s;
    last_[s] = candidate_[s];
    supply.request(candidate_[s], 1, from_l0);
    ++slice_fetches_;
    ++l0_hits_;
    warps_.slice(s).fetched(true);
  }
  const SliceMask granted = arbiter_.grant(static_cast<SliceMask>(asking), ports);
  for_each_slice(granted, [&](unsigned s) {
    if (!supply.can_request()) return;
    last_[s] = candidate_[s];
    supply.request(candidate_[s], 1, static_cast<std::uint8_t>(has_l0 ? s + 1 : 0));
    ++slice_fetches_;
    ++cache_fetches_;
    warps_.slice(s).fetched(false);
  });
  refused_ += static_cast<std::uint64_t>(std::popcount(asking & ~unsigned{granted}));
  denied_ = asking != 0 && granted == 0 ? denied_ + 1 : 0;
  if (!state_.signals.on()) return;
  if (granted != 0) state_.signals.fire(slice_ports_, granted);
  if (hits != 0) state_.signals.fire(from_l0_, hits);
}

}  // namespace heddle::sm
