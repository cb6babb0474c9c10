// SPDX-License-Identifier: Apache-2.0
// The functional machine: no time, all effects. The reference that every timed machine is compared with. Blocks that
// would be resident together run together, warps in turn, so that what makes progress on the machine makes progress
// here.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string_view>
#include <vector>

#include "gpu/device.h"
#include "gpu/functional_block.h"
#include "gpu/functional_program.h"

namespace heddle::gpu {

class FunctionalMachine final : public Machine {
 public:
  struct Parameters {
    DeviceLimits limits;
    std::uint32_t slice = 1024;          ///< warp instructions a warp runs before the next one does
    std::uint32_t turns = 8;             ///< slices of every warp of a block before the next block runs
    std::uint64_t suspicion = 1u << 26;  ///< warp instructions without a finished block before loops are looked into
  };

  FunctionalMachine(const Parameters& parameters, DeviceMemory& memory, isa::MemoryPort& port);

  std::string_view name() const override { return "functional"; }
  const DeviceLimits& limits() const override { return parameters_.limits; }
  LaunchReport launch(const LaunchRequest& request) override;
  LaunchReport so_far() const override;
  void reset() override {}
  /// Loosely timed: every SM completes one warp instruction a cycle. Enough for a program that divides by an elapsed
  /// time.
  double now() const override;

  /// For checkers: sees every access and meeting of later launches. Null is none.
  void observe(ExecutionObserver* observer) { observer_ = observer; }
  /// Threads of a warp that run together: 32, or fewer (a power of two) for a checker. A kernel with votes or shuffles
  /// that name no threads runs 32 together all the same: what they mean is defined by lock step.
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
  const Run* run_ = nullptr;  ///< under way
  std::map<const isa::Kernel*, FunctionalProgram> programs_;
  std::vector<FunctionalBlock> blocks_;  ///< one a place on an SM
};

}  // namespace heddle::gpu
