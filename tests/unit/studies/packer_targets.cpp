// SPDX-License-Identifier: Apache-2.0
// The packer's worked examples, the number of sub-warps by large-warp size, and properties of every sub-warp. Source:
// docs/sources/large-warps-and-database-search.md, 2.5.3, 3.1 and 3.2.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "large_warp_targets.h"
#include "sm/grouping/large_warps/packed_slot.h"
#include "tests/unit/sm/grouping_bench.h"
#include "tests/unit/sm/packer_rows.h"

namespace heddle::studies {
namespace {

using namespace sm;

constexpr PackerShape kFigure{8, 4}, kSmall{4, 4};

/// The sub-warps of a mask, cycle by cycle.
struct Cut {
  double sub_warps = 0;  ///< with threads
  double threads = 0, full = 0, bubbles = 0, nulls = 0, stalls = 0;
  double lanes_of_last = 0;  ///< of the last sub-warp with threads
};
Cut counted(const std::vector<SubWarp>& cycles, const PackerShape& shape) {
  Cut cut;
  for (const SubWarp& packed : cycles) {
    cut.stalls += packed.last ? 0 : 1;
    cut.bubbles += packed.any || packed.last ? 0 : 1;
    cut.nulls += !packed.any && packed.last ? 1 : 0;
    if (!packed.any) continue;
    cut.lanes_of_last = static_cast<double>(packed.threads.count());
    ++cut.sub_warps;
    cut.threads += cut.lanes_of_last;
    cut.full += packed.threads.count() == shape.columns ? 1 : 0;
  }
  EXPECT_TRUE(cycles.back().last);
  return cut;
}

Cut cut(const PackerShape& shape, const char* rows, PackMode mode) {
  return counted(sub_warps(shape, threads_of(rows, shape), mode), shape);
}

/// The figure's mask; its last two columns may be exchanged.
double of_figure(PackMode mode, double Cut::*field) {
  const double drawn = cut(kFigure, kFigureMask, mode).*field;
  EXPECT_EQ(cut(kFigure, kFigureMaskExchanged, mode).*field, drawn);
  return drawn;
}

/// The figure's mask while its row 0 is in flight, for `cycles` cycles; afterwards that row's guards are `late`, and
/// all others are true.
Cut with_late_guards(unsigned cycles, bool late) {
  const ThreadSet mask = threads_of(kFigureMask, kFigure), row = mask & ThreadSet::first_n(kFigure.columns);
  const auto busy = [&](unsigned cycle) { return cycle < cycles ? row : ThreadSet{}; };
  const auto guard = [&](unsigned cycle) { return cycle < cycles || !late ? mask - row : mask; };
  return counted(sub_warps(kFigure, mask, PackMode::columns, busy, guard), kFigure);
}

Cut with_guards_of_row_7() {
  const ThreadSet mask = threads_of(kFigureMask, kFigure),
                  others = ThreadSet::first_n(std::size_t{7} * kFigure.columns);
  const auto nobody = [](unsigned) { return ThreadSet{}; };
  return counted(sub_warps(kFigure, mask, PackMode::columns, nobody, [&](unsigned) { return mask - others; }), kFigure);
}

PacketCutter& cutter_of(GroupingBench& bench) { return dynamic_cast<PacketCutter&>(bench.unit()); }

isa::MicroOp jump() {
  isa::MicroOp op;
  op.opcode = isa::Opcode::bra;
  return op;
}
isa::MicroOp arithmetic() {
  isa::MicroOp op;
  op.opcode = isa::Opcode::add;
  return op;
}
isa::MicroOp load() {
  isa::MicroOp op;
  op.opcode = isa::Opcode::ld;
  op.unit = isa::Unit::memory;
  op.space = isa::Space::global;
  return op;
}

/// Cycles to pack an instruction of a full large warp, which is its number of sub-warps.
double cycles_of(const isa::MicroOp& op, const std::vector<std::string>& settings) {
  const SmParameters core = sm_of("large-warp-core", settings);
  GroupingBench bench(core.grouping, grouping_shape(core), core.warp_size);
  ThreadSet left = bench.table[0].threads;
  EXPECT_EQ(left.count(), core.warp_size);
  double cycles = 0;
  do {
    ThreadSet threads;
    const PacketCutter::Request request{left, left, nullptr};
    EXPECT_EQ(cutter_of(bench).next_packet(ContextId(0), op, request, threads, left), PacketCutter::Cut::packet);
    ++cycles;
  } while (left.any() && cycles < 64);
  return cycles;
}

double saved_by_tokens(unsigned size) {
  const std::string warps = "sm.warp_size=" + std::to_string(size);
  return cycles_of(jump(), {warps, "sm.large_warps.jump_token=false"}) -
         cycles_of(jump(), {warps, "sm.large_warps.jump_token=true"});
}

/// Instructions of random parts of random large warps, packed one after the other; each sub-warp is in flight for a
/// random time.
class RandomWork {
 public:
  RandomWork()
      : core_(sm_of("large-warp-core")),
        bench_(core_.grouping, grouping_shape(core_), core_.residency.threads),
        warps_(bench_.unit().traits().contexts),
        bits_(make(core_.hazards, HazardShape{warps_, warps_, core_.warp_size, false})),
        under_way_(warps_, std::vector<unsigned>(core_.warp_size)) {}

  void run() {
    for (unsigned instruction = 0; instruction < 500; ++instruction) {
      const ContextId warp(random_() % warps_);
      const isa::MicroOp op = instruction % 5 == 0 ? jump() : instruction % 3 == 0 ? load() : arithmetic();
      const ThreadSet guard = some();
      ThreadSet left = some() & bench_.table[warp].threads, threads;
      do {
        complete();
        const PacketCutter::Request request{left, left & guard, bits_->busy_threads(bench_.table[warp].warp)};
        if (cutter_of(bench_).next_packet(warp, op, request, threads, left) == PacketCutter::Cut::packet)
          issue(warp, op, threads);
        ++now_;
      } while (left.any() && now_ < kEnd);
    }
    EXPECT_LT(now_, kEnd);
    EXPECT_GT(packed_, 1000u) << "sub-warps";
  }
  double shared_threads = 0;  ///< threads that came to be in two sub-warps under way
  double shared_columns = 0;  ///< sub-warps with two threads of a column

 private:
  ThreadSet some() {
    ThreadSet threads;
    const unsigned tenths = random_() % 11;
    for (unsigned t = 0; t < core_.warp_size; ++t) {
      if (random_() % 10 < tenths) threads.set(t);
    }
    return threads;
  }
  void issue(ContextId warp, const isa::MicroOp& op, const ThreadSet& threads) {
    Packet packet;
    packet.op = &op;
    packet.context = warp;
    packet.warp = bench_.table[warp].warp;
    packet.threads = threads;
    // A jump's token is not a sub-warp: it represents all threads, in flight or not.
    const bool token = op.opcode == isa::Opcode::bra;
    flying_.push_back(
        {now_ + 1 + random_() % 40, warp, token ? ThreadSet{} : threads, bits_->issued(bench_.table, packet, false)});
    if (token) return;
    std::vector<unsigned> column(core_.simd_width);
    threads.for_each([&](std::size_t t) {
      ++column[t % core_.simd_width];
      if (++under_way_[warp][t] > 1) ++shared_threads;
    });
    shared_columns += *std::max_element(column.begin(), column.end()) > 1 ? 1 : 0;
    packed_ += threads.any() ? 1 : 0;
  }
  void complete() {
    std::erase_if(flying_, [&](const Flying& flying) {
      if (flying.end > now_) return false;
      bits_->released({nullptr, flying.warp, bench_.table[flying.warp].warp, flying.token, false});
      flying.threads.for_each([&](std::size_t t) { --under_way_[flying.warp][t]; });
      return true;
    });
  }

  struct Flying {
    Cycle end;
    ContextId warp;
    ThreadSet threads;
    std::uint32_t token;
  };
  static constexpr Cycle kEnd = 100000;
  SmParameters core_;
  GroupingBench bench_;
  unsigned warps_, packed_ = 0;
  std::unique_ptr<HazardTracker> bits_;
  std::vector<std::vector<unsigned>> under_way_;  ///< by large warp and thread: sub-warps that have not completed
  std::vector<Flying> flying_;
  Cycle now_ = 0;
  std::mt19937 random_{11};
};

double violations(double RandomWork::*kind) {
  RandomWork work;
  work.run();
  return work.*kind;
}

}  // namespace

void add_packer_targets(Evaluations& targets) {
  using enum PackMode;
  targets["lw.fig4.5.active-threads"] = [] { return of_figure(columns, &Cut::threads); };
  targets["lw.fig4.5.pack-subwarps"] = [] { return of_figure(columns, &Cut::sub_warps); };
  targets["lw.fig4.5.baseline-warps"] = [] { return of_figure(rows, &Cut::sub_warps); };
  targets["lw.fig4.5.perfrf-subwarps"] = [] { return of_figure(arbitrary, &Cut::sub_warps); };
  targets["lw.fig4.5.full-subwarps"] = [] { return of_figure(columns, &Cut::full); };
  targets["lw.fig4.5.last-subwarp-lanes"] = [] { return of_figure(columns, &Cut::lanes_of_last); };
  targets["lw.fig4.5.stall-cycles"] = [] { return of_figure(columns, &Cut::stalls); };

  const auto small = [](const char* mask, PackMode mode) { return [=] { return cut(kSmall, mask, mode).sub_warps; }; };
  constexpr const char *kColumn = "1000 1000 1000 1000", *kDiagonal = "1000 0100 0010 0001";
  targets["lw.vec3.2.one-column-pack"] = small(kColumn, columns);
  targets["lw.vec3.2.one-column-perfrf"] = small(kColumn, arbitrary);
  targets["lw.vec3.2.one-column-rows"] = small(kColumn, rows);
  targets["lw.vec3.2.diagonal-pack"] = small(kDiagonal, columns);
  targets["lw.vec3.2.diagonal-rows"] = small(kDiagonal, rows);
  targets["lw.vec3.2.full-4x4-pack"] = small("1111 1111 1111 1111", columns);

  targets["lw.vec3.2.fig4.5-global-load"] = [] { return of_figure(rows, &Cut::sub_warps); };
  targets["lw.vec3.2.fig4.5-guard-row7"] = [] { return with_guards_of_row_7().sub_warps; };
  targets["lw.vec3.2.fig4.5-guard-late-true"] = [] { return with_late_guards(1, true).sub_warps; };
  targets["lw.vec3.2.fig4.5-guard-late-true-threads"] = [] { return with_late_guards(1, true).threads; };
  targets["lw.vec3.2.fig4.5-guard-late-false"] = [] { return with_late_guards(6, false).sub_warps; };
  targets["lw.vec3.2.fig4.5-guard-late-false-threads"] = [] { return with_late_guards(6, false).threads; };
  targets["lw.vec3.2.fig4.5-guard-late-false-bubbles"] = [] { return with_late_guards(6, false).bubbles; };
  targets["lw.vec3.2.fig4.5-guard-late-false-null"] = [] { return with_late_guards(6, false).nulls; };
  targets["lw.vec3.2.empty-mask"] = [] { return cut(kFigure, "", columns).nulls; };

  targets["lw.sec4.2.full-lw-subwarps"] = [] { return cycles_of(arithmetic(), {}); };
  targets["lw.vec3.2.full-jump-on"] = [] { return cycles_of(jump(), {}); };
  targets["lw.vec3.2.full-jump-off"] = [] {
    return cycles_of(jump(), {"sm.large_warps.jump_token=false", "sm.large_warps.memory_rows=false"});
  };
  targets["lw.sec4.2.4.jump-saves-7"] = [] { return saved_by_tokens(256); };
  for (const unsigned size : {64u, 128u, 512u})
    targets["lw.sec4.2.4.jump-saves-" + std::to_string(size)] = [=] { return saved_by_tokens(size); };

  targets["lw.inv.thread-in-one-subwarp"] = [] { return violations(&RandomWork::shared_threads); };
  targets["lw.inv.one-thread-per-column"] = [] { return violations(&RandomWork::shared_columns); };
}

}  // namespace heddle::studies
