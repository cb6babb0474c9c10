// SPDX-License-Identifier: Apache-2.0
// Random programs, lowered and run, against a direct interpretation of the same programs: expansion, folding, layout,
// liveness and register allocation must not affect results.
#include <random>

#include "../front_end_fixture.h"
#include "../warp_interpreter.h"

namespace heddle::isa {
namespace {

constexpr unsigned kWords = 6, kLongs = 4, kPredicates = 3,
                   kOut = 64;  // registers of each kind; bytes of results a thread

// One thread's registers.
struct Registers {
  std::array<std::uint32_t, kWords> r{};
  std::array<std::uint64_t, kLongs> d{};
  std::array<bool, kPredicates> p{};
  std::uint32_t fuel = 0;
};

struct Statement {
  enum class Kind { add, sub, mul, xor_, wide, cut, pack, unpack, less, select, shift, both, call, jump, leave };
  Kind kind = Kind::add;
  unsigned to = 0, a = 0, b = 0, c = 0;
  std::uint32_t immediate = 0;
  bool use_immediate = false, guarded = false, negate = false;
  unsigned guard = 0, label = 0;
};

// Straight code with a label before every fourth statement, and jumps to anywhere, limited by a fuel counter.
struct Program {
  std::vector<Statement> statements;
  std::vector<Statement> callee;  ///< a function of r0 that gives r1; only r registers and forward jumps
};

unsigned labels_of(const std::vector<Statement>& statements) {
  return static_cast<unsigned>(statements.size() / 4) + 1;
}

class Generator {
 public:
  explicit Generator(unsigned seed) : random_(seed) {}

  Program program() {
    Program out;
    const unsigned size = 8 + below(60);
    for (unsigned i = 0; i < size; ++i) out.statements.push_back(statement(i, size, false));
    const unsigned callee_size = 4 + below(12);
    for (unsigned i = 0; i < callee_size; ++i) out.callee.push_back(statement(i, callee_size, true));
    return out;
  }

 private:
  unsigned below(unsigned limit) { return static_cast<unsigned>(random_() % limit); }

  Statement statement(unsigned index, unsigned size, bool callee) {
    using Kind = Statement::Kind;
    Statement s;
    const unsigned choice = below(100);
    if (choice < 18) {
      s.kind = Kind::jump;
    } else if (choice < 20) {
      s.kind = Kind::leave;
    } else if (choice < 28 && !callee) {
      s.kind = Kind::call;
    } else {
      constexpr Kind kPlain[] = {Kind::add,   Kind::sub,  Kind::mul,  Kind::xor_, Kind::less, Kind::select,
                                 Kind::shift, Kind::both, Kind::wide, Kind::cut,  Kind::pack, Kind::unpack};
      s.kind = kPlain[below(callee ? 7 : 12)];
    }
    s.to = below(kWords);
    s.a = below(kWords);
    s.b = below(kWords);
    s.c = below(kPredicates);
    s.immediate = static_cast<std::uint32_t>(random_());
    s.use_immediate = below(3) == 0;
    s.guarded = below(s.kind == Kind::jump ? 5 : 3) != 0;
    if (s.kind == Kind::leave) s.guarded = true;
    s.negate = below(2) != 0;
    s.guard = below(kPredicates);
    const unsigned labels = size / 4 + 1, own = index / 4 + 1;
    // Callees only jump forward, so they need no fuel.
    s.label = callee ? std::min(labels, own + below(labels)) : below(labels + 1);
    return s;
  }

  std::mt19937 random_;
};

// -- PTX

std::string line_of(const Statement& s, const std::string& prefix, bool callee) {
  using Kind = Statement::Kind;
  const std::string guard = s.guarded ? fmt::format("@{}%p{} ", s.negate ? "!" : "", s.guard) : "";
  const std::string second = s.use_immediate ? fmt::format("0x{:x}", s.immediate) : fmt::format("%r{}", s.b);
  switch (s.kind) {
    case Kind::add:
      return fmt::format("{}add.u32 %r{}, %r{}, {};", guard, s.to, s.a, second);
    case Kind::sub:
      return fmt::format("{}sub.u32 %r{}, %r{}, {};", guard, s.to, s.a, second);
    case Kind::mul:
      return fmt::format("{}mul.lo.u32 %r{}, %r{}, {};", guard, s.to, s.a, second);
    case Kind::xor_:
      return fmt::format("{}xor.b32 %r{}, %r{}, {};", guard, s.to, s.a, second);
    case Kind::wide:
      return fmt::format("{}mul.wide.u32 %d{}, %r{}, {};", guard, s.to % kLongs, s.a, second);
    case Kind::cut:
      return fmt::format("{}cvt.u32.u64 %r{}, %d{};", guard, s.to, s.a % kLongs);
    case Kind::pack:
      return fmt::format("{}mov.b64 %d{}, {{%r{}, {}}};", guard, s.to % kLongs, s.a, second);
    case Kind::unpack:
      return fmt::format("{}mov.b64 {{%r{}, {}}}, %d{};", guard, s.to,
                         s.use_immediate || s.to == s.b ? "_" : fmt::format("%r{}", s.b), s.a % kLongs);
    case Kind::less:
      return fmt::format("{}setp.lt.u32 %p{}, %r{}, {};", guard, s.c, s.a, second);
    case Kind::select:
      return fmt::format("{}selp.b32 %r{}, %r{}, {}, %p{};", guard, s.to, s.a, second, s.c);
    case Kind::shift:
      return fmt::format("{}shr.u32 %r{}, %r{}, {};", guard, s.to, s.a, s.immediate % 32);
    case Kind::both:
      return fmt::format("{}setp.ne.and.u32 %p{}|%p{}, %r{}, {}, %p{};", guard, s.c, (s.c + 1) % kPredicates, s.a,
                         second, s.guard);
    case Kind::call:
      return fmt::format(
          "{{ .param .b32 x; .param .b32 y; st.param.b32 [x], {}; {}call (y), f, (x); ld.param.b32 %r{}, [y]; }}",
          second, "", s.to);
    case Kind::jump:
      if (callee) return fmt::format("{}bra {}{};", guard, prefix, s.label);
      return fmt::format("sub.u32 %fuel, %fuel, 1; setp.eq.u32 %dry, %fuel, 0; @%dry bra END; {}bra {}{};", guard,
                         prefix, s.label);
    case Kind::leave:
      return guard + (callee ? "ret;" : "exit;");
  }
  return "";
}

std::string code_of(const std::vector<Statement>& statements, const std::string& prefix, bool callee) {
  std::string out;
  for (unsigned i = 0; i < statements.size(); ++i) {
    if (i % 4 == 0) out += fmt::format("{}{}:\n", prefix, i / 4);
    out += line_of(statements[i], prefix, callee) + "\n";
  }
  // Every label a jump may name.
  for (unsigned i = static_cast<unsigned>((statements.size() + 3) / 4); i <= labels_of(statements); ++i)
    out += fmt::format("{}{}:\n", prefix, i);
  return out;
}

std::string text_of(const Program& program) {
  std::string text =
      ".func (.param .b32 out) f(.param .b32 in)\n{ .reg .b32 %r<6>; .reg .pred %p<3>; ld.param.b32 %r0, [in];\n";
  for (unsigned i = 1; i < kWords; ++i) text += fmt::format("mov.u32 %r{}, {};\n", i, i);
  for (unsigned i = 0; i < kPredicates; ++i) text += fmt::format("setp.lt.u32 %p{}, %r0, {};\n", i, 1u << (8 * i + 7));
  // A function returns r1, stored before each return, through one exit or several.
  std::string callee = code_of(program.callee, "F", true);
  for (std::size_t at = callee.find("ret;"); at != std::string::npos; at = callee.find("ret;", at + 4)) {
    callee.replace(at, 4, "bra FEND;");
  }
  text += callee + "FEND: st.param.b32 [out], %r1; ret; }\n";
  text +=
      ".visible .entry k(.param .u64 buffer)\n{ .reg .b32 %r<6>; .reg .b64 %d<4>; .reg .pred %p<3>; .reg .b32 %fuel, "
      "%id; .reg .pred %dry; .reg .b64 %a, %b;\n";
  text +=
      "mov.u32 %id, %tid.x; ld.param.u64 %a, [buffer]; mul.wide.u32 %b, %id, 64; add.u64 %a, %a, %b; mov.u32 %fuel, "
      "200;\n";
  for (unsigned i = 0; i < kWords; ++i) text += fmt::format("mul.lo.u32 %r{}, %id, {};\n", i, 0x9e3779b1u * (i + 1));
  for (unsigned i = 0; i < kLongs; ++i) text += fmt::format("mul.wide.u32 %d{}, %r{}, 0x12345677;\n", i, i);
  for (unsigned i = 0; i < kPredicates; ++i) text += fmt::format("setp.lt.u32 %p{}, %r{}, 0x80000000;\n", i, i);
  text += code_of(program.statements, "L", false);
  text += "END:\n";
  for (unsigned i = 0; i < kWords; ++i) text += fmt::format("st.global.u32 [%a+{}], %r{};\n", 4 * i, i);
  for (unsigned i = 0; i < kLongs; ++i) text += fmt::format("st.global.u64 [%a+{}], %d{};\n", 24 + 8 * i, i);
  text += "selp.b32 %r0, 1, 0, %p0; st.global.u32 [%a+56], %r0; ret; }\n";
  return module_text(text);
}

// -- direct interpretation

// Runs statements on one thread; false when it left by `leave`.
bool run(const std::vector<Statement>& statements, Registers& t, bool callee, const std::vector<Statement>* f) {
  using Kind = Statement::Kind;
  for (std::size_t i = 0; i < statements.size();) {
    const Statement& s = statements[i];
    const bool holds = !s.guarded || t.p[s.guard] != s.negate;
    const std::uint32_t second = s.use_immediate ? s.immediate : t.r[s.b];
    std::size_t next = i + 1;
    if (s.kind == Kind::jump && !callee && --t.fuel == 0) return true;
    if (s.kind == Kind::call) {
      Registers inner;
      inner.r[0] = second;
      for (unsigned k = 1; k < kWords; ++k) inner.r[k] = k;
      for (unsigned k = 0; k < kPredicates; ++k) inner.p[k] = inner.r[0] < (1u << (8 * k + 7));
      run(*f, inner, true, nullptr);
      t.r[s.to] = inner.r[1];
    } else if (holds) {
      switch (s.kind) {
        case Kind::add:
          t.r[s.to] = t.r[s.a] + second;
          break;
        case Kind::sub:
          t.r[s.to] = t.r[s.a] - second;
          break;
        case Kind::mul:
          t.r[s.to] = t.r[s.a] * second;
          break;
        case Kind::xor_:
          t.r[s.to] = t.r[s.a] ^ second;
          break;
        case Kind::wide:
          t.d[s.to % kLongs] = std::uint64_t{t.r[s.a]} * second;
          break;
        case Kind::cut:
          t.r[s.to] = static_cast<std::uint32_t>(t.d[s.a % kLongs]);
          break;
        case Kind::pack:
          t.d[s.to % kLongs] = t.r[s.a] | (std::uint64_t{second} << 32);
          break;
        case Kind::unpack: {
          const std::uint64_t value = t.d[s.a % kLongs];
          t.r[s.to] = static_cast<std::uint32_t>(value);
          if (!s.use_immediate && s.to != s.b) t.r[s.b] = static_cast<std::uint32_t>(value >> 32);
          break;
        }
        case Kind::less:
          t.p[s.c] = t.r[s.a] < second;
          break;
        case Kind::select:
          t.r[s.to] = t.p[s.c] ? t.r[s.a] : second;
          break;
        case Kind::shift:
          t.r[s.to] = t.r[s.a] >> (s.immediate % 32);
          break;
        case Kind::both: {
          const bool differ = t.r[s.a] != second, also = t.p[s.guard];
          t.p[s.c] = differ && also;
          t.p[(s.c + 1) % kPredicates] = !differ && also;
          break;
        }
        case Kind::jump:
          next = std::size_t{4} * s.label;
          break;
        case Kind::leave:
          return false;
        case Kind::call:
          break;
      }
    }
    i = next;
  }
  return true;
}

std::vector<std::byte> expected(const Program& program) {
  std::vector<std::byte> out(32 * kOut, std::byte{0x5a});
  for (std::uint32_t tid = 0; tid < 32; ++tid) {
    Registers t;
    t.fuel = 200;
    for (unsigned i = 0; i < kWords; ++i) t.r[i] = tid * (0x9e3779b1u * (i + 1));
    for (unsigned i = 0; i < kLongs; ++i) t.d[i] = std::uint64_t{t.r[i]} * 0x12345677u;
    for (unsigned i = 0; i < kPredicates; ++i) t.p[i] = t.r[i] < 0x80000000u;
    if (!run(program.statements, t, false, &program.callee)) continue;
    std::byte* place = out.data() + kOut * tid;
    std::memcpy(place, t.r.data(), 24);
    std::memcpy(place + 24, t.d.data(), 32);
    const std::uint32_t p0 = t.p[0] ? 1 : 0;
    std::memcpy(place + 56, &p0, 4);
  }
  return out;
}

/// Compares a kernel of the program with the direct interpretation.
void compare(unsigned seed, const Program& program, const std::string& text, const Kernel& kernel) {
  std::vector<std::byte> got(32 * kOut, std::byte{0x5a});
  WarpInterpreter warp(kernel, parameters_of({reinterpret_cast<std::uint64_t>(got.data())}));
  ASSERT_TRUE(warp.run()) << "seed " << seed << "\n" << text;
  const std::vector<std::byte> wanted = expected(program);
  const auto differ = std::mismatch(got.begin(), got.end(), wanted.begin()).first - got.begin();
  ASSERT_TRUE(got == wanted) << "seed " << seed << ", thread " << differ / kOut << ", byte " << differ % kOut << "\n"
                             << text << dump(kernel);
}

TEST(RandomPrograms, GiveWhatADirectReadingGives) {
  unsigned irreducible = 0, loops = 0;
  for (unsigned seed = 1; seed <= 400; ++seed) {
    const Program program = Generator(seed).program();
    const std::string text = text_of(program);
    std::shared_ptr<const Kernel> kernel;
    ASSERT_NO_THROW(kernel = lower_text(text)) << text;
    irreducible += kernel->irreducible ? 1 : 0;
    loops += kernel->loops.empty() ? 0 : 1;
    ASSERT_NO_FATAL_FAILURE(compare(seed, program, text, *kernel));
    for (const MicroOp& op : kernel->ops) {
      if (op.opcode != Opcode::bra || !op.guard.present() || kernel->irreducible) continue;
      ASSERT_GT(op.reconvergence_pc, op.pc) << "seed " << seed << "\n" << dump(*kernel);
    }
  }
  EXPECT_GT(irreducible, 20u) << "the programs are too tame";
  EXPECT_GT(loops, 100u);
}

TEST(RandomPrograms, GiveTheSameWithFewerRegisters) {
  unsigned reached = 0, spilled = 0;
  for (unsigned seed = 1; seed <= 400; ++seed) {
    const Program program = Generator(seed).program();
    const std::string text = text_of(program);
    const std::uint32_t need = lower_text(text)->registers;
    for (const std::uint32_t limit : {std::max(1u, need * 3 / 4), 8u, 1u}) {
      std::shared_ptr<const Kernel> kernel;
      ASSERT_NO_THROW(kernel = lower_text(text, "k", {.spill_limit = [limit](const Kernel&) { return limit; }}))
          << text;
      spilled += kernel->spilled_values != 0 ? 1 : 0;
      reached += kernel->registers <= limit ? 1 : 0;
      ASSERT_LE(kernel->registers, need) << "seed " << seed << ", limit " << limit << "\n" << text << dump(*kernel);
      ASSERT_NO_FATAL_FAILURE(compare(seed, program, text, *kernel));
    }
  }
  EXPECT_GT(spilled, 1000u);
  EXPECT_GT(reached, 600u);
}

}  // namespace
}  // namespace heddle::isa
