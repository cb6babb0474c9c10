// SPDX-License-Identifier: Apache-2.0
// Finds what `heddle explain` can describe by words: of keys, of descriptions, and of the field (terms.h).
#pragma once

#include <string>
#include <vector>

#include "cli/catalogue.h"

namespace heddle::cli {

/// Something that has a description.
struct Topic {
  enum class Kind { group, parameter, choice, statistic };
  Kind kind;
  std::string name;  ///< "sm.fetch", "sm.order", "sm.order=gto", "sm.issue.branches": what `heddle explain` takes
  std::string sentence;
  const ParameterEntry* parameter = nullptr;  ///< of a parameter or a choice
};
/// Every topic. Refers to the catalogue.
std::vector<Topic> list_topics(const Catalogue& catalogue);

/// A topic found, with those that differ from it only in their group: miss tables of several caches.
struct Found {
  const Topic* topic;
  std::vector<std::string> others;  ///< groups of the others
};

struct SearchResult {
  std::vector<std::string> words;      ///< of the query, as they were looked up
  std::vector<Found> found;            ///< best first
  std::vector<std::string> sentences;  ///< of the terms in the query
  bool is_term = false;                ///< the whole query is a word of the field
  /// Words that occur nowhere. found is then empty.
  std::vector<std::string> unknown;
};
/// Topics that match all words, or, if there are none, as many of them as possible.
SearchResult search(const std::vector<Topic>& topics, const std::vector<std::string>& words);
SearchResult search(std::vector<Topic>&& topics,
                    const std::vector<std::string>& words) = delete;  // the result refers to them

/// Every word that a search can find, for suggestions.
std::vector<std::string> searchable_words(const std::vector<Topic>& topics);

}  // namespace heddle::cli
