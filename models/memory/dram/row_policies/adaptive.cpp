// SPDX-License-Identifier: Apache-2.0
// Adaptive: each bank has its own timeout, which grows if a row was closed too early (the next request needs it again)
// and shrinks if it stayed open too long (the next request needs another).
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
      v("first", first, "initial timeout of a bank", unit::kCycles, cycles);
      v("step", step, "change of the timeout per misprediction", unit::kCycles, range(1, 1000000));
      v("most", most, "longest timeout; at this value a row stays open until another is needed", unit::kCycles, cycles);
    }
    void check(ParameterChecks& checks) const {
      checks.require(first <= most, "first", "must not exceed the longest timeout");
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

HEDDLE_REGISTER(RowPolicy, AdaptiveRow, "adaptive",
                "a timeout per bank that adapts to rows closed too early or too late", "");

}  // namespace
}  // namespace heddle::memory
