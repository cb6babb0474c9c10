// SPDX-License-Identifier: Apache-2.0
// A simplified memory: an access to the open row takes `row_hit` cycles, to another row `row_conflict`; both include
// the time the bank is occupied. Waiting hits to the open row follow each other every `hit_interval` cycles; the data
// bus moves one burst per `burst_cycles`. Source: docs/sources/large-warps-and-database-search.md, 2.13 and
// decision 16.
#include "core/unit.h"
#include "memory/dram/dram_standard.h"

namespace heddle::memory {
namespace {

class HitConflict final : public DramStandard {
 public:
  struct Parameters {
    unsigned row_hit = 100, row_conflict = 300, hit_interval = 4, hit_occupancy = 100, burst_cycles = 4;

    void describe(ParameterVisitor& v) {
      const char* const source = "docs/sources/large-warps-and-database-search.md, 2.13";
      v("row_hit", row_hit, "an access to the open row", unit::kCycles, range(1, 100000), source);
      v("row_conflict", row_conflict, "an access to another row", unit::kCycles, range(1, 100000), source);
      v("hit_interval", hit_interval, "between two waiting accesses to the open row; equal to row_hit: not pipelined",
        unit::kCycles, range(1, 100000), "docs/sources/large-warps-and-database-search.md, decision 16");
      v("hit_occupancy", hit_occupancy, "time a hit occupies its bank before another row can be opened", unit::kCycles,
        range(1, 100000), "docs/sources/large-warps-and-database-search.md, decision 16");
      v("burst_cycles", burst_cycles, "data bus cycles of one access", unit::kCycles, range(1, 100000));
    }
    void check(ParameterChecks& checks) const {
      checks.require(row_conflict > row_hit, "row_conflict", "a conflict must take longer than a hit");
      checks.require(hit_occupancy <= row_hit, "hit_occupancy", "must not exceed row_hit");
      checks.require(row_hit >= burst_cycles, "burst_cycles", "must not exceed row_hit");
    }
  };

  explicit HitConflict(const Parameters& parameters) : p_(parameters) {}

  DramDevice device() const override {
    DramDevice device;
    // The burst ends when the access does.
    device.read_latency = device.write_latency = p_.row_hit - p_.burst_cycles;
    device.burst_cycles = p_.burst_cycles;
    device.row_miss_cycles = p_.row_conflict - p_.row_hit;
    device.row_switch_is_one_command = true;
    device.constraints = {
        {DramLevel::bank,
         {DramCommand::activate},
         {DramCommand::read, DramCommand::write},
         p_.row_conflict - p_.row_hit},
        {DramLevel::bank, {DramCommand::activate}, {DramCommand::activate}, p_.row_conflict},
        {DramLevel::bank,
         {DramCommand::read, DramCommand::write},
         {DramCommand::activate, DramCommand::precharge},
         p_.hit_occupancy},
        {DramLevel::bank,
         {DramCommand::read, DramCommand::write},
         {DramCommand::read, DramCommand::write},
         p_.hit_interval},
        {DramLevel::channel,
         {DramCommand::read, DramCommand::write},
         {DramCommand::read, DramCommand::write},
         p_.burst_cycles},
    };
    return device;
  }

 private:
  Parameters p_;
};

HEDDLE_REGISTER(DramStandard, HitConflict, "hit_conflict", "row hits and row conflicts of fixed duration",
                "docs/sources/large-warps-and-database-search.md, 2.13");

}  // namespace
}  // namespace heddle::memory
