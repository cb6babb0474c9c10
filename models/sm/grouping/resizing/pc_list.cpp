// SPDX-License-Identifier: Apache-2.0
#include "sm/grouping/resizing/pc_list.h"

namespace heddle::sm {

PcList::PcList(sc_core::sc_module_name module_name, SmSite& site, const PcTableShape& shape, const std::string& holds)
    : sc_module(module_name),
      calls("calls"),
      table_(shape),
      group_(site.statistics, basename()),
      look_ups_(group_, "look_ups", "look-ups in the list of " + holds, unit::kEvents),
      hits_(group_, "hits", "of these, look-ups of an instruction in it", unit::kEvents),
      inserted_(group_, "inserted", "instructions inserted", unit::kEvents),
      evicted_(group_, "evicted", "of these, instructions inserted in place of another", unit::kEvents),
      most_(group_, "most_entries", "most instructions in it at the same time", unit::kEntries),
      state_(site.services, site.path(basename()), site.domain()),
      looked_up_(state_.signals.pulse("look_up", 32, "instruction looked up; the last one of a cycle")),
      hit_(state_.signals.pulse("hit", 1, "whether the list holds that instruction")),
      insert_(state_.signals.pulse("insert", 32, "instruction inserted; the last one of a cycle")) {
  calls.bind(*this);
  state_.charge_to(basename());
  state_.signals.add("entries", 8, "instructions in the list", [this] { return table_.size(); });
  // An unlimited list is no hardware.
  if (table_.entries().empty()) return;
  Structure& entries = state_.traced_structure("entries", holds, table_.entries().size(),
                                               {{"valid", 1, 1, 1}, {"tag", shape.tag_bits(), 1, 1, true}});
  entries.occupied([this](std::size_t i) { return table_.entries()[i].valid; });
  entries.read([this](std::size_t i, std::size_t field) -> std::uint64_t {
    const PcTable::Entry& entry = table_.entries()[i];
    return field == 0 ? std::uint64_t{entry.valid} : entry.tag;
  });
}

bool PcList::look_up(std::uint32_t pc) {
  const bool hit = table_.look_up(pc);
  ++look_ups_;
  if (hit) ++hits_;
  if (state_.signals.on()) {
    state_.signals.fire(looked_up_, pc);
    state_.signals.fire(hit_, hit);
  }
  return hit;
}

void PcList::insert(std::uint32_t pc) {
  const PcTable::Inserted what = table_.insert(pc);
  if (what == PcTable::Inserted::no) return;
  ++inserted_;
  if (what == PcTable::Inserted::evicting) ++evicted_;
  most_.record(table_.size());
  if (state_.signals.on()) state_.signals.fire(insert_, pc);
}

}  // namespace heddle::sm
