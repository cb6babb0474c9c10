// SPDX-License-Identifier: Apache-2.0
#include "sm/coalescer.h"

#include <algorithm>
#include <bit>

namespace heddle::sm {

void CoalescerParameters::describe(ParameterVisitor& v) {
  v("rule", rule, "how addresses of an access group become transactions",
    choices<CoalescingRule>(
        {{"lines", CoalescingRule::lines, "one transaction for each distinct line of the whole group"},
         {"segments_1x", CoalescingRule::segments_1x,
          "compute capability 1.x: half-warps, 32, 64 or 128-byte segments reduced where only half is used"}}));
  v("line_bytes", line_bytes, "size and alignment of a transaction", unit::kBytes, power_of_two(32, 256));
}

void Coalescer::touch(std::uint64_t address, unsigned bytes, std::size_t search_from) {
  const std::uint64_t line_mask = ~std::uint64_t{parameters_.line_bytes - 1};
  for (std::uint64_t at = address; at < address + bytes;) {
    const std::uint64_t line = at & line_mask;
    const std::uint64_t end = std::min<std::uint64_t>(address + bytes, line + parameters_.line_bytes);
    std::uint8_t sectors = 0;
    for (std::uint64_t s = (at - line) / 32; s <= (end - 1 - line) / 32; ++s)
      sectors = static_cast<std::uint8_t>(sectors | (1u << s));
    // The line of the thread before is the likeliest: search from the back.
    std::size_t i = count_;
    while (i > search_from && transactions_[i - 1].address != line) --i;
    if (i == search_from) {
      if (count_ == transactions_.size()) transactions_.emplace_back();
      transactions_[count_++] = {line, parameters_.line_bytes, 1, sectors};
    } else {
      ++transactions_[i - 1].threads;
      transactions_[i - 1].sectors |= sectors;
    }
    at = end;
  }
}

void Coalescer::segments(const isa::Addresses& addresses, std::uint32_t mask, unsigned bytes) {
  // Segment of the lowest active thread, then of the lowest left, and so on, a half-warp at a time.
  const unsigned segment = bytes == 1 ? 32 : bytes == 2 ? 64 : 128;
  for (unsigned half = 0; half < 2; ++half) {
    std::uint32_t left = mask & (0xffffu << (16 * half));
    while (left != 0) {
      const unsigned first = static_cast<unsigned>(std::countr_zero(left));
      const std::uint64_t base = addresses.value[first] & ~std::uint64_t{segment - 1};
      std::uint64_t lowest = ~std::uint64_t{0}, highest = 0;
      std::uint32_t served = 0;
      for (std::uint32_t lanes = left; lanes != 0; lanes &= lanes - 1) {
        const unsigned lane = static_cast<unsigned>(std::countr_zero(lanes));
        const std::uint64_t address = addresses.value[lane];
        if ((address & ~std::uint64_t{segment - 1}) != base) continue;
        left &= ~(1u << lane);
        ++served;
        lowest = std::min(lowest, address);
        highest = std::max(highest, address + bytes - 1);
      }
      std::uint64_t at = base;
      unsigned size = segment;
      while (size > 32) {
        if (highest < at + size / 2) {
          size /= 2;
        } else if (lowest >= at + size / 2) {
          size /= 2;
          at += size;
        } else {
          break;
        }
      }
      if (count_ == transactions_.size()) transactions_.emplace_back();
      transactions_[count_++] = {at, size, served, 0xf};
    }
  }
}

void Coalescer::add(const isa::Addresses& addresses, std::uint32_t mask, unsigned bytes) {
  if (parameters_.rule == CoalescingRule::segments_1x) {
    segments(addresses, mask, bytes);
    return;
  }
  for (std::uint32_t lanes = mask; lanes != 0; lanes &= lanes - 1) {
    touch(addresses.value[static_cast<unsigned>(std::countr_zero(lanes))], bytes, 0);
  }
}

}  // namespace heddle::sm
