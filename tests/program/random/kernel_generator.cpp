// SPDX-License-Identifier: Apache-2.0
#include "kernel_generator.h"

#include <fmt/format.h>

#include <string_view>
#include <utility>
#include <vector>

#include "chance.h"
#include "kernel_frame.h"

namespace heddle::random {

namespace {

constexpr std::uint64_t kNamesSeed = 0x6e616d6573;  // any number

/// The threads guaranteed to arrive here together.
enum class Together { block, warp, none };

class Generator : private Chance {
 public:
  Generator(std::uint64_t seed, unsigned size) : Chance(seed), names_(seed ^ kNamesSeed), budget_(size) {}

  GeneratedKernel run() {
    leaves_early_ = chance(8);
    recursive_ = chance(4);
    const std::string functions = function("f", false) + (recursive_ ? function("g", true) : "");
    if (names_.chance(8)) many_names();
    while (budget_ > 0) statement(Together::block, 0);
    GeneratedKernel out;
    out.ptx = ".version 7.0\n.target sm_80\n.address_size 64\n.extern .shared .align 16 .b8 box[];\n" + functions +
              prologue(*this) + body_ + epilogue();
    out.fixed_count = !tries_again_;
    return out;
  }

 private:
  // -- names and values

  std::string r() { return fmt::format("%r{}", below(kWords)); }
  std::string d() { return fmt::format("%d{}", below(kLongs)); }
  std::string f() { return fmt::format("%f{}", below(kFloats)); }
  std::string e() { return fmt::format("%e{}", below(kDoubles)); }
  std::string p() { return fmt::format("%p{}", below(kPredicates)); }
  std::string value() { return chance(3) ? fmt::format("0x{:x}", bits()) : r(); }
  std::string label() { return fmt::format("L{}", labels_++); }

  template <typename... Args>
  void emit(fmt::format_string<Args...> text, Args&&... args) {
    body_ += "  " + fmt::format(text, std::forward<Args>(args)...) + "\n";
  }
  void place(const std::string& name) { body_ += name + ":\n"; }

  // -- straight code

  /// `guard` may be empty.
  void arithmetic(bool in_function) {
    const std::string guard = chance(4) ? fmt::format("@{}{} ", chance(2) ? "!" : "", p()) : "";
    switch (below(in_function ? 8 : 16)) {
      case 0:
      case 1:
        emit("{}{} {}, {}, {};", guard,
             one_of({"add.u32", "sub.s32", "mul.lo.u32", "and.b32", "or.b32", "xor.b32", "min.s32", "max.u32",
                     "mul.hi.u32", "shl.b32", "shr.s32", "shr.u32", "mul24.lo.s32", "add.sat.s32"}),
             r(), r(), value());
        break;
      case 2:
        emit("{}{} {}, {};", guard,
             one_of({"abs.s32", "neg.s32", "not.b32", "popc.b32", "clz.b32", "brev.b32", "bfind.u32"}), r(), r());
        break;
      case 3:
        emit("{}{} {}, {}, {}, {};", guard,
             one_of({"mad.lo.s32", "mad.hi.u32", "sad.u32", "prmt.b32", "bfe.s32", "shf.l.wrap.b32"}), r(), r(),
             value(), r());
        break;
      case 4:
        emit("{}setp.{}.{} {}, {}, {};", guard, one_of({"eq", "ne", "lt", "le", "gt", "ge"}), one_of({"s32", "u32"}),
             p(), r(), value());
        break;
      case 5:
        emit("{}selp.b32 {}, {}, {}, {};", guard, r(), r(), value(), p());
        break;
      case 6:
        emit("{}lop3.b32 {}, {}, {}, {}, 0x{:x};", guard, r(), r(), r(), r(), below(256));
        break;
      case 7:
        emit("or.b32 %t0, {}, 1;", r());
        emit("{}{} {}, {}, %t0;", guard, one_of({"div.u32", "rem.u32", "div.s32", "rem.s32"}), r(), r());
        break;
      case 8:
        emit("{}{} {}, {}, {};", guard, one_of({"mul.wide.u32", "mul.wide.s32"}), d(), r(), r());
        break;
      case 9:
        emit("{}{} {}, {}, {};", guard, one_of({"add.s64", "sub.u64", "mul.lo.s64", "xor.b64", "min.u64", "max.s64"}),
             d(), d(), d());
        break;
      case 10:
        if (chance(2)) {
          emit("{}mov.b64 {}, {{{}, {}}};", guard, d(), r(), r());
        } else {
          emit("{}mov.b64 {{%t0, %t1}}, {};", guard, d());
          emit("{}xor.b32 {}, %t0, %t1;", guard, r());
        }
        break;
      case 11:
        emit("{}{} {}, {};", guard, one_of({"cvt.u32.u64", "cvt.u32.u64", "cvt.s32.s64"}), r(), d());
        break;
      case 12:
        emit("{}{} {}, {}, {};", guard,
             one_of({"add.f32", "mul.rn.f32", "sub.ftz.f32", "min.f32", "max.f32", "div.rn.f32"}), f(), f(), f());
        emit("{}fma.rn.f32 {}, {}, {}, {};", guard, f(), f(), f(), f());
        break;
      case 13:
        emit("{}cvt.rn.f32.u32 {}, {};", guard, f(), r());
        emit("{}{} {}, {};", guard,
             one_of({"sqrt.rn.f32", "rcp.approx.f32", "ex2.approx.f32", "sin.approx.f32", "neg.f32", "lg2.approx.f32"}),
             f(), f());
        break;
      case 14:
        emit("{}{} {}, {};", guard, one_of({"cvt.rzi.u32.f32", "mov.b32", "cvt.rni.s32.f32"}), r(), f());
        break;
      default:
        emit("{}cvt.rn.f64.s32 {}, {};", guard, e(), r());
        emit("{}fma.rn.f64 {}, {}, {}, {};", guard, e(), e(), e(), e());
        emit("{}cvt.rzi.s32.f64 {}, {};", guard, r(), e());
        break;
    }
  }

  // More named predicates than any machine allocates, each dead before the next is written, for hazards by name. Uses
  // separate draws, so that the other statements of a seed do not change.
  void many_names() {
    const unsigned count = 65 + names_.below(150);
    emit("{{ .reg .pred %n<{}>;", count);
    for (unsigned i = 0; i < count; ++i) {
      emit("setp.{}.u32 %n{}, %r{}, {};", names_.one_of({"lt", "gt", "ne"}), i, names_.below(kWords), names_.bits());
      emit("@%n{} {} %r{}, %r{}, %r{};", i, names_.one_of({"add.u32", "xor.b32"}), names_.below(kWords),
           names_.below(kWords), names_.below(kWords));
    }
    emit("}}");
  }

  // Reads inputs; reads and writes the thread's own data.
  void memory() {
    switch (below(7)) {
      case 0:
      case 1: {
        const unsigned words = 1u << below(3);
        emit("and.b32 %t0, {}, {};", r(), kInputWords - words);
        emit("mul.wide.u32 %a0, %t0, 4;");
        emit("add.s64 %a0, %a0, %inputs;");
        const std::string_view kind = one_of({"ld.global", "ld.global.nc", "ld.global.cg", "ld"});
        if (words == 1) {
          emit("{}.u32 {}, [%a0];", kind, r());
        } else if (words == 2) {
          emit("{}.v2.u32 {{%t1, %t2}}, [%a0];", kind);
          emit("sub.u32 {}, %t1, %t2;", r());
        } else {
          emit("{}.v4.u32 {{%t1, %t2, %t3, %t4}}, [%a0];", kind);
          emit("lop3.b32 {}, %t1, %t2, %t3, 0x96;", r());
          emit("add.u32 {}, %t1, %t4;", r());
        }
        break;
      }
      case 2:
        emit("and.b32 %t0, {}, {};", r(), kInputWords * 4 - 1);
        emit("cvt.u64.u32 %a0, %t0;");
        emit("add.s64 %a0, %a0, %inputs;");
        emit("ld.global.{} {}, [%a0];", one_of({"u8", "s8"}), r());
        break;
      case 3:
        emit("and.b32 %t0, {}, 7;", r());
        emit("shl.b32 %t0, %t0, 2;");
        emit("add.u32 %t0, %t0, %depot;");
        emit("st.local.u32 [%t0], {};", r());
        break;
      case 4:
        emit("and.b32 %t0, {}, 6;", r());
        emit("shl.b32 %t0, %t0, 2;");
        emit("add.u32 %t0, %t0, %depot;");
        if (chance(2)) {
          emit("ld.local.u32 {}, [%t0];", r());
        } else {
          emit("ld.local.u64 {}, [%t0];", d());
        }
        break;
      case 5:
        // The last quarter of the thread's results; the rest is written at the end.
        emit("{} [%mine+{}], {};", one_of({"st.global.u8", "st.global.u16", "st.global.u32", "st.u32"}),
             kResultBytes - 4 - 4 * below(8), r());
        break;
      default:
        emit("ld.global.{} {}, [%mine+{}];", one_of({"u8", "s16", "u32"}), r(), kResultBytes - 4 - 4 * below(8));
        break;
    }
  }

  // -- communication between threads

  // Atomics whose order does not affect results.
  void sums() {
    const bool shared = chance(2);
    const unsigned index = below(shared ? kSharedSums : kSums);
    const std::string guard = chance(3) ? fmt::format("@{} ", p()) : "";
    const std::string where = shared ? fmt::format("[box+{}]", 4 * index) : fmt::format("[%sums+{}]", 4 * index);
    const std::string_view space = shared ? "shared" : "global", operation = sum_operation(index);
    if (!shared && index == 6) {
      // Tickets: their assignment to threads is not deterministic, but their set is.
      emit("{}atom.global.add.u32 %t0, {}, 1;", guard, where);
      emit("mad.lo.u32 %t1, %t0, %t0, 77;");
      emit("{}red.global.add.u32 [%sums+{}], %t1;", guard, 4 * 8);
    } else if (index == 0 && chance(3)) {
      compare_and_swap(space, where);
    } else if (chance(2)) {
      emit("{}red.{}.{} {}, {};", guard, space, operation, where, value());
    } else {
      emit("{}atom.{}.{} %t0, {}, {};", guard, space, operation, where, r());
    }
  }

  // Retries until it succeeds; some thread always does.
  void compare_and_swap(std::string_view space, const std::string& where) {
    tries_again_ = true;
    const std::string again = label();
    emit("ld.{}.u32 %t1, {};", space, where);
    place(again);
    emit("mov.u32 %t0, %t1;");
    emit("add.u32 %t2, %t0, {};", r());
    emit("atom.{}.cas.b32 %t1, {}, %t0, %t2;", space, where);
    emit("setp.ne.u32 %q0, %t1, %t0;");
    emit("@%q0 bra {};", again);
  }

  // Writes its own slot, synchronises with the block, reads another thread's slot, synchronises again.
  void exchange() {
    const bool shared = !chance(3);
    const std::string own = shared ? "[%own+0]" : "[%scratch+0]";
    emit("st.{}.u32 {}, {};", shared ? "shared" : "global", own, r());
    if (!shared && chance(2)) emit("membar.{};", one_of({"cta", "gl"}));
    barrier();
    emit("mad.lo.u32 %t0, %self, {}, {};", 2 * below(8) + 1, below(64));
    emit("rem.u32 %t0, %t0, %threads;");
    if (shared) {
      emit("mad.lo.u32 %t0, %t0, {}, %places;", kSharedThreadBytes);
      emit("ld.shared.u32 {}, [%t0];", r());
    } else {
      emit("mul.wide.u32 %a0, %t0, {};", kScratchBytes);
      emit("add.s64 %a0, %a0, %block_scratch;");
      emit("ld.global.u32 {}, [%a0];", r());
    }
    barrier();
  }

  void barrier() {
    switch (below(6)) {
      case 0:
        emit("barrier.sync {};", below(2));
        break;
      case 1:
        emit("bar.red.{}.pred {}, 0, {};", one_of({"and", "or"}), p(), p());
        break;
      case 2:
        emit("bar.red.popc.u32 {}, 0, {};", r(), p());
        break;
      default:
        emit("bar.sync {};", below(3));
        break;
    }
  }

  // Some warps synchronise at a separate barrier; in one of two variants the others only arrive.
  void part_of_block() {
    const std::string others = label(), end = label();
    const unsigned number = 4 + below(8);
    const bool arrive = chance(2);
    emit("and.b32 %t0, %threads, 31;");
    emit("setp.lt.u32 %q0, %threads, 64;");
    emit("setp.ne.or.u32 %q0, %t0, 0, %q0;");
    emit("@%q0 bra {};", end);
    emit("shr.u32 %t3, %threads, 6;");
    emit("shl.b32 %t3, %t3, 5;  // threads of the first part");
    emit("setp.ge.u32 %q0, %self, %t3;");
    emit("bar.sync 0;  // an earlier use of the part's barrier is over");
    if (arrive) {
      const std::string join = label();
      emit("@%q0 bra {};", others);
      emit("bar.sync {}, %threads;", number);
      emit("sub.u32 %t0, %threads, 1;");
      emit("sub.u32 %t0, %t0, %self;  // a thread of the second part, for the first is not larger");
      emit("mad.lo.u32 %t0, %t0, {}, %places;", kSharedThreadBytes);
      emit("ld.shared.u32 {}, [%t0];", r());
      emit("bra {};", join);
      place(others);
      emit("st.shared.u32 [%own], {};", r());
      emit("bar.arrive {}, %threads;", number);
      place(join);
      emit("bar.sync 0;");
    } else {
      emit("@%q0 bra {};", others);
      emit("st.shared.u32 [%own], {};", r());
      emit("bar.sync {}, %t3;", number);
      emit("add.u32 %t0, %self, {};", below(64));
      emit("rem.u32 %t0, %t0, %t3;");
      emit("mad.lo.u32 %t0, %t0, {}, %places;", kSharedThreadBytes);
      emit("ld.shared.u32 {}, [%t0];", r());
      emit("bar.sync {}, %t3;", number);
      place(others);
    }
    place(end);
  }

  // Threads of a warp: all existing ones, or one half.
  void collective() {
    std::string mask = "%full";
    const bool half = chance(4);
    const std::string end = label();
    if (half) {
      const bool upper = chance(2);
      emit("setp.{}.u32 %q0, %lane, 16;", upper ? "lt" : "ge");
      emit("@%q0 bra {};", end);
      emit("and.b32 %t5, %full, {};", upper ? "0xffff0000" : "0xffff");
      mask = "%t5";
      for (unsigned i = below(3); i > 0; --i) arithmetic(false);
    }
    const unsigned which = below(6), distance = below(8), from = below(half ? 16 : 32);
    const std::string_view shuffle = one_of({"up", "bfly", "idx"}), vote = one_of({"all", "any", "uni"}),
                           reduction = one_of({"add.u32", "min.s32", "xor.b32", "or.b32"});
    // From a participating lane, as the value would otherwise be undefined: upwards, or, if all lanes exist, across.
    emit("setp.eq.u32 %q1, %full, -1;");
    emit("mov.u32 %t1, 0;");
    emit("@%q1 mov.u32 %t1, {};", from);
    const auto copy = [&] {
      switch (which) {
        case 0:
        case 1:
          if (shuffle == "up") {
            emit("shfl.sync.up.b32 {}|{}, {}, {}, {}, {};", r(), p(), r(), distance, half ? "0x1000" : "0", mask);
          } else {
            emit("shfl.sync.{}.b32 {}|{}, {}, %t1, {}, {};", shuffle, r(), p(), r(), half ? "0x100f" : "31", mask);
          }
          break;
        case 2:
          emit("vote.sync.ballot.b32 {}, {}, {};", r(), p(), mask);
          break;
        case 3:
          emit("vote.sync.{}.pred {}, {}, {};", vote, p(), p(), mask);
          break;
        case 4:
          emit("and.b32 %t0, {}, 3;", r());
          emit("match.any.sync.b32 {}, %t0, {};", r(), mask);
          break;
        default:
          emit("redux.sync.{} {}, {}, {};", reduction, r(), r(), mask);
          break;
      }
    };
    if (chance(3)) {
      // One copy on each side of a branch: threads meet at two instructions.
      const std::string other = label(), join = label();
      emit("setp.{}.u32 %q0, {}, {};", one_of({"lt", "gt"}), chance(2) ? "%lane" : r(), below(32));
      emit("@%q0 bra {};", other);
      copy();
      for (unsigned i = below(3); i > 0; --i) arithmetic(false);
      emit("bra {};", join);
      place(other);
      copy();
      place(join);
    } else {
      copy();
    }
    if (half) {
      place(end);
    }
    if (chance(3)) emit("bar.warp.sync %full;");
  }

  // -- control

  void condition(Together together, const std::string& predicate) {
    if (together == Together::none) {
      emit("setp.{}.u32 {}, {}, {};", one_of({"lt", "gt", "eq", "ne"}), predicate, chance(3) ? "%lane" : r(),
           chance(3) ? "%self" : value());
      if (chance(2)) {
        emit("and.b32 %t0, {}, {};", r(), 1 + below(7));
        emit("setp.eq.u32 {}, %t0, 0;", predicate);
      }
    } else {
      emit("and.b32 %t0, {}, {};", together == Together::block ? "%cta" : "%warp", 1 + below(3));
      emit("setp.eq.u32 {}, %t0, {};", predicate, below(2));
    }
  }

  Together narrower(Together together) {
    if (together == Together::none || chance(2)) return Together::none;
    return together == Together::block && chance(2) ? Together::block : Together::warp;
  }

  void branch(Together together, unsigned depth) {
    const Together inside = narrower(together);
    const std::string otherwise = label(), end = label();
    condition(inside, "%q0");
    emit("@%q0 bra {};", otherwise);
    block(inside, depth);
    if (chance(2)) {
      emit("bra {};", end);
      place(otherwise);
      block(inside, depth);
      place(end);
    } else {
      place(otherwise);
    }
  }

  void loop(Together together, unsigned depth) {
    const Together inside = narrower(together);
    const std::string again = label(), end = label(), counter = fmt::format("%c{}", depth);
    if (inside == Together::none) {
      emit("and.b32 {}, {}, 3;", counter, r());
    } else {
      emit("and.b32 {}, {}, 1;", counter, inside == Together::block ? "%cta" : "%warp");
      emit("add.u32 {}, {}, {};", counter, counter, below(2));
    }
    place(again);
    const bool tested_first = chance(2);
    if (tested_first) {
      emit("setp.eq.u32 %q0, {}, 0;", counter);
      emit("@%q0 bra {};", end);
    }
    const std::string outer = loop_end_;
    if (inside == Together::none) loop_end_ = end;
    block(inside, depth);
    loop_end_ = outer;
    emit("sub.u32 {}, {}, 1;", counter, counter);
    if (tested_first) {
      emit("bra {};", again);
    } else {
      emit("setp.gt.s32 %q0, {}, 0;", counter);
      emit("@%q0 bra {};", again);
    }
    place(end);
  }

  void choice(unsigned depth) {
    const unsigned cases = 2 + below(3);
    std::vector<std::string> names;
    for (unsigned i = 0; i < cases; ++i) names.push_back(label());
    const std::string table = label() + "_table", end = label();
    std::string list;
    for (const std::string& name : names) list += (list.empty() ? "" : ", ") + name;
    emit("{}: .branchtargets {};", table, list);
    emit("rem.u32 %t0, {}, {};", r(), cases);
    emit("brx.idx %t0, {};", table);
    for (const std::string& name : names) {
      place(name);
      block(Together::none, depth);
      if (!chance(4)) emit("bra {};", end);
    }
    place(end);
  }

  void block(Together together, unsigned depth) {
    for (unsigned i = 1 + below(4); i > 0; --i) statement(together, depth + 1);
  }

  void call() {
    const bool deep = recursive_ && chance(2);
    emit("{{ .param .b32 a; .param .b32 b; .param .b32 c;");
    if (deep) {
      emit("and.b32 %t0, {}, 3;", r());
    } else {
      emit("mov.u32 %t0, {};", r());
    }
    emit("st.param.b32 [a], %t0; st.param.b32 [b], {};", r());
    emit("call (c), {}, (a, b);", deep ? "g" : "f");
    emit("ld.param.b32 {}, [c]; }}", r());
  }

  void statement(Together together, unsigned depth) {
    if (budget_ > 0) --budget_;
    const unsigned pick = below(100);
    if (depth < 4 && budget_ > 0) {
      if (pick < 14) return branch(together, depth);
      if (pick < 22) return loop(together, depth);
      if (pick < 25) return choice(depth);
    }
    if (pick < 30) return call();
    if (pick < 38) return sums();
    if (pick < 50) return memory();
    if (together == Together::block && pick < 62) return exchange();
    if (together == Together::block && pick < 66 && !leaves_early_) return part_of_block();
    if (together != Together::none && pick < 78 && !leaves_early_) return collective();
    if (together == Together::none && pick < 54 && !loop_end_.empty()) {
      emit("@{} bra {};", p(), loop_end_);
      return;
    }
    if (together == Together::none && pick < 56 && leaves_early_) {
      emit("and.b32 %t0, {}, 7;", r());
      emit("setp.eq.u32 %q0, %t0, 0;");
      emit("@%q0 {};", chance(2) ? "exit" : "ret");
      return;
    }
    for (unsigned i = 1 + below(3); i > 0; --i) arithmetic(false);
  }

  // -- functions

  /// A function of two words that returns one. recursive: the first argument is the recursion depth.
  std::string function(const std::string& name, bool recursive) {
    std::string kept;
    kept.swap(body_);
    for (unsigned i = 2 + below(5); i > 0; --i) arithmetic(true);
    if (chance(2)) {
      emit("@{} bra SKIP;", p());
      for (unsigned i = 1 + below(4); i > 0; --i) arithmetic(true);
      place("SKIP");
    }
    if (recursive) {
      emit("setp.eq.u32 %q0, %n, 0;");
      emit("@%q0 bra END;");
      emit("sub.u32 %t0, %n, 1;");
      emit("{{ .param .b32 a; .param .b32 b; .param .b32 c; st.param.b32 [a], %t0; st.param.b32 [b], {};", r());
      emit("call (c), {}, (a, b); ld.param.b32 %t1, [c]; }}", name);
      emit("xor.b32 %r0, %r0, %t1;");
      if (chance(2)) {
        emit("setp.gt.u32 %q0, %n, 2;");
        emit("@%q0 bra END;");
        emit("{{ .param .b32 a; .param .b32 b; .param .b32 c; st.param.b32 [a], %t0; st.param.b32 [b], {};", r());
        emit("call (c), {}, (a, b); ld.param.b32 %t1, [c]; }}", name);
        emit("add.u32 %r0, %r0, %t1;");
      }
      place("END");
    }
    std::string code = fmt::format(".func (.param .b32 result) {}(.param .b32 first, .param .b32 second)\n{{\n", name);
    code += "  .reg .b32 %r<8>, %t<2>, %n; .reg .pred %p<3>, %q0;\n";
    code += "  ld.param.b32 %n, [first]; mov.u32 %r0, %n; ld.param.b32 %r1, [second];\n";
    for (unsigned i = 2; i < kWords; ++i)
      code += fmt::format("  mad.lo.u32 %r{}, %r{}, {}, %r{};\n", i, i - 2, 2 * below(1000) + 1, i - 1);
    for (unsigned i = 0; i < kPredicates; ++i) code += fmt::format("  setp.lt.s32 %p{}, %r{}, 0;\n", i, i + 4);
    code += body_ + "  st.param.b32 [result], %r0;\n  ret;\n}\n";
    body_.swap(kept);
    return code;
  }

  Chance names_;  ///< of many_names()
  unsigned budget_;
  unsigned labels_ = 0;
  bool leaves_early_ = false, recursive_ = false, tries_again_ = false;
  std::string body_, loop_end_;
};

}  // namespace

GeneratedKernel generate_kernel(std::uint64_t seed, unsigned size) { return Generator(seed, size).run(); }

}  // namespace heddle::random
