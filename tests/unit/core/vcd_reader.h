// SPDX-License-Identifier: Apache-2.0
// Reads a value change dump strictly by IEEE 1364-2005, 18.2, independently of the writer.
#pragma once

#include <cstdint>
#include <fstream>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

namespace heddle::test {

class VcdReader {
 public:
  explicit VcdReader(const std::string& file) : in_(file) {
    if (!in_) throw std::runtime_error("cannot open " + file);
    header();
    changes();
  }

  struct Variable {
    unsigned width = 0;
    std::map<std::uint64_t, std::string> values;  ///< by time; full width, most significant bit first
  };
  const Variable& variable(const std::string& name) const {
    const auto found = code_of_.find(name);
    if (found == code_of_.end()) throw std::runtime_error("no variable " + name);
    return variables_.at(found->second);
  }
  bool has(const std::string& name) const { return code_of_.count(name) != 0; }
  std::vector<std::string> names() const {
    std::vector<std::string> result;
    for (const auto& entry : code_of_) result.push_back(entry.first);
    return result;
  }
  /// The value at a time, as bits; "" before the first change.
  std::string bits(const std::string& name, std::uint64_t time) const {
    const auto& values = variable(name).values;
    auto at = values.upper_bound(time);
    return at == values.begin() ? "" : std::prev(at)->second;
  }
  /// The same as a number, -1 when any bit is unknown.
  std::int64_t value(const std::string& name, std::uint64_t time) const {
    std::int64_t number = 0;
    for (const char c : bits(name, time)) {
      if (c != '0' && c != '1') return -1;
      number = 2 * number + (c - '0');
    }
    return number;
  }
  const std::string& timescale() const { return timescale_; }
  const std::vector<std::uint64_t>& times() const { return times_; }
  std::vector<std::string> keywords;  ///< $dumpvars, $dumpoff, ... in order

 private:
  std::string word() {
    std::string text;
    if (!(in_ >> text)) throw std::runtime_error("unexpected end of file");
    return text;
  }
  std::string until_end() {
    std::string text, next;
    while ((next = word()) != "$end") text += (text.empty() ? "" : " ") + next;
    return text;
  }

  void header() {
    std::vector<std::string> scopes;
    while (true) {
      const std::string keyword = word();
      if (keyword == "$enddefinitions") {
        until_end();
        if (!scopes.empty()) throw std::runtime_error("a scope is left open");
        return;
      }
      if (keyword == "$scope") {
        word();
        scopes.push_back(word());
        until_end();
      } else if (keyword == "$upscope") {
        scopes.pop_back();
        until_end();
      } else if (keyword == "$var") {
        word();
        const unsigned width = static_cast<unsigned>(std::stoul(word()));
        const std::string code = word();
        std::string name;
        for (const auto& scope : scopes) name += scope + ".";
        name += word();
        const std::string range = until_end();
        if (width > 1 && range != "[" + std::to_string(width - 1) + ":0]") throw std::runtime_error("range of " + name);
        if (!code_of_.emplace(name, code).second) throw std::runtime_error("two variables are called " + name);
        if (!variables_.emplace(code, Variable{width, {}}).second) throw std::runtime_error("code used twice: " + code);
      } else if (keyword == "$timescale") {
        timescale_ = until_end();
      } else if (keyword == "$version" || keyword == "$comment" || keyword == "$date") {
        until_end();
      } else {
        throw std::runtime_error("unexpected " + keyword);
      }
    }
  }

  void changes() {
    std::string token;
    std::uint64_t time = 0;
    while (in_ >> token) {
      const char kind = token[0];
      if (kind == '#') {
        const std::uint64_t next = std::stoull(token.substr(1));
        if (!times_.empty() && next <= time) throw std::runtime_error("time does not advance at " + token);
        time = next;
        times_.push_back(time);
      } else if (kind == '$') {
        if (token == "$comment") {
          until_end();
        }
        keywords.push_back(token);
      } else if (kind == 'b') {
        change(time, token.substr(1), word());
      } else {
        change(time, token.substr(0, 1), token.substr(1));
      }
    }
  }

  void change(std::uint64_t time, std::string bits, const std::string& code) {
    auto& variable = variables_.at(code);
    if (bits.size() > variable.width) throw std::runtime_error("too many bits for " + code);
    // Short values are extended: with zero, or with x when they start with x.
    bits.insert(0, variable.width - bits.size(), bits[0] == 'x' ? 'x' : '0');
    variable.values[time] = bits;
  }

  std::ifstream in_;
  std::string timescale_;
  std::map<std::string, std::string> code_of_;
  std::map<std::string, Variable> variables_;
  std::vector<std::uint64_t> times_;
};

}  // namespace heddle::test
