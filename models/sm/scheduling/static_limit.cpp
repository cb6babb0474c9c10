// SPDX-License-Identifier: Apache-2.0
// Static warp limiting: only the oldest contexts may issue, up to the limit. Contexts that wait for others do not
// count, so that the others can reach the barrier, the collective or the point at which their group re-forms. The limit
// is one for all kernels, or that of each kernel in a profile, which `heddle best-limit` writes. Source:
// docs/sources/cache-conscious-and-divergence-aware.md, 2.2 and 1.2 (S9).
#include <algorithm>
#include <string>
#include <vector>

#include "sm/scheduling/locality/kernel_profile.h"
#include "sm/scheduling/order_policy.h"

namespace heddle::sm {

class StaticLimit final : public Veto {
 public:
  struct Parameters {
    unsigned limit = 32;
    std::string profile;
    void describe(ParameterVisitor& v) {
      v("limit", limit, "contexts of the SM that may issue", unit::kContexts, range(1, 512));
      v("profile", profile,
        "file with the limit of each kernel, which `heddle best-limit` writes: other kernels have none; empty: `limit` "
        "counts");
    }
  };

  StaticLimit(const Parameters& p, const SchedulerShape&) : limit_(p.limit) {
    if (!p.profile.empty()) profiles_ = KernelProfiles::read(p.profile);
  }

  const ContextSet& held(const ContextTable& contexts) override {
    const ContextSet waiting = contexts.waiting_for_others();
    // Groupings that re-form warps give them a new age.
    if (stale_ || waiting != waiting_ || contexts.next_age != next_age_) recompute(contexts, waiting);
    return held_;
  }
  void launched(const ContextTable&, ContextId) override { stale_ = true; }
  void finished(const ContextTable&, ContextId) override { stale_ = true; }
  void declare_state(ModuleState& state, const SchedulerShape& shape) override {
    state.show_set("held", shape.contexts, "contexts beyond the limit", held_);
    state.structure("held", "contexts beyond the limit", shape.contexts, {{"held", 1, 1, 1}})
        .added_by("static_limit")
        .read([this](std::size_t entry, std::size_t) { return std::uint64_t{held_.test(entry)}; });
  }

 private:
  void recompute(const ContextTable& contexts, const ContextSet& waiting) {
    waiting_ = waiting;
    next_age_ = contexts.next_age;
    by_age_.clear();
    contexts.valid.for_each([&](std::size_t c) { by_age_.push_back(ContextId(c)); });
    std::sort(by_age_.begin(), by_age_.end(),
              [&](ContextId a, ContextId b) { return contexts.age[a] < contexts.age[b]; });
    if (profiles_ != nullptr && !by_age_.empty()) limit_ = limit_of(contexts[by_age_.front()]);
    held_ = contexts.valid;
    unsigned admitted = 0;
    for (ContextId c : by_age_) {
      held_.reset(c);
      // Stop at the limit unless that context waits for others; in that case admit all.
      if (++admitted == limit_ && !waiting.test(c)) break;
    }
    stale_ = false;
  }
  /// The limit in the profile of the context's kernel.
  unsigned limit_of(const Context& context) {
    if (context.kernel == kernel_ && context.code_address == code_address_) return limit_;
    kernel_ = context.kernel;
    code_address_ = context.code_address;
    const KernelProfile* const profile = profiles_->find(*context.kernel);
    return profile == nullptr ? kMaxContexts : profile->warp_limit.value_or(kMaxContexts);
  }

  unsigned limit_;
  std::shared_ptr<const KernelProfiles> profiles_;  ///< null: one limit for all kernels
  const isa::Kernel* kernel_ = nullptr;             ///< whose limit it is, and where its code is loaded
  std::uint64_t code_address_ = 0;
  bool stale_ = true;
  ContextSet held_, waiting_;
  std::uint64_t next_age_ = 0;
  std::vector<ContextId> by_age_;
};

HEDDLE_REGISTER(Veto, StaticLimit, "static_limit", "only the oldest contexts, up to a fixed number, may issue",
                "docs/sources/cache-conscious-and-divergence-aware.md 2.2");

}  // namespace heddle::sm
