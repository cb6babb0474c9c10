// SPDX-License-Identifier: Apache-2.0
// Recordings of a running machine: waveform, pipeline log, timeline, instruction profile, spans of blocks and warps,
// time series, DRAM commands.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "core/output_files.h"
#include "core/statistics/run_details.h"
#include "core/statistics/run_locality.h"
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
class L1TraceWriter;
class LocalityAnalysis;
class MemorySystem;
struct CacheParameters;
}  // namespace heddle::memory

namespace heddle::sm {
class Sm;
}

namespace heddle::gpu {

class FileRecorder;
class InstructionProfile;
class L1Recorder;
class PipelineLog;
class SpanRecorder;
class Timeline;
class TraceFilter;
class WaveformParts;
class WindowTriggers;

/// The recorded machine, with all modules constructed.
struct RecordedMachine {
  const ClockTree& clocks;
  ClockDomain& core;
  Services& services;
  memory::MemorySystem* memory;  ///< null: the memory side supports no recording
  const ClockDomain& dram_clock;
  std::string name;                                 ///< for titles
  std::vector<sm::Sm*> sms;                         ///< empty: no SMs
  std::function<memory::CacheLevel*(SmId sm)> l1d;  ///< null: an SM without one
  const memory::CacheParameters* l1d_parameters;    ///< of the first class of SMs
  std::function<void()> settle;                     ///< brings lazily updated statistics up to date
};

/// Results of a recording: parts that go into run.json (null: not requested), and files of their own.
struct RecordedDetails {
  const TimeSeries* series = nullptr;
  const RunProfile* profile = nullptr;
  const RunSpans* spans = nullptr;
  const RunLocality* locality = nullptr;
  std::vector<WrittenFile> files{};
};

/// Records a machine from its construction until finish(). Without requests it costs nothing.
class Recording {
 public:
  /// Throws Error(kUsage) for patterns that match nothing, malformed windows and requests the machine cannot serve (no
  /// SMs or DRAM), Error(kIo) if a file cannot be written.
  Recording(const RecordingRequest& request, RecordedMachine machine);
  ~Recording();
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;

  /// Called around every launch. With of_instructions(), the kernel is kept alive as long as the recording.
  void launch_begins(std::uint64_t launch, const std::shared_ptr<const isa::Kernel>& kernel);
  void launch_ends();

  /// Profile, spans and files are available after finish().
  RecordedDetails details() const;
  /// Completes all files. failed: an error ended the run. Throws Error(kIo).
  void finish(bool failed);
  /// Note for the user on recordings that stopped at their size limit, and on requests that matched nothing; or empty.
  std::string note() const { return note_; }

 private:
  void record_instructions(const RecordingRequest& request);
  void record_l1(const RecordingRequest& request);
  void record_waveform(const RecordingRequest& request);
  void note(const std::string& sentence) { note_ += (note_.empty() ? "" : "; ") + sentence; }
  void note_cap(const char* what, std::uint64_t bytes);
  void note_unmatched();

  RecordingRequest request_;
  RecordedMachine machine_;
  Windows windows_;
  std::unique_ptr<TraceFilter> filter_;
  std::unique_ptr<WindowTriggers> triggers_;
  std::unique_ptr<WaveformParts> parts_;
  std::unique_ptr<VcdWriter> waveform_;
  std::unique_ptr<WindowWaker> waker_;
  std::unique_ptr<PipelineLog> pipeline_;
  std::unique_ptr<Timeline> timeline_;
  std::unique_ptr<InstructionProfile> profiler_;
  std::unique_ptr<SpanRecorder> span_recorder_;
  std::map<std::string, std::unique_ptr<FileRecorder>> file_recorders_;  ///< by name
  std::unique_ptr<RunProfile> profile_;
  std::unique_ptr<RunSpans> spans_;
  std::unique_ptr<L1Recorder> l1_recorder_;
  std::unique_ptr<memory::L1TraceWriter> l1_trace_;
  std::unique_ptr<memory::LocalityAnalysis> locality_analysis_;
  std::unique_ptr<RunLocality> locality_;
  std::unique_ptr<TimeSeries> series_;
  std::unique_ptr<SeriesSampler> sampler_;
  std::unique_ptr<memory::CommandTrace> commands_;
  std::set<std::string> launched_;  ///< names of the kernels launched so far
  bool keeps_kernels_ = false;
  std::vector<std::shared_ptr<const isa::Kernel>> kernels_;
  std::string note_;
  std::vector<WrittenFile> files_;
};

}  // namespace heddle::gpu
