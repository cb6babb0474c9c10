// SPDX-License-Identifier: Apache-2.0
// What is recorded while a machine runs: a waveform, a time series, the commands to memory.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "core/time_series.h"

namespace heddle {
class ClockDomain;
class ClockTree;
class SeriesSampler;
struct Services;
class VcdWriter;
}  // namespace heddle

namespace heddle::memory {
class CommandTrace;
class MemorySystem;
}  // namespace heddle::memory

namespace heddle::gpu {

struct RecordingRequest {
  std::string vcd;                                   ///< file of the waveform; empty: none
  std::string signals = "*";                         ///< patterns of signal names
  std::string windows;                               ///< "1000:2000,5000:"; empty: the whole run
  std::uint64_t vcd_bytes = std::uint64_t{1} << 30;  ///< size at which the waveform stops
  std::string series;                                ///< patterns of statistics; empty: no series
  std::uint64_t series_every = 1000;                 ///< core cycles of an interval
  std::string commands;                              ///< file of the commands to DRAM; empty: none
};

/// Records a machine from its construction until finish(). Records nothing, and costs nothing, when nothing is asked
/// for.
class Recording {
 public:
  /// clocks: every domain of the machine, core among them; all modules exist. settle: brings what counts lazily up to
  /// date. Throws Error(kUsage) for patterns that match nothing, malformed windows and commands of a machine without
  /// DRAM, Error(kIo) when a file cannot be written.
  Recording(const RecordingRequest& request, const ClockTree& clocks, ClockDomain& core, Services& services,
            memory::MemorySystem& memory, std::function<void()> settle);
  ~Recording();
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;

  /// Null when none was asked for.
  const TimeSeries* series() const { return series_.get(); }
  /// Completes the files. Throws Error(kIo).
  void finish();
  /// What the user should hear of: that the waveform stopped at its size. Empty when nothing.
  std::string note() const { return note_; }

 private:
  std::unique_ptr<VcdWriter> waveform_;
  std::unique_ptr<TimeSeries> series_;
  std::unique_ptr<SeriesSampler> sampler_;
  std::unique_ptr<memory::CommandTrace> commands_;
  std::string note_;
};

}  // namespace heddle::gpu
