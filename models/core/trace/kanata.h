// SPDX-License-Identifier: Apache-2.0
// Pipeline logs in Kanata version 4, the format of the viewer Konata. One line per instruction: lane 0 shows stages,
// lane 1 the reason for a stall.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "core/kernel/cycle.h"
#include "core/trace/trace_file.h"

namespace heddle {

class KanataWriter {
 public:
  using Line = std::uint64_t;
  static constexpr unsigned kStageLane = 0, kStallLane = 1;

  /// The file name's extension selects compression (.gz, .zst). Throws like TraceFile.
  KanataWriter(const std::filesystem::path& path, std::uint64_t most_bytes) : file_(path, most_bytes) {
    file_.put("Kanata\t0004\n");
  }

  /// The text with its tabs and line feeds replaced by spaces.
  static std::string one_line(std::string text);

  /// Sets the cycle of the following events; must not decrease.
  void at(Cycle cycle);
  /// Begins a line; lines are numbered from 0. thread: the viewer's thread identifier.
  Line begin(std::uint64_t id_in_simulator, std::uint64_t thread);
  /// Append to the label, or to the tooltip, parts that TextBuffer::add() takes, without control characters:
  /// see one_line().
  template <typename... Parts>
  void label(Line line, const Parts&... parts) {
    file_.put("L\t", line, "\t0\t", parts..., '\n');
  }
  template <typename... Parts>
  void detail(Line line, const Parts&... parts) {
    file_.put("L\t", line, "\t1\t", parts..., '\n');
  }
  /// Begins a stage and ends the previous one on the same lane.
  void stage(Line line, unsigned lane, std::string_view name);
  void end_stage(Line line, unsigned lane, std::string_view name);
  /// Ends the line: the instruction left the pipeline or, if flushed, never issued.
  void retire(Line line, std::uint64_t order, bool flushed);
  /// Marks that the consumer, which must not have ended, waited for the producer.
  void depends(Line consumer, Line producer);

  bool full() const { return file_.full(); }
  std::uint64_t bytes() const { return file_.bytes(); }
  bool is_open() const { return file_.is_open(); }
  void close() { file_.close(); }

 private:
  TraceFile file_;
  bool started_ = false;
  Cycle cycle_ = 0;
  Line next_ = 0;
};

}  // namespace heddle
