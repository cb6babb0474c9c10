// SPDX-License-Identifier: Apache-2.0
// The groupings that interweave: of two splits of a warp, of two warps, of both; and thread frontiers on the same
// context tables, the reference that issues one split at a time.
// Source: docs/sources/branch-and-warp-interweaving.md, 2.3, 2.4, 2.8 and 2.11.
#include "sm/grouping/interweaving/schemes.h"

namespace heddle::sm {

class BranchInterweaving final : public InterweavedWarps {
 public:
  struct Parameters : TableParameters, SplitParameters, RowParameters, BranchParameters {
    void describe(ParameterVisitor& v) {
      BranchParameters::describe_scope(v);
      BranchParameters::describe_constraints(v);
      SplitParameters::describe(v);
      RowParameters::describe(v);
      TableParameters::describe(v);
    }
  };
  static GroupingTraits traits(const Parameters&, const GroupingShape& shape) { return traits_for(2, shape); }
  BranchInterweaving(const Parameters& p, const GroupingShape& shape, ContextTable& table)
      : InterweavedWarps({.hot = 2, .tables = p, .splits = p, .row = p, .constraints = p.constraints}, shape, table),
        parameters_(p) {}
  std::unique_ptr<IssueScheme> make_scheme() override { return std::make_unique<SplitSlots>(*this, parameters_); }
  std::string name() const override { return "branch_interweaving"; }

 private:
  const BranchParameters parameters_;
};

HEDDLE_REGISTER(GroupingUnit, BranchInterweaving, "branch_interweaving",
                "the two lowest splits of a warp issue together, on disjoint lanes or different units",
                "docs/sources/branch-and-warp-interweaving.md 2.4");

class WarpInterweaving final : public InterweavedWarps {
 public:
  struct Parameters : TableParameters, SplitParameters, RowParameters, LookupParameters {
    Parameters() { shuffle = LaneShuffle::reversed_or; }
    void describe(ParameterVisitor& v) {
      LookupParameters::describe(v);
      SplitParameters::describe(v);
      RowParameters::describe(v);
      TableParameters::describe(v);
    }
  };
  static GroupingTraits traits(const Parameters&, const GroupingShape& shape) { return traits_for(1, shape); }
  WarpInterweaving(const Parameters& p, const GroupingShape& shape, ContextTable& table)
      : InterweavedWarps({.hot = 1, .tables = p, .splits = p, .row = p, .constraints = false}, shape, table),
        parameters_(p) {}
  std::unique_ptr<IssueScheme> make_scheme() override { return std::make_unique<CascadedSlots>(*this, parameters_, 0); }
  std::string name() const override { return "warp_interweaving"; }

 private:
  const LookupParameters parameters_;
};

HEDDLE_REGISTER(GroupingUnit, WarpInterweaving, "warp_interweaving",
                "a second scheduler fills the lanes that an instruction leaves free with one of another warp",
                "docs/sources/branch-and-warp-interweaving.md 2.8");

class BranchAndWarpInterweaving final : public InterweavedWarps {
 public:
  struct Parameters : TableParameters, SplitParameters, RowParameters, LookupParameters, BranchParameters {
    Parameters() {
      shuffle = LaneShuffle::reversed_or;
      constraints = true;
    }
    void describe(ParameterVisitor& v) {
      LookupParameters::describe(v);
      BranchParameters::describe_constraints(v);
      SplitParameters::describe(v);
      RowParameters::describe(v);
      TableParameters::describe(v);
    }
  };
  static GroupingTraits traits(const Parameters&, const GroupingShape& shape) { return traits_for(2, shape); }
  BranchAndWarpInterweaving(const Parameters& p, const GroupingShape& shape, ContextTable& table)
      : InterweavedWarps({.hot = 2, .tables = p, .splits = p, .row = p, .constraints = p.constraints}, shape, table),
        lookup_(p),
        sync_cost_(p.sync_cost) {}
  std::unique_ptr<IssueScheme> make_scheme() override {
    return std::make_unique<CascadedSlots>(*this, lookup_, sync_cost_);
  }
  std::string name() const override { return "branch_and_warp_interweaving"; }

 private:
  const LookupParameters lookup_;
  const unsigned sync_cost_;
};

HEDDLE_REGISTER(GroupingUnit, BranchAndWarpInterweaving, "branch_and_warp_interweaving",
                "a second scheduler fills free lanes with the other split of the warp or with another warp",
                "docs/sources/branch-and-warp-interweaving.md 2.11");

class TableFrontiers final : public InterweavedWarps {
 public:
  struct Parameters : TableParameters, SplitParameters {
    void describe(ParameterVisitor& v) {
      SplitParameters::describe(v);
      TableParameters::describe(v);
    }
  };
  static GroupingTraits traits(const Parameters&, const GroupingShape& shape) { return traits_for(1, shape); }
  TableFrontiers(const Parameters& p, const GroupingShape& shape, ContextTable& table)
      : InterweavedWarps({.hot = 1, .tables = p, .splits = p, .row = {}, .constraints = false}, shape, table) {}
  std::unique_ptr<IssueScheme> make_scheme() override { return std::make_unique<FrontierSlot>(*this); }
  std::string name() const override { return "table_frontiers"; }
};

HEDDLE_REGISTER(GroupingUnit, TableFrontiers, "table_frontiers",
                "thread frontiers whose splits are in the context tables of interweaving",
                "docs/sources/branch-and-warp-interweaving.md 2.3");

}  // namespace heddle::sm
