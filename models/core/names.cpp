// SPDX-License-Identifier: Apache-2.0
#include "core/names.h"

#include <cxxabi.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <numeric>
#include <utility>

namespace heddle {
namespace {

bool match_one(std::string_view pattern, std::string_view name) {
  std::size_t p = 0, n = 0, star = std::string_view::npos, resume = 0;
  while (n < name.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      resume = n;
    } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == name[n])) {
      ++p;
      ++n;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      n = ++resume;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

/// Counts insertions, deletions, substitutions and transpositions (optimal string alignment).
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  std::iota(last.begin(), last.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] != b[j - 1] ? 1 : 0)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    std::swap(before, last);
    std::swap(last, row);
  }
  return last[b.size()];
}

}  // namespace

bool glob_match(std::string_view patterns, std::string_view name) {
  while (true) {
    const std::size_t comma = patterns.find(',');
    if (match_one(patterns.substr(0, comma), name)) return true;
    if (comma == std::string_view::npos) return false;
    patterns.remove_prefix(comma + 1);
  }
}

std::string demangled(const std::string& name) {
  if (name.rfind("_Z", 0) != 0) return name;
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status),
                                                         &std::free);
  return status == 0 ? text.get() : name;
}

std::string kernel_title(const std::string& mangled) {
  // "void (anonymous namespace)::sum<int>(int*)": from the last space to the parameters, outside of brackets.
  const std::string name = demangled(mangled);
  std::size_t begin = 0, depth = 0;
  for (std::size_t i = 0; i < name.size(); ++i) {
    const char c = name[i];
    if (c == '(' && depth == 0 && name.compare(i, 11, "(anonymous ") != 0) return name.substr(begin, i - begin);
    if (c == ' ' && depth == 0) begin = i + 1;
    if (c == '(' || c == '<') ++depth;
    if (c == ')' || c == '>') --depth;
  }
  return name;
}

bool kernel_match(std::string_view patterns, const std::string& name) {
  return glob_match(patterns, name) || glob_match(patterns, kernel_title(name)) ||
         glob_match(patterns, demangled(name));
}

bool natural_less(std::string_view a, std::string_view b) {
  std::size_t i = 0, j = 0;
  while (i < a.size() && j < b.size()) {
    if (!is_decimal_digit(a[i]) || !is_decimal_digit(b[j])) {
      if (a[i] != b[j]) return a[i] < b[j];
      ++i;
      ++j;
      continue;
    }
    std::size_t end_a = i, end_b = j;
    while (end_a < a.size() && is_decimal_digit(a[end_a])) ++end_a;
    while (end_b < b.size() && is_decimal_digit(b[end_b])) ++end_b;
    while (i + 1 < end_a && a[i] == '0') ++i;
    while (j + 1 < end_b && b[j] == '0') ++j;
    const std::string_view number_a = a.substr(i, end_a - i), number_b = b.substr(j, end_b - j);
    if (number_a.size() != number_b.size()) return number_a.size() < number_b.size();
    if (number_a != number_b) return number_a < number_b;
    i = end_a;
    j = end_b;
  }
  if (a.size() - i != b.size() - j) return a.size() - i < b.size() - j;
  return a < b;  // equal except for leading zeros
}

std::vector<std::string> nearest_spellings(std::string_view word, const std::vector<std::string>& candidates,
                                           std::size_t count) {
  std::vector<std::pair<std::size_t, std::string>> near;
  for (const auto& candidate : candidates) {
    const std::size_t distance = edit_distance(word, candidate);
    if (distance <= std::max<std::size_t>(1, std::max(word.size(), candidate.size()) / 3)) {
      near.emplace_back(distance, candidate);
    }
  }
  std::sort(near.begin(), near.end());
  if (near.size() > count) near.resize(count);
  std::vector<std::string> result;
  result.reserve(near.size());
  for (auto& entry : near) result.push_back(std::move(entry.second));
  return result;
}

std::string nearest_hint(std::string_view word, const std::vector<std::string>& candidates) {
  const auto near = nearest_spellings(word, candidates);
  return near.empty() ? std::string() : "; did you mean '" + near.front() + "'?";
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (true) {
    const auto at = text.find(separator);
    parts.push_back(text.substr(0, at));
    if (at == std::string_view::npos) return parts;
    text.remove_prefix(at + 1);
  }
}

}  // namespace heddle
