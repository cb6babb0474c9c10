// SPDX-License-Identifier: Apache-2.0
// Resources of an SM that limit resident blocks: block slots, threads, registers, shared memory. Threads and registers
// belong to granules, the units in which the grouping allocates threads (a warp on most machines); block slots and
// shared memory to whole blocks. Logic only.
#pragma once

#include <cstdint>
#include <string>

#include "core/config/mechanism.h"
#include "core/config/parameters.h"
#include "isa/image.h"

namespace heddle::sm {

class Residency;

struct ResidencyParameters {
  unsigned threads = 1536;
  unsigned blocks = 8;
  unsigned registers = 32768;
  unsigned register_unit = 64;
  unsigned shared_bytes = 48 * 1024;
  unsigned shared_unit = 128;
  Mechanism<Residency> policy{"by_block"};

  void describe(ParameterVisitor& v);
};

/// Resources needed by one block of a launch.
struct BlockNeed {
  unsigned threads = 0;  ///< rounded up to the granule
  unsigned registers = 0;
  unsigned shared_bytes = 0;
  unsigned granules = 1;

  unsigned granule_threads() const { return threads / granules; }
  unsigned granule_registers() const { return (registers + granules - 1) / granules; }

  /// granule: allocation granule of the grouping in threads.
  static BlockNeed of(const isa::Kernel& kernel, unsigned block_threads, unsigned shared_bytes, unsigned granule,
                      const ResidencyParameters& limits);
};

/// Resources in use.
class SmResources {
 public:
  explicit SmResources(const ResidencyParameters& limits) : limits_(limits) {}

  bool fits(const BlockNeed& need) const {
    return fits_but_for_granules(need) && threads_ + need.threads <= limits_.threads &&
           registers_ + need.registers <= limits_.registers;
  }
  void take(const BlockNeed& need);
  void release(const BlockNeed& need);

  // -- by granule
  /// Whether the block's slot and shared memory are free.
  bool fits_but_for_granules(const BlockNeed& need) const {
    return blocks_ < limits_.blocks && shared_ + need.shared_bytes <= limits_.shared_bytes;
  }
  /// Granules of such a block for which threads and registers are free: 0 .. need.granules.
  unsigned granules_that_fit(const BlockNeed& need) const;
  void take_block(const BlockNeed& need);
  void release_block(const BlockNeed& need);
  void take_granules(const BlockNeed& need, unsigned granules);
  void release_granules(const BlockNeed& need, unsigned granules);

  /// Number of such blocks that fit on an empty SM, and the limiting resource ("blocks", "threads", "registers" or
  /// "shared memory").
  unsigned capacity(const BlockNeed& need, std::string* limit = nullptr) const;
  const ResidencyParameters& limits() const { return limits_; }
  unsigned blocks() const { return blocks_; }
  unsigned threads() const { return threads_; }

 private:
  ResidencyParameters limits_;
  unsigned blocks_ = 0, threads_ = 0, registers_ = 0, shared_ = 0;
};

}  // namespace heddle::sm
