// SPDX-License-Identifier: Apache-2.0
// Profiles the loops of every kernel: whether warps access again what they have accessed before, which loads diverge,
// and which access one line. What a run shows counts by majority, over all warps; in each respect as the dynamic load
// classifier counts it for the warp that it samples.
// Source: docs/sources/cache-conscious-and-divergence-aware.md, 2.6 and 2.7.
#include <algorithm>
#include <map>
#include <memory>
#include <unordered_map>
#include <vector>

#include "core/config/mechanism.h"
#include "core/error.h"
#include "core/kernel/cache_events.h"
#include "gpu/recording/file_recorder.h"
#include "isa/analysis/loop_extents.h"
#include "isa/analysis/shared_lines.h"
#include "memory/cache/cache_level.h"
#include "sm/scheduling/locality/gated_load.h"
#include "sm/scheduling/locality/kernel_profile.h"
#include "sm/scheduling/locality/load_detectors.h"
#include "sm/scheduling/locality/victim_partition.h"
#include "sm/sm.h"

namespace heddle::gpu {
namespace {

/// The victim tags of the source, without timing.
class TagLookup final : public sm::VictimLookup {
 public:
  sm::VictimSetAnswer look_up(const sm::VictimSetRequest& request) override { return sm::look_up_victim({}, request); }
};

/// What a load's executions have shown: for and against.
struct Votes {
  std::uint64_t yes = 0, no = 0;
  void add(bool vote) { ++(vote ? yes : no); }
  bool won() const { return yes > no; }
};

class LoopProfiler final : public FileRecorder {
 public:
  LoopProfiler();
  ~LoopProfiler() override;
  void listen_to(sm::Sm& sm, memory::CacheLevel* l1d) override;
  std::string text() const override;

 private:
  class OfSm;
  class OfKernel;

  OfKernel& of(const isa::Kernel& kernel);

  std::vector<std::unique_ptr<OfKernel>> kernels_;
  std::unordered_map<const isa::Kernel*, OfKernel*> known_;
  std::vector<std::unique_ptr<OfSm>> sms_;
  unsigned line_bytes_ = 128;
};

class LoopProfiler::OfKernel {
 public:
  explicit OfKernel(const isa::Kernel& of) : kernel(of), loops(of), diverges(of.ops.size()), reuses(of.ops.size()) {}

  sm::KernelProfile profile(unsigned line_bytes) const {
    sm::KernelProfile out{kernel.name, {}, {}};
    for (const isa::LoopExtent& loop : loops.all()) {
      sm::LoopProfile& of = out.loops.emplace_back();
      of.pc = loop.begin;
      of.source_line = kernel.ops[loop.begin].source_line;
      std::vector<std::uint32_t> loads;
      Votes reused;
      for (std::uint32_t pc = loop.begin; pc <= loop.end; ++pc) {
        if (loops.innermost(pc) != &loop || !sm::is_gated_load(kernel.ops[pc])) continue;
        loads.push_back(pc);
        reused.yes += reuses[pc].yes;
        reused.no += reuses[pc].no;
      }
      of.locality = reused.won();
      const std::vector<unsigned> lines = isa::loads_by_line(kernel, loads, line_bytes);
      for (std::size_t i = 0; i < loads.size(); ++i)
        of.loads.push_back({loads[i], kernel.ops[loads[i]].source_line, diverges[loads[i]].won(), lines[i]});
    }
    return out;
  }
  std::uint64_t followed() const {
    std::uint64_t loads = 0;
    for (const Votes& votes : reuses) loads += votes.yes + votes.no;
    return loads;
  }

  const isa::Kernel& kernel;
  const isa::LoopExtents loops;
  std::vector<Votes> diverges, reuses;  ///< by PC
};

class LoopProfiler::OfSm final : public sm::SmListenerBase, public CacheListener {
 public:
  OfSm(LoopProfiler& profiler, SmId number) : profiler_(profiler), number_(number) {
    for (unsigned w = 0; w < sm::kMaxContexts; ++w) lost_.emplace_back(&lookup_, sm::VictimTagParameters{});
  }

  void issued(const sm::Packet& packet, const sm::ContextSituation& context, unsigned, Cycle) override {
    if (packet.kind != sm::PacketKind::normal || !sm::is_gated_load(*packet.op)) return;
    OfKernel& kernel = profiler_.of(*context.kernel);
    if (kernel.loops.innermost(packet.op->pc) == nullptr) return;
    loads_.emplace(packet.trace_id, Load{&kernel, packet.op->pc, packet.active, packet.warp});
  }
  void sent(const sm::Packet& packet, std::uint64_t address, unsigned, bool, Cycle) override {
    const auto load = loads_.find(packet.trace_id);
    if (load == loads_.end()) return;
    ++load->second.lines;
    load->second.under_way.push_back(address / profiler_.line_bytes_);
  }
  void ended(std::uint64_t trace_id, Cycle) override {
    const auto found = loads_.find(trace_id);
    if (found == loads_.end()) return;
    const Load& load = found->second;
    if (load.lines != 0) {
      if (load.threads > sm::DivergenceDetector::kThreshold)
        load.kernel->diverges[load.pc].add(load.lines > sm::DivergenceDetector::kThreshold);
      load.kernel->reuses[load.pc].add(load.reuses);
    }
    loads_.erase(found);
  }

  void cache_event(const CacheEvent& event) override {
    using What = CacheEvent::What;
    const std::uint64_t line = event.address / profiler_.line_bytes_;
    const bool writes = event.what == What::write && event.kind != AccessKind::load;
    // A line that a store removes is not lost.
    if (event.what == What::evict && event.owner.sm == number_ && line != written_)
      lost_[event.owner.warp].insert(line, event.cycle);
    written_ = writes ? line : kNoLine;
    if (writes) {
      for (sm::VictimPartition& of_warp : lost_) of_warp.remove(line);
    }
    if (event.kind != AccessKind::load || event.requester.sm != number_) return;
    if (event.what == What::hit) looked_up(event, line, event.owner == event.requester);
    if (event.what == What::write) looked_up(event, line, false);  // passed on, as it must see other SMs' stores
    if (event.what == What::miss || event.what == What::merge)
      looked_up(event, line, lost_[event.requester.warp].find(line).has_value());
  }

 private:
  struct Load {
    OfKernel* kernel;
    std::uint32_t pc, threads;
    WarpId warp;
    unsigned lines = 0;
    bool reuses = false;                     ///< of a line that its warp has brought in before
    std::vector<std::uint64_t> under_way{};  ///< lines that were not looked up yet
  };

  void looked_up(const CacheEvent& event, std::uint64_t line, bool reuse) {
    for (auto& [id, load] : loads_) {
      if (load.warp != event.requester.warp || load.pc != event.pc) continue;
      const auto place = std::find(load.under_way.begin(), load.under_way.end(), line);
      if (place == load.under_way.end()) continue;
      load.under_way.erase(place);
      load.reuses = load.reuses || reuse;
      return;
    }
  }

  LoopProfiler& profiler_;
  const SmId number_;
  std::map<std::uint64_t, Load> loads_;  ///< under way, by Packet::trace_id: older ones first
  TagLookup lookup_;
  std::vector<sm::VictimPartition> lost_;  ///< by warp
  static constexpr std::uint64_t kNoLine = ~std::uint64_t{0};
  std::uint64_t written_ = kNoLine;  ///< by the last event
};

LoopProfiler::LoopProfiler() = default;
LoopProfiler::~LoopProfiler() = default;

void LoopProfiler::listen_to(sm::Sm& sm, memory::CacheLevel* l1d) {
  sms_.push_back(std::make_unique<OfSm>(*this, sm.number()));
  if (l1d == nullptr || !l1d->listen(*sms_.back())) {
    fail(ExitCode::configuration, "caches.l1d: a profile of loops follows the events of the L1 data cache, and {}",
         l1d == nullptr ? "there is none" : "this kind of cache reports none");
  }
  line_bytes_ = static_cast<unsigned>(l1d->line_bytes());
  sm.listen(*sms_.back());
}

LoopProfiler::OfKernel& LoopProfiler::of(const isa::Kernel& kernel) {
  OfKernel*& known = known_[&kernel];
  if (known == nullptr) {
    kernels_.push_back(std::make_unique<OfKernel>(kernel));
    known = kernels_.back().get();
  }
  return *known;
}

std::string LoopProfiler::text() const {
  // Of kernels of one name, in several modules, the one that has shown most.
  std::map<std::string, const OfKernel*> by_name;
  for (const auto& kernel : kernels_) {
    const OfKernel*& best = by_name[kernel->kernel.name];
    if (best == nullptr || kernel->followed() > best->followed()) best = kernel.get();
  }
  std::vector<sm::KernelProfile> profiles;
  for (const auto& [name, kernel] : by_name) profiles.push_back(kernel->profile(line_bytes_));
  return sm::KernelProfiles(std::move(profiles)).text();
}

HEDDLE_REGISTER(FileRecorder, LoopProfiler, "loop_profile", "profile of loops",
                "docs/sources/cache-conscious-and-divergence-aware.md 2.6");

}  // namespace

}  // namespace heddle::gpu
