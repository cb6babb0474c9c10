// SPDX-License-Identifier: Apache-2.0
// Places in the source program, from the .loc directives of a body. An instruction of an inlined library function is
// charged to the user's line that calls it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <tuple>

#include "isa/ptx/syntax.h"

namespace heddle::isa {

/// Whether a source file belongs to a toolkit or a system library rather than to the program: it lies below /usr/ or in
/// a folder cuda/include/ or include/heddle/cuda/.
bool is_library_file(std::string_view path);

class SourcePlaces {
 public:
  /// A line and column of a .file.
  struct Location {
    std::uint64_t file = 0, line = 0, column = 0;
    bool operator<(const Location& other) const {
      return std::tie(file, line, column) < std::tie(other.file, other.line, other.column);
    }
  };

  explicit SourcePlaces(const UnitSyntax& unit) : unit_(unit) {}

  /// A .loc: the next instructions come from `location`. call: where the function around it was inlined; a call that
  /// lies in an inlined function itself has been the location of an earlier .loc.
  void at(const Location& location, const std::optional<Location>& call);

  /// The innermost place in a file of the program, else the outermost call.
  SourcePosition charged() const { return charged_; }
  /// Where the instruction itself is, if that is another place than what is charged.
  SourcePosition inlined() const { return inlined_; }

 private:
  bool of_library(const Location& location) const;

  const UnitSyntax& unit_;
  std::map<Location, std::optional<Location>> calls_;  ///< of the locations so far; none: not in an inlined function
  SourcePosition charged_, inlined_;
};

}  // namespace heddle::isa
