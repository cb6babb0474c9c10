// SPDX-License-Identifier: Apache-2.0
// Runs a lowered kernel for one warp: threads at the lowest program counter first, or in random order.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "isa/execute.h"

namespace heddle::isa {

/// Memory is that of the test's process: addresses are host pointers.
class OpenMemory final : public MemoryPort {
 public:
  bool accessible(std::uint64_t, std::uint64_t) const override { return true; }
  std::string nearest(std::uint64_t) const override { return ""; }
  void texture(const MicroOp&, WarpState&, std::uint32_t) override {}
  void system_call(const MicroOp&, WarpState&, std::uint32_t) override {}
};

class WarpInterpreter {
 public:
  /// A block of one warp; `parameters` are the bytes of the parameter block.
  WarpInterpreter(const Kernel& kernel, std::vector<std::byte> parameters) : kernel_(kernel) {
    launch_.kernel = &kernel;
    launch_.grid = {1, 1, 1};
    launch_.block = {32, 1, 1};
    launch_.shared_bytes = kernel.static_shared_bytes;
    launch_.parameters = std::move(parameters);
    launch_.parameters.resize(std::max<std::size_t>(launch_.parameters.size(), kernel.parameter_bytes));
    shared_.resize(kernel.static_shared_bytes + 16);
    // Registers and local memory are initially undefined; fill them with noise.
    local_.resize(std::size_t{32} * kernel.local_bytes + 16, std::byte{0xcd});
    frame_.resize(kernel.frame_bytes + 64, std::byte{0xab});
    block_.launch = &launch_;
    block_.threads = 32;
    block_.shared = shared_.data();
    warp_.block = &block_;
    warp_.live = ~0u;
    const auto start = reinterpret_cast<std::uint64_t>(frame_.data());
    warp_.registers = frame_.data() + (64 - start % 64) % 64;
    warp_.constants = kernel.constants.data();
    warp_.local = local_.data();
  }

  /// Executes until every thread has exited; false if that takes more than `limit` ops.
  bool run(std::uint64_t limit = 1'000'000) {
    const FloatControl control;
    while (warp_.live != 0) {
      if (++executed == limit) return false;
      std::uint32_t pc = ~0u, mask = 0;
      for (unsigned lane = 0; lane < 32; ++lane) {
        if (((warp_.live >> lane) & 1) != 0) pc = std::min(pc, pcs_[lane]);
      }
      for (unsigned lane = 0; lane < 32; ++lane) {
        if (((warp_.live >> lane) & 1) != 0 && pcs_[lane] == pc) mask |= 1u << lane;
      }
      if (pc >= kernel_.ops.size()) {
        ADD_FAILURE() << "threads run off the end of the kernel";
        return false;
      }
      step(kernel_.ops[pc], mask);
    }
    return true;
  }

  /// Told of each execution: whether the threads of a branch went the same way, and those of a memory operation
  /// accessed one address.
  using Observer = std::function<void(const MicroOp& op, std::uint32_t mask, bool alike)>;

  /// As run(), but executes whichever threads at one program counter `random` picks. Threads at a barrier wait for all
  /// others. `split_accesses`: memory operations are executed for a random part of the threads, unless always uniform.
  bool run_in_any_order(std::mt19937& random, bool split_accesses, const Observer& observe,
                        std::uint64_t limit = 1'000'000) {
    const FloatControl control;
    std::uint32_t waiting = 0;
    while (warp_.live != 0) {
      if (++executed == limit) return false;
      if ((warp_.live & ~waiting) == 0) waiting = 0;
      unsigned chosen = random() % 32;
      while (((warp_.live & ~waiting) >> chosen & 1) == 0) chosen = (chosen + 1) % 32;
      const MicroOp& op = kernel_.ops[pcs_[chosen]];
      std::uint32_t mask = 0;
      for (unsigned lane = 0; lane < 32; ++lane) {
        if (((warp_.live & ~waiting) >> lane & 1) != 0 && pcs_[lane] == op.pc) mask |= 1u << lane;
      }
      if (split_accesses && op.unit == Unit::memory && op.uniformity != Uniformity::always) {
        mask &= static_cast<std::uint32_t>(random()) | 1u << chosen;
      }
      if (op.opcode == Opcode::bar) waiting |= mask;
      step(op, mask);
      bool alike = !(op.unit == Unit::memory) || addresses_.uniform;
      for (unsigned lane = 0; lane < 32; ++lane) {
        if ((mask >> lane & 1) != 0 && op.unit == Unit::control) alike = alike && pcs_[lane] == pcs_[chosen];
      }
      observe(op, mask, alike);
    }
    return true;
  }

  std::uint64_t executed = 0;

 private:
  void step(const MicroOp& op, std::uint32_t mask) {
    const std::uint32_t active = guarded(op, warp_, mask);
    addresses_ = {};
    addresses_.uniform = true;  // of no thread
    for (unsigned lane = 0; lane < 32; ++lane) {
      if (((mask >> lane) & 1) != 0) pcs_[lane] = op.pc + 1;
    }
    switch (op.opcode) {
      case Opcode::bra:
        for (unsigned lane = 0; lane < 32; ++lane) {
          if (((active >> lane) & 1) != 0) pcs_[lane] = op.target;
        }
        return;
      case Opcode::brx:
        for (unsigned lane = 0; lane < 32; ++lane) {
          if (((active >> lane) & 1) != 0) pcs_[lane] = resolve_indirect(op, warp_, lane);
        }
        return;
      case Opcode::exit_:
        warp_.live &= ~active;
        return;
      case Opcode::trap:
        if (active != 0) ADD_FAILURE() << "trap at line " << op.ptx_line;
        warp_.live &= ~active;
        return;
      default:
        break;
    }
    if (active == 0 || op.unit == Unit::control) return;
    if (op.unit == Unit::memory) {
      compute_addresses(op, warp_, active, addresses_);
      execute_memory(op, warp_, addresses_, memory_);
    } else if (op.lane_function != nullptr || op.opcode == Opcode::special || op.opcode == Opcode::cvta ||
               op.opcode == Opcode::isspacep) {
      execute_lanes(op, warp_, active, environment_);
    } else {
      execute_collective(op, warp_, active);
    }
  }

  const Kernel& kernel_;
  LaunchState launch_;
  BlockState block_;
  WarpState warp_;
  std::vector<std::byte> frame_, local_, shared_;
  std::array<std::uint32_t, 32> pcs_{};
  Addresses addresses_;  // of the latest memory operation
  OpenMemory memory_;
  Environment environment_;
};

/// Parameter blocks of 64-bit values.
inline std::vector<std::byte> parameters_of(std::initializer_list<std::uint64_t> values) {
  std::vector<std::byte> out(8 * values.size());
  std::size_t at = 0;
  for (const std::uint64_t value : values) {
    std::memcpy(out.data() + at, &value, 8);
    at += 8;
  }
  return out;
}

}  // namespace heddle::isa
