// SPDX-License-Identifier: Apache-2.0
// Resources of an SM that limit resident blocks: block slots, threads in the grouping's granule, registers, shared
// memory. The dispatcher and the SM each keep a copy; both see the same launches and completions. Logic only.
#pragma once

#include <cstdint>
#include <string>

#include "core/config/parameters.h"
#include "isa/image.h"

namespace heddle::sm {

struct ResidencyParameters {
  unsigned threads = 1536;
  unsigned blocks = 8;
  unsigned registers = 32768;
  unsigned register_unit = 64;
  unsigned shared_bytes = 48 * 1024;
  unsigned shared_unit = 128;

  void describe(ParameterVisitor& v);
};

/// Resources needed by one block of a launch.
struct BlockNeed {
  unsigned threads = 0;  ///< rounded up to the granule
  unsigned registers = 0;
  unsigned shared_bytes = 0;

  /// granule: allocation granule of the grouping in threads.
  static BlockNeed of(const isa::Kernel& kernel, unsigned block_threads, unsigned shared_bytes, unsigned granule,
                      const ResidencyParameters& limits);
};

class Residency {
 public:
  explicit Residency(const ResidencyParameters& limits) : limits_(limits) {}

  bool fits(const BlockNeed& need) const {
    return blocks_ < limits_.blocks && threads_ + need.threads <= limits_.threads &&
           registers_ + need.registers <= limits_.registers && shared_ + need.shared_bytes <= limits_.shared_bytes;
  }
  void take(const BlockNeed& need);
  void release(const BlockNeed& need);
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
