// SPDX-License-Identifier: Apache-2.0
// A Verilated partner-synch table (rtl/partner_synch.sv) behind the model's interface. Each call is a clock edge.
#pragma once

#include <bit>

#include "rtl/ports.h"
#include "rtl/verilated_block.h"
#include "sm/blocks/block_site.h"
#include "sm/grouping/resizing/partner_synch.h"

namespace heddle::rtl {

/// Table: the Verilated class; the numbers are its parameters GROUPS, PARTNERS and PC_BITS.
template <typename Table, unsigned kGroups, unsigned kPartners, unsigned kPcBits = 32>
class PartnerSynchRtl final : public sm::PartnerSynch {
 public:
  explicit PartnerSynchRtl(const sm::BlockSite& site)
      : signals_(site.services.probes, site.path + ".rtl", site.clock.whole().name()) {
    show(signals_, "group", bits_of(kGroups), "group of partners, at the last call", table_->group);
    show(signals_, "arrives", 1, "a sub-warp arrives at its barrier", table_->arrives);
    show(signals_, "partner", bits_of(kPartners), "that arrives", table_->partner);
    show(signals_, "pc", kPcBits, "of its barrier", table_->pc);
    show(signals_, "others", kPartners, "partners that cannot arrive", table_->others);
    show(signals_, "mismatch", 1, "it arrives at another PC than the first one", mismatch_);
    show(signals_, "releases", 1, "the locked partners go on", releases_);
    show(signals_, "locked", kPartners, "partners that are locked, with the arriving one", locked_);
    show(signals_, "first_pc", kPcBits, "PC at which the first one arrived", first_pc_);
    table_->reset = 1;
    table_->eval();
    edge();
    table_->reset = 0;
  }

  sm::PartnerSynchAnswer update(const sm::PartnerSynchRequest& request) override {
    put(table_->group, 0, request.group);
    put(table_->arrives, 0, request.arrives);
    put(table_->partner, 0, request.partner);
    put(table_->pc, 0, request.pc);
    put(table_->others, 0, request.others);
    table_->update = 1;
    table_->eval();
    // The edge changes the entry, and so the outputs.
    mismatch_ = get(table_->mismatch, 0);
    releases_ = get(table_->releases, 0);
    locked_ = get(table_->locked, 0);
    first_pc_ = get(table_->first_pc, 0);
    edge();
    table_->update = 0;
    return {mismatch_ != 0, releases_ != 0, static_cast<sm::PartnerMask>(locked_), first_pc_};
  }

 private:
  static constexpr unsigned bits_of(unsigned count) { return static_cast<unsigned>(std::bit_width(count - 1)); }
  /// Inputs have settled. Between calls, the clock is low.
  void edge() {
    table_->clock = 1;
    table_->eval();
    table_->clock = 0;
  }

  VerilatedBlock<Table> table_;
  ProbeGroup signals_;
  std::uint32_t mismatch_ = 0, releases_ = 0, locked_ = 0, first_pc_ = 0;  ///< outputs of the last call
};

}  // namespace heddle::rtl
