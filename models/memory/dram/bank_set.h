// SPDX-License-Identifier: Apache-2.0
// Sets of a channel's banks, a bit each.
#pragma once

#include <bit>
#include <cstdint>

namespace heddle::memory {

using BankSet = std::uint64_t;
inline constexpr unsigned kMaxBanks = 64;

constexpr BankSet bank_bit(unsigned bank) { return BankSet{1} << bank; }
/// Banks first .. first + count - 1. count: 1 .. kMaxBanks.
constexpr BankSet bank_range(unsigned first, unsigned count) { return (~BankSet{0} >> (kMaxBanks - count)) << first; }
/// Calls visit(bank) in ascending order.
template <typename Visit>
constexpr void for_each_bank(BankSet banks, Visit&& visit) {
  for (; banks != 0; banks &= banks - 1) visit(static_cast<unsigned>(std::countr_zero(banks)));
}

}  // namespace heddle::memory
