// SPDX-License-Identifier: Apache-2.0
// The answers of `heddle explain`.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "cli/catalogue.h"

namespace heddle::cli {

/// A list of matches is not longer than this.
inline constexpr std::size_t kMostMatches = 15;

/// Answers a query of one or more words: describes what has this name, else lists what the words find, best first, with
/// what to type next. configuration: adds a machine's values; may be null. Throws Error(kUsage) with the nearest words
/// when a word occurs nowhere.
std::string explain_query(const std::vector<std::string>& words, const Catalogue& catalogue,
                          const Configuration* configuration);

/// A machine for explain_size.
struct SizedMachine {
  std::string name;
  std::map<std::string, std::string> values;  ///< Configuration::values()
};
/// What of these machines has a size, which parameters take it, and how it is written.
std::string explain_size(std::uint64_t bytes, const Catalogue& catalogue, const std::vector<SizedMachine>& machines);

}  // namespace heddle::cli
