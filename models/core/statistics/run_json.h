// SPDX-License-Identifier: Apache-2.0
// The result of a run as a file: identity, configuration, statistics, kernels, regions, time series. Described in
// docs/statistics.md; run.json and the table (CSV) hold the same numbers.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "core/json.h"
#include "core/statistics/run_details.h"
#include "core/statistics/run_locality.h"
#include "core/statistics/statistics.h"
#include "core/statistics/time_series.h"
#include "core/trace/structure.h"

namespace heddle {

/// Incremented when a member changes meaning or is removed, not for additions.
inline constexpr std::uint64_t kRunSchemaVersion = 1;

/// Statistics of an interval summed per class, kept for every kernel and region.
struct StatisticsSummary {
  struct Class {
    std::string name;
    unsigned instances = 0;
    const StatisticsOwner* model = nullptr;  ///< an instance that provides the declarations
    std::vector<std::uint64_t> values;
  };
  std::vector<Class> classes;
  std::vector<std::pair<const MachineDerived*, double>> machine;
};
StatisticsSummary summarize(const Statistics& statistics, const StatisticsSample& sample);

struct KernelRecord {
  std::uint64_t launch = 0;  ///< 1, 2, ... in order
  std::string name;
  std::array<std::uint32_t, 3> grid{1, 1, 1}, block{1, 1, 1};
  std::uint64_t dynamic_shared_bytes = 0, stream = 0;
  std::uint32_t registers = 0, local_bytes = 0;  ///< per thread
  std::uint32_t spilled_bytes = 0;               ///< part of local_bytes used for spilled registers
  bool timed = true;                             ///< false: ran functionally, without cycles
  bool complete = true;                          ///< false: faulted or stopped
  std::uint64_t thread_instructions = 0, warp_instructions = 0;
  std::uint64_t first_cycle = 0, cycles = 0;  ///< of the core clock
  double start_seconds = 0, end_seconds = 0;  ///< simulated
  StatisticsSummary statistics;               ///< empty when not timed
};

struct RegionRecord {
  std::string name;
  bool on_device = false;                           ///< marked by a kernel
  std::uint64_t first_launch = 0, last_launch = 0;  ///< last < first: contains no launch
  StatisticsSummary statistics;                     ///< empty when nothing was timed
};

struct NamedDigest {
  std::string name, sha256;
};

struct RunReport {
  std::string version, commit;         ///< of the model, and of its sources; an unknown commit is empty
  std::string machine, configuration;  ///< name; resolved JSON
  std::string program;
  std::vector<std::string> arguments;
  std::string program_sha256;
  std::vector<NamedDigest> ptx;
  bool complete = true;
  std::string why_incomplete;  ///< "interrupted", "--max-cycles reached"
  std::uint64_t cycles = 0;    ///< of the core clock
  double simulated_seconds = 0, wall_seconds = 0;
  StatisticsSample total;
  std::vector<KernelRecord> kernels;
  std::vector<RegionRecord> regions;
  const TimeSeries* series = nullptr;
  const RunProfile* profile = nullptr;
  const RunSpans* spans = nullptr;
  const RunLocality* locality = nullptr;
};

/// The contents of the two files.
std::string run_json(const RunReport& report, const Statistics& statistics, const Structures& structures);
std::string run_csv(const RunReport& report, const Statistics& statistics);
/// Writes run.json and run.csv into a folder, each completely or not at all. Throws Error(kIo).
void write_run(const std::filesystem::path& folder, const RunReport& report, const Statistics& statistics,
               const Structures& structures);
/// Reads run.json, given its path or its folder. Throws Error(kIo) when its schema is newer than this program's,
/// Error(kConfiguration) when it is not a run result.
JsonNode read_run(const std::filesystem::path& file);

}  // namespace heddle
