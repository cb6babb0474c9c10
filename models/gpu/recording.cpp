// SPDX-License-Identifier: Apache-2.0
#include "gpu/recording.h"

#include <fmt/core.h>

#include <utility>

#include "core/clock.h"
#include "core/error.h"
#include "core/sampling.h"
#include "core/services.h"
#include "core/vcd.h"
#include "memory/command_trace.h"
#include "memory/memory_system.h"

namespace heddle::gpu {

Recording::Recording(const RecordingRequest& request, const ClockTree& clocks, ClockDomain& core, Services& services,
                     memory::MemorySystem& memory, std::function<void()> settle) {
  if (!request.vcd.empty()) {
    WaveformRequest waveform{request.vcd, request.signals, {}, request.vcd_bytes};
    if (!request.windows.empty()) waveform.windows = parse_windows(request.windows);
    waveform_ = std::make_unique<VcdWriter>(services.probes, services.structures, std::move(waveform),
                                            [&core](Cycle cycle) { return picoseconds_of(core, cycle); });
    for (ClockDomain* domain : clocks.domains()) sample_probes(*domain, services.probes);
  }
  if (!request.series.empty()) {
    series_ = std::make_unique<TimeSeries>(services.statistics, request.series, request.series_every);
    sampler_ = std::make_unique<SeriesSampler>(core, *series_, std::move(settle));
  }
  if (!request.commands.empty()) {
    if (memory.controllers() == 0)
      fail(ExitCode::kUsage, "{}: this machine has no DRAM whose commands could be recorded", request.commands);
    commands_ = std::make_unique<memory::CommandTrace>(request.commands);
    memory.record(*commands_);
  }
}

Recording::~Recording() = default;

void Recording::finish() {
  if (commands_) commands_->flush();
  if (waveform_ == nullptr) return;
  waveform_->close();
  if (waveform_->capped())
    note_ = fmt::format("the waveform stops at its size limit of {} bytes; choose fewer signals or a window",
                        waveform_->bytes());
  waveform_.reset();
}

}  // namespace heddle::gpu
