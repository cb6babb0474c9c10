// SPDX-License-Identifier: Apache-2.0
// The recordings requested for a run.
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace heddle::gpu {

/// Statistics that the report plots over time.
inline constexpr const char* kReportSeries =
    "sm*.issue.warp_instructions,sm*.issue.thread_instructions,sm*.issue.slots.*,sm*.issue.resident_thread_cycles,"
    "sm*.l1d.read_hits,sm*.l1d.read_misses,sm*.l1d.read_merges,l2_*.cache.read_*,mc*.controller.read_bytes,"
    "mc*.controller.written_bytes,mc*.controller.channel.row_*,sm*.hot_contexts.splits_seen,sm*.hot_contexts.changes,"
    "sm*.coissue.same_row,sm*.ganging.warps_in_*,sm*.gang_issue.*_threads,sm*.gang_fetch.gangs,sm*.gang_fetch.slices,"
    "sm*.gang_fetch.from_l0,sm*.cache_conscious.*_warp_cycles,sm*.victim_tags.*_hits,sm*.victim_tags.hits,"
    "sm*.victim_tags.probes,sm*.partner_issue.warps_of_*,sm*.sub_warp_synchroniser.*_warp_cycles,"
    "sm*.load_scheduler.footprint_lines,sm*.load_scheduler.admitted_lines,"
    "sm*.load_scheduler.admitted,sm*.load_scheduler.blocked";

struct RecordingRequest {
  // Part of the run to record; does not apply to the time series and DRAM commands.
  std::string windows;                                ///< in the syntax of parse_windows(); empty: the whole run
  std::string sms, warps, kernels;                    ///< in the syntax of TraceFilter
  std::uint64_t most_bytes = std::uint64_t{1} << 30;  ///< size limit of a waveform, log or timeline

  std::string vcd;                     ///< file of the waveform; empty: none
  std::string signals = "*";           ///< patterns of signal names
  std::string pipeline;                ///< file of the pipeline log; empty: none
  bool pipeline_packets = false;       ///< one line per packet
  std::string timeline;                ///< file of the timeline; empty: none
  std::uint64_t timeline_every = 100;  ///< core cycles between samples of its counters
  bool profile = false, spans = false;
  bool locality = false;                     ///< locality of the kernels in the L1 data caches
  bool inspected = false;                    ///< as part of everything: left out on a machine without such caches
  std::string l1_trace;                      ///< file of the L1 trace; empty: none
  std::string series;                        ///< patterns of statistics; empty: no series
  std::uint64_t series_every = 1000;         ///< core cycles per interval; 0: grows with the run
  std::string commands;                      ///< file of the DRAM command trace; empty: none
  std::map<std::string, std::string> files;  ///< file of each requested FileRecorder, by its registered name

  /// Enables everything the report shows; keeps a series already requested.
  void inspect() {
    profile = spans = locality = inspected = true;
    if (!series.empty()) return;
    series = kReportSeries;
    series_every = 0;
  }
  bool anything() const { return of_instructions() || !vcd.empty() || !series.empty() || !commands.empty(); }
  /// Whether any request needs SMs.
  bool of_instructions() const {
    return !pipeline.empty() || !timeline.empty() || !files.empty() || profile || spans || of_l1();
  }
  bool of_l1() const { return locality || !l1_trace.empty(); }
};

}  // namespace heddle::gpu
