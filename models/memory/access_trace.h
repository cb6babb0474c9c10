// SPDX-License-Identifier: Apache-2.0
// A trace of memory accesses as a table (CSV): what `heddle memtrace` replays. Logic only.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/kernel/cycle.h"

namespace heddle::memory {

enum class TraceKind : std::uint8_t { read, write, atomic, reduction };

/// One line of a trace.
struct TraceAccess {
  std::uint64_t address = 0;
  Cycle at = 0;  ///< not before this cycle; 0: as soon as its queue allows
  std::uint32_t bytes = 0;
  std::uint16_t port = 0;    ///< SM it comes from
  std::uint16_t source = 0;  ///< who asks there (a warp): owner of lines, with the port
  TraceKind kind = TraceKind::read;
  bool hint = false;  ///< row-buffer-locality hint
};

/// Bytes an access of a trace may have.
inline constexpr std::uint32_t kMaxTraceBytes = 65536;

/// Reads a trace. Its first line names the columns, in any order:
///   cycle    optional  not before this cycle; empty, or no such column: as soon as the queue allows
///   kind               read, write, atomic, reduction
///   address            decimal, or hexadecimal with 0x
///   bytes              1 .. kMaxTraceBytes
///   port     optional  SM, 0 .. ports-1; 0 where absent. `sm` is another name for it
///   source   optional  warp, 0 .. 65535; 0 where absent
///   hint     optional  0 or 1; 0 where absent
/// Empty lines and lines that begin with # are passed over. origin: file name for messages. Throws
/// Error(kConfiguration) that names line and column.
std::vector<TraceAccess> parse_access_trace(std::string_view text, const std::string& origin, unsigned ports = 65536);
/// The text of a file. Throws Error(kIo) when it cannot be read.
std::string read_trace_file(const std::filesystem::path& file);

}  // namespace heddle::memory
