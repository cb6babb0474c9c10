// SPDX-License-Identifier: Apache-2.0
#include "sm/grouping/resizing/partner_synch.h"

#include "sm/blocks/block_site.h"

namespace heddle::sm {

PartnerSynchAnswer PartnerSynchLogic::update(const PartnerSynchRequest& request) {
  PartnerSynchEntry& entry = entries_[request.group];
  PartnerSynchAnswer answer;
  if (request.arrives) {
    if (!entry.valid) entry = {true, request.pc, 0};
    // The entry keeps the first PC.
    answer.mismatch = entry.pc != request.pc;
    entry.locked = static_cast<PartnerMask>(entry.locked | 1u << request.partner);
  }
  answer.locked = entry.locked;
  answer.pc = entry.pc;
  answer.release = entry.locked != 0 && (entry.locked | request.others) == all_;
  if (answer.release) entry = {};
  return answer;
}

namespace {

class PartnerSynchModel final : public PartnerSynch {
 public:
  PartnerSynchModel(const PartnerSynchShape& shape, const BlockSite&) : logic_(shape) {}
  PartnerSynchAnswer update(const PartnerSynchRequest& request) override { return logic_.update(request); }

 private:
  PartnerSynchLogic logic_;
};

HEDDLE_REGISTER(PartnerSynch, PartnerSynchModel, "model", "the model's own logic", "docs/rtl.md");

}  // namespace

}  // namespace heddle::sm
