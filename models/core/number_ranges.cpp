// SPDX-License-Identifier: Apache-2.0
#include "core/number_ranges.h"

#include <algorithm>
#include <limits>
#include <string_view>

#include "core/error.h"
#include "core/quantity_text.h"

namespace heddle {

NumberRanges::NumberRanges(const std::string& text, const std::string& option, std::uint64_t least) {
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::string_view part = std::string_view(text).substr(begin, end - begin);
    begin = end + 1;
    if (part.empty()) continue;
    const std::size_t dash = part.find('-');
    std::uint64_t first = 0, last = 0;
    bool good = parse_natural(part.substr(0, dash), first);
    if (dash == std::string_view::npos) {
      last = first;
    } else if (dash + 1 == part.size()) {
      last = std::numeric_limits<std::uint64_t>::max();
    } else {
      good = good && parse_natural(part.substr(dash + 1), last);
    }
    if (!good || first < least || last < first)
      fail(ExitCode::usage, "{}: '{}' is not a number or range from {} on, as in 3,7-9,12-", option, part, least);
    ranges_.emplace_back(first, last);
  }
}

bool NumberRanges::contains(std::uint64_t number) const {
  return std::any_of(ranges_.begin(), ranges_.end(),
                     [number](const auto& range) { return range.first <= number && number <= range.second; });
}

}  // namespace heddle
