// SPDX-License-Identifier: Apache-2.0
// The cutoff of lost-locality scores as RTL, and in lockstep with the model.
#include "ScoreCutoff16.h"
#include "ScoreCutoff32.h"
#include "ScoreCutoff64.h"
#include "ScoreCutoff8.h"
#include "core/error.h"
#include "rtl/blocks.h"
#include "rtl/score_cutoff_rtl.h"

namespace heddle::rtl {

std::vector<PortValue> ScoreCutoffPorts::inputs(const sm::ScoreCutoffShape& shape, const sm::CutoffRequest& request) {
  // Four hexadecimal digits per warp, easier to read than the planes of the hardware.
  std::vector<std::uint64_t> scores((shape.warps + 3) / 4);
  request.active.for_each([&](std::size_t w) { scores[w / 4] |= std::uint64_t{request.scores[w]} << 16 * (w % 4); });
  return {{"active", shape.warps, {request.active.word(0)}},
          {"scores", 16 * shape.warps, scores},
          {"cutoff", 16, {score_cutoff_port(request.cutoff, shape.warps)}},
          {"inclusive", 1, {shape.rule == sm::CutoffRule::inclusive}}};
}

std::vector<PortValue> ScoreCutoffPorts::outputs(const sm::ScoreCutoffShape& shape, const sm::WarpSet& admitted) {
  return {{"admitted", shape.warps, {admitted.word(0)}}};
}

namespace {

std::unique_ptr<sm::ScoreCutoff> verilated(const sm::ScoreCutoffShape& shape, const sm::BlockSite& site) {
  if (shape.warps > 64 || shape.score_bits > kRtlScoreBits)
    fail(ExitCode::configuration,
         "sm.blocks.score_cutoff: there is RTL for at most 64 warps with scores of at most {} bits; this machine has "
         "{} warps with scores of {} bits",
         kRtlScoreBits, shape.warps, shape.score_bits);
  // Warps that a machine lacks are not active.
  if (shape.warps <= 8) return std::make_unique<ScoreCutoffRtl<ScoreCutoff8, 8>>(shape.rule, site);
  if (shape.warps <= 16) return std::make_unique<ScoreCutoffRtl<ScoreCutoff16, 16>>(shape.rule, site);
  if (shape.warps <= 32) return std::make_unique<ScoreCutoffRtl<ScoreCutoff32, 32>>(shape.rule, site);
  return std::make_unique<ScoreCutoffRtl<ScoreCutoff64, 64>>(shape.rule, site);
}

class RtlScoreCutoff final : public sm::ScoreCutoff {
 public:
  RtlScoreCutoff(const sm::ScoreCutoffShape& shape, const sm::BlockSite& site) : unit_(verilated(shape, site)) {}
  sm::WarpSet admit(const sm::CutoffRequest& request) override { return unit_->admit(request); }

 private:
  std::unique_ptr<sm::ScoreCutoff> unit_;
};

class LockstepScoreCutoff final : public ScoreCutoffLockstep {
 public:
  LockstepScoreCutoff(const sm::ScoreCutoffShape& shape, const sm::BlockSite& site)
      : ScoreCutoffLockstep(shape, site, make(Mechanism<sm::ScoreCutoff>("model"), shape, site),
                            make(Mechanism<sm::ScoreCutoff>("rtl"), shape, site)) {}
};

}  // namespace

using sm::ScoreCutoff;
HEDDLE_REGISTER(ScoreCutoff, RtlScoreCutoff, "rtl", "rtl/score_cutoff.sv, Verilated", "docs/rtl.md");
HEDDLE_REGISTER(ScoreCutoff, LockstepScoreCutoff, "lockstep", "model and RTL; the run ends at their first difference",
                "docs/rtl.md");

}  // namespace heddle::rtl
