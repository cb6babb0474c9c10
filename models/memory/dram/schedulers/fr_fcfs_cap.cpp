// SPDX-License-Identifier: Apache-2.0
// FR-FCFS with a cap: an older request to another row of the bank is passed by at most `cap` requests to the open row,
// so that a stream cannot starve others.
// Source: the cap of Mutlu and Moscibroda, MICRO 2007, "Stall-time fair memory access scheduling".
#include "core/unit.h"
#include "memory/dram/dram_scheduler.h"

namespace heddle::memory {
namespace {

class FrFcfsCap final : public DramScheduler {
 public:
  struct Parameters {
    unsigned cap = 4;
    void describe(ParameterVisitor& v) {
      v("cap", cap, "younger requests to the open row that a bank serves before an older one to another row",
        unit::kRequests, range(1, 4096));
    }
  };
  FrFcfsCap(const Parameters& parameters, const DramDevice&, unsigned banks, const StatisticsGroup& statistics)
      : cap_(parameters.cap),
        passed_(banks),
        capped_(statistics, "capped", "rows given up because the cap was reached", unit::kEvents) {}

  BankChoice choose(const BankView& view, Cycle& /*ask_again*/) const override {
    const BankChoice hits = view.hits();
    return hits.first == DramQueue::kNone || passed_[view.bank] >= cap_ ? BankChoice{view.oldest()} : hits;
  }
  bool columns_first() const override { return true; }
  void served(const BankView& view, const DramRequest& request, Cycle /*done*/) override {
    const auto oldest = view.oldest();
    const bool passes = oldest != DramQueue::kNone && view.queue[oldest].order < request.order;
    unsigned& passed = passed_[view.bank];
    passed = passes ? passed + 1 : 0;
    if (passed == cap_) ++capped_;
  }
  void activated(unsigned bank, std::uint64_t, Cycle) override { passed_[bank] = 0; }

 private:
  unsigned cap_;
  std::vector<unsigned> passed_;  // by bank: requests that passed an older one since the row was opened
  Counter capped_;
};

HEDDLE_REGISTER(DramScheduler, FrFcfsCap, "fr_fcfs_cap",
                "as fr_fcfs, with a cap on the row hits that pass an older request",
                "Mutlu and Moscibroda, MICRO 2007");

}  // namespace
}  // namespace heddle::memory
