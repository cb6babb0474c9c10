// SPDX-License-Identifier: Apache-2.0
// Parser for CSV memory traces, as replayed by `heddle memtrace`. Logic only.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/identifier.h"
#include "core/kernel/cycle.h"

namespace heddle::memory {

enum class TraceKind : std::uint8_t { read, write, atomic, reduction };

/// One access of a trace.
struct TraceAccess {
  std::uint64_t address = 0;
  Cycle at = 0;  ///< earliest cycle to send it; 0: as soon as its queue allows
  std::uint32_t bytes = 0;
  SmId port;      ///< that sends it
  WarpId source;  ///< requester within the SM; with the port, the owner of lines
  TraceKind kind = TraceKind::read;
  bool hint = false;  ///< row-buffer-locality hint
};

/// Largest access of a trace, in bytes.
inline constexpr std::uint32_t kMaxTraceBytes = 65536;

/// Parses a trace. The first line names the columns, in any order:
///   cycle    optional  earliest cycle to send it; empty or absent: as soon as the queue allows
///   kind               read, write, atomic, reduction
///   address            decimal, or hexadecimal with 0x
///   bytes              1 .. kMaxTraceBytes
///   port     optional  SM, 0 .. ports-1; 0 if absent. Also accepted as `sm`
///   source   optional  warp, 0 .. 65535; 0 if absent
///   hint     optional  0 or 1; 0 if absent
/// Empty lines and lines starting with # are skipped. origin: file name for messages. Throws Error(kConfiguration)
/// naming the line and column at fault.
std::vector<TraceAccess> parse_access_trace(std::string_view text, const std::string& origin, unsigned ports = 65536);
/// The contents of a file. Throws Error(kIo) if it cannot be read.
std::string read_trace_file(const std::filesystem::path& file);

}  // namespace heddle::memory
