// SPDX-License-Identifier: Apache-2.0
// The functional machine: all effects, no timing. The reference for every timed machine. Blocks that would be
// co-resident run together, warp by warp, so a kernel that makes progress on the machine makes progress here.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string_view>
#include <vector>

#include "gpu/device.h"
#include "gpu/functional/functional_block.h"
#include "gpu/functional/functional_program.h"

namespace heddle::gpu {

class FunctionalMachine final : public Machine {
 public:
  struct Parameters {
    DeviceLimits limits;
    std::uint32_t slice = 1024;          ///< warp instructions a warp runs before switching to the next
    std::uint32_t turns = 8;             ///< slices per warp before switching to the next block
    std::uint64_t suspicion = 1u << 26;  ///< warp instructions without a finished block before a loop watch
  };

  FunctionalMachine(const Parameters& parameters, DeviceMemory& memory, isa::MemoryPort& port);

  std::string_view name() const override { return "functional"; }
  const DeviceLimits& limits() const override { return parameters_.limits; }
  LaunchReport launch(const LaunchRequest& request) override;
  LaunchReport so_far() const override;
  void reset() override {}
  /// Loosely timed: one warp instruction per SM and cycle. Enough for programs that divide by an elapsed time.
  double now() const override;

  /// Sets a checker that observes every access and `.sync` operation of later launches, or null.
  void observe(ExecutionObserver* observer) { observer_ = observer; }
  /// Threads of a warp that run together: 32, or fewer (a power of two) for a checker. A kernel with votes or shuffles
  /// without a member mask still runs 32 together, because their meaning depends on lock step.
  void set_group_threads(unsigned threads) { group_threads_ = threads; }

 private:
  struct Run;
  struct Look;

  const FunctionalProgram& program(const std::shared_ptr<const isa::Kernel>& kernel);
  bool round(Run& run);
  void turn(Run& run, std::uint32_t place);
  void check_limits(const Run& run) const;
  void look_for_loops(Run& run);
  [[noreturn]] void fail_endless(const Run& run) const;
  void account(const Run& run);

  Parameters parameters_;
  DeviceMemory& memory_;
  isa::MemoryPort& port_;
  ExecutionObserver* observer_ = nullptr;
  unsigned group_threads_ = 32;
  std::uint64_t warp_instructions_ = 0;  ///< of all launches so far
  LaunchReport last_;
  const Run* run_ = nullptr;  ///< in progress
  std::map<const isa::Kernel*, FunctionalProgram> programs_;
  std::vector<FunctionalBlock> blocks_;  ///< one per block slot of an SM
};

}  // namespace heddle::gpu
