// SPDX-License-Identifier: Apache-2.0
// What is recorded while a machine runs: waveform, pipeline log, timeline, instruction profile, spans of blocks and
// warps, a time series, the commands to memory.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/statistics/run_details.h"
#include "core/statistics/time_series.h"
#include "core/statistics/windows.h"
#include "gpu/recording/recording_request.h"

namespace heddle {
class ClockDomain;
class ClockTree;
class SeriesSampler;
struct Services;
class VcdWriter;
class WindowWaker;
}  // namespace heddle

namespace heddle::isa {
struct Kernel;
}

namespace heddle::memory {
class CacheLevel;
class CommandTrace;
class MemorySystem;
}  // namespace heddle::memory

namespace heddle::sm {
class Sm;
}

namespace heddle::gpu {

class InstructionProfile;
class PipelineLog;
class SpanRecorder;
class Timeline;
class TraceFilter;
class WindowTriggers;

/// The machine that is recorded; all of its modules exist.
struct RecordedMachine {
  const ClockTree& clocks;
  ClockDomain& core;
  Services& services;
  memory::MemorySystem* memory;  ///< null: a memory side of which nothing can be recorded
  const ClockDomain& dram_clock;
  std::string name;                                            ///< for titles
  std::vector<sm::Sm*> sms;                                    ///< empty: it has none
  std::function<memory::CacheLevel*(unsigned sm)> data_cache;  ///< null: an SM without one
  std::function<void()> settle;                                ///< brings what counts lazily up to date
};

/// What of a recording goes into run.json. Null: not asked for.
struct RecordedDetails {
  const TimeSeries* series = nullptr;
  const RunProfile* profile = nullptr;
  const RunSpans* spans = nullptr;
};

/// Records a machine from its construction until finish(). Records nothing, and costs nothing, when nothing is asked
/// for.
class Recording {
 public:
  /// Throws Error(kUsage) for patterns that match nothing, malformed windows, and what the machine lacks (SMs, DRAM);
  /// Error(kIo) when a file cannot be written.
  Recording(const RecordingRequest& request, RecordedMachine machine);
  ~Recording();
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;

  /// Around every launch. The kernel lives as long as this where of_instructions() was asked for.
  void launch_begins(std::uint64_t launch, const std::shared_ptr<const isa::Kernel>& kernel);
  void launch_ends();

  /// Of finish(): profile and spans are there after it.
  RecordedDetails details() const;
  /// Completes the files. failed: an error ended the run. Throws Error(kIo).
  void finish(bool failed);
  /// What the user should hear of: what stopped at its size. Empty when nothing.
  std::string note() const { return note_; }

 private:
  void record_instructions(const RecordingRequest& request);
  void note_cap(const char* what, std::uint64_t bytes);

  RecordedMachine machine_;
  Windows windows_;
  std::unique_ptr<TraceFilter> filter_;
  std::unique_ptr<WindowTriggers> triggers_;
  std::unique_ptr<VcdWriter> waveform_;
  std::unique_ptr<WindowWaker> waker_;
  std::unique_ptr<PipelineLog> pipeline_;
  std::unique_ptr<Timeline> timeline_;
  std::unique_ptr<InstructionProfile> profiler_;
  std::unique_ptr<SpanRecorder> span_recorder_;
  std::unique_ptr<RunProfile> profile_;
  std::unique_ptr<RunSpans> spans_;
  std::unique_ptr<TimeSeries> series_;
  std::unique_ptr<SeriesSampler> sampler_;
  std::unique_ptr<memory::CommandTrace> commands_;
  bool keeps_kernels_ = false;
  std::vector<std::shared_ptr<const isa::Kernel>> kernels_;
  std::string note_;
};

}  // namespace heddle::gpu
