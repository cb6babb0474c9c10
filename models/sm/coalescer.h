// SPDX-License-Identifier: Apache-2.0
// Which memory transactions the addresses of an access group become. Published rules, chosen by configuration. Logic
// only.
#pragma once

#include <cstdint>
#include <vector>

#include "core/parameters.h"
#include "isa/execute.h"

namespace heddle::sm {

enum class CoalescingRule : std::uint8_t {
  lines,        ///< one transaction a distinct line (128 bytes) over the whole group
  segments_1x,  ///< compute capability 1.x: half-warps, 32/64/128-byte segments, shrunk where half is unused
};

struct CoalescerParameters {
  CoalescingRule rule = CoalescingRule::lines;
  unsigned line_bytes = 128;  ///< stride that makes one transaction; 64 for dynamic warp resizing's machine
  void describe(ParameterVisitor& v);
};

struct Transaction {
  std::uint64_t address = 0;  ///< aligned to `bytes`
  std::uint32_t bytes = 0;
  std::uint32_t threads = 0;  ///< lanes served
  std::uint8_t sectors = 0;   ///< 32-byte sectors of the line that are touched
};

class Coalescer {
 public:
  explicit Coalescer(const CoalescerParameters& parameters) : parameters_(parameters) {}
  /// Begins an access group.
  void start() {
    count_ = 0;
    word_first_ = 0;
  }
  /// Adds one word of a packet. bytes: of one thread's access, 1 .. 16; an access that crosses a line touches both.
  void add(const isa::Addresses& addresses, std::uint32_t mask, unsigned bytes);
  const Transaction* begin() const { return transactions_.data(); }
  const Transaction* end() const { return transactions_.data() + count_; }
  std::size_t size() const { return count_; }

 private:
  void touch(std::uint64_t address, unsigned bytes, std::size_t search_from);
  void segments(const isa::Addresses& addresses, std::uint32_t mask, unsigned bytes);
  CoalescerParameters parameters_;
  std::vector<Transaction> transactions_;
  std::size_t count_ = 0, word_first_ = 0;
};

}  // namespace heddle::sm
