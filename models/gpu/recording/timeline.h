// SPDX-License-Identifier: Apache-2.0
// A run as a timeline: SMs and memory partitions appear as processes; warps, block slots and banks as their threads.
// The contents are described in docs/timeline.md.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/kernel/clock.h"
#include "core/kernel/services.h"
#include "core/trace/chrome_trace.h"
#include "gpu/recording/kernel_texts.h"
#include "gpu/recording/loads_in_flight.h"
#include "gpu/recording/trace_filter.h"

namespace heddle::memory {
class MainMemory;
}

namespace heddle::sm {
class Sm;
}

namespace heddle::gpu {

class Timeline final : public Clocked {
 public:
  struct Request {
    std::filesystem::path path;
    std::uint64_t most_bytes = 0;
    Cycle every = 100;  ///< core cycles between samples of the counters; 1 or more
    std::string about;
  };
  /// filter, core and services outlive this. settle: brings lazily updated statistics up to date. Throws as TraceFile.
  Timeline(const Request& request, const TraceFilter& filter, ClockDomain& core, Services& services,
           std::function<void()> settle);
  ~Timeline() override;

  /// Call before the first cycle; the timeline must live as long as the machine runs. Controllers come before the SMs,
  /// because flows refer to them. slices: L2 slices of the controller.
  void listen_to(memory::MainMemory& controller, unsigned number, unsigned slices, const ClockDomain& clock);
  void listen_to(sm::Sm& sm);
  void launch_begins(std::uint64_t launch, const std::string& kernel, Cycle now);
  void launch_ends(Cycle now);
  /// Ends open events and completes the file. Throws Error(kIo).
  void finish();
  bool full() const { return writer_.full(); }
  std::uint64_t bytes() const { return writer_.bytes(); }
  /// False once it is finished, or given up because it could not be written.
  bool is_open() const { return writer_.is_open(); }
  void tick() override;

 private:
  class OfSm;
  class OfController;
  /// A periodically sampled value.
  struct Gauge {
    std::uint32_t process;
    std::string name;
    std::function<double()> read;
    double shown = -1;
  };
  static constexpr unsigned kLineBits = 7;
  /// What the slices of a basic block have in common; arguments: the beginning of the object.
  struct BlockText {
    std::string name, arguments;
  };

  void sample(Cycle now);
  void add_gauge(std::uint32_t process, std::string name, std::function<double()> read);
  /// Sum of the counters' increments per cycle since the last sample.
  std::function<double()> rate_of(const StatisticsOwner& owner, const std::vector<std::string>& counters);
  void add_occupancies(const std::string& owner, std::uint32_t process);
  bool taken(Cycle first, Cycle last) const { return filter_.cycle(first) || filter_.cycle(last); }

  const BlockText& text_of_block(const isa::Kernel& kernel, std::uint32_t block);
  /// The instruction as an object. pc: not beyond the last one.
  std::string_view text_of_instruction(const isa::Kernel& kernel, std::uint32_t pc);

  static std::uint64_t line_of(std::uint64_t address) { return address >> kLineBits; }
  void load_at_bank(std::uint64_t address, Track bank, double at);
  /// All loads of the packet have.
  void loads_ended(LoadsInFlight::Packet& packet, Cycle now);

  ChromeTraceWriter writer_;
  Request request_;
  const TraceFilter& filter_;
  ClockDomain& core_;
  Services& services_;
  std::function<void()> settle_;
  Cycle due_ = 0;
  std::vector<Gauge> gauges_;
  std::vector<std::unique_ptr<OfController>> controllers_;
  std::vector<std::unique_ptr<OfSm>> sms_;
  LoadsInFlight loads_;
  KernelTexts<BlockText> block_texts_;
  KernelTexts<std::string> instruction_texts_;
  std::uint64_t launch_ = 0;
  std::string kernel_;
  Cycle launched_ = 0;
};

}  // namespace heddle::gpu
