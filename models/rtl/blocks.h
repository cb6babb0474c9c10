// SPDX-License-Identifier: Apache-2.0
// The blocks compared in lockstep: their requests and answers, also as port values.
#pragma once

#include <vector>

#include "core/config/mechanism.h"
#include "rtl/lockstep.h"
#include "sm/grouping/ganging/gang_issue_table.h"
#include "sm/grouping/ganging/pc_coalescer.h"
#include "sm/grouping/interweaving/context_sorter.h"
#include "sm/grouping/interweaving/secondary_lookup.h"
#include "sm/grouping/large_warps/subwarp_packer.h"
#include "sm/hazards/dependency_step.h"
#include "sm/prefix_sum/prefix_sum_unit.h"
#include "sm/scheduling/locality/score_cutoff.h"
#include "sm/scheduling/locality/victim_set.h"

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

struct ContextSorterPorts {
  using Unit = sm::ContextSorter;
  using Request = sm::SorterRequest;
  using Answer = sm::SortedContexts;
  using Shape = sm::SorterShape;
  static Answer ask(Unit& unit, const Request& request) { return unit.sort(request); }
  static std::vector<PortValue> inputs(const sm::SorterShape& shape, const sm::SorterRequest& request);
  static std::vector<PortValue> outputs(const sm::SorterShape& shape, const sm::SortedContexts& sorted);
};

struct SecondaryLookupPorts {
  using Unit = sm::SecondaryLookup;
  using Request = sm::LookupRequest;
  using Answer = sm::LookupAnswer;
  using Shape = sm::LookupShape;
  static Answer ask(Unit& unit, const Request& request) { return unit.look_up(request); }
  static std::vector<PortValue> inputs(const sm::LookupShape& shape, const sm::LookupRequest& request);
  static std::vector<PortValue> outputs(const sm::LookupShape& shape, const sm::LookupAnswer& answer);
};

struct DependencyStepPorts {
  using Unit = sm::DependencyStep;
  using Request = sm::StepRequest;
  using Answer = sm::StepAnswer;
  using Shape = sm::StepShape;
  static Answer ask(Unit& unit, const Request& request) { return unit.step(request); }
  static std::vector<PortValue> inputs(const sm::StepShape& shape, const sm::StepRequest& request);
  static std::vector<PortValue> outputs(const sm::StepShape& shape, const sm::StepAnswer& answer);
};

struct PcCoalescerPorts {
  using Unit = sm::PcCoalescer;
  using Request = sm::CoalescePcs;
  using Answer = sm::PcGroups;
  using Shape = sm::PcCoalescerShape;
  static Answer ask(Unit& unit, const Request& request) { return unit.partition(request); }
  static std::vector<PortValue> inputs(const sm::PcCoalescerShape& shape, const sm::CoalescePcs& request);
  static std::vector<PortValue> outputs(const sm::PcCoalescerShape& shape, const sm::PcGroups& groups);
};

/// A call of a gang table: one of its functions, each of which is a clock edge of the RTL.
struct GangTableCall {
  enum class Kind : std::uint8_t { write, start, pick } kind = Kind::pick;
  unsigned at = 0;             ///< entry written, or set that starts
  sm::SliceMask members = 0;   ///< written
  sm::GangCandidates choices;  ///< to pick from
};

struct GangTablePorts {
  using Unit = sm::GangIssueTable;
  using Request = GangTableCall;
  using Answer = sm::GangPicks;  ///< none in calls that are no picks
  using Shape = sm::GangIssueShape;
  static Answer ask(Unit& unit, const Request& call);
  static std::vector<PortValue> inputs(const sm::GangIssueShape& shape, const GangTableCall& call);
  static std::vector<PortValue> outputs(const sm::GangIssueShape& shape, const sm::GangPicks& picks);
};

struct VictimLookupPorts {
  using Unit = sm::VictimLookup;
  using Request = sm::VictimSetRequest;
  using Answer = sm::VictimSetAnswer;
  using Shape = sm::VictimSetShape;
  static Answer ask(Unit& unit, const Request& request) { return unit.look_up(request); }
  static std::vector<PortValue> inputs(const sm::VictimSetShape& shape, const sm::VictimSetRequest& request);
  static std::vector<PortValue> outputs(const sm::VictimSetShape& shape, const sm::VictimSetAnswer& answer);
};

struct ScoreCutoffPorts {
  using Unit = sm::ScoreCutoff;
  using Request = sm::CutoffRequest;
  using Answer = sm::WarpSet;
  using Shape = sm::ScoreCutoffShape;
  static Answer ask(Unit& unit, const Request& request) { return unit.admit(request); }
  static std::vector<PortValue> inputs(const sm::ScoreCutoffShape& shape, const sm::CutoffRequest& request);
  static std::vector<PortValue> outputs(const sm::ScoreCutoffShape& shape, const sm::WarpSet& admitted);
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

class ContextSorterLockstep : public sm::ContextSorter {
 public:
  ContextSorterLockstep(const sm::SorterShape& shape, const sm::BlockSite& site,
                        std::unique_ptr<sm::ContextSorter> model, std::unique_ptr<sm::ContextSorter> rtl)
      : both_(shape, site, std::move(model), std::move(rtl)) {}
  sm::SortedContexts sort(const sm::SorterRequest& request) override { return both_.ask(request); }

 private:
  LockstepHistory<ContextSorterPorts> both_;
};

class SecondaryLookupLockstep : public sm::SecondaryLookup {
 public:
  SecondaryLookupLockstep(const sm::LookupShape& shape, const sm::BlockSite& site,
                          std::unique_ptr<sm::SecondaryLookup> model, std::unique_ptr<sm::SecondaryLookup> rtl)
      : both_(shape, site, std::move(model), std::move(rtl)) {}
  sm::LookupAnswer look_up(const sm::LookupRequest& request) override { return both_.ask(request); }

 private:
  LockstepHistory<SecondaryLookupPorts> both_;
};

class DependencyStepLockstep : public sm::DependencyStep {
 public:
  DependencyStepLockstep(const sm::StepShape& shape, const sm::BlockSite& site,
                         std::unique_ptr<sm::DependencyStep> model, std::unique_ptr<sm::DependencyStep> rtl)
      : both_(shape, site, std::move(model), std::move(rtl)) {}
  sm::StepAnswer step(const sm::StepRequest& request) override { return both_.ask(request); }

 private:
  LockstepHistory<DependencyStepPorts> both_;
};

class PcCoalescerLockstep : public sm::PcCoalescer {
 public:
  PcCoalescerLockstep(const sm::PcCoalescerShape& shape, const sm::BlockSite& site,
                      std::unique_ptr<sm::PcCoalescer> model, std::unique_ptr<sm::PcCoalescer> rtl)
      : both_(shape, site, std::move(model), std::move(rtl)) {}
  sm::PcGroups partition(const sm::CoalescePcs& request) override { return both_.ask(request); }

 private:
  LockstepHistory<PcCoalescerPorts> both_;
};

class GangTableLockstep : public sm::GangIssueTable {
 public:
  GangTableLockstep(const sm::GangIssueShape& shape, const sm::BlockSite& site,
                    std::unique_ptr<sm::GangIssueTable> model, std::unique_ptr<sm::GangIssueTable> rtl)
      : both_(shape, site, std::move(model), std::move(rtl)) {}
  void write(unsigned entry, sm::SliceMask members) override {
    both_.ask({GangTableCall::Kind::write, entry, members, {}});
  }
  void start(unsigned set) override { both_.ask({GangTableCall::Kind::start, set, 0, {}}); }
  sm::GangPicks pick(const sm::GangCandidates& candidates) override {
    return both_.ask({GangTableCall::Kind::pick, 0, 0, candidates});
  }

 private:
  LockstepHistory<GangTablePorts> both_;
};

class VictimLookupLockstep : public sm::VictimLookup {
 public:
  VictimLookupLockstep(const sm::VictimSetShape& shape, const sm::BlockSite& site,
                       std::unique_ptr<sm::VictimLookup> model, std::unique_ptr<sm::VictimLookup> rtl)
      : both_(shape, site, std::move(model), std::move(rtl)) {}
  sm::VictimSetAnswer look_up(const sm::VictimSetRequest& request) override { return both_.ask(request); }

 private:
  LockstepHistory<VictimLookupPorts> both_;
};

class ScoreCutoffLockstep : public sm::ScoreCutoff {
 public:
  ScoreCutoffLockstep(const sm::ScoreCutoffShape& shape, const sm::BlockSite& site,
                      std::unique_ptr<sm::ScoreCutoff> model, std::unique_ptr<sm::ScoreCutoff> rtl)
      : both_(shape, site, std::move(model), std::move(rtl)) {}
  sm::WarpSet admit(const sm::CutoffRequest& request) override { return both_.ask(request); }

 private:
  LockstepHistory<ScoreCutoffPorts> both_;
};

}  // namespace heddle::rtl
