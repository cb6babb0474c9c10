// SPDX-License-Identifier: Apache-2.0
// Refreshes one bank at a time, each once per tREFI, while the others keep working. Within a round, banks without
// requests come first; a bank with requests is refreshed once it can no longer be postponed.
// Source: JEDEC JESD235A and JESD250, per-bank refresh.
#include <bit>

#include "memory/dram/dram_refresh.h"

namespace heddle::memory {
namespace {

class PerBankRefresh final : public RefreshPolicy {
 public:
  using Parameters = RefreshDebt::Parameters;
  PerBankRefresh(const Parameters& parameters, const DramDevice& device, unsigned ranks, unsigned banks_of_rank)
      : all_(banks_of_rank == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << banks_of_rank) - 1), left_(ranks, all_) {
    const Cycle interval = device.refresh_interval / banks_of_rank;
    for (unsigned rank = 0; rank < ranks; ++rank) {
      debts_.emplace_back(parameters, interval, banks_of_rank, rank * interval / ranks);
    }
  }
  std::optional<DramCommand> command() const override { return DramCommand::refresh_bank; }
  std::optional<unsigned> due(const RankView& view, Cycle& ask_again) override {
    // Even in a busy rank, a bank without requests counts as idle.
    const std::uint64_t idle = left_[view.rank] & ~view.waiting;
    const Cycle idle_since = view.idle_since != kNever ? view.idle_since : idle != 0 ? Cycle{0} : kNever;
    const auto urgency = debts_[view.rank].urgency(idle_since, view.now, ask_again);
    if (urgency == RefreshDebt::Urgency::none) return std::nullopt;
    return static_cast<unsigned>(std::countr_zero(idle != 0 ? idle : left_[view.rank]));
  }
  void refreshed(unsigned rank, unsigned bank, Cycle) override {
    debts_[rank].refreshed();
    left_[rank] &= ~(std::uint64_t{1} << bank);
    if (left_[rank] == 0) left_[rank] = all_;
  }

 private:
  std::uint64_t all_;
  std::vector<std::uint64_t> left_;  // by rank: banks still to be refreshed in this round
  std::vector<RefreshDebt> debts_;
};

HEDDLE_REGISTER(RefreshPolicy, PerBankRefresh, "per_bank", "each bank individually, once every tREFI", "JEDEC JESD250");

}  // namespace
}  // namespace heddle::memory
