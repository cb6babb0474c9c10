// SPDX-License-Identifier: Apache-2.0
#include "gpu/recording/recording.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/error.h"
#include "core/file.h"
#include "core/kernel/clock.h"
#include "core/kernel/services.h"
#include "core/names.h"
#include "core/statistics/sampling.h"
#include "core/trace/vcd.h"
#include "gpu/recording/file_recorder.h"
#include "gpu/recording/instruction_profile.h"
#include "gpu/recording/l1_recorder.h"
#include "gpu/recording/pipeline_log.h"
#include "gpu/recording/spans.h"
#include "gpu/recording/timeline.h"
#include "gpu/recording/waveform_groups.h"
#include "gpu/recording/waveform_parts.h"
#include "gpu/recording/window_triggers.h"
#include "memory/dram/command_trace.h"
#include "memory/locality/l1_trace_file.h"
#include "memory/locality/locality_analysis.h"
#include "memory/memory_system.h"
#include "sm/sm.h"

namespace heddle::gpu {

namespace {

/// Signal patterns of SMs and contexts that the filter excludes.
std::string left_out(const TraceFilter& filter, const std::vector<sm::Sm*>& sms) {
  std::string patterns;
  const auto leave_out = [&patterns](const std::string& pattern) {
    patterns += (patterns.empty() ? "" : ",") + pattern;
  };
  for (sm::Sm* sm : sms) {
    const std::string& name = sm->statistics().name();
    if (!filter.sm(sm->number())) {
      leave_out(name + ".*");
      continue;
    }
    for (ContextId context(0); context < sm->grouping().traits().contexts; ++context) {
      if (filter.warp(context)) continue;
      leave_out(fmt::format("{0}.warps.warp{1},{0}.issue.contexts.{1}.*,{0}.issue.buffers.{1}.*", name, context));
    }
  }
  return patterns;
}

void require_heard(bool heard, const char* key, const char* what) {
  if (!heard) fail(ExitCode::configuration, "{}.kind: this kind of cache reports no events, which {} needs", key, what);
}
constexpr const char* kProfile = "an instruction profile";

}  // namespace

Recording::Recording(const RecordingRequest& request, RecordedMachine machine)
    : request_(request),
      machine_(std::move(machine)),
      windows_(request.windows.empty() ? WindowRequest{} : parse_windows(request.windows)),
      filter_(std::make_unique<TraceFilter>(request.sms, request.warps, request.kernels, windows_)) {
  const bool any_sm = std::any_of(machine_.sms.begin(), machine_.sms.end(),
                                  [this](const sm::Sm* sm) { return filter_->sm(sm->number()); });
  if (!request.sms.empty() && !any_sm) {
    fail(ExitCode::usage, "--sms {}: the machine has {}", request.sms,
         machine_.sms.empty() ? "no SMs" : fmt::format("SMs 0 to {}", machine_.sms.size() - 1));
  }
  if (request.of_instructions()) record_instructions(request);
  if (!windows_.request().triggers.empty()) {
    triggers_ = std::make_unique<WindowTriggers>(windows_, *filter_);
    for (sm::Sm* sm : machine_.sms) triggers_->listen_to(*sm);
    keeps_kernels_ = true;
  }
  if (!request.vcd.empty()) record_waveform(request);
  if (!request.series.empty()) {
    series_ = std::make_unique<TimeSeries>(machine_.services.statistics, request.series, request.series_every);
    sampler_ = std::make_unique<SeriesSampler>(machine_.core, *series_, machine_.settle);
  }
  if (!request.commands.empty()) {
    if (machine_.memory == nullptr || !machine_.memory->has_banks())
      fail(ExitCode::usage, "{}: this machine has no DRAM whose commands could be recorded", request.commands);
    commands_ = std::make_unique<memory::CommandTrace>(request.commands);
    machine_.memory->record(*commands_);
  }
}

Recording::~Recording() = default;

void Recording::record_waveform(const RecordingRequest& request) {
  WaveformRequest waveform{request.vcd,
                           request.signals,
                           left_out(*filter_, machine_.sms),
                           windows_.request().everything() ? nullptr : &windows_,
                           request.most_bytes,
                           waveform_place};
  parts_ = std::make_unique<WaveformParts>(machine_);
  waveform.parts = parts_->all();
  waveform_ = std::make_unique<VcdWriter>(machine_.services.probes, machine_.services.structures, std::move(waveform),
                                          [&core = machine_.core](Cycle cycle) { return picoseconds_of(core, cycle); });
  for (ClockDomain* domain : machine_.clocks.domains()) sample_probes(*domain, machine_.services.probes);
  waker_ = std::make_unique<WindowWaker>(machine_.core, windows_.request().cycles);
}

void Recording::record_instructions(const RecordingRequest& request) {
  if (machine_.sms.empty()) fail(ExitCode::usage, "there are no SMs whose instructions could be recorded");
  if (windows_.request().before_error != 0)
    fail(ExitCode::usage,
         "window '{}': before-error windows apply to waveforms only; record other outputs in a separate run",
         request.windows);
  keeps_kernels_ = true;
  if (!request.timeline.empty()) {
    timeline_ = std::make_unique<Timeline>(
        Timeline::Request{request.timeline, request.most_bytes, request.timeline_every, "Heddle, " + machine_.name},
        *filter_, machine_.core, machine_.services, machine_.settle);
    const bool banks = machine_.memory != nullptr && machine_.memory->has_banks();
    for (unsigned i = 0; banks && i < machine_.memory->memories(); ++i)
      timeline_->listen_to(machine_.memory->memory(i), i, machine_.memory->slices() / machine_.memory->memories(),
                           machine_.dram_clock);
  }
  if (!request.pipeline.empty()) {
    const auto lines = request.pipeline_packets ? PipelineLog::Lines::packets : PipelineLog::Lines::instructions;
    pipeline_ = std::make_unique<PipelineLog>(request.pipeline, lines, *filter_, request.most_bytes);
  }
  if (request.profile) {
    profiler_ = std::make_unique<InstructionProfile>(*filter_);
    for (unsigned i = 0; machine_.memory != nullptr && i < machine_.memory->slices(); ++i)
      require_heard(machine_.memory->slice(i).listen(profiler_->of_l2()), "memory.l2", kProfile);
  }
  if (request.spans) span_recorder_ = std::make_unique<SpanRecorder>(*filter_);
  for (const auto& [recorder, file] : request.files)
    file_recorders_[recorder] = make(Mechanism<FileRecorder>(recorder));
  for (sm::Sm* sm : machine_.sms) {
    if (timeline_) timeline_->listen_to(*sm);
    if (pipeline_) pipeline_->listen_to(*sm);
    if (span_recorder_) span_recorder_->listen_to(*sm);
    for (const auto& [name, recorder] : file_recorders_) recorder->listen_to(*sm, machine_.l1d(sm->number()));
    if (!profiler_) continue;
    profiler_->listen_to(*sm);
    if (memory::CacheLevel* const cache = machine_.l1d(sm->number()); cache != nullptr)
      require_heard(cache->listen(profiler_->of_l1d()), "caches.l1d", kProfile);
  }
  if (request.of_l1()) record_l1(request);
}

void Recording::record_l1(const RecordingRequest& request) {
  l1_recorder_ = std::make_unique<L1Recorder>(*filter_, request.most_bytes);
  const memory::CacheLevel* any = nullptr;
  for (sm::Sm* sm : machine_.sms) {
    memory::CacheLevel* const cache = machine_.l1d(sm->number());
    if (cache == nullptr || !filter_->sm(sm->number())) continue;
    require_heard(l1_recorder_->listen_to(*sm, *cache), "caches.l1d", "a record of its accesses");
    any = cache;
  }
  if (any == nullptr) {
    l1_recorder_.reset();
    if (request.l1_trace.empty() && request.inspected) return;
    fail(ExitCode::usage, "the machine's SMs have no L1 data cache whose accesses could be recorded");
  }
  const memory::TracedMachine machine =
      traced_machine(machine_.name, machine_.sms.front()->parameters(), traced_cache(*machine_.l1d_parameters, *any));
  if (!request.l1_trace.empty()) {
    l1_trace_ = std::make_unique<memory::L1TraceWriter>(request.l1_trace, request.most_bytes, machine);
    l1_recorder_->add([this](const memory::TracedKernel& kernel, const memory::TracedLaunch& launch) {
      l1_trace_->launch(kernel, launch);
    });
  }
  if (request.locality) {
    locality_analysis_ =
        std::make_unique<memory::LocalityAnalysis>(memory::LocalityRequest::usual(machine.cache), machine);
    l1_recorder_->add([this](const memory::TracedKernel& kernel, const memory::TracedLaunch& launch) {
      locality_analysis_->add(kernel, launch);
    });
  }
}

void Recording::launch_begins(std::uint64_t launch, const std::shared_ptr<const isa::Kernel>& kernel) {
  if (keeps_kernels_ && std::find(kernels_.begin(), kernels_.end(), kernel) == kernels_.end())
    kernels_.push_back(kernel);
  launched_.insert(kernel->name);
  const Cycle first = machine_.core.now() + 1;
  windows_.kernel_begins(kernel->name, first);
  if (waveform_) waveform_->mark(first, kernel_title(kernel->name));
  if (timeline_) timeline_->launch_begins(launch, kernel->name, first);
  if (l1_recorder_) l1_recorder_->launch_begins(launch, *kernel, first);
}

void Recording::launch_ends() {
  windows_.kernel_ends(machine_.core.now());
  if (timeline_) timeline_->launch_ends(machine_.core.now() + 1);
  if (l1_recorder_) l1_recorder_->launch_ends(machine_.core.now());
}

RecordedDetails Recording::details() const {
  return {series_.get(), profile_.get(), spans_.get(), locality_.get(), files_};
}

void Recording::note_cap(const char* what, std::uint64_t bytes) {
  note(fmt::format(
      "the {} stops at its size limit, after {} bytes; record less (--signals, --sms, --warps, --kernels) or a window",
      what, bytes));
}

/// A request that matched nothing leaves an empty recording, which must not look like one of nothing happening.
void Recording::note_unmatched() {
  const auto matched = [this](const std::string& patterns) {
    return std::any_of(launched_.begin(), launched_.end(),
                       [&](const std::string& name) { return kernel_match(patterns, name); });
  };
  std::set<std::string> titles;
  for (const std::string& name : launched_) titles.insert(kernel_title(name));
  const std::string ran =
      titles.empty() ? "no kernel ran" : fmt::format("these ran: {}", fmt::join(titles.begin(), titles.end(), ", "));
  if (!request_.kernels.empty() && !matched(request_.kernels))
    note(fmt::format("no kernel matches '{}', so none was recorded; {}", request_.kernels, ran));
  const WindowRequest& windows = windows_.request();
  for (const std::string& pattern : windows.kernels) {
    if (!matched(pattern)) note(fmt::format("no kernel matches the window '{}'; {}", pattern, ran));
  }
  if (triggers_ && !triggers_->fired()) note("no instruction opened the window asked for; it recorded nothing");
  const Cycle end = machine_.core.now();
  if (!windows.cycles.empty() && windows.cycles.front().first > end)
    note(fmt::format("the run ended at cycle {}, before the window from {}", end, windows.cycles.front().first));
}

void Recording::finish(bool failed) {
  note_unmatched();
  for (sm::Sm* sm : machine_.sms) sm->cut_waits();
  if (commands_) {
    commands_->flush();
    files_.push_back({request_.commands, "DRAM commands"});
  }
  if (waveform_) {
    const bool complete = waveform_->is_open();
    waveform_->close(failed);
    if (complete) {
      files_.push_back({request_.vcd, "waveform"});
      if (auto view = gtkwave_save_file(request_.vcd); !view.empty())
        files_.push_back({std::move(view), "its view for GTKWave"});
    }
    if (waveform_->capped()) note_cap("waveform", waveform_->bytes());
    waveform_.reset();
  }
  if (pipeline_) {
    if (pipeline_->full()) note_cap("pipeline log", pipeline_->bytes());
    const bool complete = pipeline_->is_open();
    pipeline_->finish();
    if (complete) files_.push_back({request_.pipeline, "pipeline log"});
  }
  if (timeline_) {
    if (timeline_->full()) note_cap("timeline", timeline_->bytes());
    const bool complete = timeline_->is_open();
    timeline_->finish();
    if (complete) files_.push_back({request_.timeline, "timeline"});
  }
  for (const auto& [name, recorder] : file_recorders_) {
    const std::string& file = request_.files.at(name);
    write_file_atomically(file, recorder->text());
    files_.push_back({file, file_recorders().at(name)});
  }
  if (l1_trace_) {
    if (l1_trace_->full()) note_cap("L1 trace", l1_trace_->bytes());
    l1_trace_->close();
    files_.push_back({request_.l1_trace, "L1 trace"});
  }
  if (l1_recorder_ && l1_recorder_->truncated())
    note(
        "the record of L1 accesses leaves out the later accesses of large launches; record less (--sms, --kernels) or "
        "raise --trace-bytes");
  if (locality_analysis_) locality_ = std::make_unique<RunLocality>(locality_analysis_->result());
  if (profiler_) profile_ = std::make_unique<RunProfile>(profiler_->result());
  if (span_recorder_) spans_ = std::make_unique<RunSpans>(span_recorder_->result(machine_.core.now()));
}

}  // namespace heddle::gpu
