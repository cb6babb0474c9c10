// SPDX-License-Identifier: Apache-2.0
// Turns the addresses of an access group into memory transactions, by published rules chosen in the configuration.
// Logic only.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "core/config/parameters.h"
#include "isa/execute.h"

namespace heddle::sm {

enum class CoalescingRule : std::uint8_t {
  lines,        ///< one transaction per distinct line (128 bytes) over the whole group
  segments_1x,  ///< compute capability 1.x: half-warps; 32/64/128-byte segments, halved while one half is unused
};

struct CoalescerParameters {
  CoalescingRule rule = CoalescingRule::lines;
  unsigned line_bytes = 128;        ///< size and alignment of a transaction
  unsigned texture_line_bytes = 0;  ///< the same of texture reads; 0: as other accesses
  void describe(ParameterVisitor& v);
};

struct Transaction {
  std::uint64_t address = 0;  ///< aligned to `bytes`
  std::uint32_t bytes = 0;
  std::uint32_t threads = 0;  ///< lanes served
  std::uint8_t sectors = 0;   ///< accessed 32-byte sectors of the line, one bit each
  std::uint64_t members = 0;  ///< packets of the access group served, one bit each
};

class Coalescer {
 public:
  explicit Coalescer(const CoalescerParameters& parameters) : parameters_(parameters) {}
  /// Starts an access group. stores: track written bytes for whole().
  void start(bool stores = false) {
    count_ = 0;
    stores_ = stores;
    written_.clear();
  }
  /// Adds one word of packet number `member` (0 .. 63) of the group. bytes: size of one thread's access, 1 .. 16; an
  /// access that crosses a line boundary touches both lines.
  void add(const isa::Addresses& addresses, std::uint32_t mask, unsigned bytes, unsigned member = 0);
  const Transaction* begin() const { return transactions_.data(); }
  const Transaction* end() const { return transactions_.data() + count_; }
  std::size_t size() const { return count_; }
  /// For stores: whether the group's threads write every byte of transaction number i.
  bool whole(std::size_t i) const;

 private:
  /// Written bytes of a transaction, one bit each.
  using Bytes = std::array<std::uint64_t, 4>;
  void lines(const isa::Addresses& addresses, std::uint32_t mask, unsigned bytes, std::uint64_t member);
  /// All 32 threads access consecutive elements of `bytes` bytes, none of which crosses a line.
  void contiguous_lines(std::uint64_t first, unsigned bytes, std::uint64_t member);
  /// Loads whose threads all access one line, found by the range of their addresses. False: not those.
  bool one_line(const isa::Addresses& addresses, std::uint32_t mask, unsigned bytes, std::uint64_t member);
  void segments(const isa::Addresses& addresses, std::uint32_t mask, unsigned bytes, std::uint64_t member);
  Transaction& append(const Transaction& transaction);
  /// The group's transaction for a line, created if needed.
  Transaction& of_line(std::uint64_t line);
  /// Marks bytes first .. last of a transaction as written.
  void write(const Transaction& transaction, std::uint64_t first, std::uint64_t last);
  CoalescerParameters parameters_;
  std::vector<Transaction> transactions_;
  std::size_t count_ = 0;
  bool stores_ = false;
  std::vector<Bytes> written_;  // by transaction; may be shorter than transactions_
};

}  // namespace heddle::sm
