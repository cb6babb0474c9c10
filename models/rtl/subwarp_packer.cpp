// SPDX-License-Identifier: Apache-2.0
// The sub-warp packer as RTL, and in lockstep with the model.
#include "SubwarpPack16x32.h"
#include "SubwarpPack2x32.h"
#include "SubwarpPack4x32.h"
#include "SubwarpPack8x32.h"
#include "core/error.h"
#include "rtl/blocks.h"
#include "rtl/subwarp_packer_rtl.h"

namespace heddle::rtl {

namespace {

/// The first rows x columns threads.
PortValue threads(const sm::PackerShape& shape, const std::string& name, const ThreadSet& set) {
  const unsigned width = shape.rows * shape.columns;
  const ThreadSet inside = set & ThreadSet::first_n(width);
  PortValue port{name, width, {}};
  for (unsigned w = 0; w < (width + 63) / 64; ++w) port.words.push_back(inside.word(w));
  return port;
}

}  // namespace

std::vector<PortValue> SubwarpPackerPorts::inputs(const sm::PackerShape& shape, const sm::PackRequest& request) {
  return {threads(shape, "work_mask", request.work),
          threads(shape, "inflight", request.in_flight),
          threads(shape, "guard", request.guard),
          {"mode", 2, {static_cast<std::uint64_t>(request.mode)}}};
}

std::vector<PortValue> SubwarpPackerPorts::outputs(const sm::PackerShape& shape, const sm::SubWarp& packed) {
  // One hexadecimal digit per column: rows are 0 .. 15.
  PortValue rows{"row_id", 4 * shape.columns, std::vector<std::uint64_t>((shape.columns + 15) / 16)};
  for (unsigned c = 0; c < shape.columns; ++c) rows.words[c / 16] |= std::uint64_t{packed.row[c]} << 4 * (c % 16);
  return {threads(shape, "threads", packed.threads),
          rows,
          threads(shape, "next_mask", packed.left),
          {"any", 1, {packed.any ? 1u : 0u}},
          {"last", 1, {packed.last ? 1u : 0u}}};
}

namespace {

std::unique_ptr<sm::SubwarpPacker> verilated(const sm::PackerShape& shape, const sm::BlockSite& site) {
  if (shape.columns == 32) {
    switch (shape.rows) {
      case 2:
        return std::make_unique<SubwarpPackerRtl<SubwarpPack2x32, 2, 32>>(site);
      case 4:
        return std::make_unique<SubwarpPackerRtl<SubwarpPack4x32, 4, 32>>(site);
      case 8:
        return std::make_unique<SubwarpPackerRtl<SubwarpPack8x32, 8, 32>>(site);
      case 16:
        return std::make_unique<SubwarpPackerRtl<SubwarpPack16x32, 16, 32>>(site);
      default:
        break;
    }
  }
  fail(ExitCode::configuration,
       "sm.blocks.packer: there is RTL for 2, 4, 8 or 16 rows of 32 threads, this machine has {} of {}", shape.rows,
       shape.columns);
}

class RtlSubwarpPacker final : public sm::SubwarpPacker {
 public:
  RtlSubwarpPacker(const sm::PackerShape& shape, const sm::BlockSite& site) : unit_(verilated(shape, site)) {
    if (shape.arbitrary) {
      fail(ExitCode::configuration,
           "sm.blocks.packer: large_warps.pack is 'arbitrary', which has no RTL; choose 'model'");
    }
  }
  sm::SubWarp pack(const sm::PackRequest& request) override { return unit_->pack(request); }

 private:
  std::unique_ptr<sm::SubwarpPacker> unit_;
};

class LockstepSubwarpPacker final : public SubwarpPackerLockstep {
 public:
  LockstepSubwarpPacker(const sm::PackerShape& shape, const sm::BlockSite& site)
      : SubwarpPackerLockstep(shape, site, make(Mechanism<sm::SubwarpPacker>("model"), shape, site),
                              make(Mechanism<sm::SubwarpPacker>("rtl"), shape, site)) {}
};

}  // namespace

using sm::SubwarpPacker;
HEDDLE_REGISTER(SubwarpPacker, RtlSubwarpPacker, "rtl", "rtl/subwarp_pack.sv, Verilated", "docs/rtl.md");
HEDDLE_REGISTER(SubwarpPacker, LockstepSubwarpPacker, "lockstep",
                "model and RTL; the run ends at their first difference", "docs/rtl.md");

}  // namespace heddle::rtl
