// SPDX-License-Identifier: Apache-2.0
// What a run tells of single instructions, blocks and warps, where it was asked for. As plain data: who records it
// knows the machine, who writes it knows the file.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace heddle {

/// What is counted of every instruction of a kernel.
struct RunProfile {
  struct Named {
    std::string name, unit, sentence;
  };
  struct Instruction {
    std::uint32_t pc = 0, ptx_line = 0;
    std::string text;
    std::int32_t file = -1;  ///< index into files; -1: not known
    std::uint32_t line = 0;
    std::vector<std::uint64_t> counts, stalls;  ///< in order of `counts` and `causes`
  };
  struct Kernel {
    std::string name;
    std::vector<Instruction> instructions;  ///< in order of the PTX text
  };
  std::vector<Named> counts, causes;
  std::vector<std::string> files;  ///< CUDA sources, as the compiler names them
  std::vector<Kernel> kernels;     ///< in order of first issue
};

/// When blocks and warps were on their SM. Cycles of the core clock, both ends included.
struct RunSpans {
  /// More than this many rows of either are not kept.
  static constexpr std::size_t kMost = 100'000;
  struct Block {
    std::uint32_t sm, slot;
    std::uint64_t launch, block, first, last;
  };
  struct Warp {
    std::uint32_t sm, warp, block_slot;
    std::uint64_t launch, block, first, last, instructions;
  };
  bool truncated = false;
  std::vector<Block> blocks;
  std::vector<Warp> warps;
};

}  // namespace heddle
