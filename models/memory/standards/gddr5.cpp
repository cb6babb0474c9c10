// SPDX-License-Identifier: Apache-2.0
// GDDR5 (JEDEC JESD212), and GDDR3 by one bank group and its own figures: timings in command clock cycles, named as the
// standard names them. A timing of 0 does not bind.
#include "core/unit.h"
#include "memory/dram_standard.h"

namespace heddle::memory {
namespace {

using enum DramCommand;
using enum DramLevel;

class Gddr5 final : public DramStandard {
 public:
  /// Defaults: the part of bench/README.md's GTX 480, 924 MHz command clock.
  struct Parameters {
    unsigned tCL = 12, tWL = 4, burst_cycles = 2;
    unsigned tRCD = 12, tRP = 12, tRAS = 28, tRC = 40;
    unsigned tRRD = 6, tFAW = 0;
    unsigned tCCD = 2, tCCDL = 3;
    unsigned tCDLR = 5, tWR = 12, tRTP = 2, tRTW = 0;

    void describe(ParameterVisitor& v) {
      const Legal cycles = range(0, 10000);
      v("tCL", tCL, "read command to first data", unit::kCycles, cycles);
      v("tWL", tWL, "write command to first data", unit::kCycles, cycles);
      v("burst_cycles", burst_cycles, "data bus cycles of one column command", unit::kCycles, range(1, 1000));
      v("tRCD", tRCD, "activate to column command, same bank", unit::kCycles, cycles);
      v("tRP", tRP, "precharge to activate, same bank", unit::kCycles, cycles);
      v("tRAS", tRAS, "activate to precharge, same bank", unit::kCycles, cycles);
      v("tRC", tRC, "activate to activate, same bank", unit::kCycles, cycles);
      v("tRRD", tRRD, "activate to activate, different banks", unit::kCycles, cycles);
      v("tFAW", tFAW, "four activates to the fifth; 0: does not bind", unit::kCycles, cycles);
      v("tCCD", tCCD, "column command to column command of the same direction", unit::kCycles, cycles);
      v("tCCDL", tCCDL, "the same within one bank group", unit::kCycles, cycles);
      v("tCDLR", tCDLR, "end of write data to read command", unit::kCycles, cycles);
      v("tWR", tWR, "end of write data to precharge, same bank", unit::kCycles, cycles);
      v("tRTP", tRTP, "read to precharge, same bank", unit::kCycles, cycles);
      v("tRTW", tRTW, "read command to write command; 0: tCL + burst_cycles + 2 - tWL, two cycles to turn the bus",
        unit::kCycles, cycles);
    }
    void check(ParameterChecks& checks) const {
      checks.require(tRTW != 0 || tCL + burst_cycles + 2 > tWL, "tRTW", "must be given when tWL is this long");
      checks.require(tCCD >= burst_cycles, "tCCD", "column commands cannot come faster than the data bus moves bursts");
    }
  };

  explicit Gddr5(const Parameters& parameters) : p_(parameters) {}

  DramDevice device() const override {
    const Cycle read_to_write = p_.tRTW != 0 ? p_.tRTW : p_.tCL + p_.burst_cycles + 2 - p_.tWL;
    const Cycle write_data = p_.tWL + p_.burst_cycles;
    DramDevice device;
    device.read_latency = p_.tCL;
    device.write_latency = p_.tWL;
    device.burst_cycles = p_.burst_cycles;
    device.constraints = {
        // level, preceding, following, latency, window
        {kBank, {kActivate}, {kRead, kWrite}, p_.tRCD}, {kBank, {kActivate}, {kPrecharge}, p_.tRAS},
        {kBank, {kActivate}, {kActivate}, p_.tRC},      {kBank, {kPrecharge}, {kActivate}, p_.tRP},
        {kBank, {kRead}, {kPrecharge}, p_.tRTP},        {kBank, {kWrite}, {kPrecharge}, write_data + p_.tWR},
        {kBankGroup, {kRead}, {kRead}, p_.tCCDL},       {kBankGroup, {kWrite}, {kWrite}, p_.tCCDL},
        {kChannel, {kRead}, {kRead}, p_.tCCD},          {kChannel, {kWrite}, {kWrite}, p_.tCCD},
        {kChannel, {kRead}, {kWrite}, read_to_write},   {kChannel, {kWrite}, {kRead}, write_data + p_.tCDLR},
        {kRank, {kActivate}, {kActivate}, p_.tRRD},     {kRank, {kActivate}, {kActivate}, p_.tFAW, 4},
    };
    return device;
  }

 private:
  Parameters p_;
};

HEDDLE_REGISTER(DramStandard, Gddr5, "gddr5", "GDDR5 command timing; with one bank group also GDDR3", "JEDEC JESD212");

}  // namespace
}  // namespace heddle::memory
