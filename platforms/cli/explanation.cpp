// SPDX-License-Identifier: Apache-2.0
#include "cli/explanation.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "cli/columns.h"
#include "cli/describe.h"
#include "cli/search.h"
#include "common/machine_description.h"
#include "core/error.h"
#include "core/names.h"

namespace heddle::cli {
namespace {

std::string join_words(const std::vector<std::string>& words, const char* separator) {
  return fmt::format("{}", fmt::join(words, separator));
}

/// "; also in caches.texture, memory.l2" for a match that is in several groups.
std::string also_in(const std::vector<std::string>& groups, std::size_t most) {
  if (groups.empty()) return {};
  const auto shown = static_cast<std::ptrdiff_t>(std::min(groups.size(), most));
  std::string text = fmt::format("; also in {}", fmt::join(groups.begin(), groups.begin() + shown, ", "));
  if (groups.size() > most) text += fmt::format(" and {} more (all with --all)", groups.size() - most);
  return text;
}

const char* heading(Topic::Kind kind) {
  switch (kind) {
    case Topic::Kind::group:
      return "Groups of parameters";
    case Topic::Kind::parameter:
      return "Parameters";
    case Topic::Kind::choice:
      return "Values";
    case Topic::Kind::statistic:
      return "Statistics";
  }
  return "";
}

/// The matches under a heading for each kind: first the kind of the best match, then the others in a fixed order.
std::string match_list(const std::vector<Found>& found, const Configuration* configuration, const ListLimits& limits) {
  const std::size_t shown = std::min(found.size(), limits.matches);
  std::vector<std::pair<Topic::Kind, std::vector<std::vector<std::string>>>> sections;
  for (std::size_t i = 0; i < shown; ++i) {
    const Topic& topic = *found[i].topic;
    auto section = std::find_if(sections.begin(), sections.end(), [&](const auto& s) { return s.first == topic.kind; });
    if (section == sections.end()) section = sections.insert(section, {topic.kind, {}});
    const bool has_value = configuration != nullptr && topic.kind == Topic::Kind::parameter;
    section->second.push_back({topic.name, has_value ? value_in(*configuration, *topic.parameter) : "",
                               topic.sentence + also_in(found[i].others, limits.groups)});
  }
  if (!sections.empty())
    std::sort(std::next(sections.begin()), sections.end(),
              [](const auto& a, const auto& b) { return a.first < b.first; });
  std::string text;
  for (const auto& [kind, rows] : sections) text += fmt::format("{}\n{}", heading(kind), in_columns(rows));
  if (found.size() > shown)
    text += fmt::format("and {} more: another word narrows it down, --all lists them\n", found.size() - shown);
  return text;
}

std::string next_line(const std::string& what) { return what.empty() ? "" : "\nNext: " + what + "\n"; }

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
                          const Configuration* configuration, const ListLimits& limits) {
  // Several names with dots are several queries.
  const auto is_path = [](const std::string& word) { return word.find_first_of(".*=") != std::string::npos; };
  if (words.size() > 1 && std::all_of(words.begin(), words.end(), is_path)) {
    std::string text;
    for (const std::string& word : words)
      text += (text.empty() ? "" : "\n") + explain_query({word}, catalogue, configuration, limits);
    return text;
  }
  const std::string exact = explain_name(join_words(words, "_"), catalogue, configuration);
  const std::vector<Topic> topics = list_topics(catalogue);
  const SearchResult result = search(topics, words);
  if (!exact.empty()) {
    const std::string next = next_line(next_to_explain(join_words(words, "_"), catalogue));
    const bool is_list = is_path(words.front()) || !result.is_term || std::count(exact.begin(), exact.end(), '\n') > 12;
    if (is_list) return exact + next;
    std::vector<Found> related = result.found;
    std::erase_if(related, [&](const Found& one) { return one.topic->name == words.front(); });
    return exact + "\nRelated\n" + match_list(related, configuration, limits) + next;
  }
  if (!result.unknown.empty()) refuse(words, result, catalogue, topics);
  const auto texts = texts_of_last_part(join_words(words, "_"), catalogue, configuration);
  if (!result.is_term && texts.size() == 1) return texts.front();
  const bool looks_like_a_name = words.size() == 1 && words.front().find_first_of("._") != std::string::npos;
  std::string text;
  if (looks_like_a_name && texts.empty() && result.sentences.empty())
    text = fmt::format("'{}' is not a key or mechanism; keys with these words:\n", words.front());
  for (const std::string& sentence : result.sentences) text += sentence + "\n";
  return text + match_list(result.found, configuration, limits) +
         next_line("heddle explain " + shell_word(result.found.front().topic->name));
}

}  // namespace heddle::cli
