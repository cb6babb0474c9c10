// SPDX-License-Identifier: Apache-2.0
// Reads matrices of the Matrix Market exchange format: coordinate; real, integer or pattern; general or symmetric.
#pragma once
#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <istream>
#include <limits>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "sparse_rows.h"

namespace workload {

struct MarketMatrix {
  int rows = 0, columns = 0;
  SparseRows entries;  // of a row: by column, then in the order of the file
};

// What is wrong with a file, and in which line.
class MarketError : public std::runtime_error {
 public:
  MarketError(long line, const std::string& what) : std::runtime_error("line " + std::to_string(line) + ": " + what) {}
};

class MarketReader {
 public:
  // `text` is the whole file.
  explicit MarketReader(std::istream& text) : text_(text) {}

  // Entries of a pattern are 1; those of a symmetric matrix outside the diagonal count twice; entries named twice add
  // up in a product. Throws MarketError.
  MarketMatrix read() {
    read_header();
    read_sizes();
    read_entries();
    return in_rows();
  }

 private:
  struct Entry {
    int row, column;
    float value;
  };

  bool next_line(std::string& line) {
    if (!std::getline(text_, line)) return false;
    ++line_;
    if (!line.empty() && line.back() == '\r') line.pop_back();
    return true;
  }
  // The next line that is neither a comment nor blank.
  bool next_content(std::string& line) {
    while (next_line(line))
      if (line.find_first_not_of(" \t") != std::string::npos && line[0] != '%') return true;
    return false;
  }
  [[noreturn]] void fail(const std::string& what) const { throw MarketError(std::max(line_, 1l), what); }

  static std::string lower(std::string word) {
    for (char& c : word) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return word;
  }
  static std::vector<std::string> words_of(const std::string& line) {
    std::istringstream stream(line);
    std::vector<std::string> words;
    for (std::string word; stream >> word;) words.push_back(word);
    return words;
  }

  long whole_number(const std::string& word, const char* what, long least, long most) const {
    char* end = nullptr;
    const long value = std::strtol(word.c_str(), &end, 10);
    if (*end != '\0' || end == word.c_str() || value < least || value > most)
      fail(std::string(what) + " is '" + word + "', not a number from " + std::to_string(least) + " to " +
           std::to_string(most));
    return value;
  }

  void read_header() {
    std::string line;
    if (!next_line(line)) fail("the file is empty");
    const std::vector<std::string> words = words_of(lower(line));
    if (words.size() != 5 || words[0] != "%%matrixmarket" || words[1] != "matrix")
      fail("a Matrix Market file begins with '%%MatrixMarket matrix FORMAT FIELD SYMMETRY'");
    if (words[2] != "coordinate") fail("format '" + words[2] + "' is not supported, only coordinate");
    if (words[3] != "real" && words[3] != "integer" && words[3] != "pattern")
      fail("field '" + words[3] + "' is not supported, only real, integer and pattern");
    if (words[4] != "general" && words[4] != "symmetric")
      fail("symmetry '" + words[4] + "' is not supported, only general and symmetric");
    is_integer_ = words[3] == "integer";
    is_pattern_ = words[3] == "pattern";
    is_symmetric_ = words[4] == "symmetric";
  }

  void read_sizes() {
    std::string line;
    if (!next_content(line)) fail("the line with rows, columns and entries is missing");
    const std::vector<std::string> words = words_of(line);
    if (words.size() != 3) fail("three numbers are expected: rows, columns and entries");
    constexpr long kMost = std::numeric_limits<int>::max() - 1;
    matrix_.rows = static_cast<int>(whole_number(words[0], "the number of rows", 1, kMost));
    matrix_.columns = static_cast<int>(whole_number(words[1], "the number of columns", 1, kMost));
    // A symmetric matrix may have twice as many as its file.
    count_ = whole_number(words[2], "the number of entries", 0, kMost / 2);
    if (is_symmetric_ && matrix_.rows != matrix_.columns) fail("a symmetric matrix has as many rows as columns");
  }

  void read_entries() {
    std::string line;
    for (long entry = 0; entry < count_; ++entry) {
      if (!next_content(line))
        fail("the file ends after " + std::to_string(entry) + " of " + std::to_string(count_) + " entries");
      const std::vector<std::string> words = words_of(line);
      if (words.size() != (is_pattern_ ? 2 : 3))
        fail(is_pattern_ ? "an entry of a pattern is a row and a column" : "an entry is a row, a column and a value");
      const int row = static_cast<int>(whole_number(words[0], "the row", 1, matrix_.rows)) - 1;
      const int column = static_cast<int>(whole_number(words[1], "the column", 1, matrix_.columns)) - 1;
      if (is_symmetric_ && column > row) fail("a symmetric matrix has entries on and below the diagonal only");
      const float value = is_pattern_ ? 1.0f : value_of(words[2]);
      entries_.push_back({row, column, value});
      if (is_symmetric_ && row != column) entries_.push_back({column, row, value});
    }
    if (next_content(line)) fail("there are more entries than the " + std::to_string(count_) + " announced");
  }

  float value_of(const std::string& word) const {
    char* end = nullptr;
    if (is_integer_) std::strtol(word.c_str(), &end, 10);
    const char* const end_of_integer = end;
    const float value = std::strtof(word.c_str(), &end);
    if (end == word.c_str() || *end != '\0' || !std::isfinite(value) || (is_integer_ && *end_of_integer != '\0'))
      fail("the value '" + word + "' is no finite " + (is_integer_ ? "whole number" : "number"));
    return value;
  }

  MarketMatrix in_rows() {
    std::stable_sort(entries_.begin(), entries_.end(), [](const Entry& a, const Entry& b) {
      return a.row != b.row ? a.row < b.row : a.column < b.column;
    });
    SparseRows& rows = matrix_.entries;
    rows.row_start.assign(static_cast<std::size_t>(matrix_.rows) + 1, 0);
    for (const Entry& entry : entries_) {
      ++rows.row_start[entry.row + 1];
      rows.column.push_back(entry.column);
      rows.value.push_back(entry.value);
    }
    for (int row = 0; row < matrix_.rows; ++row) rows.row_start[row + 1] += rows.row_start[row];
    return matrix_;
  }

  std::istream& text_;
  long line_ = 0, count_ = 0;
  bool is_integer_ = false, is_pattern_ = false, is_symmetric_ = false;
  MarketMatrix matrix_;
  std::vector<Entry> entries_;
};

}  // namespace workload
