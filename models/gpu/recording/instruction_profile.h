// SPDX-License-Identifier: Apache-2.0
// Per-instruction profile of every kernel: issues, lanes, stalls before issue, memory transactions and their hits and
// misses in the caches. Instructions that the grouping treats specially have a role (GroupingUnit::role_of).
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "core/kernel/cache_events.h"
#include "core/statistics/run_details.h"
#include "gpu/recording/trace_filter.h"
#include "sm/watch/sm_listener.h"

namespace heddle::sm {
class GroupingUnit;
class Sm;
}  // namespace heddle::sm

namespace heddle::gpu {

class InstructionProfile {
 public:
  /// filter outlives this.
  explicit InstructionProfile(const TraceFilter& filter);
  ~InstructionProfile();
  InstructionProfile(const InstructionProfile&) = delete;
  InstructionProfile& operator=(const InstructionProfile&) = delete;

  /// Call before the first cycle; the profile must live as long as the SM runs.
  void listen_to(sm::Sm& sm);
  /// Listeners for the L1 data cache of an SM and for a slice of the L2.
  CacheListener& of_l1d() { return l1d_; }
  CacheListener& of_l2() { return l2_; }
  /// The profile. Recorded kernels and their SMs must still exist.
  RunProfile result() const;

 private:
  enum class Count : std::uint8_t {
    issues,
    packets,
    active_lanes,
    offered_lanes,
    transactions,
    transaction_bytes,
    l1_hits,
    l1_misses,
    l1_merges,
    l2_hits,
    l2_misses,
    l2_merges,
    kinds
  };
  static constexpr std::size_t kCounts = static_cast<std::size_t>(Count::kinds);
  struct Numbers {
    std::array<std::uint64_t, kCounts> counts{};
    std::array<std::uint64_t, sm::kContextStates> stalls{};
    void add(Count what, std::uint64_t number = 1) { counts[static_cast<std::size_t>(what)] += number; }
  };
  struct OfKernel {
    const isa::Kernel* kernel;
    std::vector<Numbers> instructions;  ///< by program counter
  };
  class OfSm;
  class OfCache final : public CacheListener {
   public:
    OfCache(InstructionProfile& profile, Count hits) : profile_(profile), hits_(hits) {}
    void cache_event(const CacheEvent& event) override;

   private:
    InstructionProfile& profile_;
    Count hits_;  ///< followed by misses and merges
  };

  OfKernel* of(const isa::Kernel& kernel);
  std::string role_of(const isa::MicroOp& op) const;

  const TraceFilter& filter_;
  std::vector<std::unique_ptr<OfKernel>> kernels_;
  std::unordered_map<const isa::Kernel*, OfKernel*> known_;  ///< null: excluded
  std::vector<std::unique_ptr<OfSm>> sms_;
  /// By CacheEvent::requester: the kernel its warp runs.
  std::unordered_map<Requester, OfKernel*> of_warp_;
  std::vector<const sm::GroupingUnit*> groupings_;  ///< of the SMs
  OfCache l1d_{*this, Count::l1_hits}, l2_{*this, Count::l2_hits};
};

}  // namespace heddle::gpu
