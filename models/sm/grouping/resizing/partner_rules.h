// SPDX-License-Identifier: Apache-2.0
// What a sub-warp's arrival at its barrier, and a change in the state of its partners, lead to: who goes on, and which
// instruction is ignored from then on.
// Source: docs/sources/dynamic-warp-resizing.md, 2.5, 2.6 and 3; decisions.md, dynamic warp resizing. Logic only.
#pragma once

#include <array>
#include <vector>

#include "sm/grouping/resizing/partner_synch.h"

namespace heddle::sm {

/// Partners of a group that can reach no barrier at present. The sets are levels, not events.
struct PartnerSituation {
  PartnerMask absent = 0;   ///< without threads: the block is smaller than its groups
  PartnerMask exited = 0;   ///< all threads have left the kernel
  PartnerMask waiting = 0;  ///< at a block barrier or a collective
  PartnerMask all() const { return static_cast<PartnerMask>(absent | exited | waiting); }
};

/// Why partners go on.
enum class ReleaseCause : std::uint8_t {
  same_pc,       ///< all are at one PC
  different_pc,  ///< they are at different ones
  waiting,       ///< a partner waits at a block barrier or a collective
  exit,          ///< some have left the kernel, the others are at one PC
};
inline constexpr std::size_t kReleaseCauses = 4;

struct PartnerRelease {
  PartnerMask released = 0;  ///< 0: none
  ReleaseCause cause = ReleaseCause::same_pc;
  bool mismatch = false;  ///< the sub-warp arrived at another PC than the first of its partners
};

class PartnerRules {
 public:
  /// ignores_waits: see ResizingParameters::ilt_insert_on_barrier.
  PartnerRules(unsigned groups, bool ignores_waits) : ignores_waits_(ignores_waits), pcs_(groups) {}

  /// The barrier of a sub-warp takes effect. Table has update() of PartnerSynch, List insert(pc).
  template <typename Table, typename List>
  PartnerRelease arrive(Table& table, List& ignored, unsigned group, unsigned partner, std::uint32_t pc,
                        const PartnerSituation& situation) {
    pcs_[group][partner] = pc;
    const PartnerSynchAnswer answer = table.update(
        {static_cast<std::uint16_t>(group), true, static_cast<std::uint8_t>(partner), pc, situation.all()});
    // Partners that diverge do not gain from waiting. Of the two PCs it is the later one's that is ignored.
    if (answer.mismatch) ignored.insert(pc);
    return conclude(answer, ignored, group, situation);
  }

  /// The situation of the group's partners has changed.
  template <typename Table, typename List>
  PartnerRelease look(Table& table, List& ignored, unsigned group, const PartnerSituation& situation) {
    return conclude(table.update({static_cast<std::uint16_t>(group), false, 0, 0, situation.all()}), ignored, group,
                    situation);
  }

 private:
  template <typename List>
  PartnerRelease conclude(const PartnerSynchAnswer& answer, List& ignored, unsigned group,
                          const PartnerSituation& situation) {
    PartnerRelease release{.mismatch = answer.mismatch};
    if (!answer.release) return release;
    release.released = answer.locked;
    release.cause = cause_of(answer.locked, group, situation);
    if (release.cause == ReleaseCause::waiting && ignores_waits_) ignored.insert(answer.pc);
    return release;
  }
  ReleaseCause cause_of(PartnerMask locked, unsigned group, const PartnerSituation& situation) const;

  const bool ignores_waits_;
  std::vector<std::array<std::uint32_t, kMaxPartners>> pcs_;  ///< by group and partner: of its last barrier
};

}  // namespace heddle::sm
