// SPDX-License-Identifier: Apache-2.0
#include "cli/search.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <set>
#include <string_view>

#include "cli/terms.h"
#include "common/machine_description.h"
#include "core/names.h"

namespace heddle::cli {
namespace {

using Words = std::vector<std::string>;

// Scores of a query word, by where a topic has it. What a term names comes before all; a word at the end of a key
// before one in its groups, and that before one in the description.
constexpr double kNamed = 16, kNamedByPattern = 12, kEndOfKey = 10, kWholeEnd = 4, kInKey = 6, kInSentence = 3;
constexpr double kBeginning = 0.4;     ///< of a word, instead of all of it
constexpr double kLaterTopic = 0.3;    ///< less for each topic named earlier by the term
constexpr double kChoice = 0.9;        ///< a key comes before its values
constexpr double kStatistic = 0.8;     ///< and before what is counted
constexpr double kWorthShowing = 0.3;  ///< of the best score

/// Lower-case words of a text, split at everything that is no letter or digit.
Words plain_words(std::string_view text) {
  Words words(1);
  for (const char c : text) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0) {
      words.back() += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    } else if (!words.back().empty()) {
      words.emplace_back();
    }
  }
  if (words.back().empty()) words.pop_back();
  return words;
}

std::string singular(std::string word) {
  if (word.size() < 3 || word.back() != 's') return word;
  if (word.ends_with("sses")) {
    word.resize(word.size() - 2);
  } else if (!word.ends_with("ss") && !word.ends_with("us") && !word.ends_with("is")) {
    word.pop_back();
  }
  return word;
}

/// The words of a text as they are compared.
Words words_of(std::string_view text) {
  Words words = plain_words(text);
  for (std::string& word : words) word = singular(std::move(word));
  return words;
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    const auto end = text.find(separator);
    if (end != 0) parts.push_back(text.substr(0, end));
    text = end == std::string_view::npos ? std::string_view{} : text.substr(end + 1);
  }
  return parts;
}

/// Where the last part of a topic's name begins, after a '.' or '='.
std::size_t end_of_groups(const std::string& name) { return name.find_last_of(".=") + 1; }

/// A topic's words.
struct Indexed {
  explicit Indexed(const Topic& one)
      : topic(&one),
        end(words_of(std::string_view(one.name).substr(end_of_groups(one.name)))),
        groups(words_of(std::string_view(one.name).substr(0, end_of_groups(one.name)))),
        sentence(words_of(one.sentence)) {}
  const Topic* topic;
  Words end, groups, sentence;
};

/// 1 for the word, less for a longer word that begins with it, 0 for neither.
double occurrence(const std::string& word, const Words& words) {
  double best = 0;
  for (const std::string& other : words) {
    if (other == word) return 1;
    if (word.size() >= 3 && other.starts_with(word)) best = kBeginning;
  }
  return best;
}

double word_score(const std::string& word, const Indexed& indexed) {
  const double whole = indexed.end.size() == 1 ? kWholeEnd : 0;
  return std::max({occurrence(word, indexed.end) * (kEndOfKey + whole), occurrence(word, indexed.groups) * kInKey,
                   occurrence(word, indexed.sentence) * kInSentence});
}

/// One part of a query: a word, or several that are a term.
struct QueryPart {
  Words words;
  const Term* term = nullptr;

  double score(const Indexed& indexed) const {
    double best = 0;
    double named = kNamed;
    for (const std::string_view name : term == nullptr ? std::vector<std::string_view>{} : split(term->topics, ' ')) {
      const bool pattern = name.find('*') != std::string_view::npos;
      // The lists of a machine have a star in their paths: gpu.sm_classes.*.count.
      if (name == indexed.topic->name) {
        best = std::max(best, named);
      } else if (pattern && glob_match(name, indexed.topic->name)) {
        best = std::max(best, named - kNamed + kNamedByPattern);
      }
      named -= kLaterTopic;
    }
    double plain = 0;
    for (const std::string& word : words) {
      const double one = word_score(word, indexed);
      if (one == 0) return best;
      plain += one;
    }
    return std::max(best, plain / static_cast<double>(words.size()));
  }
};

/// Words of a question that say nothing about what is asked for.
bool is_filler(const std::string& word) {
  static const std::set<std::string> kFillers = {"a",   "an",  "the",  "of",    "in",   "is",   "are",  "what",
                                                 "how", "to",  "do",   "i",     "my",   "for",  "per",  "many",
                                                 "set", "and", "much", "which", "does", "with", "there"};
  return kFillers.count(word) != 0;
}

/// The words to look up, as in "what is the size of the L1"; all of them when there are only fillers.
Words without_fillers(const std::vector<std::string>& typed) {
  Words words, all;
  for (const std::string& text : typed) {
    for (const std::string& word : plain_words(text)) {
      all.push_back(singular(word));
      if (!is_filler(word)) words.push_back(singular(word));
    }
  }
  return words.empty() ? all : words;
}

struct NamedTerm {
  Words words;
  const Term* term;
};

/// The terms by name, those of most words first.
std::vector<NamedTerm> named_terms() {
  std::vector<NamedTerm> named;
  for (const Term& term : terms()) {
    for (const std::string_view name : split(term.names, '|'))
      named.push_back({without_fillers({std::string(name)}), &term});
  }
  std::stable_sort(named.begin(), named.end(),
                   [](const NamedTerm& a, const NamedTerm& b) { return a.words.size() > b.words.size(); });
  return named;
}

std::vector<QueryPart> parts_of(const Words& words) {
  const auto named = named_terms();
  std::vector<QueryPart> parts;
  for (std::size_t at = 0; at < words.size();) {
    const auto term = std::find_if(named.begin(), named.end(), [&](const NamedTerm& one) {
      return one.words.size() <= words.size() - at &&
             std::equal(one.words.begin(), one.words.end(), words.begin() + static_cast<std::ptrdiff_t>(at));
    });
    const std::size_t length = term == named.end() ? 1 : term->words.size();
    const auto first = words.begin() + static_cast<std::ptrdiff_t>(at);
    parts.push_back(
        {Words(first, first + static_cast<std::ptrdiff_t>(length)), term == named.end() ? nullptr : term->term});
    at += length;
  }
  return parts;
}

struct Scored {
  const Topic* topic;
  double score = 0;
  std::size_t matched = 0;  ///< parts of the query
};

/// Joins topics that differ only in their group.
std::vector<Found> join_alike(const std::vector<Scored>& scored) {
  std::vector<Found> found;
  std::map<std::string, std::size_t> places;
  for (const Scored& one : scored) {
    const Topic& topic = *one.topic;
    const std::size_t end = end_of_groups(topic.name);
    // Enough of the name to keep apart what has the same description by chance.
    const std::string alike = std::to_string(static_cast<int>(topic.kind)) + topic.name.substr(end) + topic.sentence;
    const auto [place, is_first] = places.emplace(alike, found.size());
    if (is_first) {
      found.push_back({&topic, {}});
    } else {
      found[place->second].others.push_back(topic.name.substr(0, end == 0 ? 0 : end - 1));
    }
  }
  return found;
}

}  // namespace

std::vector<Topic> list_topics(const Catalogue& catalogue) {
  std::vector<Topic> topics;
  std::set<std::string> mechanisms;
  for (const ParameterEntry& entry : catalogue.parameters) {
    for (const ChoiceEntry& choice : entry.choices) mechanisms.insert(choice.name + choice.sentence);
  }
  // The parameters of a mechanism go by its description, which the key that chooses it has too.
  for (const GroupEntry& entry : catalogue.groups) {
    if (mechanisms.count(last_part(entry.path) + entry.sentence) == 0)
      topics.push_back({Topic::Kind::group, short_path(entry.path), entry.sentence});
  }
  for (const ParameterEntry& entry : catalogue.parameters) {
    const std::string path = short_path(entry.path);
    topics.push_back({Topic::Kind::parameter, path, entry.sentence, &entry});
    for (const ChoiceEntry& choice : entry.choices) {
      if (!choice.sentence.empty())
        topics.push_back({Topic::Kind::choice, path + "=" + choice.name, choice.sentence, &entry});
    }
  }
  for (const StatisticEntry& entry : catalogue.statistics) {
    const bool of_machine = entry.class_name == "machine";
    topics.push_back(
        {Topic::Kind::statistic, of_machine ? entry.name : entry.class_name + "." + entry.name, entry.sentence});
  }
  return topics;
}

SearchResult search(const std::vector<Topic>& topics, const std::vector<std::string>& typed) {
  SearchResult result;
  result.words = without_fillers(typed);
  if (result.words.empty()) {
    result.unknown = typed;
    return result;
  }
  const std::vector<QueryPart> parts = parts_of(result.words);
  result.is_term = parts.size() == 1 && parts.front().term != nullptr;
  for (const QueryPart& part : parts) {
    if (part.term != nullptr && !part.term->sentence.empty()) result.sentences.emplace_back(part.term->sentence);
  }
  std::vector<Scored> scored;
  std::vector<bool> occurs(parts.size());
  std::size_t most = 0;
  for (const Topic& topic : topics) {
    const Indexed indexed(topic);
    Scored one{&topic};
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const double score = parts[i].score(indexed);
      one.score += score;
      one.matched += score > 0 ? 1 : 0;
      if (score > 0) occurs[i] = true;
    }
    if (topic.kind == Topic::Kind::choice) one.score *= kChoice;
    if (topic.kind == Topic::Kind::statistic) one.score *= kStatistic;
    most = std::max(most, one.matched);
    if (one.matched > 0) scored.push_back(one);
  }
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (!occurs[i]) result.unknown.push_back(parts[i].words.front());
  }
  if (!result.unknown.empty()) return result;
  scored.erase(std::remove_if(scored.begin(), scored.end(), [&](const Scored& one) { return one.matched < most; }),
               scored.end());
  std::stable_sort(scored.begin(), scored.end(), [](const Scored& a, const Scored& b) { return a.score > b.score; });
  scored.erase(std::remove_if(scored.begin(), scored.end(),
                              [&](const Scored& one) { return one.score < kWorthShowing * scored.front().score; }),
               scored.end());
  result.found = join_alike(scored);
  return result;
}

std::vector<std::string> searchable_words(const std::vector<Topic>& topics) {
  std::set<std::string> words;
  for (const NamedTerm& named : named_terms()) words.insert(named.words.begin(), named.words.end());
  for (const Topic& topic : topics) {
    for (std::string& word : words_of(topic.name)) words.insert(std::move(word));
  }
  return {words.begin(), words.end()};
}

}  // namespace heddle::cli
