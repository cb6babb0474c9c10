// SPDX-License-Identifier: Apache-2.0
#include "compare/cycle_account.h"

#include <algorithm>
#include <numeric>

namespace heddle::compare {

std::vector<std::uint64_t> share(std::uint64_t whole, const std::vector<std::uint64_t>& slots) {
  using Wide = unsigned __int128;  // slots x cycles overflows 64 bits within minutes of simulation
  std::vector<std::uint64_t> shares(slots.size(), 0);
  const Wide total = std::accumulate(slots.begin(), slots.end(), Wide{0});
  if (total == 0) return shares;
  std::vector<Wide> remainders(slots.size());
  std::uint64_t left = whole;
  for (std::size_t i = 0; i < slots.size(); ++i) {
    const Wide product = Wide{slots[i]} * whole;
    shares[i] = static_cast<std::uint64_t>(product / total);
    remainders[i] = product % total;
    left -= shares[i];
  }
  std::vector<std::size_t> order(slots.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return remainders[a] > remainders[b]; });
  // Less is left than there are shares, since each remainder is below one.
  for (std::size_t i = 0; i < left; ++i) ++shares[order[i]];
  return shares;
}

std::uint64_t nanoseconds_of(std::uint64_t cycles, std::uint64_t kilohertz) {
  using Wide = unsigned __int128;
  constexpr std::uint64_t kKilohertzOfOneNanosecond = 1'000'000;
  return static_cast<std::uint64_t>((Wide{cycles} * kKilohertzOfOneNanosecond + kilohertz / 2) / kilohertz);
}

}  // namespace heddle::compare
