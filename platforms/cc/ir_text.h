// SPDX-License-Identifier: Apache-2.0
// Functions, blocks and edges of LLVM IR text, as clang writes it. Works line by line; knows only what is the same in
// all versions of clang that heddle cc uses.
#pragma once

#include <algorithm>
#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace heddle::cc {

/// use(line) for each line of a text, without its end.
template <typename Use>
void for_each_line(std::string_view text, Use use) {
  for (std::size_t start = 0; start < text.size();) {
    const std::size_t end = std::min(text.find('\n', start), text.size());
    use(text.substr(start, end - start));
    start = end + 1;
  }
}

struct IrBlock {
  std::string_view label;  ///< empty: the entry
  std::size_t first = 0;   ///< line after the label
  std::size_t end = 0;     ///< line of the terminator
  std::vector<std::size_t> successors, predecessors;
};

struct IrFunction {
  std::string_view name;
  std::vector<IrBlock> blocks;  ///< in the order of the text; the first is the entry
  std::unordered_map<std::string_view, std::size_t> definitions{};  ///< value: its line
};

/// A loop with one entry.
struct IrLoop {
  std::size_t header = 0;
  std::set<std::size_t> blocks;        ///< with the header
  std::vector<std::size_t> latches{};  ///< blocks with an edge to the header
};

class IrText {
 public:
  explicit IrText(std::string_view text);

  const std::vector<std::string_view>& lines() const { return lines_; }
  const std::vector<IrFunction>& functions() const { return functions_; }

 private:
  std::size_t parse_function(std::size_t line);

  std::vector<std::string_view> lines_;
  std::vector<IrFunction> functions_;
};

/// Loops of a function, each header once.
std::vector<IrLoop> loops_of(const IrFunction& function);

/// Name of the value that a line defines, without %; empty: none.
std::string_view result_of(std::string_view line);
/// Names after % in a line, right of the = if it has one: operands, labels, types.
std::vector<std::string_view> names_in(std::string_view line);
/// Name of the function that a line calls; empty: none, or through a pointer.
std::string_view callee_of(std::string_view line);
/// The instruction: a line without its indentation and what it defines.
std::string_view instruction_of(std::string_view line);

}  // namespace heddle::cc
