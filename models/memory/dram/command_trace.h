// SPDX-License-Identifier: Apache-2.0
// Trace of every DRAM command of every channel, as a CSV file.
#pragma once

#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "memory/dram/dram_channel.h"

namespace heddle {
class RequestInfo;
}

namespace heddle::memory {

/// Columns: clock (cycle of the command clock), command, channel, rank, bank_group, bank (within its group), row,
/// column (in bursts), source ("sm3.load"; "refresh" or "row_policy" for commands that serve no request, "foreign" for
/// initiators that do not identify themselves). Commands to a rank have bank group and bank 0. Ordered by time within
/// each channel.
class CommandTrace {
 public:
  /// Creates the folder. Fails with kIo if the file cannot be written.
  explicit CommandTrace(const std::string& path);
  ~CommandTrace();
  CommandTrace(const CommandTrace&) = delete;
  CommandTrace& operator=(const CommandTrace&) = delete;

  /// The listener for a channel. Lives as long as the trace.
  DramCommandListener& of_channel(unsigned channel, const ChannelGeometry& geometry);
  /// Writes out buffered lines. Fails with kIo if not all could be written.
  void flush();

 private:
  class OfChannel;
  void write_out();

  std::string path_, buffer_;
  std::FILE* file_ = nullptr;
  bool failed_ = false;
  std::vector<std::unique_ptr<OfChannel>> channels_;
};

/// Value of DramRequest::source: request kind and SM. info: null for foreign initiators.
std::uint32_t request_source(const RequestInfo* info);
inline constexpr std::uint32_t kForeignSource = ~std::uint32_t{0};

}  // namespace heddle::memory
