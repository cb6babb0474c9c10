// SPDX-License-Identifier: Apache-2.0
// What fits on an SM: block slots, threads in the grouping's granule, registers, shared memory. The dispatcher keeps
// one of these for every SM and the SM keeps one itself; both see the same launches and completions. Logic only.
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

/// What one block of a launch takes.
struct BlockNeed {
  unsigned threads = 0;  ///< rounded up to the granule
  unsigned registers = 0;
  unsigned shared_bytes = 0;

  /// granule: threads a slot of the grouping.
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
  /// Blocks of this need that an empty SM holds, and what limits them ("blocks", "threads", "registers", "shared
  /// memory").
  unsigned capacity(const BlockNeed& need, std::string* limit = nullptr) const;
  const ResidencyParameters& limits() const { return limits_; }
  unsigned blocks() const { return blocks_; }
  unsigned threads() const { return threads_; }

 private:
  ResidencyParameters limits_;
  unsigned blocks_ = 0, threads_ = 0, registers_ = 0, shared_ = 0;
};

}  // namespace heddle::sm
