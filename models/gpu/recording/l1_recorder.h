// SPDX-License-Identifier: Apache-2.0
// Records the accesses to the L1 data caches, launch by launch, for L1 traces and the locality profile.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/kernel/cycle.h"
#include "gpu/recording/trace_filter.h"
#include "memory/cache/cache_level.h"
#include "memory/locality/l1_trace.h"

namespace heddle::isa {
struct Kernel;
}

namespace heddle::sm {
class Sm;
struct SmParameters;
}  // namespace heddle::sm

namespace heddle::gpu {

/// What a trace says of the machine. sm: of one of its SMs.
memory::TracedMachine traced_machine(const std::string& name, const sm::SmParameters& sm,
                                     const memory::TracedCache& cache);
/// An L1 data cache with these parameters, as a trace describes it.
memory::TracedCache traced_cache(const memory::CacheParameters& parameters, const memory::CacheLevel& cache);

class L1Recorder {
 public:
  /// Receives a launch. The kernel is the same object in every launch of one kernel.
  using Sink = std::function<void(const memory::TracedKernel& kernel, const memory::TracedLaunch& launch)>;

  /// filter, which outlives this: its windows and warps do not apply. most_bytes: of memory for the accesses of a
  /// launch; later ones are left out.
  L1Recorder(const TraceFilter& filter, std::uint64_t most_bytes);
  ~L1Recorder();
  L1Recorder(const L1Recorder&) = delete;
  L1Recorder& operator=(const L1Recorder&) = delete;

  void add(Sink sink) { sinks_.push_back(std::move(sink)); }
  /// Call before the first cycle; the recorder must live as long as the SM runs. False: the cache reports no events.
  bool listen_to(sm::Sm& sm, memory::CacheLevel& cache);

  void launch_begins(std::uint64_t launch, const isa::Kernel& kernel, Cycle first);
  /// Hands the launch to the sinks.
  void launch_ends(Cycle last);
  /// Whether accesses of some launch were left out.
  bool truncated() const { return truncated_; }

 private:
  class OfSm;
  struct OfKernel;

  OfKernel& of(const isa::Kernel& kernel);

  const TraceFilter& filter_;
  const std::uint64_t most_accesses_;
  std::vector<Sink> sinks_;
  std::vector<std::unique_ptr<OfSm>> sms_;
  std::unordered_map<const isa::Kernel*, std::unique_ptr<OfKernel>> kernels_;
  OfKernel* kernel_ = nullptr;  // of the launch; null: excluded, or none under way
  memory::TracedLaunch launch_;
  std::uint64_t accesses_ = 0;  // of the launch
  Cycle first_ = 0;
  bool truncated_ = false;
};

}  // namespace heddle::gpu
