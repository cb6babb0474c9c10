// SPDX-License-Identifier: Apache-2.0
#include "cli/explanation.h"

#include <fmt/ranges.h>

#include <algorithm>

#include "cli/describe.h"
#include "cli/search.h"
#include "common/machine_description.h"
#include "core/error.h"
#include "core/names.h"

namespace heddle::cli {
namespace {

/// Groups named beside a match that is in several.
constexpr std::size_t kMostGroups = 4;

std::string join_words(const std::vector<std::string>& words, const char* separator) {
  return fmt::format("{}", fmt::join(words, separator));
}

/// The topic in one line.
std::string match_line(const Found& found, std::size_t width, const Configuration* configuration) {
  const Topic& topic = *found.topic;
  std::string text = fmt::format("  {:<{}}  ", topic.name, width);
  if (configuration != nullptr) {
    const bool has_value = topic.kind == Topic::Kind::parameter;
    text += fmt::format("{:<16}  ", has_value ? value_in(*configuration, *topic.parameter) : "");
  }
  text += topic.sentence;
  if (!found.others.empty()) {
    const auto shown = static_cast<std::ptrdiff_t>(std::min(found.others.size(), kMostGroups));
    text += fmt::format("; also in {}", fmt::join(found.others.begin(), found.others.begin() + shown, ", "));
    if (found.others.size() > kMostGroups) text += fmt::format(" and {} more", found.others.size() - kMostGroups);
  }
  return text + "\n";
}

std::string match_list(const SearchResult& result, const Configuration* configuration) {
  std::string text;
  for (const std::string& sentence : result.sentences) text += sentence + "\n";
  const std::size_t shown = std::min(result.found.size(), kMostMatches);
  std::size_t width = 0;
  for (std::size_t i = 0; i < shown; ++i) width = std::max(width, result.found[i].topic->name.size());
  for (std::size_t i = 0; i < shown; ++i) text += match_line(result.found[i], width, configuration);
  if (result.found.size() > shown)
    text += fmt::format("  and {} more; another word narrows it down\n", result.found.size() - shown);
  const Topic& first = *result.found.front().topic;
  text += fmt::format("Next: heddle explain {}\n",
                      first.name.find('*') == std::string::npos ? first.name : "'" + first.name + "'");
  return text;
}

/// Parameters, or else statistics, whose last part this is. Equal descriptions count once.
std::vector<std::string> texts_of_last_part(const std::string& part, const Catalogue& catalogue,
                                            const Configuration* configuration) {
  std::vector<std::string> texts, sentences;
  const auto is_first = [&](const std::string& sentence) {
    if (std::find(sentences.begin(), sentences.end(), sentence) != sentences.end()) return false;
    sentences.push_back(sentence);
    return true;
  };
  for (const auto& entry : catalogue.parameters) {
    if (last_part(entry.path) == part && is_first(entry.sentence))
      texts.push_back(parameter_text(entry, configuration));
  }
  for (const auto& entry : catalogue.statistics) {
    if (last_part(entry.name) == part && is_first(entry.sentence)) texts.push_back(statistic_text(entry));
  }
  return texts;
}

/// The word of the field or of a key that is nearest, for each unknown word; the others as they are.
[[noreturn]] void refuse(const std::vector<std::string>& words, const SearchResult& result, const Catalogue& catalogue,
                         const std::vector<Topic>& topics) {
  std::vector<std::string> names = searchable_words(topics);
  if (words.size() == 1) {
    for (const Topic& topic : topics) {
      names.push_back(topic.name);
      names.push_back(last_part(topic.name));
    }
    for (const StatisticEntry& entry : catalogue.statistics) names.push_back(entry.name);
    std::sort(names.begin(), names.end());
    names.erase(std::unique(names.begin(), names.end()), names.end());
    const auto near = nearest_spellings(words.front(), names, 3);
    fail(ExitCode::usage, "'{}' is unknown; {}`heddle explain` without a name lists everything", words.front(),
         near.empty() ? "" : fmt::format("did you mean {}? ", fmt::join(near, ", ")));
  }
  const std::vector<std::string>& unknown = result.unknown;
  std::vector<std::string> corrected = result.words;
  bool found_near = false;
  for (std::string& word : corrected) {
    const auto near = nearest_spellings(word, names);
    if (std::find(unknown.begin(), unknown.end(), word) == unknown.end() || near.empty()) continue;
    word = near.front();
    found_near = true;
  }
  fail(ExitCode::usage, "no key or description has '{}'; {}`heddle explain` without a name lists everything",
       fmt::join(unknown, "', '"),
       found_near ? fmt::format("did you mean `heddle explain {}`? ", join_words(corrected, " ")) : std::string());
}

}  // namespace

std::string explain_query(const std::vector<std::string>& words, const Catalogue& catalogue,
                          const Configuration* configuration) {
  // Several names with dots are several queries.
  const auto is_path = [](const std::string& word) { return word.find_first_of(".*=") != std::string::npos; };
  if (words.size() > 1 && std::all_of(words.begin(), words.end(), is_path)) {
    std::string text;
    for (const std::string& word : words)
      text += (text.empty() ? "" : "\n") + explain_query({word}, catalogue, configuration);
    return text;
  }
  const std::string exact = explain_name(join_words(words, "_"), catalogue, configuration);
  const std::vector<Topic> topics = list_topics(catalogue);
  const SearchResult result = search(topics, words);
  if (!exact.empty()) {
    const bool is_list = is_path(words.front()) || !result.is_term || std::count(exact.begin(), exact.end(), '\n') > 12;
    return is_list ? exact : exact + "\nRelated\n" + match_list(result, configuration);
  }
  if (!result.unknown.empty()) refuse(words, result, catalogue, topics);
  if (!result.is_term) {
    const auto texts = texts_of_last_part(join_words(words, "_"), catalogue, configuration);
    if (texts.size() == 1) return texts.front();
  }
  return match_list(result, configuration);
}

}  // namespace heddle::cli
