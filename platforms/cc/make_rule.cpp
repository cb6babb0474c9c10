// SPDX-License-Identifier: Apache-2.0
#include "cc/make_rule.h"

#include <algorithm>

namespace heddle::cc {

namespace {

void add_once(std::vector<std::string>& files, const std::string& file) {
  if (!file.empty() && std::find(files.begin(), files.end(), file) == files.end()) files.push_back(file);
}

}  // namespace

MakeRule parse_make_rule(const std::string& text) {
  MakeRule rule;
  std::size_t at = 0;
  // The separator is the first colon followed by a blank or the end of the line, since targets may contain colons.
  while (at < text.size() &&
         !(text[at] == ':' && (at + 1 == text.size() || text[at + 1] == ' ' || text[at + 1] == '\n')))
    ++at;
  rule.targets = text.substr(0, at);
  std::string file;
  for (++at; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '\\' && at + 1 < text.size()) {
      const char next = text[++at];
      if (next == '\n') {
        add_once(rule.files, file);
        file.clear();
      } else {
        file += {c, next};
      }
    } else if (c == ' ' || c == '\t') {
      add_once(rule.files, file);
      file.clear();
    } else if (c == '\n') {
      break;
    } else {
      file += c;
    }
  }
  add_once(rule.files, file);
  return rule;
}

MakeRule merge_make_rules(const MakeRule& first, const MakeRule& second, const std::string& excluded) {
  MakeRule merged;
  merged.targets = first.targets;
  for (const MakeRule* rule : {&first, &second}) {
    for (const std::string& file : rule->files) {
      if (excluded.empty() || file.rfind(excluded, 0) != 0) add_once(merged.files, file);
    }
  }
  return merged;
}

std::string make_rule_text(const MakeRule& rule, bool phony_targets) {
  std::string text = rule.targets + ":";
  for (const std::string& file : rule.files) text += " \\\n  " + file;
  text += "\n";
  for (std::size_t i = 1; phony_targets && i < rule.files.size(); ++i) text += rule.files[i] + ":\n";
  return text;
}

}  // namespace heddle::cc
