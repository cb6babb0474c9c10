// SPDX-License-Identifier: Apache-2.0
// First ready, first come, first served: the oldest request to the open row, else the oldest request; column commands
// have priority over row commands.
// Source: Rixner et al., ISCA 2000, "Memory access scheduling".
#include "memory/dram/dram_scheduler.h"

namespace heddle::memory {
namespace {

class FrFcfs final : public DramScheduler {
 public:
  FrFcfs(const DramDevice&, unsigned /*banks*/, const StatisticsGroup&) {}
  BankChoice choose(const BankView& view, Cycle& /*ask_again*/) const override {
    const BankChoice hits = view.hits();
    return hits.first != DramQueue::kNone ? hits : BankChoice{view.oldest()};
  }
  bool columns_first() const override { return true; }
};

HEDDLE_REGISTER(DramScheduler, FrFcfs, "fr_fcfs", "the oldest request to the open row, else the oldest",
                "Rixner et al., ISCA 2000");

}  // namespace
}  // namespace heddle::memory
