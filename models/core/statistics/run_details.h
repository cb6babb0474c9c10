// SPDX-License-Identifier: Apache-2.0
// Optional per-instruction, per-block and per-warp results of a run. Plain data, so that recorders need not know the
// file format nor writers the machine.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/identifier.h"

namespace heddle {

/// Counters per instruction of a kernel.
struct RunProfile {
  struct Named {
    std::string name, unit, sentence;
  };
  struct Instruction {
    std::uint32_t pc = 0, ptx_line = 0;
    std::string text;
    std::int32_t file = -1;  ///< index into files; -1: unknown
    std::uint32_t line = 0;
    std::string role;                           ///< name of an instruction that the grouping treats specially
    std::vector<std::uint64_t> counts, stalls;  ///< in order of `counts` and `causes`
  };
  struct Kernel {
    std::string name;
    std::vector<Instruction> instructions;  ///< in order of the PTX text
  };
  std::vector<Named> counts, causes;
  std::vector<std::string> files;  ///< CUDA source names as given by the compiler
  std::vector<Kernel> kernels;     ///< in order of first issue
};

/// Residency of blocks and warps on SMs. Core clock cycles, both ends inclusive.
struct RunSpans {
  /// Maximum number of rows kept of each.
  static constexpr std::size_t kMost = 100'000;
  struct Block {
    SmId sm;
    BlockSlot slot;
    std::uint64_t launch, block, first, last;
  };
  struct Warp {
    SmId sm;
    ContextId context;  ///< `warp` in the file
    BlockSlot block_slot;
    std::uint64_t launch, block, first, last, instructions;
  };
  bool truncated = false;
  std::vector<Block> blocks;
  std::vector<Warp> warps;
};

}  // namespace heddle
