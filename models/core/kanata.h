// SPDX-License-Identifier: Apache-2.0
// Pipeline logs in the format of the viewer Konata: Kanata, version 4. One line of the picture an instruction, lane 0
// for stages, lane 1 for why it does not go on.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "core/cycle.h"
#include "core/trace_file.h"

namespace heddle {

class KanataWriter {
 public:
  using Line = std::uint64_t;
  static constexpr unsigned kStageLane = 0, kStallLane = 1;

  /// The file is compressed by its ending (.gz, .zst). Throws as TraceFile.
  KanataWriter(const std::filesystem::path& path, std::uint64_t most_bytes) : file_(path, most_bytes) {
    file_.put("Kanata\t0004\n");
  }

  /// What follows happens in this cycle, which never goes back.
  void at(Cycle cycle);
  /// Begins a line; lines are numbered from 0. thread: the viewer's name for who runs it.
  Line begin(std::uint64_t id_in_simulator, std::uint64_t thread);
  /// Adds to the label, or to what is shown under the pointer. Tabs and line feeds become spaces.
  void label(Line line, std::string_view text) { text_of(line, 0, text); }
  void detail(Line line, std::string_view text) { text_of(line, 1, text); }
  /// Begins a stage, which ends the one before on its lane.
  void stage(Line line, unsigned lane, std::string_view name);
  void end_stage(Line line, unsigned lane, std::string_view name);
  /// The line ends: its instruction has left the pipeline, or never issued.
  void retire(Line line, std::uint64_t order, bool flushed);
  /// The consumer, which has not ended, waited for the producer.
  void depends(Line consumer, Line producer);

  bool full() const { return file_.full(); }
  std::uint64_t bytes() const { return file_.bytes(); }
  void close() { file_.close(); }

 private:
  void text_of(Line line, unsigned type, std::string_view text);

  TraceFile file_;
  bool started_ = false;
  Cycle cycle_ = 0;
  Line next_ = 0;
};

}  // namespace heddle
