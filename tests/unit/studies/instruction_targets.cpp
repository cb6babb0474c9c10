// SPDX-License-Identifier: Apache-2.0
// Results of the two instructions in PTX run by the model. Vectors:
// docs/sources/large-warps-and-database-search.md, 3.8 and 3.12.
#include <bit>

#include "database_targets.h"
#include "kernel_bench.h"

namespace heddle::studies {
namespace {

struct Accumulated {
  unsigned dest = 0;    ///< the count that lane 0 has; the others have the same
  unsigned writes = 0;  ///< transactions of 128-byte lines
  unsigned elements = 0;
  std::uint64_t last = 0;  ///< address of the last lane that writes, less that of memory
};

/// cond_acc of `bytes`-byte data to byte `base` of global memory; lane i's predicate is bit i.
Accumulated accumulate(std::uint32_t predicates, unsigned lanes, unsigned bytes = 4, unsigned base = 0x100) {
  const std::string type = std::to_string(8 * bytes);
  const auto kernel = kernel_of_text("mov.u32 %r1, " + std::to_string(predicates) +
                                     ";\nshr.u32 %r1, %r1, %t;\nand.b32 %r1, %r1, 1;\nsetp.ne.u32 %p1, %r1, 0;\n"
                                     "add.s64 %d1, %out, " +
                                     std::to_string(base) + ";\ncvt.u64.u32 %d2, %t;\n" + "heddle.cond_acc.global.b" +
                                     type + " %r2, [%d1], %p1, " + (bytes == 8 ? "%d2" : "%t") +
                                     ";\nmad.wide.u32 %d3, %t, 4, %out;\nst.global.u32 [%d3+1024], %r2;\n");
  KernelBench bench;
  const std::uint64_t out = bench.place(std::vector<std::uint32_t>(1024));
  Accumulated result;
  bench.launch(
      kernel, lanes,
      [&](const isa::MicroOp& op, const isa::WarpState&, const isa::Addresses& addresses) {
        if (op.opcode != isa::Opcode::cond_acc || addresses.mask == 0) return;
        result.writes += lines_of(addresses);
        result.elements += static_cast<unsigned>(std::popcount(addresses.mask));
        result.last = addresses.value[31 - std::countl_zero(addresses.mask)] - out;
      },
      out);
  result.dest = KernelBench::word(out + 1024, 0);
  // Memory holds the numbers of the lanes with a true predicate, consecutively.
  unsigned at = 0;
  for (unsigned lane = 0; lane < lanes; ++lane) {
    EXPECT_EQ(KernelBench::word(out + 1024, lane), result.dest);
    if ((predicates >> lane & 1) == 0) continue;
    EXPECT_EQ(reinterpret_cast<const std::uint8_t*>(out)[base + bytes * at++], lane);
  }
  return result;
}

constexpr std::uint32_t kMixed = 0b10010110;  // lane 0 first: 0 1 1 0 1 0 0 1

/// The result for `lane` of a tree_traverse in which the predicates of the first nine lanes, or none, are true.
double traverse(unsigned lane, bool nine, const std::string& base, unsigned node_size) {
  const auto kernel = kernel_of_text("setp.lt.u32 %p1, %t, " + std::string(nine ? "9" : "0") + ";\n" + base +
                                     "heddle.tree_traverse.u32 %r2, %r1, %p1, " + std::to_string(node_size) +
                                     ";\nmad.wide.u32 %d3, %t, 4, %out;\nst.global.u32 [%d3], %r2;\n");
  KernelBench bench;
  const std::uint64_t out = bench.place(std::vector<std::uint32_t>(32));
  bench.launch(kernel, 32, nullptr, out);
  return KernelBench::word(out, lane);
}

/// Ops of a step of the table scan: %p1 decides whether %r1 is stored to shared memory from byte 4 %r2 on, %r3 is the
/// count. The step is executed, so that only working code is counted.
unsigned ops_of_step(const std::string& step, unsigned branches) {
  const auto kernel = kernel_of_text(
      "mul.lo.u32 %r1, %t, 7;\nand.b32 %r1, %r1, 5;\nsetp.eq.u32 %p1, %r1, 1;\nmad.lo.u32 %r1, %t, 3, 1000;\n"
      "mov.u32 %r4, %lanemask_lt;\nmov.u32 %r2, box;\n" +
      step +
      "bar.warp.sync -1;\nshl.b32 %r5, %t, 2;\nadd.u32 %r5, %r2, %r5;\nld.shared.u32 %r6, [%r5];\n"
      "mad.wide.u32 %d3, %t, 4, %out;\nst.global.u32 [%d3], %r6;\nst.global.u32 [%d3+128], %r3;\n");
  KernelBench bench;
  const std::uint64_t out = bench.place(std::vector<std::uint32_t>(64));
  bench.launch(kernel, 32, nullptr, out);
  unsigned count = 0;
  for (unsigned lane = 0; lane < 32; ++lane) {
    if ((lane * 7 & 5) != 1) continue;
    EXPECT_EQ(KernelBench::word(out, count++), lane * 3 + 1000);
  }
  EXPECT_GT(count, 4u);
  EXPECT_EQ(KernelBench::word(out + 128, 31), count);
  unsigned found = 0;
  for (const auto& op : kernel->ops) found += op.opcode == isa::Opcode::bra ? 1 : 0;
  EXPECT_EQ(found, branches);
  return static_cast<unsigned>(kernel->ops.size()) - branches;
}

/// The step as listed in the source (6.2.2.3 there: ballot, two popc, and, address, store; a branch) against the single
/// instruction. In our compiled kernels it replaces more: PTX needs two instructions for a 64-bit address, and the
/// branch needs a separate predicate.
double replaced_in_the_listing() {
  const unsigned by_ballot = ops_of_step(
      "vote.sync.ballot.b32 %r5, %p1, -1;\n@!%p1 bra NONE;\nand.b32 %r6, %r5, %r4;\npopc.b32 %r6, %r6;\n"
      "mad.lo.u32 %r6, %r6, 4, %r2;\nst.shared.u32 [%r6], %r1;\nNONE:\npopc.b32 %r3, %r5;\n",
      1);
  const unsigned one = ops_of_step("heddle.cond_acc.sync.shared.b32 %r3, [%r2], %p1, %r1, -1;\n", 0);
  return by_ballot - one + 1.0;
}

}  // namespace

void add_instruction_targets(Evaluations& targets) {
  targets["db.fts.six-to-one"] = replaced_in_the_listing;

  targets["db.vec3.8.mixed-dest"] = [] { return accumulate(kMixed, 8).dest; };
  targets["db.vec3.8.mixed-addr-1b"] = [] { return accumulate(kMixed, 8, 1).last; };
  targets["db.vec3.8.mixed-addr-4b"] = [] { return accumulate(kMixed, 8, 4).last; };
  targets["db.vec3.8.mixed-addr-8b"] = [] { return accumulate(kMixed, 8, 8).last; };
  targets["db.vec3.8.ones-dest"] = [] { return accumulate(~0u, 32).dest; };
  targets["db.vec3.8.ones-writes"] = [] { return accumulate(~0u, 32).writes; };
  targets["db.vec3.8.zeros-dest"] = [] { return accumulate(0, 32).dest; };
  targets["db.vec3.8.zeros-writes"] = [] { return accumulate(0, 32).writes; };
  targets["db.vec3.8.lane31-dest"] = [] { return accumulate(0x80000000, 32).dest; };
  targets["db.vec3.8.lane31-offset"] = [] { return accumulate(0x80000000, 32).last - 0x100; };
  targets["db.vec3.8.alternate-writes"] = [] { return accumulate(0xaaaaaaaa, 32).elements; };

  targets["db.vec3.12.node32-lane0"] = [] { return traverse(0, true, "add.u32 %r1, %t, 32;\n", 32); };
  targets["db.vec3.12.node1"] = [] { return traverse(17, true, "mov.u32 %r1, 5;\n", 1); };
  targets["db.vec3.12.sum0"] = [] { return traverse(0, false, "mov.u32 %r1, 5;\n", 1) - 5; };
}

}  // namespace heddle::studies
