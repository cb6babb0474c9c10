// SPDX-License-Identifier: Apache-2.0
// The pipeline of SMs as a Kanata log, with one line per instruction of a context or per packet. The contents of a line
// are described in docs/pipeline-view.md.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <vector>

#include "core/trace/kanata.h"
#include "gpu/recording/trace_filter.h"

namespace heddle::sm {
class Sm;
}

namespace heddle::gpu {

class PipelineLog {
 public:
  enum class Lines : std::uint8_t { instructions, packets };

  /// filter outlives this. Throws as TraceFile.
  PipelineLog(const std::filesystem::path& path, Lines lines, const TraceFilter& filter, std::uint64_t most_bytes);
  ~PipelineLog();
  PipelineLog(const PipelineLog&) = delete;
  PipelineLog& operator=(const PipelineLog&) = delete;

  /// Call before the first cycle; the log must live as long as the SM runs.
  void listen_to(sm::Sm& sm);
  /// Ends every line and completes the file. Throws Error(kIo).
  void finish();
  bool full() const { return writer_.full(); }
  std::uint64_t bytes() const { return writer_.bytes(); }
  /// False once it is finished, or given up because it could not be written.
  bool is_open() const { return writer_.is_open(); }

 private:
  class OfSm;
  struct Texts;
  /// Advances to this cycle and writes the events before it.
  void reach(Cycle cycle);

  KanataWriter writer_;
  Lines lines_;
  const TraceFilter& filter_;
  Cycle now_ = 0;
  std::uint64_t retired_ = 0;
  std::unique_ptr<Texts> texts_;  ///< of instructions
  std::vector<std::unique_ptr<OfSm>> sms_;
};

}  // namespace heddle::gpu
