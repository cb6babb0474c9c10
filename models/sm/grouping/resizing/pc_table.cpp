// SPDX-License-Identifier: Apache-2.0
#include "sm/grouping/resizing/pc_table.h"

#include <algorithm>
#include <bit>

namespace heddle::sm {

unsigned PcTableShape::index_bits() const { return static_cast<unsigned>(std::countr_zero(sets)); }

PcTable::PcTable(const PcTableShape& shape)
    : shape_(shape), entries_(shape.unlimited ? 0 : std::size_t{shape.sets} * shape.ways) {}

PcTable::Entry* PcTable::first_of_set(std::uint32_t pc) {
  return entries_.data() + std::size_t{pc >> shape_.index_shift & (shape_.sets - 1)} * shape_.ways;
}

std::uint32_t PcTable::tag_of(std::uint32_t pc) const { return pc >> shape_.index_shift >> shape_.index_bits(); }

PcTable::Entry* PcTable::find(std::uint32_t pc) {
  Entry* const first = first_of_set(pc);
  Entry* const end = first + shape_.ways;
  Entry* const found =
      std::find_if(first, end, [tag = tag_of(pc)](const Entry& entry) { return entry.valid && entry.tag == tag; });
  return found == end ? nullptr : found;
}

bool PcTable::look_up(std::uint32_t pc) {
  if (shape_.unlimited) return all_.contains(pc >> shape_.index_shift);
  Entry* const found = find(pc);
  if (found == nullptr) return false;
  found->used = ++time_;
  return true;
}

PcTable::Inserted PcTable::insert(std::uint32_t pc) {
  if (shape_.unlimited) {
    if (!all_.insert(pc >> shape_.index_shift).second) return Inserted::no;
    ++size_;
    return Inserted::yes;
  }
  if (shape_.ways == 0 || look_up(pc)) return Inserted::no;
  Entry* const first = first_of_set(pc);
  Entry* const entry = std::min_element(first, first + shape_.ways, [](const Entry& a, const Entry& b) {
    return a.valid != b.valid ? b.valid : a.used < b.used;
  });
  const bool evicts = entry->valid;
  *entry = {true, tag_of(pc), ++time_};
  if (!evicts) ++size_;
  return evicts ? Inserted::evicting : Inserted::yes;
}

void PcTable::clear() {
  std::fill(entries_.begin(), entries_.end(), Entry{});
  all_.clear();
  size_ = 0;
}

}  // namespace heddle::sm
