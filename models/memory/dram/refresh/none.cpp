// SPDX-License-Identifier: Apache-2.0
// No refresh, as in models that ignore it.
#include "memory/dram/dram_refresh.h"

namespace heddle::memory {
namespace {

class NoRefresh final : public RefreshPolicy {
 public:
  NoRefresh(const DramDevice&, unsigned /*ranks*/, unsigned /*banks_of_rank*/) {}
  std::optional<DramCommand> command() const override { return std::nullopt; }
  std::optional<unsigned> due(const RankView&, Cycle&) override { return std::nullopt; }
  void refreshed(unsigned, unsigned, Cycle) override {}
};

HEDDLE_REGISTER(RefreshPolicy, NoRefresh, "none", "no refresh", "");

}  // namespace
}  // namespace heddle::memory
