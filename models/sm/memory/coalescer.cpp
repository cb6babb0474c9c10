// SPDX-License-Identifier: Apache-2.0
#include "sm/memory/coalescer.h"

#include <algorithm>
#include <bit>

namespace heddle::sm {

void CoalescerParameters::describe(ParameterVisitor& v) {
  v("rule", rule, "rule that turns the addresses of an access group into transactions",
    choices<CoalescingRule>(
        {{"lines", CoalescingRule::lines, "one transaction for each distinct line of the whole group"},
         {"segments_1x", CoalescingRule::segments_1x,
          "compute capability 1.x: by half-warp; 32-, 64- or 128-byte segments, halved while only one half is used"}}));
  v("line_bytes", line_bytes, "size and alignment of a transaction", unit::kBytes, power_of_two(32, 256));
  v("texture_line_bytes", texture_line_bytes,
    "size and alignment of a transaction of texture reads, one for each distinct line; 0: as other accesses",
    unit::kBytes, one_of({0, 32, 64, 128, 256}));
}

Transaction& Coalescer::append(const Transaction& transaction) {
  if (count_ == transactions_.size()) transactions_.emplace_back();
  return transactions_[count_++] = transaction;
}

Transaction& Coalescer::of_line(std::uint64_t line) {
  // Search from the back: the previous thread's line is the most likely.
  for (std::size_t i = count_; i != 0; --i) {
    if (transactions_[i - 1].address == line) return transactions_[i - 1];
  }
  return append({line, parameters_.line_bytes, 0, 0, 0});
}

void Coalescer::write(const Transaction& transaction, std::uint64_t first, std::uint64_t last) {
  const auto number = static_cast<std::size_t>(&transaction - transactions_.data());
  if (number >= written_.size()) written_.resize(number + 1);
  const std::uint64_t end = last - transaction.address + 1;
  for (std::uint64_t at = first - transaction.address; at != end;) {
    const std::uint64_t next = std::min(end, (at | 63) + 1);
    written_[number][at / 64] |= (~std::uint64_t{0} >> (64 - (next - at))) << (at % 64);
    at = next;
  }
}

bool Coalescer::whole(std::size_t i) const {
  if (i >= written_.size()) return false;
  for (std::uint32_t at = 0; at < transactions_[i].bytes; at += 64) {
    const std::uint32_t left = transactions_[i].bytes - at;
    const std::uint64_t all = left >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << left) - 1;
    if ((written_[i][at / 64] & all) != all) return false;
  }
  return true;
}

void Coalescer::contiguous_lines(std::uint64_t first, unsigned bytes, std::uint64_t member) {
  const std::uint64_t in_line = parameters_.line_bytes - 1, end = first + std::uint64_t{isa::kWordThreads} * bytes;
  for (std::uint64_t at = first; at != end;) {
    const std::uint64_t next = std::min(end, (at | in_line) + 1);
    Transaction& transaction = of_line(at & ~in_line);
    transaction.sectors = static_cast<std::uint8_t>(
        transaction.sectors | ((2u << (((next - 1) & in_line) / 32)) - (1u << ((at & in_line) / 32))));
    transaction.members |= member;
    transaction.threads += static_cast<std::uint32_t>((next - at) / bytes);
    if (stores_) write(transaction, at, next - 1);
    at = next;
  }
}

bool Coalescer::one_line(const isa::Addresses& addresses, std::uint32_t mask, unsigned bytes, std::uint64_t member) {
  const std::uint64_t in_line = parameters_.line_bytes - 1, line = addresses.lowest & ~in_line;
  // Other spaces, and what a texture fetch reads, have been moved to other addresses than their range says.
  if (stores_ || addresses.space != isa::Space::global || mask != addresses.mask || bytes != addresses.bytes ||
      ((addresses.highest - 1) & ~in_line) != line) {
    return false;
  }
  std::uint32_t sectors = 0;
  // An access of a thread touches at most two sectors.
  for (std::uint32_t lanes = mask; lanes != 0; lanes &= lanes - 1) {
    const std::uint64_t first = addresses.value[static_cast<unsigned>(std::countr_zero(lanes))] - line;
    sectors |= 1u << (first / 32) | 1u << ((first + bytes - 1) / 32);
  }
  Transaction& transaction = of_line(line);
  transaction.sectors = static_cast<std::uint8_t>(transaction.sectors | sectors);
  transaction.members |= member;
  transaction.threads += static_cast<std::uint32_t>(std::popcount(mask));
  return true;
}

void Coalescer::lines(const isa::Addresses& addresses, std::uint32_t mask, unsigned bytes, std::uint64_t member) {
  const std::uint64_t in_line = parameters_.line_bytes - 1;
  if (addresses.contiguous && mask == 0xffffffff && in_line % bytes == bytes - 1 && addresses.value[0] % bytes == 0) {
    contiguous_lines(addresses.value[0], bytes, member);
    return;
  }
  if (one_line(addresses, mask, bytes, member)) return;
  // Consecutive threads mostly access the same line, so update its transaction only when they leave it.
  std::uint64_t line = ~std::uint64_t{0};
  std::uint32_t sectors = 0, threads = 0;
  Transaction* transaction = nullptr;
  const auto tell = [&] {
    if (transaction == nullptr) return;
    transaction->sectors = static_cast<std::uint8_t>(transaction->sectors | sectors);
    transaction->members |= member;
    transaction->threads += threads;
    sectors = threads = 0;
  };
  const bool uniform = addresses.uniform && mask == addresses.mask;
  const std::uint32_t looked_at = uniform ? mask & ~(mask - 1) : mask;
  const std::uint32_t counts_for = uniform ? static_cast<std::uint32_t>(std::popcount(mask)) : 1;
  std::uint64_t before = ~std::uint64_t{0};
  for (std::uint32_t lanes = looked_at; lanes != 0; lanes &= lanes - 1) {
    const std::uint64_t first = addresses.value[static_cast<unsigned>(std::countr_zero(lanes))];
    if (first == before && (first & in_line) + bytes <= parameters_.line_bytes) {
      threads += counts_for;
      continue;
    }
    before = first;
    const std::uint64_t last = first + bytes - 1;
    for (std::uint64_t at = first;;) {
      if ((at & ~in_line) != line) {
        tell();
        line = at & ~in_line;
        transaction = &of_line(line);
      }
      const std::uint64_t end = std::min(last, line | in_line);
      sectors |= (2u << ((end & in_line) / 32)) - (1u << ((at & in_line) / 32));
      threads += counts_for;
      if (stores_) write(*transaction, at, end);
      if (end == last) break;
      at = end + 1;
    }
  }
  tell();
}

void Coalescer::segments(const isa::Addresses& addresses, std::uint32_t mask, unsigned bytes, std::uint64_t member) {
  // Per half-warp: take the segment of the lowest remaining thread until all are served.
  const unsigned segment = bytes == 1 ? 32 : bytes == 2 ? 64 : 128;
  for (unsigned half = 0; half < 2; ++half) {
    std::uint32_t left = mask & (0xffffu << (16 * half));
    while (left != 0) {
      const unsigned first = static_cast<unsigned>(std::countr_zero(left));
      const std::uint64_t base = addresses.value[first] & ~std::uint64_t{segment - 1};
      std::uint64_t lowest = ~std::uint64_t{0}, highest = 0;
      std::uint32_t served = 0;
      const std::uint32_t before = left;
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
      const Transaction& transaction = append({at, size, served, 0xf, member});
      if (!stores_) continue;
      for (std::uint32_t lanes = before & ~left; lanes != 0; lanes &= lanes - 1) {
        const std::uint64_t address = addresses.value[static_cast<unsigned>(std::countr_zero(lanes))];
        write(transaction, address, std::min(address + bytes, at + size) - 1);
      }
    }
  }
}

void Coalescer::add(const isa::Addresses& addresses, std::uint32_t mask, unsigned bytes, unsigned member) {
  const std::uint64_t bit = std::uint64_t{1} << member;
  if (parameters_.rule == CoalescingRule::segments_1x) {
    segments(addresses, mask, bytes, bit);
  } else {
    lines(addresses, mask, bytes, bit);
  }
}

}  // namespace heddle::sm
