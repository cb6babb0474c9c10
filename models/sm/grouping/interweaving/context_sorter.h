// SPDX-License-Identifier: Apache-2.0
// The sorter of a warp's hot contexts: sorts, merges and compacts the two hot contexts and a new split. Stateless, so
// that a synthesizable block can replace it.
// Source: docs/sources/branch-and-warp-interweaving.md, 2.6 and 8. Logic only.
#pragma once

#include <array>
#include <cstdint>
#include <memory>

#include "core/config/mechanism.h"

namespace heddle::sm {

/// Threads of a warp at one program counter: a row of the hot or the cold context table.
struct SplitContext {
  bool valid = false;
  /// Its next program counter is not known yet: it neither merges nor leaves the hot contexts.
  bool fixed = false;
  std::uint32_t pc = 0;
  std::uint64_t threads = 0;  ///< by position in the warp, which has at most 64
  bool operator==(const SplitContext&) const = default;
};

/// The hot contexts (with one hot context, `[1]` is invalid) and, last, a new split.
using SorterRequest = std::array<SplitContext, 3>;

struct SortedContexts {
  /// The hot contexts by ascending program counter, then the one that leaves for the cold table. Valid ones first;
  /// invalid ones are all zero.
  std::array<SplitContext, 3> contexts;
  /// By output: the inputs it consists of, one bit each.
  std::array<std::uint8_t, 3> sources{};
  bool operator==(const SortedContexts&) const = default;
};

/// Number of hot contexts per warp: 1 or 2.
struct SorterShape {
  unsigned hot = 2;
};

struct BlockSite;

/// Interface of a sorter, implemented by the model or RTL as chosen by the key sm.blocks.context_sorter.
class ContextSorter {
 public:
  using MakeArguments = void(const SorterShape& shape, const BlockSite& site);
  virtual ~ContextSorter() = default;
  virtual SortedContexts sort(const SorterRequest& request) = 0;
};

/// Contexts without threads are dropped. Contexts at equal program counters merge unless one is fixed; of two that do
/// not, the fixed one comes first. If more than `hot` are left, the one with the highest program counter that is not
/// fixed leaves. At most `hot` inputs may be fixed.
SortedContexts sort_contexts(const SorterShape& shape, const SorterRequest& request);

}  // namespace heddle::sm
