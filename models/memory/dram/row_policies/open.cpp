// SPDX-License-Identifier: Apache-2.0
// Open row: a row stays open until another row of the bank is needed.
#include "memory/dram/dram_scheduler.h"

namespace heddle::memory {
namespace {

class OpenRow final : public RowPolicy {
 public:
  explicit OpenRow(unsigned /*banks*/) {}
  Cycle close_at(const BankView&) const override { return kNever; }
};

HEDDLE_REGISTER(RowPolicy, OpenRow, "open", "a row stays open until another row of the bank is needed", "");

}  // namespace
}  // namespace heddle::memory
