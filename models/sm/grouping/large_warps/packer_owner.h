// SPDX-License-Identifier: Apache-2.0
// Base of groupings that use a sub-warp packer: owns its shape and the packer module.
#pragma once

#include <memory>

#include "sm/grouping/large_warps/subwarp_packer_block.h"

namespace heddle::sm {

class PackerOwner {
 public:
  virtual ~PackerOwner() = default;
  const PackerShape& packer_shape() const { return packer_shape_; }
  /// Uses this packer instead of an own module, for tests of the grouping alone. It must outlive the grouping.
  void use(SubwarpPackerCall& packer) { packer_ = &packer; }

 protected:
  explicit PackerOwner(const PackerShape& shape) : packer_shape_(shape) {}
  void build_packer(SmSite& site) {
    block_ = std::make_unique<SubwarpPackerBlock>("packer", site, packer_shape_);
    packer_ = block_->call.operator->();
  }

  SubwarpPackerCall* packer_ = nullptr;

 private:
  PackerShape packer_shape_;
  std::unique_ptr<SubwarpPackerBlock> block_;
};

}  // namespace heddle::sm
