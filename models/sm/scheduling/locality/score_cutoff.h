// SPDX-License-Identifier: Apache-2.0
// The cutoff test of cache-conscious scheduling: warps in descending order of their lost-locality scores, the sum of
// the scores, and which warps lie below the cutoff. Stateless, so that a synthesizable block can replace it.
// Source: docs/sources/cache-conscious-and-divergence-aware.md, 2.3.4, 8 and 9 (Q1, Q9). Logic only.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/bits.h"
#include "core/config/mechanism.h"
#include "core/identifier.h"

namespace heddle::sm {

/// What of a warp's segment of the stacked scores has to lie below the cutoff.
enum class CutoffRule : std::uint8_t {
  crossing_admitted,  ///< its start: the warp that crosses the cutoff may load
  inclusive,          ///< all of it
};

/// Warps of an SM, by number: a machine has no more of them than contexts.
using WarpSet = ContextSet;

struct ScoreCutoffShape {
  unsigned warps = 32;       ///< 1 .. 512
  unsigned score_bits = 10;  ///< of a score: 1 .. 31
  CutoffRule rule = CutoffRule::crossing_admitted;
};

struct CutoffRequest {
  WarpSet active;                     ///< warps with threads
  std::uint64_t cutoff = 1;           ///< sum of the base scores of the active warps
  std::vector<std::uint32_t> scores;  ///< by warp, below 2^score_bits; of others than active ones: ignored
  bool operator==(const CutoffRequest&) const = default;
};

struct BlockSite;

/// Interface of the test, implemented by the model or RTL as chosen by the key sm.blocks.score_cutoff.
class ScoreCutoff {
 public:
  using MakeArguments = void(const ScoreCutoffShape& shape, const BlockSite& site);
  virtual ~ScoreCutoff() = default;
  /// The active warps that may load.
  virtual WarpSet admit(const CutoffRequest& request) = 0;
};

/// The active warps in the order of the test: the highest score first, at one score the lowest number.
std::vector<WarpId> by_descending_score(const WarpSet& active, const std::vector<std::uint32_t>& scores);

/// The test.
WarpSet admit_below_cutoff(CutoffRule rule, const CutoffRequest& request);

}  // namespace heddle::sm
