// SPDX-License-Identifier: Apache-2.0
// Closed row: a row is closed as soon as no waiting request needs it.
#include "memory/dram/dram_scheduler.h"

namespace heddle::memory {
namespace {

class ClosedRow final : public RowPolicy {
 public:
  explicit ClosedRow(unsigned /*banks*/) {}
  Cycle close_at(const BankView& view) const override { return view.now; }
};

HEDDLE_REGISTER(RowPolicy, ClosedRow, "closed", "a row is closed as soon as no waiting request needs it", "");

}  // namespace
}  // namespace heddle::memory
