// SPDX-License-Identifier: Apache-2.0
#include "sm/scheduling/locality/victim_partition.h"

#include <bit>

namespace heddle::sm {

using What = VictimSetRequest::What;

void VictimTagParameters::describe(ParameterVisitor& v) {
  const std::string source = "docs/sources/cache-conscious-and-divergence-aware.md 2.3.5";
  v("entries", entries, "lines whose tags are kept for each warp; 0: all that it has lost", unit::kEntries,
    range(0, 65536), source);
  v("ways", ways, "ways of a warp's tags; with fewer entries, as many as there are", unit::kWays,
    range(1, kMaxVictimWays), source);
  v("replacement", replacement, "which tag of a full set is replaced",
    choices<VictimReplacement>({{"fifo", VictimReplacement::fifo, "the one inserted first"},
                                {"lru", VictimReplacement::lru, "the one inserted or found least recently"}}),
    "docs/sources/cache-conscious-and-divergence-aware.md 9, Q7");
  v("clear_on_warp_exit", clear_on_warp_exit,
    "forget the lines of a warp that ends; otherwise the next warp in its place finds them");
}

void VictimTagParameters::check(ParameterChecks& checks) const {
  const bool whole = entries == 0 || (entries % set_ways() == 0 && std::has_single_bit(sets()));
  checks.require(whole, "entries", "must be 0, less than the ways, or a power of two times the ways");
}

VictimSetAnswer VictimPartition::ask(Set& set, What what, std::uint64_t line) {
  const VictimSetAnswer answer = lookup_->look_up({what, line / sets_.size(), set.tags});
  set.tags.valid = answer.valid;
  set.tags.order = answer.order;
  return answer;
}

bool VictimPartition::insert(std::uint64_t line, Cycle last_use) {
  if (lookup_ == nullptr) return !unlimited_.insert_or_assign(line, last_use).second;
  Set& set = set_of(line);
  const VictimSetAnswer answer = ask(set, What::insert, line);
  set.tags.tags[answer.way] = line / sets_.size();
  set.last_use[answer.way] = last_use;
  return answer.found;
}

std::optional<Cycle> VictimPartition::find(std::uint64_t line) {
  if (lookup_ == nullptr) {
    const auto found = unlimited_.find(line);
    return found == unlimited_.end() ? std::nullopt : std::optional(found->second);
  }
  Set& set = set_of(line);
  const VictimSetAnswer answer = ask(set, What::probe, line);
  return answer.found ? std::optional(set.last_use[answer.way]) : std::nullopt;
}

bool VictimPartition::remove(std::uint64_t line) {
  if (lookup_ == nullptr) return unlimited_.erase(line) != 0;
  Set& set = set_of(line);
  return set.tags.valid != 0 && ask(set, What::remove, line).found;
}

void VictimPartition::clear() {
  for (Set& set : sets_) set = {};
  unlimited_.clear();
}

}  // namespace heddle::sm
