// SPDX-License-Identifier: Apache-2.0
// The contents of one run.json needed for a comparison.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/json.h"

namespace heddle::compare {

/// A number of a whole run.
struct Quantity {
  std::string name, unit, sentence;
  double value = 0;
  bool whole = false;  ///< a count: shown without decimals
};

/// Cycles of issue slots (slot-cycles) by cause, of all SMs of a machine together. Causes that were charged nothing may
/// be absent.
using SlotCharges = std::map<std::string, std::uint64_t>;

/// A cause as the run declares it.
struct Cause {
  std::string name, sentence;
  bool issues = false;  ///< its slots issued something
};

/// What a class of caches found when it was read.
struct HitRate {
  std::string name;  ///< class and cache: "sm l1d"
  std::uint64_t reads = 0, hits = 0;
};

struct KernelFacts {
  std::string name;    ///< as in the program: mangled
  std::string launch;  ///< name, grid and block as text; equal for launches of the same work
  bool timed = false;
  std::uint64_t cycles = 0;  ///< of the core clock
  SlotCharges slots;
};

struct RunFacts {
  std::string file;
  std::string machine;
  /// Identity: version, program, arguments, digests, in display order.
  std::vector<std::pair<std::string, std::string>> identity;
  std::map<std::string, std::string> configuration;  ///< full dotted path to value, as JSON text
  std::vector<Quantity> totals;
  bool complete = true;
  std::string why_incomplete;
  bool timed = false;                ///< some launch was timed, so there are cycles
  std::uint64_t cycles = 0;          ///< of the core clock, all timed launches
  std::uint64_t core_kilohertz = 0;  ///< 0: unknown
  std::vector<Cause> causes;
  SlotCharges slots;
  std::vector<HitRate> caches;       ///< whole run, in order of declaration
  std::vector<KernelFacts> kernels;  ///< one per launch, in order
};

/// Slot-cycles of all causes.
std::uint64_t sum_of(const SlotCharges& slots);

/// run: the content of a run.json. Absent members are skipped.
RunFacts run_facts(const JsonNode& run, const std::string& file);

/// Throws Error(kIo) for a file that cannot be read or has a newer schema, Error(kConfiguration) for one that is not a
/// run result.
RunFacts read_run_facts(const std::filesystem::path& file);

}  // namespace heddle::compare
