// SPDX-License-Identifier: Apache-2.0
// Cost of large warps for a core, as declared by its grouping and hazard tracker, and the placement of the source
// machine's threads in its register file. Source: docs/sources/large-warps-and-database-search.md, 2.1 and 2.5.1.
#include <gtest/gtest.h>

#include "large_warp_targets.h"
#include "sm/grouping/large_warps/packer_owner.h"

namespace heddle::studies {
namespace {

using namespace sm;

/// The core of a preset with the source's register file, 64 KB; the preset's own is larger, for kernels with 64-bit
/// addresses.
SmParameters core_of(const std::string& preset) { return sm_of(preset, {"sm.residency.registers=16384"}); }
constexpr unsigned kRegisterBytes = 4;

/// Declared structures of a core's grouping and hazards.
class Declared {
 public:
  explicit Declared(const SmParameters& core)
      : warp_size_(core.warp_size), grouping_(make(core.grouping, grouping_shape(core), table_)) {
    hazards_ = make(core.hazards, HazardShape{warps(), warps(), warp_size_, false});
    grouping_->declare_state(grouping_state_);
    hazard_state_.charge_to(grouping_->traits().needs.has(Feature::threads_in_flight) ? grouping_->name()
                                                                                      : core.hazards.name());
    hazards_->declare_state(hazard_state_);
  }
  /// Bits that the core has because of large warps, in all or in one structure.
  double added(const std::string& name = "") const {
    double bits = 0;
    for (const Structure* structure : services_.structures.all()) {
      if (!structure->view() && structure->mechanism() == "large_warps" && (name.empty() || structure->name() == name))
        bits += static_cast<double>(structure->bits());
    }
    return bits;
  }
  unsigned warps() const { return grouping_->traits().contexts; }
  /// One active mask per warp, in the context table of every machine.
  double active_mask_bits() const { return 1.0 * warps() * warp_size_; }
  unsigned rows() const { return dynamic_cast<PackerOwner&>(*grouping_).packer_shape().rows; }

 private:
  Services services_;
  ModuleState grouping_state_{services_, "grouping", "core"}, hazard_state_{services_, "hazards", "core"};
  ContextTable table_;
  unsigned warp_size_;
  std::unique_ptr<GroupingUnit> grouping_;
  std::unique_ptr<HazardTracker> hazards_;
};

Declared large_warps() { return Declared(core_of("large-warp-core")); }
Declared baseline() { return Declared(core_of("barrel-core")); }

/// Large warps declare no masks of their own, and those of the table are as many bits.
double more_active_mask_bits() {
  EXPECT_EQ(baseline().added(), 0);
  return large_warps().active_mask_bits() - baseline().active_mask_bits();
}

/// The largest number of registers per thread that allows all the core's threads to be resident.
unsigned registers_of_thread() {
  const SmParameters core = core_of("barrel-core");
  const SmResources residency(core.residency);
  isa::Kernel kernel;
  const auto resident = [&](unsigned registers) {
    kernel.registers = registers;
    constexpr unsigned kBlock = 256;
    return kBlock * residency.capacity(BlockNeed::of(kernel, kBlock, 0, core.warp_size, core.residency));
  };
  unsigned most = 0;
  while (resident(most + 1) == core.residency.threads) ++most;
  return most;
}

/// Registers in a row of the register file: one per thread of a warp.
unsigned row_registers() { return core_of("barrel-core").warp_size; }
unsigned registers() { return core_of("barrel-core").residency.registers; }
/// Banks of the register file, one per lane.
unsigned banks() { return core_of("large-warp-core").simd_width; }

/// Number of a large warp and of a row in it.
unsigned large_warp_and_row_bits() { return index_bits(large_warps().warps()) + index_bits(large_warps().rows()); }

}  // namespace

void add_cost_targets(Evaluations& targets) {
  targets["lw.cost.storage-working-mask"] = [] { return large_warps().added("grouping.working_mask"); };
  targets["lw.cost.storage-branch-masks"] = [] { return large_warps().added("grouping.branch_masks"); };
  targets["lw.cost.storage-inflight"] = [] { return large_warps().added("hazards.in_flight"); };
  targets["lw.cost.storage-active-mask"] = more_active_mask_bits;
  for (const char* size : {"64", "128", "256", "512"}) {
    targets[std::string("lw.cost.storage-formula-") + size] = [=] {
      return Declared(sm_of("large-warp-core", {std::string("sm.warp_size=") + size})).added();
    };
  }

  targets["lw.cost.rf-regs-per-thread"] = [] { return registers_of_thread(); };
  targets["lw.cost.rf-bytes-per-thread"] = [] { return registers_of_thread() * kRegisterBytes; };
  targets["lw.cost.rf-row-width"] = [] { return row_registers() * kRegisterBytes; };
  targets["lw.cost.rf-rows"] = [] { return registers() / row_registers(); };
  targets["lw.cost.rf-bank-size"] = [] { return registers() / banks() * kRegisterBytes; };
  targets["lw.cost.rf-bank-address-bits"] = [] {
    const unsigned bits = large_warp_and_row_bits() + index_bits(registers_of_thread());
    EXPECT_EQ(1u << bits, registers() / banks()) << "a bank's words";
    return bits;
  };
  targets["lw.cost.rf-row-id-vector"] = [] { return banks() * index_bits(large_warps().rows()); };
  targets["lw.cost.rf-id-width"] = [] {
    EXPECT_EQ(index_bits(baseline().warps()), large_warp_and_row_bits());
    return large_warp_and_row_bits();
  };
}

}  // namespace heddle::studies
