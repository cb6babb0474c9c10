// SPDX-License-Identifier: Apache-2.0
// A Verilated cutoff of lost-locality scores (rtl/score_cutoff.sv, of 10-bit scores) behind the model's interface.
#pragma once

#include <algorithm>
#include <array>
#include <bit>

#include "rtl/ports.h"
#include "rtl/verilated_block.h"
#include "sm/blocks/block_site.h"
#include "sm/scheduling/locality/score_cutoff.h"

namespace heddle::rtl {

inline constexpr unsigned kRtlScoreBits = 10;

/// Width of the sum of the scores of `warps` warps.
constexpr unsigned score_sum_bits(unsigned warps) {
  return kRtlScoreBits + static_cast<unsigned>(std::bit_width(warps - 1));
}
/// The cutoff as the hardware has it: no sum is above the highest one.
constexpr std::uint64_t score_cutoff_port(std::uint64_t cutoff, unsigned warps) {
  return std::min(cutoff, (std::uint64_t{1} << score_sum_bits(warps)) - 1);
}
/// The scores of the active warps in planes: word b holds bit b of every warp.
inline std::array<std::uint64_t, kRtlScoreBits> score_planes(const sm::CutoffRequest& request) {
  std::array<std::uint64_t, kRtlScoreBits> planes{};
  request.active.for_each([&](std::size_t warp) {
    for (unsigned score = request.scores[warp]; score != 0; score &= score - 1)
      planes[static_cast<unsigned>(std::countr_zero(score))] |= std::uint64_t{1} << warp;
  });
  return planes;
}

/// Cutoff: the Verilated class; kWarps: its parameter WARPS, at least as many as there are.
template <typename Cutoff, unsigned kWarps>
class ScoreCutoffRtl final : public sm::ScoreCutoff {
 public:
  ScoreCutoffRtl(sm::CutoffRule rule, const sm::BlockSite& site)
      : signals_(site.services.probes, site.path + ".rtl", site.clock.whole().name()) {
    show(signals_, "active", kWarps, "warps with threads, at the last request", cutoff_->active);
    show(signals_, "scores", kRtlScoreBits * kWarps, "their scores, a bit of all warps after the other",
         cutoff_->scores);
    show(signals_, "cutoff", score_sum_bits(kWarps), "sum of scores that is admitted", cutoff_->cutoff);
    show(signals_, "admitted", kWarps, "warps that may load", cutoff_->admitted);
    put(cutoff_->inclusive, 0, rule == sm::CutoffRule::inclusive);
    cutoff_->eval();
  }

  sm::WarpSet admit(const sm::CutoffRequest& request) override {
    bool changed = put64(cutoff_->active, 0, request.active.word(0));
    changed |= put64(cutoff_->cutoff, 0, score_cutoff_port(request.cutoff, kWarps));
    const auto scores = packed<kWarps>(score_planes(request));
    for (unsigned w = 0; w < scores.size(); ++w) changed |= put64(cutoff_->scores, w, scores[w]);
    if (changed) {
      cutoff_->eval();
      admitted_ = sm::WarpSet::of_word(bits(cutoff_->admitted, 0, kWarps));
    }
    return admitted_;
  }

 private:
  VerilatedBlock<Cutoff> cutoff_;
  ProbeGroup signals_;
  sm::WarpSet admitted_;
};

}  // namespace heddle::rtl
