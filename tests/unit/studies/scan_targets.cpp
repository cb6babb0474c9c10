// SPDX-License-Identifier: Apache-2.0
// The table scan: its compiled kernels on the functional machine with every access counted. Source:
// docs/sources/large-warps-and-database-search.md, 3.11 and 5.3.
#include <algorithm>
#include <bit>

#include "database_targets.h"
#include "kernel_bench.h"

namespace heddle::studies {
namespace {

using isa::Opcode, isa::Space;

constexpr const char* kBallots = "7Ballots";
constexpr const char* kConditional = "11Conditional";

std::shared_ptr<const isa::Kernel> scan_kernel(const std::string& collector, unsigned threads) {
  return kernel_of(compiled("full_table_scan"), collector + "Lb0ELj" + std::to_string(threads) + "E");
}

struct Scan {
  std::vector<std::uint64_t> loads;                            ///< of the column, by warp
  unsigned most_lines = 0;                                     ///< of one of them
  unsigned flushed = 0, flush_lines = 0, whole = 0, left = 0;  ///< words that warp 0 writes, and lines
};

/// A scan for rows below a bound. The kernel writes its results in three places: the buffer when it is full, and at the
/// end the whole lines, then the rest.
Scan scan(const std::string& collector, unsigned threads, const std::vector<std::uint32_t>& column,
          std::uint32_t bound) {
  const auto kernel = scan_kernel(collector, threads);
  std::vector<std::uint32_t> stores;
  for (const isa::MicroOp& op : kernel->ops) {
    if (op.opcode == Opcode::st && op.space == Space::global) stores.push_back(op.pc);
  }
  Scan result;
  EXPECT_EQ(stores.size(), 3u);
  if (stores.size() != 3) return result;
  result.loads.resize(threads / 32);
  KernelBench bench;
  const std::uint64_t from = bench.place(column);
  const std::uint64_t output = bench.place(std::vector<std::uint32_t>(column.size()));
  const std::uint64_t counter = bench.place({0});
  const auto hear = [&](const isa::MicroOp& op, const isa::WarpState& warp, const isa::Addresses& addresses) {
    if (addresses.mask == 0) return;
    if (op.opcode == Opcode::ld && addresses.space == Space::global) {
      ++result.loads[warp.index];
      result.most_lines = std::max(result.most_lines, lines_of(addresses));
    }
    if (op.opcode != Opcode::st || addresses.space != Space::global || warp.index != 0) return;
    const auto words = static_cast<unsigned>(std::popcount(addresses.mask));
    (op.pc == stores[0] ? result.flushed : op.pc == stores[1] ? result.whole : result.left) += words;
    if (op.pc == stores[0]) result.flush_lines += lines_of(addresses);
  };
  const auto rows = static_cast<std::uint32_t>(column.size());
  bench.launch(kernel, threads, hear, from, rows, bound, output, counter);
  const auto passing = std::count_if(column.begin(), column.end(), [=](std::uint32_t value) { return value < bound; });
  EXPECT_EQ(KernelBench::word(counter, 0), passing);
  return result;
}

/// Warp 0 of 8 finds this many rows, the others none; both kernels behave the same.
Scan found(unsigned entries) {
  constexpr unsigned kThreads = 256, kRounds = 12;
  std::vector<std::uint32_t> column(kThreads * kRounds, 9);
  for (unsigned i = 0; i < entries; ++i) column[i / 32 * kThreads + i % 32] = 1;
  const Scan base = scan(kBallots, kThreads, column, 2), conditional = scan(kConditional, kThreads, column, 2);
  EXPECT_EQ(base.flushed, conditional.flushed);
  EXPECT_EQ(base.whole, conditional.whole);
  EXPECT_EQ(base.left, conditional.left);
  EXPECT_EQ(base.flushed + base.whole + base.left, entries);
  return base;
}

/// The source's table: 4 million rows, half of which pass, by 1024 threads.
const Scan& whole_table() {
  static const Scan result = [] {
    std::vector<std::uint32_t> column(4u << 20);
    std::uint32_t state = 1;
    for (std::uint32_t& value : column) value = state = state * 1664525u + 1013904223u;
    return scan(kConditional, 1024, column, 1u << 31);
  }();
  return result;
}

/// Conditional branches of a compiled kernel from the load of the column to the comparison of the count with the
/// buffer's capacity, 224.
unsigned branches_of_step(const std::string& collector) {
  const auto kernel = scan_kernel(collector, 1024);
  unsigned branches = 0;
  bool inside = false;
  for (const isa::MicroOp& op : kernel->ops) {
    if (op.opcode == Opcode::ld && op.space == Space::global) inside = true;
    if (op.opcode == Opcode::setp && kernel->text(op).find(" 225") != std::string::npos) return branches;
    branches += inside && op.opcode == Opcode::bra && op.guard.present() ? 1 : 0;
  }
  ADD_FAILURE() << "no comparison with the room";
  return branches;
}

}  // namespace

void add_scan_targets(Evaluations& targets) {
  targets["db.fts.branch-removed"] = [] {
    EXPECT_EQ(branches_of_step(kBallots), 1u);
    return branches_of_step(kConditional);
  };
  targets["db.fts.line-per-load"] = [] { return whole_table().most_lines; };
  targets["db.fts.iterations-per-thread"] = [] {
    const auto [least, most] = std::minmax_element(whole_table().loads.begin(), whole_table().loads.end());
    EXPECT_EQ(*least, *most);
    return *most;
  };
  targets["db.fts.warp-iterations"] = [] {
    std::uint64_t sum = 0;
    for (const std::uint64_t loads : whole_table().loads) sum += loads;
    return sum;
  };
  targets["db.fts.buffer-bytes"] = [] { return scan_kernel(kBallots, 1024)->static_shared_bytes / (1024.0 / 32); };
  targets["db.fts.flush-entries"] = [] { return found(225).flushed; };
  targets["db.fts.flush-lines"] = [] { return found(225).flush_lines; };
  targets["db.vec3.11.224-flushes"] = [] { return found(224).flush_lines; };
  targets["db.vec3.11.225-leftover"] = [] { return found(225).whole + found(225).left; };
  targets["db.vec3.11.256-leftover"] = [] { return found(256).whole + found(256).left; };
  targets["db.vec3.11.77-aligned"] = [] { return found(77).whole; };
  targets["db.vec3.11.77-leftover"] = [] { return found(77).left; };
}

}  // namespace heddle::studies
