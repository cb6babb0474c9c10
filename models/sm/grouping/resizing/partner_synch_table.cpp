// SPDX-License-Identifier: Apache-2.0
#include "sm/grouping/resizing/partner_synch_table.h"

#include "sm/blocks/block_site.h"

namespace heddle::sm {

PartnerSynchTable::PartnerSynchTable(sc_core::sc_module_name module_name, SmSite& site, const PartnerSynchShape& shape)
    : sc_module(module_name),
      calls("calls"),
      block_(make(site.parameters.blocks.partner_synch, shape, block_site(site, "partner_synch"))),
      entries_(shape.groups),
      group_(site.statistics, basename()),
      arrivals_(group_, "arrivals", "sub-warps whose barrier took effect", unit::kEvents),
      mismatches_(group_, "mismatches", "of these, sub-warps at another PC than the first of their partners",
                  unit::kEvents),
      releases_(group_, "releases", "groups whose locked sub-warps went on", unit::kEvents),
      state_(site.services, site.path(basename()), site.domain()),
      group_signal_(state_.signals.pulse("group", index_bits(shape.groups),
                                         "group of partners that is looked at; the last one of a cycle")),
      pc_(state_.signals.pulse("pc", 32, "PC of the first of its partners")),
      locked_(state_.signals.pulse("lock", shape.partners, "its partners that are locked")),
      mismatch_(state_.signals.pulse("mismatch", 1, "the sub-warp arrives at another PC")),
      release_(state_.signals.pulse("release", 1, "the locked partners go on")) {
  calls.bind(*this);
  state_.charge_to("partner_synch_table");
  Structure& entries =
      state_.traced_structure("entries", "barrier that the partners of each group wait at", shape.groups,
                              {{"valid", 1, 1, 1}, {"pc", 32, 1, 1}, {"lock", shape.partners, 1, 1, false, true}});
  state_.structure("pc_compare", "comparison of the PC of a barrier with that of the entry", 1, {{"equal", 32, 0, 0}})
      .is_logic();
  entries.occupied([this](std::size_t group) { return entries_[group].valid; });
  entries.read([this](std::size_t group, std::size_t field) -> std::uint64_t {
    const PartnerSynchEntry& entry = entries_[group];
    return field == 0 ? std::uint64_t{entry.valid} : field == 1 ? entry.pc : entry.locked;
  });
}

PartnerSynchAnswer PartnerSynchTable::update(const PartnerSynchRequest& request) {
  const PartnerSynchAnswer answer = block_->update(request);
  PartnerSynchEntry& entry = entries_[request.group];
  entry = answer.release ? PartnerSynchEntry{} : PartnerSynchEntry{answer.locked != 0, answer.pc, answer.locked};
  if (request.arrives) ++arrivals_;
  if (answer.mismatch) ++mismatches_;
  if (answer.release) ++releases_;
  if (state_.signals.on()) {
    state_.signals.fire(group_signal_, request.group);
    state_.signals.fire(pc_, answer.pc);
    state_.signals.fire(locked_, answer.locked);
    state_.signals.fire(mismatch_, answer.mismatch);
    state_.signals.fire(release_, answer.release);
  }
  return answer;
}

}  // namespace heddle::sm
