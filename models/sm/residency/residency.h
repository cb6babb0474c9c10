// SPDX-License-Identifier: Apache-2.0
// Which granules of a block start when, and when their resources are free again. SM and dispatcher each have an
// instance per SM and tell it of the same blocks and ends, the dispatcher later by the latency of its links, so that it
// knows what the SM starts by itself without asking. A policy is one file and knows no SystemC.
#pragma once

#include <cstdint>
#include <optional>

#include "sm/residency/sm_resources.h"

namespace heddle::sm {

/// A block of a launch.
struct BlockKey {
  std::uint64_t launch = 0;  ///< isa::LaunchState::id
  std::uint64_t block = 0;   ///< linear index in the grid
  bool operator==(const BlockKey&) const = default;
};

/// Granules first .. first + count - 1 of a block.
struct GranuleRange {
  BlockKey block;
  unsigned first = 0, count = 0;
};

struct ResidencyTraits {
  /// Granules start and end one by one: the SM reports the end of each. Needs a grouping that places parts of a block.
  bool by_granule = false;
};

class Residency {
 public:
  using MakeArguments = void(const ResidencyParameters&);
  /// Implementations have a static function traits().
  using Traits = ResidencyTraits;
  using TraitsArguments = void();
  explicit Residency(const ResidencyParameters& limits) : used_(limits) {}
  virtual ~Residency() = default;

  /// Granules of a block with this need that could start now, from its first on. 0: the block cannot come.
  virtual unsigned room(const BlockNeed& need) const = 0;
  /// The block comes, and its first `granules` (1 .. room(need)) start.
  virtual void come(const BlockKey& block, const BlockNeed& need, unsigned granules) = 0;
  /// A granule of the block has ended, and others have not. Only with by_granule.
  virtual void granule_ended(const BlockKey& /*block*/) {}
  /// The block's last granule has ended.
  virtual void leave(const BlockKey& block, const BlockNeed& need) = 0;
  /// Takes further granules of a resident block that start now. Asked after every end until there are none.
  virtual std::optional<GranuleRange> start_more() { return std::nullopt; }

  const SmResources& used() const { return used_; }

 protected:
  SmResources used_;
};

}  // namespace heddle::sm
