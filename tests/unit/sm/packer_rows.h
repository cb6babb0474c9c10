// SPDX-License-Identifier: Apache-2.0
// Masks and sub-warps in the notation of the worked examples: one word per row, column 0 first.
#pragma once

#include <sstream>
#include <string>
#include <vector>

#include "sm/grouping/large_warps/subwarp_packer.h"

namespace heddle::sm {

/// rows: "1010 1001 ...", each of shape.columns digits.
inline ThreadSet threads_of(const std::string& rows, const PackerShape& shape) {
  ThreadSet threads;
  std::istringstream words(rows);
  unsigned row = 0;
  for (std::string word; words >> word; ++row) {
    for (unsigned column = 0; column < shape.columns; ++column) {
      if (word.at(column) == '1') threads.set(row * shape.columns + column);
    }
  }
  return threads;
}

/// The row of each column's thread, '-' where there is none: "0 2 0 1". The mask is where there is a number.
inline std::string rows_of(const SubWarp& packed, const PackerShape& shape) {
  std::string text;
  for (unsigned column = 0; column < shape.columns; ++column) {
    bool taken = false;
    for (unsigned row = 0; row < shape.rows; ++row) taken = taken || packed.threads.test(row * shape.columns + column);
    text += (column == 0 ? "" : " ") + (taken ? std::to_string(packed.row[column]) : std::string("-"));
  }
  return text;
}

/// The packer's results in successive cycles until nothing is left.
/// busy(cycle), guard(cycle): threads in flight and threads with a true guard in cycle 0, 1, ...
template <typename Busy, typename Guard>
std::vector<SubWarp> sub_warps(const PackerShape& shape, const ThreadSet& mask, PackMode mode, const Busy& busy,
                               const Guard& guard) {
  std::vector<SubWarp> cycles;
  ThreadSet work = mask;
  for (unsigned cycle = 0; cycle < 64; ++cycle) {
    cycles.push_back(pack_subwarp(shape, {work, busy(cycle), guard(cycle), mode}));
    if (cycles.back().last) break;
    work = cycles.back().left;
  }
  return cycles;
}

/// The same with nothing in flight and every guard true.
inline std::vector<SubWarp> sub_warps(const PackerShape& shape, const ThreadSet& mask, PackMode mode) {
  const auto nobody = [](unsigned) { return ThreadSet{}; };
  const auto all = [&](unsigned) { return ThreadSet::first_n(std::size_t{shape.rows} * shape.columns); };
  return sub_warps(shape, mask, mode, nobody, all);
}

/// As text: rows_of() of a sub-warp, "bubble", "null" or "token".
template <typename... How>
std::vector<std::string> pack_all(const PackerShape& shape, const ThreadSet& mask, PackMode mode, const How&... how) {
  std::vector<std::string> cycles;
  for (const SubWarp& packed : sub_warps(shape, mask, mode, how...)) {
    if (packed.any) {
      cycles.push_back(rows_of(packed, shape));
    } else {
      cycles.push_back(!packed.last ? "bubble" : mode == PackMode::token ? "token" : "null");
    }
  }
  return cycles;
}

/// The mask of the source's Fig. 4.5, 8 rows of 4, and the same with its last two columns exchanged.
inline constexpr const char* kFigureMask = "1010 1001 0111 0100 0101 0011 1000 1100";
inline constexpr const char* kFigureMaskExchanged = "1001 1010 0111 0100 0110 0011 1000 1100";

}  // namespace heddle::sm
