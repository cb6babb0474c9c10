// SPDX-License-Identifier: Apache-2.0
// Every standard: each timing at its cycle and one before, and the latencies and rates that follow from its figures,
// which are repeated here independently of the model.
#include <gtest/gtest.h>

#include "core/error.h"
#include "tests/unit/memory/channel_bench.h"

namespace heddle::memory {
namespace {

struct Standard {
  const char* name;
  ChannelGeometry geometry;
  std::map<std::string, std::int64_t> t;
};
void PrintTo(const Standard& s, std::ostream* out) { *out << s.name; }

const Standard kStandards[] = {
    {"gddr3",
     {2, 1, 8, 2048, 32},
     {{"tCL", 11},
      {"tWL", 4},
      {"burst_cycles", 2},
      {"tRCDRD", 11},
      {"tRCDWR", 6},
      {"tRP", 12},
      {"tRAS", 18},
      {"tRC", 30},
      {"tRRDS", 7},
      {"tCCDS", 2},
      {"tWTRS", 5},
      {"tWR", 8},
      {"tRTP", 2},
      {"tRTRS", 1},
      {"tREFI", 2730},
      {"tRFCab", 37}}},
    {"gddr5", {2, 4, 4, 2048, 32}, {{"tCL", 12},    {"tWL", 4},   {"burst_cycles", 2}, {"tRCDRD", 12},  {"tRCDWR", 12},
                                    {"tRP", 12},    {"tRAS", 28}, {"tRC", 40},         {"tRRDS", 6},    {"tRRDL", 6},
                                    {"tCCDS", 2},   {"tCCDL", 3}, {"tWTRS", 5},        {"tWTRL", 5},    {"tWR", 12},
                                    {"tRTP", 2},    {"tRTRS", 1}, {"tPPD", 1},         {"tREFI", 3604}, {"tRFCab", 61},
                                    {"tRFCpb", 31}, {"tRREFD", 6}}},
    {"gddr6",
     {2, 4, 4, 2048, 32},
     {{"tCL", 24},     {"tWL", 6},      {"burst_cycles", 2}, {"tRCDRD", 26}, {"tRCDWR", 16}, {"tRP", 26},
      {"tRAS", 53},    {"tRC", 79},     {"tRRDS", 7},        {"tRRDL", 7},   {"tFAW", 28},   {"tCCDS", 2},
      {"tCCDL", 3},    {"tWTRS", 9},    {"tWTRL", 11},       {"tWR", 26},    {"tRTP", 4},    {"tRTRS", 1},
      {"tREFI", 3333}, {"tRFCab", 210}, {"tRFCpb", 105},     {"tRREFD", 14}, {"tPPD", 2}}},
    {"hbm2",
     {2, 4, 4, 1024, 32},
     {{"tCL", 18},  {"tWL", 7},      {"burst_cycles", 2}, {"tRCDRD", 12},  {"tRCDWR", 6}, {"tRP", 14},
      {"tRAS", 28}, {"tRC", 42},     {"tRRDS", 4},        {"tRRDL", 6},    {"tFAW", 16},  {"tCCDS", 2},
      {"tCCDL", 3}, {"tWTRS", 4},    {"tWTRL", 9},        {"tWR", 14},     {"tRTP", 5},   {"tRTW", 18},
      {"tRTRS", 1}, {"tREFI", 3900}, {"tRFCab", 220},     {"tRFCpb", 160}, {"tRREFD", 8}}},
};

DramParameters parameters_of(const Standard& standard) {
  DramParameters p;
  p.geometry = standard.geometry;
  p.standard.choose(standard.name);
  return p;
}

/// The timing state of a part, without command selection.
class Part {
 public:
  explicit Part(const Standard& standard, const std::vector<std::string>& settings = {})
      : parameters_(configured(parameters_of(standard), settings)),
        tables_(make(parameters_.standard)->device()),
        shared_(tables_, parameters_.geometry),
        banks_(parameters_.geometry.banks(), BankState(tables_.level(DramLevel::bank), false)) {}

  Cycle earliest(DramCommand command, unsigned bank) const {
    return std::max(banks_[bank].earliest(command), shared_.earliest(bank, command));
  }
  void issue(DramCommand command, unsigned bank, Cycle now) {
    const unsigned in_rank = parameters_.geometry.banks() / parameters_.geometry.ranks;
    const bool rank = command == DramCommand::precharge_all || command == DramCommand::refresh_all;
    const unsigned first = rank ? bank / in_rank * in_rank : bank, count = rank ? in_rank : 1;
    for (unsigned i = first; i < first + count; ++i) banks_[i].issue(command, 1, now);
    shared_.issued(command, bank, now);
  }
  const DramParameters& parameters() const { return parameters_; }

 private:
  DramParameters parameters_;
  DramTables tables_;
  SharedTiming shared_;
  std::vector<BankState> banks_;
};

struct Step {
  DramCommand command;
  unsigned bank;
  Cycle at;
};

class DramStandardTest : public ::testing::TestWithParam<Standard> {
 protected:
  std::int64_t t(const char* name) const {
    const auto found = GetParam().t.find(name);
    return found == GetParam().t.end() ? 0 : found->second;
  }
  bool has(const char* name) const { return GetParam().t.count(name) != 0; }
  /// Bank 0's neighbours: in its group, in another group, in another rank.
  unsigned near() const { return 1; }
  unsigned far() const { return GetParam().geometry.banks() / GetParam().geometry.ranks - 1; }
  unsigned beside() const { return GetParam().geometry.banks() - 1; }
  /// Cycles from the command of an activate to the cycle its timings count from.
  std::int64_t late() const { return std::string(GetParam().name) == "hbm2" ? 1 : 0; }
  std::int64_t by_group(unsigned bank, const char* long_name, const char* short_name) const {
    return bank == near() && has(long_name) ? t(long_name) : t(short_name);
  }

  /// After the steps, the command is legal `distance` cycles after the last step and not one cycle earlier, both by the
  /// model's tables and by the independent checker.
  void probe(const char* what, const std::vector<Step>& steps, DramCommand command, unsigned bank,
             std::int64_t distance, const std::vector<std::string>& settings = {}) {
    SCOPED_TRACE(what);
    ASSERT_GT(distance, 0);
    Part part(GetParam(), settings);
    for (const Step& step : steps) part.issue(step.command, step.bank, step.at);
    const Cycle first = steps.back().at + static_cast<Cycle>(distance);
    EXPECT_EQ(part.earliest(command, bank), first);
    for (const Cycle at : {first - 1, first}) {
      DramParameters p = part.parameters();
      p.refresh.choose(command == DramCommand::refresh_bank ? "per_bank" : "all_bank");
      for (const Step& step : steps) {
        if (step.command == DramCommand::refresh_bank) p.refresh.choose("per_bank");
      }
      // A part with both kinds of refresh is checked for each separately.
      tb::CommandChecker checker(settings.empty() ? checked_memory(p, GetParam().t) : tb::checked_memory(p));
      for (const Step& step : steps) checker.take(checked_command(p.geometry, step.at, step.command, step.bank, 1));
      const auto before = checker.fault_count();
      checker.take(checked_command(p.geometry, at, command, bank, 1));
      EXPECT_EQ(checker.fault_count() > before, at < first) << "the checker, in cycle " << at;
    }
  }
};

TEST_P(DramStandardTest, RowTimingsHoldAtTheirCycleAndNotOneBefore) {
  probe("tRCDRD", {{DramCommand::activate, 0, 100}}, DramCommand::read, 0, t("tRCDRD") + late());
  probe("tRCDWR", {{DramCommand::activate, 0, 100}}, DramCommand::write, 0, t("tRCDWR") + late());
  probe("tRAS", {{DramCommand::activate, 0, 100}}, DramCommand::precharge, 0, t("tRAS") + late());
  probe("tRAS, all banks", {{DramCommand::activate, 0, 100}}, DramCommand::precharge_all, 0, t("tRAS") + late());
  probe("tRP", {{DramCommand::activate, 0, 100}, {DramCommand::precharge, 0, 1000}}, DramCommand::activate, 0,
        t("tRP") - late());
  probe("tRP after all banks", {{DramCommand::activate, 0, 100}, {DramCommand::precharge_all, 0, 1000}},
        DramCommand::activate, 0, t("tRP") - late());
  const auto early = static_cast<Cycle>(100 + t("tRAS") + late());
  probe("tRC", {{DramCommand::activate, 0, 100}, {DramCommand::precharge, 0, early}}, DramCommand::activate, 0,
        std::max(t("tRP"), t("tRC") - t("tRAS")) - late());
  probe("tRTP", {{DramCommand::activate, 0, 100}, {DramCommand::read, 0, 1000}}, DramCommand::precharge, 0, t("tRTP"));
  probe("tRTP, all banks", {{DramCommand::activate, 0, 100}, {DramCommand::read, 0, 1000}}, DramCommand::precharge_all,
        0, t("tRTP"));
  const auto recovery = t("tWL") + t("burst_cycles") + t("tWR");
  probe("tWR", {{DramCommand::activate, 0, 100}, {DramCommand::write, 0, 1000}}, DramCommand::precharge, 0, recovery);
  probe("tWR, all banks", {{DramCommand::activate, 0, 100}, {DramCommand::write, 0, 1000}}, DramCommand::precharge_all,
        0, recovery);
}

TEST_P(DramStandardTest, PrechargesOfARankHoldTheirDistance) {
  if (!has("tPPD")) return;
  // Long enough not to be hidden by the command bus.
  const std::vector<std::string> longer{std::string(GetParam().name) + ".tPPD=4"};
  const std::vector<Step> open{{DramCommand::activate, 0, 100}, {DramCommand::activate, far(), 500}};
  const auto with = [&](DramCommand command) {
    std::vector<Step> steps = open;
    steps.push_back({command, 0, 1000});
    return steps;
  };
  probe("tPPD", with(DramCommand::precharge), DramCommand::precharge, far(), 4, longer);
  probe("tPPD before all banks", with(DramCommand::precharge), DramCommand::precharge_all, 0, 4, longer);
  if (t("tPPD") > 1) probe("tPPD of the part", with(DramCommand::precharge), DramCommand::precharge, far(), t("tPPD"));
  Part part(GetParam(), longer);
  part.issue(DramCommand::activate, 0, 100);
  part.issue(DramCommand::activate, beside(), 500);
  part.issue(DramCommand::precharge, 0, 1000);
  EXPECT_LE(part.earliest(DramCommand::precharge, beside()), 1001u) << "ranks are apart only on the command bus";
}

TEST_P(DramStandardTest, ActivatesOfOtherBanksHoldTheirDistance) {
  probe("tRRDL", {{DramCommand::activate, 0, 100}}, DramCommand::activate, near(), by_group(near(), "tRRDL", "tRRDS"));
  probe("tRRDS", {{DramCommand::activate, 0, 100}}, DramCommand::activate, far(), t("tRRDS"));
  if (!has("tFAW") || t("tFAW") <= 4 * t("tRRDS")) return;
  // The fifth activate: banks of alternating groups, as close as allowed.
  std::vector<Step> steps;
  const auto apart = static_cast<Cycle>(std::max(t("tRRDS"), t("tRRDL")));
  for (unsigned i = 0; i < 4; ++i) steps.push_back({DramCommand::activate, i * 4, 100 + i * apart});
  probe("tFAW", steps, DramCommand::activate, 1, t("tFAW") - 3 * static_cast<std::int64_t>(apart));
}

TEST_P(DramStandardTest, ColumnCommandsHoldTheirDistance) {
  for (const unsigned bank : {0u, near(), far()}) {
    std::vector<Step> open{{DramCommand::activate, 0, 100}};
    if (bank != 0) open.push_back({DramCommand::activate, bank, 500});
    const auto with = [&](DramCommand command) {
      std::vector<Step> steps = open;
      steps.push_back({command, 0, 1000});
      return steps;
    };
    const bool same_group = bank != far();
    const auto ccd = same_group && has("tCCDL") ? t("tCCDL") : t("tCCDS");
    const auto wtr = same_group && has("tWTRL") ? t("tWTRL") : t("tWTRS");
    const auto rtw = t("tRTW") != 0 ? t("tRTW") : t("tCL") + t("burst_cycles") + 2 - t("tWL");
    probe("read to read", with(DramCommand::read), DramCommand::read, bank, ccd);
    probe("write to write", with(DramCommand::write), DramCommand::write, bank, ccd);
    probe("read to write", with(DramCommand::read), DramCommand::write, bank, rtw);
    probe("write to read", with(DramCommand::write), DramCommand::read, bank, t("tWL") + t("burst_cycles") + wtr);
  }
}

TEST_P(DramStandardTest, RanksShareTheDataBusOnly) {
  const std::vector<Step> open{{DramCommand::activate, 0, 100}, {DramCommand::activate, beside(), 500}};
  const auto with = [&](DramCommand command) {
    std::vector<Step> steps = open;
    steps.push_back({command, 0, 1000});
    return steps;
  };
  const auto slot = t("burst_cycles") + t("tRTRS");
  probe("read to read", with(DramCommand::read), DramCommand::read, beside(), slot);
  probe("write to write", with(DramCommand::write), DramCommand::write, beside(), slot);
  probe("read to write", with(DramCommand::read), DramCommand::write, beside(), t("tCL") + slot - t("tWL"));
  // A write's data may end before a read's could begin; then only the command bus limits.
  const auto write_to_read = t("tWL") + slot - t("tCL");
  if (write_to_read > 1) probe("write to read", with(DramCommand::write), DramCommand::read, beside(), write_to_read);
  Part part(GetParam());
  part.issue(DramCommand::activate, 0, 100);
  EXPECT_LE(part.earliest(DramCommand::activate, beside()), 102u)
      << "activates of ranks are apart only on the command bus";
}

TEST_P(DramStandardTest, RefreshOfAllBanksHoldsItsTime) {
  probe("precharge to refresh", {{DramCommand::activate, 0, 100}, {DramCommand::precharge, 0, 1000}},
        DramCommand::refresh_all, 0, t("tRP"));
  probe("all-bank precharge to refresh", {{DramCommand::activate, 0, 100}, {DramCommand::precharge_all, 0, 1000}},
        DramCommand::refresh_all, 0, t("tRP"));
  probe("tRFCab to an activate", {{DramCommand::refresh_all, 0, 1000}}, DramCommand::activate, far(),
        t("tRFCab") - late());
  probe("tRFCab to the next", {{DramCommand::refresh_all, 0, 1000}}, DramCommand::refresh_all, 0, t("tRFCab"));
  const auto early = static_cast<Cycle>(100 + t("tRAS") + late());
  probe("tRC", {{DramCommand::activate, 0, 100}, {DramCommand::precharge, 0, early}}, DramCommand::refresh_all, 0,
        std::max(t("tRP"), t("tRC") - t("tRAS")));
}

TEST_P(DramStandardTest, RefreshOfABankHoldsItsTimeAndItsDistanceToOthers) {
  if (!has("tRFCpb")) return;
  probe("precharge to refresh", {{DramCommand::activate, 0, 100}, {DramCommand::precharge, 0, 1000}},
        DramCommand::refresh_bank, 0, t("tRP"));
  probe("tRFCpb to an activate", {{DramCommand::refresh_bank, 0, 1000}}, DramCommand::activate, 0,
        t("tRFCpb") - late());
  probe("tRFCpb to the next", {{DramCommand::refresh_bank, 0, 1000}}, DramCommand::refresh_bank, 0, t("tRFCpb"));
  probe("tRREFD to an activate", {{DramCommand::refresh_bank, 0, 1000}}, DramCommand::activate, far(),
        t("tRREFD") - late());
  probe("tRREFD to a refresh", {{DramCommand::refresh_bank, 0, 1000}}, DramCommand::refresh_bank, near(), t("tRREFD"));
  probe("tRREFD from an activate", {{DramCommand::activate, 0, 1000}}, DramCommand::refresh_bank, far(),
        t("tRREFD") + late());
}

TEST_P(DramStandardTest, RefreshOfABankKeepsTheDistanceOfActivatesWhereItIsToldTo) {
  if (!has("tRFCpb")) return;
  const std::vector<std::string> as_activates{std::string(GetParam().name) + ".activate_to_refresh=tRRD"};
  const std::vector<Step> active{{DramCommand::activate, 0, 1000}};
  probe("tRRDS from an activate", active, DramCommand::refresh_bank, far(), t("tRRDS") + late(), as_activates);
  probe("tRRDL from an activate", active, DramCommand::refresh_bank, near(), t("tRRDL") + late(), as_activates);
  const std::vector<Step> refreshed{{DramCommand::refresh_bank, 0, 1000}};
  probe("tRREFD to an activate", refreshed, DramCommand::activate, far(), t("tRREFD") - late(), as_activates);
  probe("tRREFD to a refresh", refreshed, DramCommand::refresh_bank, near(), t("tRREFD"), as_activates);
}

TEST_P(DramStandardTest, UnloadedLatenciesAreTheSumsOfTheFigures) {
  Channel channel(parameters_of(GetParam()));
  channel.check(parameters_of(GetParam()), GetParam().t);
  channel.add(0, 5, 1);
  channel.run(1000);
  channel.add(0, 5, 2);
  channel.run(2000);
  channel.add(0, 6, 3);
  channel.run(3000);
  channel.add(1, 6, 4, true);
  channel.run(4000);
  const auto at = [](std::int64_t from, std::int64_t cycles) { return static_cast<Cycle>(from + cycles); };
  EXPECT_EQ(channel.done_[1], at(1000, t("tRCDRD") + late() + t("tCL") + t("burst_cycles")));
  EXPECT_EQ(channel.done_[2], at(2000, t("tCL") + t("burst_cycles")));
  EXPECT_EQ(channel.done_[3], at(3000, t("tRP") + t("tRCDRD") + t("tCL") + t("burst_cycles")));
  EXPECT_EQ(channel.done_[4], at(4000, t("tRCDWR") + late() + t("tWL") + t("burst_cycles")));
  EXPECT_EQ(channel.faults(), "");
}

/// Cycles per request over `count` requests to `banks` that always have requests; row(i) is the row of request i.
double cycles_a_request(const Standard& standard, DramParameters p, unsigned count, bool write,
                        const std::function<std::pair<unsigned, std::uint64_t>(unsigned)>& place) {
  p.queue_entries = 64;
  p.return_entries = 4096;
  Channel channel(p);
  channel.check(p, standard.t);
  unsigned added = 0;
  Cycle first = kNever, last = 0;
  for (Cycle now = 1000; channel.done_.size() < count; ++now) {
    while (added < count && !channel->full(write)) {
      const auto [bank, row] = place(added);
      channel.add(bank, row, added++, write);
    }
    channel.step(now);
  }
  for (const auto& [token, done] : channel.done_) {
    first = std::min(first, done);
    last = std::max(last, done);
  }
  EXPECT_EQ(channel.faults(), "");
  return static_cast<double>(last - first) / (count - 1);
}

TEST_P(DramStandardTest, StreamsReachThePeakOfTheDataBus) {
  const Standard& s = GetParam();
  const unsigned in_rank = s.geometry.banks() / s.geometry.ranks;
  for (const bool write : {false, true}) {
    // One row of every bank of a rank, alternating groups.
    const double taken = cycles_a_request(s, parameters_of(s), 4000, write, [&](unsigned i) {
      const unsigned turn = i % in_rank;
      return std::pair(turn % s.geometry.bank_groups * s.geometry.banks_per_group + turn / s.geometry.bank_groups,
                       std::uint64_t{7});
    });
    EXPECT_GE(taken, static_cast<double>(t("tCCDS")));
    EXPECT_LE(taken, static_cast<double>(t("tCCDS")) * 1.02);
  }
  if (!has("tCCDL")) return;
  const double one_group =
      cycles_a_request(s, parameters_of(s), 2000, false, [](unsigned i) { return std::pair(i % 4, std::uint64_t{7}); });
  EXPECT_NEAR(one_group, static_cast<double>(t("tCCDL")), 0.02 * static_cast<double>(t("tCCDL")));
}

TEST_P(DramStandardTest, RefreshTakesItsShareOfAStream) {
  const Standard& s = GetParam();
  DramParameters p = parameters_of(s);
  p.geometry.ranks = 1;
  p.refresh.choose("all_bank");
  Standard one = s;
  one.geometry.ranks = 1;
  const unsigned banks = p.geometry.banks();
  const double taken = cycles_a_request(one, p, 20000, false, [&](unsigned i) {
    const unsigned turn = i % banks;
    return std::pair(turn % p.geometry.bank_groups * p.geometry.banks_per_group + turn / p.geometry.bank_groups,
                     std::uint64_t{7});
  });
  // In every tREFI: last read, all closed, refreshed, reopened. The first banks work while others open.
  const double lost = static_cast<double>(t("tRTP") + t("tRP") + t("tRFCab") + t("tRCDRD"));
  const double peak = static_cast<double>(t("tCCDS"));
  const double expected = peak * static_cast<double>(t("tREFI")) / (static_cast<double>(t("tREFI")) - lost);
  EXPECT_GT(taken, peak * static_cast<double>(t("tREFI")) / static_cast<double>(t("tREFI") - t("tRFCab")));
  EXPECT_NEAR(taken, expected, 0.02 * expected);
}

TEST_P(DramStandardTest, RandomRowsAreBoundByTrcAndByTheDistanceOfActivates) {
  const Standard& s = GetParam();
  const double one_bank =
      cycles_a_request(s, parameters_of(s), 300, false, [](unsigned i) { return std::pair(0u, std::uint64_t{i}); });
  const auto row_cycle = static_cast<double>(std::max(t("tRC"), t("tRAS") + t("tRP")));
  EXPECT_NEAR(one_bank, row_cycle, 0.01 * row_cycle);

  const unsigned in_rank = s.geometry.banks() / s.geometry.ranks;
  const double all_banks = cycles_a_request(s, parameters_of(s), 2000, false, [&](unsigned i) {
    const unsigned turn = i % in_rank;
    return std::pair(turn % s.geometry.bank_groups * s.geometry.banks_per_group + turn / s.geometry.bank_groups,
                     std::uint64_t{i});
  });
  const double bound = std::max({static_cast<double>(t("tRRDS")), static_cast<double>(t("tFAW")) / 4,
                                 row_cycle / in_rank, static_cast<double>(t("tCCDS"))});
  EXPECT_GE(all_banks, bound * 0.999);
  EXPECT_LE(all_banks, bound * 1.25) << "activates give way to column commands";
}

INSTANTIATE_TEST_SUITE_P(Standards, DramStandardTest, ::testing::ValuesIn(kStandards),
                         [](const auto& standard) { return std::string(standard.param.name); });

TEST(Gddr5, ThirtyTwoActivatesHaveAWindowWhenItIsGiven) {
  DramConstraint window{DramLevel::rank, {DramCommand::activate}, {DramCommand::activate}, 300, 32};
  DramParameters p;
  p.geometry = {1, 4, 4, 2048, 32};
  Channel channel(p, {window});
  for (unsigned i = 0; i < 40; ++i) channel.add(i % 16, i, i);
  channel.run(1000);
  std::vector<Cycle> activates;
  for (const auto& issued : channel.log_) {
    if (issued.command == DramCommand::activate) activates.push_back(issued.cycle);
  }
  ASSERT_EQ(activates.size(), 40u);
  for (std::size_t i = 32; i < activates.size(); ++i) EXPECT_GE(activates[i] - activates[i - 32], 300u);
  EXPECT_EQ(activates[32] - activates[0], 300u);
}

TEST(Hbm2, RowAndColumnCommandsGoOutSideBySide) {
  DramParameters p;
  p.geometry = {1, 4, 4, 1024, 32};
  p.standard.choose("hbm2");
  Channel channel(p);
  for (unsigned i = 0; i < 64; ++i) channel.add(i % 16, i / 16, i);
  channel.run(1000);
  std::map<Cycle, unsigned> rows, columns;
  for (const auto& issued : channel.log_) {
    ++(is_column(issued.command) ? columns : rows)[issued.cycle];
    if (issued.command == DramCommand::activate) ++rows[issued.cycle + 1];
  }
  unsigned both = 0;
  for (const auto& [cycle, count] : columns) {
    EXPECT_EQ(count, 1u);
    both += static_cast<unsigned>(rows.count(cycle));
  }
  for (const auto& [cycle, count] : rows) EXPECT_EQ(count, 1u);
  EXPECT_GT(both, 0u);
}

}  // namespace
}  // namespace heddle::memory
