// SPDX-License-Identifier: Apache-2.0
// Statistics over time: increments of selected counters per interval of cycles.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/statistics/statistics.h"

namespace heddle {

class TimeSeries {
 public:
  static constexpr std::uint64_t kFirstInterval = 100, kMostRows = 4096;
  /// patterns: full names of counters and histogram buckets, "sm*.issue.warp_instructions,mc*.*"; maxima are excluded.
  /// every: cycles per interval; 0: kFirstInterval initially, doubled whenever there are kMostRows rows. Throws
  /// Error(kUsage) when nothing matches. Construct after all statistics are registered.
  TimeSeries(const Statistics& statistics, const std::string& patterns, std::uint64_t every);

  std::uint64_t every() const { return every_; }
  /// The cycle at whose end the next row is due.
  std::uint64_t due() const { return due_; }
  /// Adds the row of the interval ending with `cycle`; lazily maintained counters must be up to date.
  void sample(std::uint64_t cycle);

  const std::vector<std::string>& columns() const { return columns_; }
  std::size_t rows() const { return cycles_.size(); }
  /// Last cycle of row i, and its values in order of columns().
  std::uint64_t cycle(std::size_t i) const { return cycles_[i]; }
  const std::uint64_t* row(std::size_t i) const { return values_.data() + i * columns_.size(); }

 private:
  /// Merges pairs of rows.
  void join_rows();
  struct Source {
    const StatisticsOwner* owner;
    std::size_t number;
  };
  bool grows_;
  std::uint64_t every_, due_;
  std::vector<std::string> columns_;
  std::vector<Source> sources_;
  std::vector<std::uint64_t> last_, cycles_, values_;
};

}  // namespace heddle
