// SPDX-License-Identifier: Apache-2.0
// The sub-warp packer: of the threads of a large warp that an instruction is still to serve, those that go in the next
// cycle, at most one of each column. A plain block without state, so that a synthesizable one can stand in its place.
// Source: spec/large-warps-and-database-search.md, 2.5.3. Logic only.
#pragma once

#include <array>
#include <cstdint>

#include "core/bits.h"

namespace heddle::sm {

/// A thread set has `rows` rows of `columns` threads, thread t in row t / columns and column t mod columns.
struct PackerShape {
  unsigned rows = 8;       ///< K: 1 .. 16
  unsigned columns = 32;   ///< N, the SIMD width: a power of two, 4 .. 32
  bool arbitrary = false;  ///< whether PackMode::arbitrary is asked for
};

/// How an instruction is cut.
enum class PackMode : std::uint8_t {
  columns,    ///< the first thread of each column, whatever its row
  rows,       ///< a whole row: memory instructions, which coalesce by rows
  token,      ///< once for all threads: a jump touches the program counter only
  arbitrary,  ///< the first threads in their order, wherever they are: a register file with a port a lane
};

struct PackRequest {
  ThreadSet work;       ///< threads that the instruction is still to serve
  ThreadSet in_flight;  ///< threads in packets that have not completed
  ThreadSet guard;      ///< threads whose guard holds; read for those not in flight only
  PackMode mode = PackMode::columns;
};

struct SubWarp {
  ThreadSet threads;                   ///< that go in this cycle
  ThreadSet left;                      ///< `work` of the next cycle
  std::array<std::uint8_t, 64> row{};  ///< of the thread in each column; columns without one hold 0
  bool any = false;                    ///< some thread goes
  bool last = false;                   ///< nothing is left. Neither any nor last: a bubble. Last alone: a null
                                       ///< sub-warp or a token
  bool operator==(const SubWarp&) const = default;
};

struct BlockSite;

/// What a packer answers, by model or by hardware. The key sm.blocks.packer names one.
class SubwarpPacker {
 public:
  using MakeArguments = void(const PackerShape& shape, const BlockSite& site);
  virtual ~SubwarpPacker() = default;
  virtual SubWarp pack(const PackRequest& request) = 0;
  /// The sub-warp of the last answer goes: it is not asked for again. For counts; a packer has no state.
  virtual void goes() {}
};

/// One cycle of the packer. request.work etc.: threads beyond the shape are not looked at.
SubWarp pack_subwarp(const PackerShape& shape, const PackRequest& request);

}  // namespace heddle::sm
