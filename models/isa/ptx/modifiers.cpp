// SPDX-License-Identifier: Apache-2.0
#include "isa/ptx/modifiers.h"

#include <unordered_map>

namespace heddle::isa {
namespace {

template <typename Enum>
struct Word {
  std::string_view text;
  Enum value;
};

// The value of `text` among `words`; false when absent.
template <typename Enum, std::size_t N>
bool look_up(const Word<Enum> (&words)[N], std::string_view text, Enum& out) {
  for (const auto& word : words) {
    if (word.text == text) {
      out = word.value;
      return true;
    }
  }
  return false;
}

constexpr Word<Rounding> kFloatRoundings[] = {
    {"rn", Rounding::rn}, {"rz", Rounding::rz}, {"rm", Rounding::rm}, {"rp", Rounding::rp}};
constexpr Word<Rounding> kIntegerRoundings[] = {
    {"rni", Rounding::rni}, {"rzi", Rounding::rzi}, {"rmi", Rounding::rmi}, {"rpi", Rounding::rpi}};
constexpr Word<Compare> kCompares[] = {
    {"eq", Compare::eq},   {"ne", Compare::ne},   {"lt", Compare::lt},   {"le", Compare::le},   {"gt", Compare::gt},
    {"ge", Compare::ge},   {"lo", Compare::lo},   {"ls", Compare::ls},   {"hi", Compare::hi},   {"hs", Compare::hs},
    {"equ", Compare::equ}, {"neu", Compare::neu}, {"ltu", Compare::ltu}, {"leu", Compare::leu}, {"gtu", Compare::gtu},
    {"geu", Compare::geu}, {"num", Compare::num}, {"nan", Compare::nan}};
constexpr Word<BoolOp> kBoolOps[] = {{"and", BoolOp::and_}, {"or", BoolOp::or_}, {"xor", BoolOp::xor_}};
constexpr Word<MulMode> kMulModes[] = {{"lo", MulMode::lo}, {"hi", MulMode::hi}, {"wide", MulMode::wide}};
constexpr Word<AtomOp> kAtomOps[] = {
    {"and", AtomOp::and_}, {"or", AtomOp::or_},  {"xor", AtomOp::xor_}, {"exch", AtomOp::exch}, {"cas", AtomOp::cas},
    {"add", AtomOp::add},  {"inc", AtomOp::inc}, {"dec", AtomOp::dec},  {"min", AtomOp::min},   {"max", AtomOp::max}};
constexpr Word<ShflMode> kShflModes[] = {
    {"up", ShflMode::up}, {"down", ShflMode::down}, {"bfly", ShflMode::bfly}, {"idx", ShflMode::idx}};
constexpr Word<VoteMode> kVoteModes[] = {
    {"all", VoteMode::all}, {"any", VoteMode::any}, {"uni", VoteMode::uni}, {"ballot", VoteMode::ballot}};
constexpr Word<MatchMode> kMatchModes[] = {{"any", MatchMode::any}, {"all", MatchMode::all}};
constexpr Word<PrmtMode> kPrmtModes[] = {{"f4e", PrmtMode::f4e}, {"b4e", PrmtMode::b4e}, {"rc8", PrmtMode::rc8},
                                         {"ecl", PrmtMode::ecl}, {"ecr", PrmtMode::ecr}, {"rc16", PrmtMode::rc16}};
constexpr Word<TestpMode> kTestpModes[] = {{"finite", TestpMode::finite}, {"infinite", TestpMode::infinite},
                                           {"number", TestpMode::number}, {"notanumber", TestpMode::notanumber},
                                           {"normal", TestpMode::normal}, {"subnormal", TestpMode::subnormal}};
constexpr Word<CacheOp> kCacheOps[] = {{"ca", CacheOp::ca}, {"cg", CacheOp::cg}, {"cs", CacheOp::cs},
                                       {"lu", CacheOp::lu}, {"cv", CacheOp::cv}, {"wb", CacheOp::wb},
                                       {"wt", CacheOp::wt}};
constexpr Word<Scope> kScopes[] = {{"cta", Scope::cta}, {"gpu", Scope::gpu}, {"gl", Scope::gpu}, {"sys", Scope::sys}};
constexpr Word<Space> kSpaces[] = {{"global", Space::global},      {"shared", Space::shared},
                                   {"shared::cta", Space::shared}, {"local", Space::local},
                                   {"const", Space::constant},     {"param", Space::param},
                                   {"param::entry", Space::param}, {"param::func", Space::param}};

bool is_memory(Opcode opcode) {
  return opcode == Opcode::ld || opcode == Opcode::st || opcode == Opcode::atom || opcode == Opcode::red ||
         opcode == Opcode::prefetch;
}

bool starts_with(std::string_view text, std::string_view prefix) { return text.substr(0, prefix.size()) == prefix; }

// Words whose meaning depends on the operation. True when consumed.
bool apply_own(std::string_view word, MicroOp& op, std::uint32_t& features) {
  const auto mode = [&](bool found) {
    if (found) features |= kMode;
    return found;
  };
  switch (op.opcode) {
    case Opcode::set:
    case Opcode::setp:
      if (look_up(kCompares, word, op.compare)) {
        features |= kCompare;
        return true;
      }
      if (look_up(kBoolOps, word, op.bool_op)) {
        features |= kBoolOp;
        return true;
      }
      return false;
    case Opcode::mul:
    case Opcode::mad:
    case Opcode::madc:
    case Opcode::mul24:
    case Opcode::mad24:
    case Opcode::dp2a:
      if (!look_up(kMulModes, word, op.mul_mode)) return false;
      features |= kMulMode;
      return true;
    case Opcode::atom:
    case Opcode::red:
    case Opcode::redux:
      return mode(look_up(kAtomOps, word, op.atom_op));
    case Opcode::shfl:
      return mode(look_up(kShflModes, word, op.shfl_mode));
    case Opcode::vote:
      return mode(look_up(kVoteModes, word, op.vote_mode));
    case Opcode::match:
      return mode(look_up(kMatchModes, word, op.match_mode));
    case Opcode::prmt:
      return mode(look_up(kPrmtModes, word, op.prmt_mode));
    case Opcode::testp:
      return mode(look_up(kTestpModes, word, op.testp_mode));
    case Opcode::bar:
      if (word == "warp") {
        op.opcode = Opcode::bar_warp;
        return true;
      }
      if (word == "sync") op.bar_mode = BarMode::sync;
      if (word == "arrive") op.bar_mode = BarMode::arrive;
      if (word == "red") op.bar_mode = BarMode::red_popc;
      if (op.bar_mode == BarMode::red_popc) {
        if (word == "and") op.bar_mode = BarMode::red_and;
        if (word == "or") op.bar_mode = BarMode::red_or;
        if (word == "popc" || word == "and" || word == "or" || word == "red") return mode(true);
      }
      return mode(word == "sync" || word == "arrive");
    case Opcode::brx:
      return mode(word == "idx");
    case Opcode::shf:
      if (word == "l" || word == "r") {
        op.right = word == "r";
        features |= kDirection;
        return true;
      }
      if (word == "wrap" || word == "clamp") {
        op.shift_wrap = word == "wrap";
        features |= kShiftWrap;
        return true;
      }
      return false;
    case Opcode::tex:
      if (word == "1d" || word == "2d" || word == "3d") {
        op.texture_dimensions = static_cast<std::uint8_t>(word[0] - '0');
        features |= kGeometry;
        return true;
      }
      return false;
    case Opcode::bfind:
      if (word != "shiftamt") return false;
      op.shift_amount = true;
      features |= kShiftAmount;
      return true;
    case Opcode::cvta:
      if (word != "to") return false;
      op.to_space = true;
      features |= kTo;
      return true;
    case Opcode::min_:
    case Opcode::max_:
      if (word != "NaN") return false;
      op.propagate_nan = true;
      features |= kNan;
      return true;
    case Opcode::prefetch:
      if (word != "L1" && word != "L2" && word != "L2::evict_last" && word != "L2::evict_normal") return false;
      op.cache_op = word == "L1" ? CacheOp::ca : CacheOp::cg;
      return true;
    case Opcode::fence:
      if (word != "sc" && word != "acq_rel") return false;
      features |= kMemoryOrder;
      return true;
    default:
      return false;
  }
}

bool apply_memory(std::string_view word, MicroOp& op, std::uint32_t& features) {
  if (look_up(kCacheOps, word, op.cache_op)) {
    features |= kCacheOp;
  } else if (word == "nc") {
    op.non_coherent = true;
    features |= kNonCoherent;
  } else if (word == "rowhint" && op.opcode == Opcode::ld) {
    op.row_hint = true;
    features |= kRowHint;
  } else if (word == "volatile") {
    op.is_volatile = true;
    features |= kVolatile;
  } else if (word == "relaxed" || word == "acquire" || word == "release" || word == "acq_rel" || word == "mmio") {
    op.is_volatile = op.opcode == Opcode::ld || op.opcode == Opcode::st;
    op.acquires = word == "acquire" || word == "acq_rel";
    op.releases = word == "release" || word == "acq_rel";
    features |= kMemoryOrder;
  } else if (word == "v2" || word == "v4") {
    op.vector_width = static_cast<std::uint8_t>(word[1] - '0');
    features |= kVector;
  } else if (word == "weak" || word == "noftz" || starts_with(word, "L1::") || word == "L2::64B" ||
             word == "L2::128B" || word == "L2::256B" || starts_with(word, "L2::evict")) {
    features |= kHint;
  } else {
    return false;
  }
  return true;
}

bool apply_common(std::string_view word, MicroOp& op, std::uint32_t& features) {
  const auto flag = [&](bool& field, std::uint32_t feature) {
    field = true;
    features |= feature;
    return true;
  };
  if (const DataType type = find_type(word); type != DataType::none) {
    if (op.type == DataType::none) {
      op.type = type;
    } else if (op.source_type == DataType::none) {
      op.source_type = type;
    } else {
      return false;
    }
    return true;
  }
  if (look_up(kFloatRoundings, word, op.rounding)) return features |= kRounding, true;
  if (look_up(kIntegerRoundings, word, op.rounding)) return features |= kIntegerRounding, true;
  if (look_up(kSpaces, word, op.space)) return features |= kSpace, true;
  if (look_up(kScopes, word, op.scope)) return features |= kScope, true;
  if (word == "ftz") return flag(op.flush_to_zero, kFlush);
  if (word == "sat") return flag(op.saturate, kSaturate);
  if (word == "approx") return flag(op.approximate, kApproximate);
  if (word == "full") return flag(op.full_range, kFullRange);
  if (word == "cc") return flag(op.carry_out, kCarryOut);
  if (word == "sync") return flag(op.sync_form, kSync);
  if (word == "uni") return flag(op.uniform, kUniform);
  if (word == "aligned") return features |= kHint, true;
  if (word == "v4" && op.opcode == Opcode::tex) return op.vector_width = 4, features |= kVector, true;
  return false;
}

const std::unordered_map<std::string_view, Opcode>& mnemonics() {
  static const std::unordered_map<std::string_view, Opcode> map = [] {
    std::unordered_map<std::string_view, Opcode> m;
#define X(name, spelling, ...) m.emplace(spelling, Opcode::name);
    HEDDLE_OPCODES(X)
#undef X
    m.erase("bar.warp");
    m["mov"] = Opcode::mov;    // not the special register or
    m["call"] = Opcode::call;  // the system call, which share the spelling
    m["barrier"] = Opcode::bar;
    m["membar"] = Opcode::fence;
    m["ldu"] = Opcode::ld;
    m["prefetchu"] = Opcode::prefetch;
    return m;
  }();
  return map;
}

struct ClassRow {
  Unit unit;
  TimingClass of_int, of_f32, of_f64;
};
constexpr ClassRow kClasses[] = {
#define X(name, spelling, unit, i, f, d) {Unit::unit, TimingClass::i, TimingClass::f, TimingClass::d},
    HEDDLE_OPCODES(X)
#undef X
};

}  // namespace

bool find_mnemonic(std::string_view word, Mnemonic& out) {
  const auto found = mnemonics().find(word);
  if (found == mnemonics().end()) return false;
  out.opcode = found->second;
  out.features = word == "ldu" ? static_cast<std::uint32_t>(kUniform) : 0;
  return true;
}

std::string_view apply_modifiers(std::span<const std::string_view> modifiers, MicroOp& op, std::uint32_t& features) {
  for (const std::string_view modifier : modifiers) {
    const std::string_view word = modifier.substr(1);
    if (apply_own(word, op, features)) continue;
    if (is_memory(op.opcode) && apply_memory(word, op, features)) continue;
    if (apply_common(word, op, features)) continue;
    return modifier;
  }
  return {};
}

DataType find_type(std::string_view name) {
  if (name.empty() || name == "none") return DataType::none;
  for (unsigned i = 1; i <= static_cast<unsigned>(DataType::f64); ++i) {
    if (name_of(static_cast<DataType>(i)) == name) return static_cast<DataType>(i);
  }
  return DataType::none;
}

unsigned mode_of(const MicroOp& op) {
  switch (op.opcode) {
    case Opcode::atom:
    case Opcode::red:
    case Opcode::redux:
      return static_cast<unsigned>(op.atom_op);
    case Opcode::shfl:
      return static_cast<unsigned>(op.shfl_mode);
    case Opcode::vote:
      return static_cast<unsigned>(op.vote_mode);
    case Opcode::match:
      return static_cast<unsigned>(op.match_mode);
    case Opcode::prmt:
      return static_cast<unsigned>(op.prmt_mode);
    case Opcode::testp:
      return static_cast<unsigned>(op.testp_mode);
    case Opcode::bar:
      return static_cast<unsigned>(op.bar_mode);
    case Opcode::mul:
    case Opcode::mad:
    case Opcode::madc:
    case Opcode::mul24:
    case Opcode::mad24:
    case Opcode::dp2a:
      return static_cast<unsigned>(op.mul_mode);
    default:
      return 0;
  }
}

void classify(MicroOp& op) {
  const ClassRow& row = kClasses[static_cast<std::size_t>(op.opcode)];
  const auto is_double = [](DataType type) { return type == DataType::f64; };
  const bool converts = op.opcode == Opcode::cvt || op.opcode == Opcode::set;
  op.unit = row.unit;
  if (is_double(op.type) || (converts && is_double(op.source_type))) {
    op.timing_class = row.of_f64;
  } else if (is_float(op.type) || (converts && is_float(op.source_type))) {
    op.timing_class = row.of_f32;
  } else {
    op.timing_class = row.of_int;
  }
  switch (op.timing_class) {
    case TimingClass::fp64_add:
    case TimingClass::fp64_max:
    case TimingClass::fp64_mul:
    case TimingClass::fp64_mad:
    case TimingClass::fp64_div:
      op.unit = Unit::fp64;
      break;
    default:
      break;
  }
}

}  // namespace heddle::isa
