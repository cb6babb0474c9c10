// SPDX-License-Identifier: Apache-2.0
// Adaptive: each bank has a time-out of its own, which grows when a row was closed too early (the next request wants it
// again) and shrinks when it stayed open too long (the next request wants another).
#include <algorithm>

#include "core/unit.h"
#include "memory/dram/dram_scheduler.h"

namespace heddle::memory {
namespace {

class AdaptiveRow final : public RowPolicy {
 public:
  struct Parameters {
    unsigned first = 100, step = 20, most = 1000;
    void describe(ParameterVisitor& v) {
      const Legal cycles = range(0, 1000000);
      v("first", first, "time-out of a bank at the start", unit::kCycles, cycles);
      v("step", step, "by how much a mistake changes it", unit::kCycles, range(1, 1000000));
      v("most", most, "longest time-out; at it a row stays open until another is wanted", unit::kCycles, cycles);
    }
    void check(ParameterChecks& checks) const {
      checks.require(first <= most, "first", "is above the longest time-out");
    }
  };
  AdaptiveRow(const Parameters& parameters, unsigned banks) : p_(parameters), timeouts_(banks, parameters.first) {}

  Cycle close_at(const BankView& view) const override {
    const unsigned timeout = timeouts_[view.bank];
    return timeout == p_.most ? kNever : view.now + timeout;
  }
  void found(unsigned bank, RowFound how) override {
    unsigned& timeout = timeouts_[bank];
    if (how == RowFound::reclosed) timeout = std::min(timeout + p_.step, p_.most);
    if (how == RowFound::other) timeout -= std::min(timeout, p_.step);
  }

 private:
  Parameters p_;
  std::vector<unsigned> timeouts_;  // by bank
};

HEDDLE_REGISTER(RowPolicy, AdaptiveRow, "adaptive", "a time-out a bank, longer after a row was closed too early", "");

}  // namespace
}  // namespace heddle::memory
