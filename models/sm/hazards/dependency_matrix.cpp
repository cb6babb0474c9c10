// SPDX-License-Identifier: Apache-2.0
// A scoreboard for warps with two hot contexts whose threads move between them. Instead of the threads of each
// instruction in flight, it keeps a matrix that tells which contexts may hold some of them now. A wait may be false,
// because all threads outside the hot contexts count as one, but none is missed.
// Source: docs/sources/branch-and-warp-interweaving.md, 2.7 (M14).
#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "core/error.h"
#include "sm/blocks/block_site.h"
#include "sm/hazards/dependency_step.h"
#include "sm/hazards/hazard_tracker.h"

namespace heddle::sm {

class DependencyMatrices final : public HazardTracker {
 public:
  struct Parameters {
    unsigned entries = 6;
    void describe(ParameterVisitor& v) {
      v("entries", entries, "entries per warp, one for the instructions that it issues in a cycle", unit::kEntries,
        range(1, kMaxDependencyEntries));
    }
  };

  DependencyMatrices(const Parameters& p, const HazardShape& shape)
      : named_(shape.named_registers), entries_(p.entries), warps_(shape.warps) {
    for (Warp& warp : warps_) warp.entries.resize(entries_);
  }
  static HazardTraits traits() {
    return {.offers = {Feature::hazards_by_thread, Feature::register_waits},
            .shared_by_warp = true,
            .conservative = true,
            .follows_threads = true};
  }
  void build(SmSite& site) override {
    step_ = make(site.parameters.blocks.dependency_step, StepShape{entries_}, block_site(site, "dependency_step"));
  }
  void admit(const isa::Kernel&) override {}

  Wait check(const ContextTable& contexts, ContextId context, const isa::MicroOp& op) override {
    const Warp& warp = warps_[contexts[context].warp];
    const isa::RegisterUse& use = registers_of(op, named_);
    const unsigned column = column_of(contexts, context);
    Wait wait = Wait::none;
    bool real = false, full = true;
    for (const Entry& entry : warp.entries) {
      full = full && entry.used();
      for (unsigned i = 0; i < 2; ++i) {
        const Part& part = entry.parts[i];
        if (part.token == 0 || (entry.matrix >> (3 * i + column) & 1) == 0) continue;
        if (!overlaps(registers_of(*part.op, named_), use)) continue;
        real = real || part.threads.intersects(contexts[context].threads);
        if (wait != Wait::memory) wait = part.variable ? Wait::memory : Wait::hazard;
      }
    }
    if (wait != Wait::none) {
      if (!real && false_waits_) ++*false_waits_;
      return wait;
    }
    return full && use.write_count != 0 ? Wait::hazard : Wait::none;
  }

  std::uint32_t issued(const ContextTable& contexts, const Packet& packet, bool variable) override {
    if (registers_of(*packet.op, named_).write_count == 0) return 0;
    Warp& warp = warps_[packet.warp];
    const unsigned row = column_of(contexts, packet.context);
    // Instructions of a cycle share an entry.
    auto entry = std::find_if(warp.entries.begin(), warp.entries.end(), [&](const Entry& e) {
      return e.used() && e.cycle == packet.issued && e.parts[row].token == 0 && e.fresh;
    });
    if (entry == warp.entries.end()) {
      entry = std::find_if(warp.entries.begin(), warp.entries.end(), [](const Entry& e) { return !e.used(); });
      if (entry == warp.entries.end()) {
        // Further packets of an instruction, which was checked as a whole.
        warp.entries.emplace_back();
        entry = warp.entries.end() - 1;
      }
      *entry = {.cycle = packet.issued, .matrix = kIdentity, .fresh = true, .parts = {}};
    }
    if (++last_token_ == 0) ++last_token_;
    entry->parts[row] = {last_token_, packet.op, packet.threads, variable};
    return last_token_;
  }

  void released(const Release& release) override {
    if (release.token == 0) return;
    Warp& warp = warps_[release.warp];
    for (Entry& entry : warp.entries) {
      for (Part& part : entry.parts) {
        if (part.token == release.token) part = {};
      }
    }
    while (warp.entries.size() > entries_ && !warp.entries.back().used()) warp.entries.pop_back();
  }

  void regrouped(const Regrouping& change) override {
    Warp& warp = warps_[change.warp];
    std::array<ThreadSet, 3> before, after;
    for (const Regrouping::Part& part : change.parts) {
      before[part.context % 2] = part.before;
      after[part.context % 2] = part.after;
    }
    const ThreadSet hot_before = before[0] | before[1], hot_after = after[0] | after[1];
    if (hot_before.none() && pending(change.warp) == 0) warp.cold.clear();
    before[2] = warp.cold | (hot_after - hot_before);
    warp.cold = after[2] = (before[2] | hot_before) - hot_after;
    StepRequest request;
    for (unsigned i = 0; i < 3; ++i) {
      for (unsigned j = 0; j < 3; ++j) {
        if (before[i].intersects(after[j]))
          request.step = static_cast<DependencyMatrix>(request.step | 1u << (3 * i + j));
      }
    }
    bool any = false;
    for (Entry& entry : warp.entries) {
      entry.fresh = false;
      any = any || entry.used();
    }
    if (!any) return;
    if (steps_) ++*steps_;
    for (std::size_t first = 0; first < warp.entries.size(); first += entries_) step(warp, first, request);
  }

  std::size_t pending(WarpId warp) const override {
    std::size_t count = 0;
    for (const Entry& entry : warps_[warp].entries) {
      for (const Part& part : entry.parts) count += part.token != 0;
    }
    return count;
  }

  void declare_state(ModuleState& state) override {
    state.structure("entries", "destinations of the instructions in flight, and the contexts that hold their threads",
                    warps_.size() / 2 * entries_,
                    {{"register1", 8, 4, 1, true},
                     {"register2", 8, 4, 1, true},
                     {"matrix", 6, 1, 1, false, true},
                     {"valid", 2, 4, 1}});
    state
        .structure("step", "product of the matrix of each entry with that of a move", warps_.size() / 2 * entries_,
                   {{"matrix", 9, 0, 0}})
        .is_logic();
    state.traced_structure("waiting", "instructions of each warp in flight", warps_.size() / 2, {{"count", 7, 1, 2}})
        .is_view()
        .read([this](std::size_t warp, std::size_t) { return std::uint64_t{pending(WarpId(warp))}; });
    state.publish({"dependency_matrix", "two destinations and a matrix per entry, six or twelve entries per warp",
                   "docs/sources/branch-and-warp-interweaving.md 6, table 3: 144 or 288 bits per warp",
                   24 * std::uint64_t{entries_} * (warps_.size() / 2)});
  }
  void declare_statistics(const StatisticsGroup& group) override {
    false_waits_.emplace(group, "false_waits", "checks that found a dependency on threads of other contexts only",
                         unit::kEvents);
    steps_.emplace(group, "steps", "moves of a warp's threads with instructions in flight", unit::kEvents);
  }

 private:
  static constexpr DependencyMatrix kIdentity = 0b100'010'001;

  /// One instruction. Its threads are kept for the statistics only.
  struct Part {
    std::uint32_t token = 0;  ///< 0: none
    const isa::MicroOp* op = nullptr;
    ThreadSet threads;
    bool variable = false;
  };
  struct Entry {
    Cycle cycle = 0;  ///< of issue
    DependencyMatrix matrix = kNoDependencies;
    bool fresh = false;  ///< no thread has moved since
    std::array<Part, 2> parts;
    bool used() const { return parts[0].token != 0 || parts[1].token != 0; }
  };
  struct Warp {
    std::vector<Entry> entries;
    ThreadSet cold;  ///< threads in no hot context, or gone
  };

  static unsigned column_of(const ContextTable& contexts, ContextId context) {
    if (contexts[context].warp != WarpId(context / 2)) {
      fail(ExitCode::configuration,
           "sm.hazards: dependency_matrix is for groupings with two contexts per warp (branch_interweaving, "
           "branch_and_warp_interweaving)");
    }
    return context % 2;
  }
  static bool overlaps(const isa::RegisterUse& producer, const isa::RegisterUse& consumer) {
    return std::any_of(
        producer.writes.begin(), producer.writes.begin() + producer.write_count, [&](isa::RegisterId id) {
          return std::find(consumer.reads.begin(), consumer.reads.begin() + consumer.read_count, id) !=
                     consumer.reads.begin() + consumer.read_count ||
                 std::find(consumer.writes.begin(), consumer.writes.begin() + consumer.write_count, id) !=
                     consumer.writes.begin() + consumer.write_count;
        });
  }
  /// Steps the entries from `first` on, as many as the block takes at a time.
  void step(Warp& warp, std::size_t first, StepRequest& request) {
    const std::size_t count = std::min<std::size_t>(entries_, warp.entries.size() - first);
    request.entries.fill(kNoDependencies);
    for (std::size_t i = 0; i < count; ++i) {
      if (warp.entries[first + i].used()) request.entries[i] = warp.entries[first + i].matrix;
    }
    const StepAnswer answer = step_->step(request);
    for (std::size_t i = 0; i < count; ++i) warp.entries[first + i].matrix = answer.entries[i];
  }

  const bool named_;
  const unsigned entries_;
  std::vector<Warp> warps_;
  std::unique_ptr<DependencyStep> step_;
  std::uint32_t last_token_ = 0;
  std::optional<Counter> false_waits_, steps_;
};

HEDDLE_REGISTER(HazardTracker, DependencyMatrices, "dependency_matrix",
                "a matrix per instruction in flight tells which hot contexts hold its threads",
                "docs/sources/branch-and-warp-interweaving.md 2.7, M14");

}  // namespace heddle::sm
