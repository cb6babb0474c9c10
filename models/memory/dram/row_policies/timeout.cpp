// SPDX-License-Identifier: Apache-2.0
// Timeout: a row is closed after it has not been accessed for some time.
#include "core/unit.h"
#include "memory/dram/dram_scheduler.h"

namespace heddle::memory {
namespace {

class TimeoutRow final : public RowPolicy {
 public:
  struct Parameters {
    unsigned cycles = 100;
    void describe(ParameterVisitor& v) {
      v("cycles", cycles, "from the last column command to closing the row", unit::kCycles, range(0, 1000000));
    }
  };
  TimeoutRow(const Parameters& parameters, unsigned /*banks*/) : cycles_(parameters.cycles) {}
  Cycle close_at(const BankView& view) const override { return view.now + cycles_; }

 private:
  Cycle cycles_;
};

HEDDLE_REGISTER(RowPolicy, TimeoutRow, "timeout", "a row is closed after it has not been accessed for some time", "");

}  // namespace
}  // namespace heddle::memory
