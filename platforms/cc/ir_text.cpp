// SPDX-License-Identifier: Apache-2.0
#include "cc/ir_text.h"

#include <algorithm>

namespace heddle::cc {

namespace {

constexpr std::string_view kNameCharacters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._$-";

/// The name at the begin of a text, which may be quoted.
std::string_view name_at(std::string_view text) {
  if (text.starts_with('"')) return text.substr(1, std::min(text.find('"', 1), text.size()) - 1);
  return text.substr(0, std::min(text.find_first_not_of(kNameCharacters), text.size()));
}

std::string_view without_indentation(std::string_view line) {
  const std::size_t begin = line.find_first_not_of(' ');
  return begin == std::string_view::npos ? std::string_view() : line.substr(begin);
}

/// "while.cond:     ; preds = ...": the label.
std::string_view label_of(std::string_view line) {
  if (line.empty() || line.front() == ' ' || line.front() == ';') return {};
  const std::string_view name = name_at(line);
  const std::size_t colon = name.size() + (line.front() == '"' ? 2 : 0);
  return colon < line.size() && line[colon] == ':' ? name : std::string_view();
}

bool is_terminator(std::string_view instruction) {
  return instruction.starts_with("br ") || instruction.starts_with("switch ") || instruction.starts_with("ret ") ||
         instruction.starts_with("unreachable") || instruction.starts_with("indirectbr ");
}

void add_targets(std::string_view line, std::vector<std::string_view>& targets) {
  constexpr std::string_view kTarget = "label %";
  for (std::size_t at = line.find(kTarget); at != std::string_view::npos; at = line.find(kTarget, at + 1)) {
    targets.push_back(name_at(line.substr(at + kTarget.size())));
  }
}

/// Blocks from which a latch can be reached without passing the header.
std::set<std::size_t> body_of(const IrFunction& function, std::size_t header, const std::vector<std::size_t>& latches) {
  std::set<std::size_t> body{header};
  std::vector<std::size_t> open = latches;
  while (!open.empty()) {
    const std::size_t block = open.back();
    open.pop_back();
    if (!body.insert(block).second) continue;
    const std::vector<std::size_t>& before = function.blocks[block].predecessors;
    open.insert(open.end(), before.begin(), before.end());
  }
  return body;
}

/// Edges to a block on the path of a depth-first search, by target.
std::unordered_map<std::size_t, std::vector<std::size_t>> back_edges_of(const IrFunction& function) {
  enum class State : unsigned char { unseen, open, closed };
  std::vector<State> states(function.blocks.size(), State::unseen);
  std::vector<std::pair<std::size_t, std::size_t>> path{{0, 0}};  // block, next successor
  std::unordered_map<std::size_t, std::vector<std::size_t>> edges;
  states[0] = State::open;
  while (!path.empty()) {
    auto& [block, next] = path.back();
    if (next == function.blocks[block].successors.size()) {
      states[block] = State::closed;
      path.pop_back();
      continue;
    }
    const std::size_t successor = function.blocks[block].successors[next++];
    if (states[successor] == State::open) edges[successor].push_back(block);
    if (states[successor] != State::unseen) continue;
    states[successor] = State::open;
    path.emplace_back(successor, 0);
  }
  return edges;
}

}  // namespace

IrText::IrText(std::string_view text) {
  for (std::size_t start = 0; start < text.size();) {
    const std::size_t end = std::min(text.find('\n', start), text.size());
    lines_.push_back(text.substr(start, end - start));
    start = end + 1;
  }
  for (std::size_t line = 0; line < lines_.size(); ++line) {
    if (lines_[line].starts_with("define ")) line = parse_function(line);
  }
}

// Returns the last line of the function.
std::size_t IrText::parse_function(std::size_t line) {
  const std::size_t at = lines_[line].find('@');
  IrFunction function{name_at(lines_[line].substr(at + 1)), {{{}, line + 1, 0, {}, {}}}};
  std::vector<std::vector<std::string_view>> targets(1);
  std::unordered_map<std::string_view, std::size_t> numbers;
  for (++line; line < lines_.size() && lines_[line] != "}"; ++line) {
    if (const std::string_view label = label_of(lines_[line]); !label.empty()) {
      // The label of the entry, which is optional.
      if (line == function.blocks.front().first) continue;
      numbers.emplace(label, function.blocks.size());
      function.blocks.push_back({label, line + 1, 0, {}, {}});
      targets.emplace_back();
      continue;
    }
    if (const std::string_view result = result_of(lines_[line]); !result.empty()) function.definitions[result] = line;
    if (!is_terminator(without_indentation(lines_[line]))) continue;
    function.blocks.back().end = line;
    add_targets(lines_[line], targets.back());
    // The targets of a switch have lines of their own.
    if (!lines_[line].ends_with('[')) continue;
    while (++line < lines_.size() && !without_indentation(lines_[line]).starts_with(']'))
      add_targets(lines_[line], targets.back());
  }
  for (std::size_t block = 0; block < targets.size(); ++block) {
    for (const std::string_view target : targets[block]) {
      const auto found = numbers.find(target);
      if (found == numbers.end()) continue;
      std::vector<std::size_t>& successors = function.blocks[block].successors;
      if (std::find(successors.begin(), successors.end(), found->second) != successors.end()) continue;
      successors.push_back(found->second);
      function.blocks[found->second].predecessors.push_back(block);
    }
  }
  functions_.push_back(std::move(function));
  return line;
}

std::vector<IrLoop> loops_of(const IrFunction& function) {
  std::vector<IrLoop> loops;
  for (const auto& [header, latches] : back_edges_of(function)) {
    IrLoop loop{header, body_of(function, header, latches), latches};
    // A loop with another entry reaches back to the begin of the function.
    if (!loop.blocks.contains(0)) loops.push_back(std::move(loop));
  }
  std::sort(loops.begin(), loops.end(), [](const IrLoop& a, const IrLoop& b) { return a.header < b.header; });
  return loops;
}

std::string_view result_of(std::string_view line) {
  line = without_indentation(line);
  if (!line.starts_with('%')) return {};
  const std::string_view name = name_at(line.substr(1));
  return line.substr(1 + name.size()).find(" = ") <= 2 ? name : std::string_view();
}

std::string_view instruction_of(std::string_view line) {
  const std::string_view text = without_indentation(line);
  return result_of(line).empty() ? text : text.substr(text.find(" = ") + 3);
}

std::vector<std::string_view> names_in(std::string_view line) {
  std::vector<std::string_view> names;
  const std::string_view text = instruction_of(line);
  for (std::size_t at = text.find('%'); at != std::string_view::npos; at = text.find('%', at + 1))
    names.push_back(name_at(text.substr(at + 1)));
  return names;
}

std::string_view callee_of(std::string_view line) {
  const std::string_view text = instruction_of(line);
  const bool call = text.starts_with("call ") || text.starts_with("tail call ");
  const std::size_t at = text.find('@');
  if (!call || at == std::string_view::npos || text.find(" asm ") < at) return {};
  const std::string_view rest = text.substr(at + 1), name = name_at(rest);
  const std::size_t after = name.size() + (rest.starts_with('"') ? 2 : 0);
  return after < rest.size() && rest[after] == '(' ? name : std::string_view();
}

}  // namespace heddle::cc
