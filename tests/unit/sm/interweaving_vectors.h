// SPDX-License-Identifier: Apache-2.0
// Vectors of docs/sources/branch-and-warp-interweaving.md 3 for the blocks of interweaving, used for the model and the
// RTL.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "sm/grouping/interweaving/context_sorter.h"
#include "sm/grouping/interweaving/secondary_lookup.h"
#include "sm/hazards/dependency_step.h"

namespace heddle::sm {

/// V5: contexts as "10:1001", program counter in hexadecimal and threads in binary; "": none.
struct SorterVector {
  std::string in[3];
  std::vector<std::string> out;
  std::string action;  ///< of the cold table
};
inline const std::vector<SorterVector>& sorter_vectors() {
  static const std::vector<SorterVector> vectors = {
      {{"10:1001", "20:0110", ""}, {"10:1001", "20:0110"}, ""},
      {{"30:1001", "20:0110", ""}, {"20:0110", "30:1001"}, ""},
      {{"20:1001", "20:0110", ""}, {"20:1111"}, "pop"},
      {{"18:1000", "20:0110", "28:0001"}, {"18:1000", "20:0110", "28:0001"}, "push 28:0001"},
      {{"28:1000", "20:0110", "18:0001"}, {"18:0001", "20:0110", "28:1000"}, "push 28:1000"},
      {{"20:1000", "20:0110", "30:0001"}, {"20:1110", "30:0001"}, ""},
      {{"18:1000", "30:0110", "30:0001"}, {"18:1000", "30:0111"}, ""},
      {{"30:1000", "18:0110", "30:0001"}, {"18:0110", "30:1001"}, ""},
      {{"40:1000", "40:0110", "40:0001"}, {"40:1111"}, "pop"},
      {{"40:0000", "20:0110", ""}, {"20:0110"}, "pop"},
      {{"10:0000", "20:0000", ""}, {}, "pop"},
  };
  return vectors;
}

inline SplitContext context_of(const std::string& text) {
  if (text.empty()) return {};
  const std::size_t colon = text.find(':');
  return {true, false, static_cast<std::uint32_t>(std::stoul(text.substr(0, colon), nullptr, 16)),
          std::stoull(text.substr(colon + 1), nullptr, 2)};
}
inline std::string text_of(const SplitContext& context) {
  std::string threads;
  for (unsigned i = 4; i-- > 0;) threads += (context.threads >> i & 1) != 0 ? '1' : '0';
  char pc[16];
  std::snprintf(pc, sizeof pc, "%x:", context.pc);
  return pc + threads;
}
/// What follows for the cold table, if it holds contexts.
inline std::string action_of(const SortedContexts& sorted, unsigned hot) {
  if (sorted.contexts[hot].valid) return "push " + text_of(sorted.contexts[hot]);
  return sorted.contexts[hot - 1].valid ? "" : "pop";
}

/// What a sorter makes of the inputs of a vector.
inline SorterVector sorted_by(ContextSorter& sorter, const SorterVector& vector) {
  const SortedContexts sorted =
      sorter.sort({context_of(vector.in[0]), context_of(vector.in[1]), context_of(vector.in[2])});
  SorterVector result{{vector.in[0], vector.in[1], vector.in[2]}, {}, action_of(sorted, 2)};
  for (const SplitContext& context : sorted.contexts) {
    if (context.valid) result.out.push_back(text_of(context));
  }
  return result;
}

inline void expect_sorter_vectors(ContextSorter& sorter) {
  for (const SorterVector& vector : sorter_vectors()) {
    SCOPED_TRACE(vector.in[0] + " " + vector.in[1] + " " + vector.in[2]);
    const SorterVector sorted = sorted_by(sorter, vector);
    EXPECT_EQ(sorted.out, vector.out);
    EXPECT_EQ(sorted.action, vector.action);
  }
}

/// "110;001;000": rows of a matrix.
inline DependencyMatrix matrix_of(const std::string& text) {
  unsigned matrix = 0, bit = 0;
  for (const char c : text) {
    if (c == '1') matrix |= 1u << bit;
    if (c != ';') ++bit;
  }
  return static_cast<DependencyMatrix>(matrix);
}

/// Threads of the hot contexts and all others at one time.
using ThreadStates = std::array<unsigned, 3>;
/// The exact matrix between two times.
inline DependencyMatrix exact(const ThreadStates& from, const ThreadStates& to) {
  unsigned matrix = 0;
  for (unsigned i = 0; i < 3; ++i) {
    for (unsigned j = 0; j < 3; ++j) matrix |= ((from[i] & to[j]) != 0 ? 1u : 0u) << (3 * i + j);
  }
  return static_cast<DependencyMatrix>(matrix);
}
/// V6: t0 to t4, and the sequence with a false dependency, s0 to s2.
inline const std::vector<ThreadStates> kMoves = {
    {0b1111, 0, 0}, {0b1001, 0b0110, 0}, {0b1000, 0b0001, 0b0110}, {0b1001, 0b0110, 0}, {0b1111, 0, 0}};
inline const std::vector<ThreadStates> kFalseMoves = {
    {0b0001, 0b0010, 0b1100}, {0b0001, 0b0100, 0b1010}, {0b0001, 0b1000, 0b0110}};

/// One entry through a step.
inline DependencyMatrix stepped(DependencyStep& step, DependencyMatrix entry, DependencyMatrix move) {
  StepRequest request;
  request.step = move;
  request.entries[0] = entry;
  return step.step(request).entries[0];
}

/// Between a time and the next.
inline DependencyMatrix move_at(const std::vector<ThreadStates>& states, unsigned t) {
  return exact(states[t], states[t + 1]);
}
/// An entry that begins at time `from`, at time `to`.
inline DependencyMatrix closure(DependencyStep& step, const std::vector<ThreadStates>& states, unsigned from,
                                unsigned to) {
  DependencyMatrix matrix = move_at(states, from);
  for (unsigned t = from + 1; t < to; ++t) matrix = stepped(step, matrix, move_at(states, t));
  return matrix;
}
/// Products of the moves.
struct MoveProduct {
  unsigned from, to;
  const char* matrix;
};
inline const std::vector<MoveProduct> kProducts = {
    {0, 2, "111;000;000"}, {0, 3, "110;000;000"}, {1, 3, "100;010;000"}, {1, 4, "100;100;000"}, {2, 4, "100;100;100"}};

inline void expect_step_vectors(DependencyStep& step) {
  EXPECT_EQ(move_at(kMoves, 0), matrix_of("110;000;000"));
  EXPECT_EQ(move_at(kMoves, 1), matrix_of("110;001;000"));
  EXPECT_EQ(move_at(kMoves, 2), matrix_of("100;100;010"));
  EXPECT_EQ(move_at(kMoves, 3), matrix_of("100;100;000"));
  for (const MoveProduct& product : kProducts) {
    const DependencyMatrix matrix = closure(step, kMoves, product.from, product.to);
    EXPECT_EQ(matrix, matrix_of(product.matrix)) << product.from << " to " << product.to;
    EXPECT_EQ(matrix, exact(kMoves[product.from], kMoves[product.to])) << product.from << " to " << product.to;
  }
  EXPECT_EQ(move_at(kFalseMoves, 0), matrix_of("100;001;011"));
  EXPECT_EQ(move_at(kFalseMoves, 1), matrix_of("100;001;011"));
  EXPECT_EQ(closure(step, kFalseMoves, 0, 2), matrix_of("100;011;011"))
      << "threads that leave the secondary context and others that enter it look alike";
  EXPECT_EQ(exact(kFalseMoves[0], kFalseMoves[2]), matrix_of("100;001;011"));
}

/// V8: one primary instruction on lanes 1001, and W1 on 0110 and W2 on 0100 in ways 1 and 2. Lookup of at least 3 ways.
inline void expect_lookup_vectors(SecondaryLookup& lookup) {
  LookupRequest request;
  request.ready = 0b110;
  request.same_unit = ~std::uint64_t{0};
  request.free = 0b0110;
  request.lanes[1] = 0b0110;
  request.lanes[2] = 0b0100;
  EXPECT_EQ(lookup.look_up(request), (LookupAnswer{0b110, 1})) << "two lanes are more than one";
  request.ready = 0b100;
  request.free = 0b1111;
  EXPECT_EQ(lookup.look_up(request), (LookupAnswer{0b100, 2})) << "with the primary discarded all lanes are free";
  request.ready = 0b010;
  request.free = 0b0110;
  request.lanes[1] = 0b0011;
  EXPECT_EQ(lookup.look_up(request), (LookupAnswer{0, 0})) << "they overlap in a lane";
  request.same_unit = ~std::uint64_t{0b010};
  EXPECT_EQ(lookup.look_up(request), (LookupAnswer{0b010, 1})) << "on another unit they may";
}

}  // namespace heddle::sm
