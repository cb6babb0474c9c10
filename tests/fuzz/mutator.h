// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cctype>
#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace heddle::fuzz {

/// Mutations of given texts: words exchanged, removed, repeated, moved; bytes flipped; ends cut off. A seed always
/// gives the same texts.
class Mutator {
 public:
  Mutator(std::vector<std::string> texts, std::vector<std::string> words, std::uint32_t seed)
      : texts_(std::move(texts)), words_(std::move(words)), random_(seed) {}

  std::string next() {
    std::string text = texts_[below(texts_.size())];
    for (std::size_t i = 1 + below(4); i > 0; --i) mutate(text);
    return text;
  }

 private:
  std::size_t below(std::size_t limit) { return limit == 0 ? 0 : random_() % limit; }

  // A word, a number or a sign of the text: [begin, end).
  std::pair<std::size_t, std::size_t> piece(const std::string& text) {
    const auto in_word = [&](std::size_t i) {
      return std::isalnum(static_cast<unsigned char>(text[i])) != 0 || text[i] == '_' || text[i] == '%';
    };
    std::size_t begin = below(text.size()), end = begin;
    while (begin > 0 && in_word(begin - 1) && in_word(begin)) --begin;
    while (end < text.size() && in_word(end)) ++end;
    return {begin, std::max(end, begin + 1)};
  }

  void mutate(std::string& text) {
    if (text.empty()) return;
    const auto [begin, end] = piece(text);
    switch (below(8)) {
      case 0:
        text[below(text.size())] = static_cast<char>(random_());
        break;
      case 1:
        text.erase(begin, end - begin);
        break;
      case 2:
        text.replace(begin, end - begin, words_[below(words_.size())]);
        break;
      case 3:
        text.insert(begin, words_[below(words_.size())] + " ");
        break;
      case 4: {
        const auto [other_begin, other_end] = piece(text);
        text.replace(begin, end - begin, text.substr(other_begin, other_end - other_begin));
        break;
      }
      case 5:
        // Rarely, since little of the text remains to be parsed.
        if (below(4) == 0) text.resize(below(text.size()));
        break;
      case 6: {
        const std::size_t from = below(text.size()), length = below(400);
        text.insert(begin, text.substr(from, length));
        break;
      }
      default:
        text.erase(begin, below(60));
        break;
    }
  }

  std::vector<std::string> texts_, words_;
  std::mt19937 random_;
};

}  // namespace heddle::fuzz
