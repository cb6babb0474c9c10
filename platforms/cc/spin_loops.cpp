// SPDX-License-Identifier: Apache-2.0
#include "cc/spin_loops.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string_view>
#include <unordered_set>

#include "cc/ir_text.h"

namespace heddle::cc {

namespace {

bool mentions(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

/// Whether an instruction exchanges data with other threads: an atomic operation, a volatile access or a fence.
bool exchanges_data(std::string_view line) {
  const std::string_view text = instruction_of(line);
  for (const std::string_view begin :
       {"cmpxchg ", "atomicrmw ", "load volatile ", "load atomic ", "store volatile ", "store atomic ", "fence "}) {
    if (text.starts_with(begin)) return true;
  }
  if (mentions(text, "@llvm.nvvm.atomic.") || mentions(text, "@llvm.nvvm.membar.")) return true;
  if (!mentions(text, " asm ")) return false;
  for (const std::string_view part : {"atom.", "red.", "ld.", "st.", "membar", "fence"}) {
    if (mentions(text, part)) return true;
  }
  return false;
}

/// Functions that exchange data with other threads, directly or through others.
class SharingFunctions {
 public:
  explicit SharingFunctions(const IrText& text) {
    std::size_t before = 0;
    do {
      before = names_.size();
      for (const IrFunction& function : text.functions()) {
        for (const IrBlock& block : function.blocks) {
          for (std::size_t line = block.first; line < block.end; ++line) {
            if (shares(text.lines()[line])) names_.insert(function.name);
          }
        }
      }
    } while (names_.size() != before);
  }
  bool shares(std::string_view line) const { return exchanges_data(line) || names_.contains(callee_of(line)); }

 private:
  std::unordered_set<std::string_view> names_;
};

/// What depends on the answers of other threads in a loop.
class LoopAnswers {
 public:
  LoopAnswers(const IrText& text, const IrFunction& function, const IrLoop& loop, const SharingFunctions& sharing)
      : lines_(text.lines()), function_(function), loop_(loop), sharing_(sharing) {
    std::size_t before = 0;
    do {
      before = values_.size() + branches_.size();
      for (const std::size_t block : loop.blocks) visit(block);
    } while (values_.size() + branches_.size() != before);
  }

  /// An answer decides what happens within an iteration, with effects on others, and whether it is the last.
  bool spins() const {
    return std::any_of(conditional_.begin(), conditional_.end(), [this](std::size_t b) { return acts(b); }) &&
           std::any_of(branches_.begin(), branches_.end(), [this](std::size_t b) { return may_leave(b); });
  }

 private:
  void visit(std::size_t number) {
    const IrBlock& block = function_.blocks[number];
    for (std::size_t line = block.first; line < block.end; ++line) {
      const std::string_view result = result_of(lines_[line]);
      if (instruction_of(lines_[line]).starts_with("store ")) store(lines_[line], conditional_.contains(number));
      if (!result.empty() && depends(lines_[line])) values_.insert(result);
      // A function may return its answer through a pointer.
      if (sharing_.shares(lines_[line])) {
        for (const std::string_view name : names_in(lines_[line])) add_variable(name);
      }
    }
    if (block.successors.size() < 2 || !has_answer(names_in(lines_[block.end]))) return;
    if (!branches_.insert(number).second) return;
    for (const std::size_t other : loop_.blocks) {
      if (decides(number, other)) conditional_.insert(other);
    }
  }

  bool has_answer(const std::vector<std::string_view>& names) const {
    return std::any_of(names.begin(), names.end(), [this](std::string_view n) { return values_.contains(n); });
  }
  bool depends(std::string_view line) const {
    const std::vector<std::string_view> names = names_in(line);
    if (sharing_.shares(line) || has_answer(names)) return true;
    if (!instruction_of(line).starts_with("phi ")) return false;
    return std::any_of(branches_.begin(), branches_.end(), [&](std::size_t b) {
      return std::find(names.begin(), names.end(), function_.blocks[b].label) != names.end();
    });
  }
  void store(std::string_view line, bool conditional) {
    std::vector<std::string_view> names = names_in(line);
    if (names.empty()) return;
    const std::string_view place = names.back();
    names.pop_back();
    if (conditional || has_answer(names)) add_variable(place);
  }
  /// Adds a variable, if the name is one, or a part of one.
  void add_variable(std::string_view name) {
    const auto found = function_.definitions.find(name);
    if (found == function_.definitions.end()) return;
    const std::string_view line = lines_[found->second], instruction = instruction_of(line);
    if (instruction.starts_with("alloca ")) values_.insert(name);
    if (!instruction.starts_with("getelementptr ") && !instruction.starts_with("bitcast ") &&
        !instruction.starts_with("addrspacecast ")) {
      return;
    }
    for (const std::string_view part : names_in(line)) add_variable(part);
  }

  /// Whether a branch decides if another block runs in this iteration: some ways from it pass the block, some do not.
  bool decides(std::size_t branch, std::size_t block) const {
    return branch != block && reached(branch, kNone).contains(block) && ends_iteration(reached(branch, block));
  }
  /// Blocks that are reached from one in the same iteration without passing another.
  std::set<std::size_t> reached(std::size_t from, std::size_t without) const {
    std::set<std::size_t> found{from};
    std::vector<std::size_t> open{from};
    while (!open.empty()) {
      const IrBlock& block = function_.blocks[open.back()];
      open.pop_back();
      for (const std::size_t next : block.successors) {
        if (next == without || next == loop_.header || !loop_.blocks.contains(next)) continue;
        if (found.insert(next).second) open.push_back(next);
      }
    }
    return found;
  }
  bool ends_iteration(const std::set<std::size_t>& blocks) const {
    return std::any_of(loop_.latches.begin(), loop_.latches.end(), [&](std::size_t b) { return blocks.contains(b); });
  }

  /// Whether a block does what other threads can see.
  bool acts(std::size_t number) const {
    const IrBlock& block = function_.blocks[number];
    return std::any_of(lines_.begin() + static_cast<std::ptrdiff_t>(block.first),
                       lines_.begin() + static_cast<std::ptrdiff_t>(block.end),
                       [this](std::string_view line) { return sharing_.shares(line); });
  }
  bool may_leave(std::size_t number) const {
    const std::vector<std::size_t>& next = function_.blocks[number].successors;
    return std::any_of(next.begin(), next.end(), [this](std::size_t b) {
      // Destructors are followed by a switch whose default is unreachable.
      return !loop_.blocks.contains(b) && !lines_[function_.blocks[b].first].ends_with("  unreachable");
    });
  }

  static constexpr std::size_t kNone = ~std::size_t{0};
  const std::vector<std::string_view>& lines_;
  const IrFunction& function_;
  const IrLoop& loop_;
  const SharingFunctions& sharing_;
  std::unordered_set<std::string_view> values_;  ///< values and variables
  std::set<std::size_t> branches_;               ///< blocks that end with a branch on an answer
  std::set<std::size_t> conditional_;            ///< blocks that such a branch of the same iteration leads to or not
};

/// Number of the attributes of the meeting points; clang numbers from 0.
constexpr unsigned kAttributes = 100'000'000;

/// Edits of IR text.
class Edits {
 public:
  explicit Edits(const IrText& text) : text_(text) {}

  /// Adds a meeting point before the branch back. If there are several such branches (continue), they are led to a new
  /// block, so that the threads of all of them meet.
  void add(const IrFunction& function, const IrLoop& loop) {
    if (loop.latches.size() == 1) {
      before_[function.blocks[loop.latches.front()].end] += meeting_point();
      return;
    }
    const std::string label = fmt::format("heddle.meeting.{}", ++added_);
    const std::string header(function.blocks[loop.header].label);
    std::size_t last = 0;
    for (const std::size_t latch : loop.latches) {
      for (std::size_t line = function.blocks[latch].end; line <= last_line(function, latch); ++line)
        redirected_[line][header] = label;
      last = std::max(last, last_line(function, latch));
    }
    after_[last] += fmt::format("\n{}:\n{}  br label %{}\n", label, meeting_point(), header);
  }

  std::string text() const {
    std::string out;
    for (std::size_t line = 0; line < text_.lines().size(); ++line) {
      if (const auto found = before_.find(line); found != before_.end()) out += found->second;
      out += redirected(line);
      out += '\n';
      if (const auto found = after_.find(line); found != after_.end()) out += found->second;
    }
    return out + fmt::format("attributes #{} = {{ convergent nounwind }}\n", kAttributes);
  }

 private:
  static std::string meeting_point() {
    return fmt::format("  call void asm sideeffect \"// threads that try to take a lock meet here\", \"\"() #{}\n",
                       kAttributes);
  }
  std::size_t last_line(const IrFunction& function, std::size_t block) const {
    std::size_t line = function.blocks[block].end;
    if (text_.lines()[line].ends_with('[')) {
      while (!mentions(text_.lines()[line], "]")) ++line;
    }
    return line;
  }
  std::string redirected(std::size_t line) const {
    std::string out(text_.lines()[line]);
    const auto found = redirected_.find(line);
    if (found == redirected_.end()) return out;
    for (const auto& [from, to] : found->second) {
      const std::string target = "label %" + from;
      for (std::size_t at = out.find(target); at != std::string::npos; at = out.find(target, at + 1)) {
        const std::size_t end = at + target.size();
        if (end == out.size() || out[end] == ',' || out[end] == ' ') out.replace(at, target.size(), "label %" + to);
      }
    }
    return out;
  }

  const IrText& text_;
  std::map<std::size_t, std::string> before_, after_;                       ///< by line
  std::map<std::size_t, std::map<std::string, std::string>> redirected_{};  ///< by line: label, new label
  unsigned added_ = 0;
};

}  // namespace

bool may_spin(const std::string& output) {
  return mentions(output, "atom") || mentions(output, "cmpxchg") || mentions(output, "volatile");
}

std::string with_meeting_points(const std::string& ir) {
  const IrText text(ir);
  const SharingFunctions sharing(text);
  Edits edits(text);
  bool any = false;
  for (const IrFunction& function : text.functions()) {
    for (const IrLoop& loop : loops_of(function)) {
      if (!LoopAnswers(text, function, loop, sharing).spins()) continue;
      edits.add(function, loop);
      any = true;
    }
  }
  return any ? edits.text() : ir;
}

}  // namespace heddle::cc
