// SPDX-License-Identifier: Apache-2.0
// Call chains of inlined functions in PTX text. clang's .loc gives only the place in the inlined function, but its
// intermediate code has the chain. So the chain is carried through the code generator: every location of the
// intermediate code gets its number as column, and the columns of the PTX are then replaced by what the numbers stand
// for, in the form of PTX ISA 7.2: .loc FILE LINE COLUMN, function_name LABEL, inlined_at FILE LINE COLUMN.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace heddle::cc {

class InlinedLines {
 public:
  /// ir: LLVM IR text, optimised, with line information. Locations beyond the 65,535 that a column can number lose
  /// their column, and keep the line in the inlined function.
  explicit InlinedLines(const std::string& ir);

  /// The IR to generate code from: the same but for columns.
  const std::string& numbered() const { return numbered_; }
  /// ptx: generated from numbered(). Puts the columns back and adds the calls.
  std::string with_calls(const std::string& ptx) const;

 private:
  struct Place {
    std::string file, function;
    std::uint32_t line = 0, column = 0;
    std::size_t call = kNone;  ///< index into places_
  };
  static constexpr std::size_t kNone = ~std::size_t{0};
  class Writer;

  std::string numbered_;
  std::vector<Place> places_;  ///< by number - 1
};

}  // namespace heddle::cc
