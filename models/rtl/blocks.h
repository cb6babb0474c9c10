// SPDX-License-Identifier: Apache-2.0
// The blocks compared in lockstep: their requests and answers, also as port values.
#pragma once

#include <vector>

#include "core/config/mechanism.h"
#include "rtl/lockstep.h"
#include "sm/grouping/large_warps/subwarp_packer.h"
#include "sm/prefix_sum/prefix_sum_unit.h"

namespace heddle::rtl {

struct PrefixSumPorts {
  using Unit = sm::PrefixSumUnit;
  using Request = std::uint64_t;
  using Answer = isa::PrefixSums;
  using Shape = unsigned;
  static Answer ask(Unit& unit, const Request& request) { return unit.sum(request); }
  static std::vector<PortValue> inputs(unsigned lanes, std::uint64_t predicates);
  static std::vector<PortValue> outputs(unsigned lanes, const isa::PrefixSums& sums);
};

struct SubwarpPackerPorts {
  using Unit = sm::SubwarpPacker;
  using Request = sm::PackRequest;
  using Answer = sm::SubWarp;
  using Shape = sm::PackerShape;
  static Answer ask(Unit& unit, const Request& request) { return unit.pack(request); }
  static std::vector<PortValue> inputs(const sm::PackerShape& shape, const sm::PackRequest& request);
  static std::vector<PortValue> outputs(const sm::PackerShape& shape, const sm::SubWarp& packed);
};

/// Model and RTL in lockstep, behind the interface of either.
class PrefixSumLockstep : public sm::PrefixSumUnit {
 public:
  PrefixSumLockstep(unsigned lanes, const sm::BlockSite& site, std::unique_ptr<sm::PrefixSumUnit> model,
                    std::unique_ptr<sm::PrefixSumUnit> rtl)
      : both_(lanes, site, std::move(model), std::move(rtl)) {}
  isa::PrefixSums sum(std::uint64_t predicates) override { return both_.ask(predicates); }

 private:
  LockstepHistory<PrefixSumPorts> both_;
};

class SubwarpPackerLockstep : public sm::SubwarpPacker {
 public:
  SubwarpPackerLockstep(const sm::PackerShape& shape, const sm::BlockSite& site,
                        std::unique_ptr<sm::SubwarpPacker> model, std::unique_ptr<sm::SubwarpPacker> rtl)
      : both_(shape, site, std::move(model), std::move(rtl)) {}
  sm::SubWarp pack(const sm::PackRequest& request) override { return both_.ask(request); }

 private:
  LockstepHistory<SubwarpPackerPorts> both_;
};

}  // namespace heddle::rtl
