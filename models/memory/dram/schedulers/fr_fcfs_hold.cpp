// SPDX-License-Identifier: Apache-2.0
// FR-FCFS with row hold: after a load whose hint announces another request to its row, the bank serves no other row for
// `hold_threshold` cycles.
// Source: docs/sources/large-warps-and-database-search.md, 2.14.
#include "core/unit.h"
#include "memory/dram/dram_scheduler.h"
#include "memory/dram/row_hold.h"

namespace heddle::memory {
namespace {

class FrFcfsHold final : public DramScheduler {
 public:
  struct Parameters {
    bool hold_by_latency = true;
    unsigned hold_threshold = 200;
    unsigned hold_renewals = 16;
    void describe(ParameterVisitor& v) {
      const char* const source = "docs/sources/large-warps-and-database-search.md, 2.14";
      v("hold_by_latency", hold_by_latency,
        "hold for the extra latency of a row conflict over a row hit, ignoring hold_threshold", unit::kNone, {},
        source);
      v("hold_threshold", hold_threshold,
        "time a bank waits for the announced request, from the end of the hinting one", unit::kCycles,
        range(0, 1000000), source);
      v("hold_renewals", hold_renewals, "renewals of a hold while an older request to another row waits", unit::kNone,
        range(0, 1000000), source);
    }
  };

  FrFcfsHold(const Parameters& parameters, const DramDevice& device, unsigned banks, const StatisticsGroup& s)
      : threshold_(parameters.hold_by_latency ? device.row_miss_cycles : parameters.hold_threshold),
        renewals_(parameters.hold_renewals),
        banks_(banks),
        holds_(s, "holds", "hinted requests after which a row was held", unit::kEvents),
        satisfied_(s, "holds_satisfied", "holds that ended with a request to the held row", unit::kEvents),
        expired_(s, "holds_expired", "holds after which another row was opened", unit::kEvents),
        refused_(s, "holds_refused", "hints refused because they exceeded hold_renewals", unit::kEvents),
        hold_cycles_(s, "hold_cycles",
                     "sum over satisfied holds of the time from the end of the hinting request to the "
                     "column command of the next",
                     unit::kCycles) {
    Derived(s, "mean_hold", "mean length of a satisfied hold", unit::kCycles,
            [this](const StatisticsView& v) { return StatisticsView::ratio(v[hold_cycles_], v[satisfied_]); });
  }

  BankChoice choose(const BankView& view, Cycle& ask_again) const override {
    const BankChoice hits = view.hits();
    if (hits.first != DramQueue::kNone) return hits;
    const RowHold& hold = banks_[view.bank];
    if (view.open_row && hold.holds(view.now)) {
      ask_again = hold.deadline();
      return {};
    }
    return {view.oldest()};
  }
  bool columns_first() const override { return true; }

  void served(const BankView& view, const DramRequest& request, Cycle done) override {
    RowHold& hold = banks_[view.bank];
    if (hold.held()) {
      ++satisfied_;
      hold_cycles_ += view.now > hold.since() ? view.now - hold.since() : 0;
    }
    if (!request.keep_row_open) return hold.release();
    const auto oldest = view.oldest();
    const bool contested =
        oldest != DramQueue::kNone && view.queue[oldest].order < request.order && view.queue[oldest].row != request.row;
    ++(hold.hint(request.row, done, threshold_, contested, renewals_) ? holds_ : refused_);
  }
  void activated(unsigned bank, std::uint64_t, Cycle) override {
    if (banks_[bank].held()) ++expired_;
    banks_[bank].release();
  }

 private:
  Cycle threshold_;
  unsigned renewals_;
  std::vector<RowHold> banks_;
  Counter holds_, satisfied_, expired_, refused_, hold_cycles_;
};

HEDDLE_REGISTER(DramScheduler, FrFcfsHold, "fr_fcfs_hold", "as fr_fcfs, and a row is held open after a hinted load",
                "docs/sources/large-warps-and-database-search.md, 2.14");

}  // namespace
}  // namespace heddle::memory
