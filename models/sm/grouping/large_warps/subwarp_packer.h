// SPDX-License-Identifier: Apache-2.0
// The sub-warp packer: from the threads of a large warp that an instruction has yet to serve, selects those that issue
// in the next cycle, at most one per column. Stateless, so that a synthesizable block can replace it.
// Source: docs/sources/large-warps-and-database-search.md, 2.5.3. Logic only.
#pragma once

#include <array>
#include <cstdint>

#include "core/bits.h"

namespace heddle::sm {

/// A thread set has `rows` rows of `columns` threads, thread t in row t / columns and column t mod columns.
struct PackerShape {
  unsigned rows = 8;       ///< K: 1 .. 16
  unsigned columns = 32;   ///< N, the SIMD width: a power of two, 4 .. 32
  bool arbitrary = false;  ///< whether PackMode::arbitrary is used
};

/// How an instruction is cut.
enum class PackMode : std::uint8_t {
  columns,    ///< the first thread of each column, whatever its row
  rows,       ///< a whole row, for memory instructions, which coalesce by row
  token,      ///< once for all threads, for jumps, which change only the PC
  arbitrary,  ///< the first threads in order, whatever their column: needs a register-file port per lane
};

struct PackRequest {
  ThreadSet work;       ///< threads the instruction has yet to serve
  ThreadSet in_flight;  ///< threads in packets that have not completed
  ThreadSet guard;      ///< threads whose guard holds; read only for threads not in flight
  PackMode mode = PackMode::columns;
};

struct SubWarp {
  ThreadSet threads;                   ///< threads that issue in this cycle
  ThreadSet left;                      ///< `work` of the next cycle
  std::array<std::uint8_t, 64> row{};  ///< row of the thread in each column; 0 for unused columns
  bool any = false;                    ///< some thread issues
  bool last = false;                   ///< nothing is left. Neither any nor last: a bubble. Only last: a null
                                       ///< sub-warp or a token
  bool operator==(const SubWarp&) const = default;
};

struct BlockSite;

/// Interface of a packer, implemented by the model or RTL as chosen by the key sm.blocks.packer.
class SubwarpPacker {
 public:
  using MakeArguments = void(const PackerShape& shape, const BlockSite& site);
  virtual ~SubwarpPacker() = default;
  virtual SubWarp pack(const PackRequest& request) = 0;
  /// The sub-warp returned last issues and will not be requested again. For statistics only; a packer has no state.
  virtual void goes() {}
};

/// One cycle of the packer. Threads beyond the shape are ignored.
SubWarp pack_subwarp(const PackerShape& shape, const PackRequest& request);

}  // namespace heddle::sm
