// SPDX-License-Identifier: Apache-2.0
#include "cc/response_file.h"

#include <cctype>
#include <sstream>

#include "core/error.h"
#include "core/file.h"

namespace heddle::cc {

namespace {

constexpr int kDeepestNesting = 16;

void expand(const std::vector<std::string>& arguments, int depth, std::vector<std::string>& out);

void expand_file(const std::string& path, int depth, std::vector<std::string>& out) {
  if (depth >= kDeepestNesting) {
    fail(ExitCode::usage, "response file {}: nested more than {} deep; do the files include each other?", path,
         kDeepestNesting);
  }
  expand(split_words(read_file(path)), depth + 1, out);
}

void expand(const std::vector<std::string>& arguments, int depth, std::vector<std::string>& out) {
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& argument = arguments[i];
    if (argument.size() > 1 && argument[0] == '@') {
      expand_file(argument.substr(1), depth, out);
      continue;
    }
    const std::string name = argument.substr(0, argument.find('='));
    if (name != "--options-file" && name != "-options-file" && name != "-optf" && name != "--optf") {
      out.push_back(argument);
      continue;
    }
    std::string files;
    if (name.size() < argument.size()) {
      files = argument.substr(name.size() + 1);
    } else if (i + 1 < arguments.size()) {
      files = arguments[++i];
    } else {
      fail(ExitCode::usage, "{}: missing file name", argument);
    }
    std::istringstream names(files);
    for (std::string file; std::getline(names, file, ',');) expand_file(file, depth, out);
  }
}

}  // namespace

std::vector<std::string> split_words(const std::string& text) {
  std::vector<std::string> words;
  std::string word;
  bool in_word = false;
  char quote = '\0';
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool more = i + 1 < text.size();
    if (quote == '\'') {
      if (c == quote)
        quote = '\0';
      else
        word += c;
    } else if (quote == '"') {
      if (c == quote)
        quote = '\0';
      else if (c == '\\' && more && (text[i + 1] == '"' || text[i + 1] == '\\'))
        word += text[++i];
      else
        word += c;
    } else if (c == '"' || c == '\'') {
      quote = c;
      in_word = true;
    } else if (c == '\\' && more) {
      word += text[++i];
      in_word = true;
    } else if (std::isspace(static_cast<unsigned char>(c)) != 0) {
      if (in_word) words.push_back(word);
      word.clear();
      in_word = false;
    } else {
      word += c;
      in_word = true;
    }
  }
  if (in_word) words.push_back(word);
  return words;
}

std::vector<std::string> expand_response_files(const std::vector<std::string>& arguments) {
  std::vector<std::string> out;
  expand(arguments, 0, out);
  return out;
}

}  // namespace heddle::cc
