// SPDX-License-Identifier: Apache-2.0
// Words of the field, and what they are called in a machine description. docs/glossary.md explains them.
#pragma once

#include <span>
#include <string_view>

namespace heddle::cli {

struct Term {
  std::string_view names;     ///< in lower case, separated by '|'
  std::string_view topics;    ///< names and patterns of what it refers to, best first, separated by blanks (search.h)
  std::string_view sentence;  ///< what the names of the keys do not tell; may be empty
};
std::span<const Term> terms();

}  // namespace heddle::cli
