// SPDX-License-Identifier: Apache-2.0
// The answers of `heddle explain`.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "cli/catalogue.h"

namespace heddle::cli {

/// How much of a long list an answer shows.
struct ListLimits {
  std::size_t matches = 15;
  std::size_t groups = 4;    ///< named beside a match that is in several
  std::size_t machines = 5;  ///< named beside a size that several have
  static ListLimits none() {
    constexpr std::size_t kAll = std::numeric_limits<std::size_t>::max();
    return {kAll, kAll, kAll};
  }
};

/// Answers a query of one or more words: describes what has this name, else lists what the words find, best first, with
/// what to type next. configuration: adds a machine's values; may be null. Throws Error(kUsage) with the nearest words
/// when a word occurs nowhere.
std::string explain_query(const std::vector<std::string>& words, const Catalogue& catalogue,
                          const Configuration* configuration, const ListLimits& limits = {});

/// What of these machines has a size, which parameters take it, and how it is written.
std::string explain_size(std::uint64_t bytes, const Catalogue& catalogue, const std::vector<MachineValues>& machines,
                         const ListLimits& limits = {});

}  // namespace heddle::cli
