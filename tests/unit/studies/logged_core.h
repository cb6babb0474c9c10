// SPDX-License-Identifier: Apache-2.0
// A core that logs its issues, on the smallest machine around it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/statistics/sampling.h"
#include "gpu/gpu.h"
#include "gpu/gpu_parameters.h"
#include "tests/module/sm/sm_fixture.h"

namespace heddle::studies {

/// A packet that issues.
struct Issue {
  std::uint32_t pc = 0;
  std::uint64_t threads = 0;
};

/// The end of a cycle. Idle cycles are omitted.
struct Sample {
  Cycle cycle = 0;
  std::vector<Issue> issues;    ///< one per slot at most
  bool in_pipeline = false;     ///< context 0 waits for its instruction to leave the pipeline
  std::uint64_t in_flight = 0;  ///< threads of warp 0 in sub-warps that have not completed
};

/// One launch.
struct Log {
  std::shared_ptr<const isa::Kernel> kernel;
  std::vector<Sample> samples;

  std::size_t packets() const;
  /// Cycles in which packets of the instruction at `pc` issue.
  std::vector<Cycle> packets_of(std::uint32_t pc) const;
  /// Program counters of the kernel's operations of this kind.
  std::vector<std::uint32_t> counters_of(isa::Opcode opcode) const;
};

/// The fixture of the machine tests, without a test. One per process.
class LoggedCore final : public SmTest, private ProbeListener {
 public:
  explicit LoggedCore(const gpu::GpuParameters& parameters);
  /// A block runs instructions. %r1 is the thread, %p1 holds for all, %rd1 is the thread's word of `memory`.
  Log log(const std::string& body, unsigned threads, const std::vector<std::uint32_t>& memory = {});
  /// Bytes of storage that the machine has because of a mechanism.
  double bytes_added_by(const std::string& mechanism) const;
  /// Null if the machine has none of this name.
  const Structure* structure(const std::string& name) const;
  /// A statistic of the SM since the start.
  double counted(const std::string& name) { return services_.statistics.total().value("sm0." + name); }

 private:
  struct Slot {
    ProbeGroup::SignalId pc, threads;
  };
  void TestBody() override {}
  ProbeGroup::SignalId signal(const std::string& name) const;
  void sample(const ProbeCycle& at) override;

  ProbeGroup* issue_ = nullptr;
  const Structure* in_flight_ = nullptr;
  std::vector<Slot> slots_;
  ProbeGroup::SignalId pipeline_;
  Log log_;
};

}  // namespace heddle::studies
