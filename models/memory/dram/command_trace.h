// SPDX-License-Identifier: Apache-2.0
// Every command of every channel, as a CSV file.
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
/// column (in bursts), source ("sm3.load"; "refresh", "row_policy" of commands that serve no request, "foreign" of
/// initiators that say nothing of themselves). Commands to a rank have bank group and bank 0. In order of time within a
/// channel.
class CommandTrace {
 public:
  /// Fails with kIo when the file cannot be written.
  explicit CommandTrace(const std::string& path);
  ~CommandTrace();
  CommandTrace(const CommandTrace&) = delete;
  CommandTrace& operator=(const CommandTrace&) = delete;

  /// Who listens to a channel. Lives as long as the trace.
  DramCommandListener& of_channel(unsigned channel, const ChannelGeometry& geometry);
  /// Writes out what is buffered. Fails with kIo when not all of it could be written.
  void flush();

 private:
  class OfChannel;
  void write_out();

  std::string path_, buffer_;
  std::FILE* file_;
  bool failed_ = false;
  std::vector<std::unique_ptr<OfChannel>> channels_;
};

/// Who asked, for DramRequest::source: kind and SM. info: null for requests of foreign initiators.
std::uint32_t request_source(const RequestInfo* info);
inline constexpr std::uint32_t kForeignSource = ~std::uint32_t{0};

}  // namespace heddle::memory
