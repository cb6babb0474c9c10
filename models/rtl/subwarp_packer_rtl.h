// SPDX-License-Identifier: Apache-2.0
// A Verilated sub-warp packer (rtl/subwarp_pack.sv) behind the model's interface.
#pragma once

#include <bit>

#include "rtl/ports.h"
#include "rtl/verilated_block.h"
#include "sm/blocks/block_site.h"
#include "sm/grouping/large_warps/subwarp_packer.h"

namespace heddle::rtl {

/// Packer: the Verilated class; kRows, kColumns: its parameters.
template <typename Packer, unsigned kRows, unsigned kColumns>
class SubwarpPackerRtl final : public sm::SubwarpPacker {
 public:
  explicit SubwarpPackerRtl(const sm::BlockSite& site)
      : signals_(site.services.probes, site.path + ".rtl", site.clock.whole().name()) {
    show(signals_, "work_mask", kThreads, "threads still to serve, at the last request", packer_->work_mask);
    show(signals_, "inflight", kThreads, "threads in packets that have not completed", packer_->inflight);
    show(signals_, "guard", kThreads, "threads whose guard holds", packer_->guard);
    show(signals_, "mode", 2, "0: one thread per column; 1: a whole row; 2: a token", packer_->mode);
    show(signals_, "sub_mask", kColumns, "columns with a thread", packer_->sub_mask);
    show(signals_, "row_id", kRowBits * kColumns, "row of each column's thread, in bit planes", packer_->row_id);
    show(signals_, "next_mask", kThreads, "threads left for later", packer_->next_mask);
    show(signals_, "any", 1, "some thread is packed", packer_->any);
    show(signals_, "last", 1, "nothing is left", packer_->last);
    packer_->eval();
  }

  /// mode: not `arbitrary`, which has no hardware.
  sm::SubWarp pack(const sm::PackRequest& request) override {
    bool changed = put(packer_->mode, 0, static_cast<std::uint32_t>(request.mode));
    for (unsigned w = 0; w < kWords; ++w) {
      changed |= put(packer_->work_mask, w, word(request.work, w));
      changed |= put(packer_->inflight, w, word(request.in_flight, w));
      changed |= put(packer_->guard, w, word(request.guard, w));
    }
    if (changed) {
      packer_->eval();
      read();
    }
    return packed_;
  }

 private:
  static constexpr unsigned kThreads = kRows * kColumns, kWords = (kThreads + 31) / 32;
  static constexpr unsigned kRowBits = static_cast<unsigned>(std::bit_width(kRows - 1));
  static constexpr std::uint32_t kLastWord = kThreads % 32 == 0 ? ~0u : (1u << kThreads % 32) - 1;

  static std::uint32_t word(const ThreadSet& set, unsigned w) {
    return set.word32(w) & (w + 1 == kWords ? kLastWord : ~0u);
  }

  void read() {
    packed_ = {};
    for (unsigned w = 0; w < kWords; ++w) packed_.left.set_word32(w, get(packer_->next_mask, w));
    const auto columns = static_cast<std::uint32_t>(packer_->sub_mask);
    for (unsigned row = 0; row < kRows && columns != 0; ++row) {
      // The columns whose thread is in this row.
      std::uint32_t here = columns;
      for (unsigned b = 0; b < kRowBits; ++b) {
        const auto plane = static_cast<std::uint32_t>(bits(packer_->row_id, b * kColumns, kColumns));
        here &= (row >> b & 1) != 0 ? plane : ~plane;
      }
      const unsigned first = row * kColumns;
      packed_.threads.set_word32(first / 32, packed_.threads.word32(first / 32) | here << first % 32);
      for (; here != 0; here &= here - 1)
        packed_.row[static_cast<unsigned>(std::countr_zero(here))] = static_cast<std::uint8_t>(row);
    }
    packed_.any = packer_->any != 0;
    packed_.last = packer_->last != 0;
  }

  VerilatedBlock<Packer> packer_;
  ProbeGroup signals_;
  sm::SubWarp packed_;
};

}  // namespace heddle::rtl
