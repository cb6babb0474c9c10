// SPDX-License-Identifier: Apache-2.0
// Full masks: every instruction in flight records its threads; an instruction waits for any other of its warp that
// shares both a thread and a register with it. Exact for splits of a warp that overtake each other. Source:
// docs/sources/branch-and-warp-interweaving.md, 2.7 (oracle M15).
#include <algorithm>
#include <vector>

#include "sm/hazards/hazard_tracker.h"

namespace heddle::sm {

class FullMasks final : public HazardTracker {
 public:
  struct Parameters {
    unsigned entries = 0;
    void describe(ParameterVisitor& v) {
      v("entries", entries, "instructions of a warp in flight at the same time; 0: unlimited", unit::kEntries,
        range(0, 64));
    }
  };

  FullMasks(const Parameters& p, const HazardShape& shape)
      : named_(shape.named_registers), limit_(p.entries), in_flight_(shape.warps) {}

  static HazardTraits traits() {
    return {.offers = {Feature::hazards_by_thread, Feature::register_waits}, .shared_by_warp = true};
  }
  void admit(const isa::Kernel&) override {}

  Wait check(const ContextTable& contexts, ContextId context, const isa::MicroOp& op) override {
    const auto& list = in_flight_[contexts[context].warp];
    const isa::RegisterUse& use = registers_of(op, named_);
    Wait wait = Wait::none;
    for (const Entry& entry : list) {
      if (!entry.threads.intersects(contexts[context].threads) || !overlaps(registers_of(*entry.op, named_), use))
        continue;
      if (entry.variable) return Wait::memory;
      wait = Wait::hazard;
    }
    if (wait == Wait::none && limit_ != 0 && use.write_count != 0 && list.size() >= limit_) wait = Wait::hazard;
    return wait;
  }

  std::uint32_t issued(const ContextTable&, const Packet& packet, bool variable) override {
    if (registers_of(*packet.op, named_).write_count == 0) return 0;
    if (++last_token_ == 0) ++last_token_;
    in_flight_[packet.warp].push_back({last_token_, packet.op, packet.threads, variable});
    return last_token_;
  }
  void released(const Release& release) override {
    if (release.token == 0) return;
    auto& list = in_flight_[release.warp];
    list.erase(std::find_if(list.begin(), list.end(), [&](const Entry& e) { return e.token == release.token; }));
  }
  std::size_t pending(WarpId warp) const override { return in_flight_[warp].size(); }
  unsigned entries() const override { return limit_; }
  /// Without a limit, declares the largest number of entries that the source of any preset gives a warp.
  void declare_state(ModuleState& state) override {
    constexpr unsigned kUnlimited = 6, kThreads = 64;
    const std::size_t entries = limit_ != 0 ? limit_ : kUnlimited;
    state.structure("masks", "instructions in flight with their threads and destinations", in_flight_.size() * entries,
                    {{"threads", kThreads, 4, 2, true}, {"register", 8, 4, 2, true}, {"valid", 1, 4, 2}});
    state
        .traced_structure("waiting", "number of instructions of each warp in flight", in_flight_.size(),
                          {{"count", 7, 1, 2}})
        .is_view()
        .read([this](std::size_t warp, std::size_t) { return std::uint64_t{in_flight_[warp].size()}; });
  }

 private:
  struct Entry {
    std::uint32_t token;
    const isa::MicroOp* op;
    ThreadSet threads;  ///< by position in the warp
    bool variable;
  };
  static bool overlaps(const isa::RegisterUse& producer, const isa::RegisterUse& consumer) {
    for (unsigned w = 0; w < producer.write_count; ++w) {
      const isa::RegisterId id = producer.writes[w];
      for (unsigned i = 0; i < consumer.read_count; ++i) {
        if (consumer.reads[i] == id) return true;
      }
      for (unsigned i = 0; i < consumer.write_count; ++i) {
        if (consumer.writes[i] == id) return true;
      }
    }
    return false;
  }
  bool named_;
  unsigned limit_;
  std::uint32_t last_token_ = 0;
  std::vector<std::vector<Entry>> in_flight_;  ///< by warp
};

HEDDLE_REGISTER(HazardTracker, FullMasks, "full_masks",
                "every instruction in flight records its threads and destinations",
                "docs/sources/branch-and-warp-interweaving.md 2.7, M15");

}  // namespace heddle::sm
