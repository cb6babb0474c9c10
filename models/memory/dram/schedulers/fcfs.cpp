// SPDX-License-Identifier: Apache-2.0
// First come, first served: each bank serves its oldest request; banks work in parallel.
// Source: docs/sources/large-warps-and-database-search.md, 2.13 and decision 15.
#include "memory/dram/dram_scheduler.h"

namespace heddle::memory {
namespace {

class Fcfs final : public DramScheduler {
 public:
  Fcfs(const DramDevice&, unsigned /*banks*/, const StatisticsGroup&) {}
  BankChoice choose(const BankView& view, Cycle& /*ask_again*/) const override { return {view.oldest()}; }
  bool columns_first() const override { return false; }
};

HEDDLE_REGISTER(DramScheduler, Fcfs, "fcfs", "a bank serves its oldest request",
                "docs/sources/large-warps-and-database-search.md, 2.13");

}  // namespace
}  // namespace heddle::memory
