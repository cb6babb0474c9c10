// SPDX-License-Identifier: Apache-2.0
// Refreshes all banks of a rank at once, every tREFI, with the ranks staggered. Within the limits of the parameters,
// refreshes are postponed while requests wait and pulled in while none do.
// Source: JEDEC JESD212, refresh.
#include "memory/dram/dram_refresh.h"

namespace heddle::memory {
namespace {

class AllBankRefresh final : public RefreshPolicy {
 public:
  using Parameters = RefreshDebt::Parameters;
  AllBankRefresh(const Parameters& parameters, const DramDevice& device, unsigned ranks, unsigned /*banks_of_rank*/) {
    for (unsigned rank = 0; rank < ranks; ++rank) {
      ranks_.emplace_back(parameters, device.refresh_interval, 1, rank * device.refresh_interval / ranks);
    }
  }
  std::optional<DramCommand> command() const override { return DramCommand::refresh_all; }
  std::optional<unsigned> due(const RankView& view, Cycle& ask_again) override {
    const auto urgency = ranks_[view.rank].urgency(view.idle_since, view.now, ask_again);
    if (urgency == RefreshDebt::Urgency::none) return std::nullopt;
    return 0;
  }
  void refreshed(unsigned rank, unsigned, Cycle) override { ranks_[rank].refreshed(); }

 private:
  std::vector<RefreshDebt> ranks_;
};

HEDDLE_REGISTER(RefreshPolicy, AllBankRefresh, "all_bank", "all banks of a rank every tREFI", "JEDEC JESD212");

}  // namespace
}  // namespace heddle::memory
