// SPDX-License-Identifier: Apache-2.0
#include "isa/ptx/modifiers.h"

#include <algorithm>
#include <iterator>
#include <string>
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
constexpr Word<AtomOp> kSecondOps[] = {{"add", AtomOp::add}, {"min", AtomOp::min}, {"max", AtomOp::max}};
constexpr Word<MbarrierMode> kMbarrierModes[] = {
    {"init", MbarrierMode::init},           {"inval", MbarrierMode::inval},
    {"expect_tx", MbarrierMode::expect_tx}, {"complete_tx", MbarrierMode::complete_tx},
    {"arrive", MbarrierMode::arrive},       {"arrive_drop", MbarrierMode::arrive_drop},
    {"test_wait", MbarrierMode::test_wait}, {"try_wait", MbarrierMode::try_wait}};
constexpr Word<TextureGeometry> kGeometries[] = {{"1d", TextureGeometry::d1},      {"2d", TextureGeometry::d2},
                                                 {"3d", TextureGeometry::d3},      {"a1d", TextureGeometry::a1d},
                                                 {"a2d", TextureGeometry::a2d},    {"cube", TextureGeometry::cube},
                                                 {"acube", TextureGeometry::acube}};
constexpr Word<std::uint8_t> kTexelComponents[] = {{"r", 0}, {"g", 1}, {"b", 2}, {"a", 3}};
constexpr Word<TextureQuery> kTextureQueries[] = {
    {"width", TextureQuery::width},
    {"height", TextureQuery::height},
    {"depth", TextureQuery::depth},
    {"array_size", TextureQuery::array_size},
    {"num_mipmap_levels", TextureQuery::num_mipmap_levels},
    {"channel_data_type", TextureQuery::channel_data_type},
    {"channel_order", TextureQuery::channel_order},
    {"normalized_coords", TextureQuery::normalized_coords},
    {"num_samples", TextureQuery::num_samples},
    {"memory_layout", TextureQuery::memory_layout},
    {"filter_mode", TextureQuery::filter_mode},
    {"addr_mode_0", TextureQuery::addr_mode_0},
    {"addr_mode_1", TextureQuery::addr_mode_1},
    {"addr_mode_2", TextureQuery::addr_mode_2},
    {"force_unnormalized_coords", TextureQuery::force_unnormalized_coords}};
constexpr Word<SurfaceBound> kBounds[] = {
    {"trap", SurfaceBound::trap}, {"clamp", SurfaceBound::clamp}, {"zero", SurfaceBound::zero}};
constexpr Word<CacheOp> kCacheOps[] = {{"ca", CacheOp::ca}, {"cg", CacheOp::cg}, {"cs", CacheOp::cs},
                                       {"lu", CacheOp::lu}, {"cv", CacheOp::cv}, {"wb", CacheOp::wb},
                                       {"wt", CacheOp::wt}};
constexpr Word<Scope> kScopes[] = {{"cta", Scope::cta}, {"gpu", Scope::gpu}, {"gl", Scope::gpu}, {"sys", Scope::sys}};
constexpr Word<Space> kSpaces[] = {{"global", Space::global},      {"shared", Space::shared},
                                   {"shared::cta", Space::shared}, {"local", Space::local},
                                   {"const", Space::constant},     {"param", Space::param},
                                   {"param::entry", Space::param}, {"param::func", Space::param}};

// Memory-ordering modifiers and cache hints, accepted without effect.
constexpr std::string_view kOrders[] = {"relaxed", "acquire", "release", "acq_rel", "mmio"};
constexpr std::string_view kHints[] = {"weak",
                                       "noftz",
                                       "unified",
                                       "L1::evict_normal",
                                       "L1::evict_unchanged",
                                       "L1::evict_first",
                                       "L1::evict_last",
                                       "L1::no_allocate",
                                       "L2::evict_normal",
                                       "L2::evict_last",
                                       "L2::evict_first",
                                       "L2::64B",
                                       "L2::128B",
                                       "L2::256B"};
constexpr std::string_view kProxies[] = {
    "proxy", "alias", "async", "async::global", "async::shared", "async::shared::cta", "mbarrier_init"};

template <std::size_t N>
bool among(const std::string_view (&words)[N], std::string_view text) {
  return std::find(std::begin(words), std::end(words), text) != std::end(words);
}

bool is_memory(Opcode opcode) {
  return opcode == Opcode::ld || opcode == Opcode::st || opcode == Opcode::atom || opcode == Opcode::red ||
         opcode == Opcode::prefetch;
}

// Handles modifiers whose meaning depends on the operation. True when consumed.
bool apply_own(std::string_view word, MicroOp& op, std::uint64_t& features) {
  const auto mode = [&](bool found) {
    if (found) features |= kMode;
    return found;
  };
  switch (op.opcode) {
    case Opcode::vset:
    case Opcode::vset2:
    case Opcode::vset4:
      if (look_up(kCompares, word, op.compare)) return features |= kCompare, true;
      [[fallthrough]];
    case Opcode::vadd:
    case Opcode::vsub:
    case Opcode::vabsdiff:
    case Opcode::vmin:
    case Opcode::vmax:
    case Opcode::vshl:
    case Opcode::vshr:
    case Opcode::vadd2:
    case Opcode::vsub2:
    case Opcode::vavrg2:
    case Opcode::vabsdiff2:
    case Opcode::vmin2:
    case Opcode::vmax2:
    case Opcode::vadd4:
    case Opcode::vsub4:
    case Opcode::vavrg4:
    case Opcode::vabsdiff4:
    case Opcode::vmin4:
    case Opcode::vmax4: {
      const bool shifts = op.opcode == Opcode::vshl || op.opcode == Opcode::vshr;
      if (shifts && (word == "clamp" || word == "wrap")) {
        op.shift_wrap = word == "wrap";
        return features |= kShiftWrap, true;
      }
      if (video_elements(op.opcode) > 1 && word != "add") return false;
      if (!look_up(kSecondOps, word, op.atom_op)) return false;
      return features |= kSecond, true;
    }
    case Opcode::vmad:
      if (word == "po") {
        op.video.plus_one = true;
        return features |= kPlusOne, true;
      }
      if (word != "shr7" && word != "shr15") return false;
      op.video.scale = word == "shr7" ? 7 : 15;
      return features |= kScale, true;
    case Opcode::bmsk:
    case Opcode::szext:
      if (word != "clamp" && word != "wrap") return false;
      op.shift_wrap = word == "wrap";
      return features |= kShiftWrap, true;
    case Opcode::lop3:
      if (!look_up(kBoolOps, word, op.bool_op) || op.bool_op == BoolOp::xor_) return false;
      return features |= kBoolOp, true;
    case Opcode::cvt:
      if (word == "pack") {
        op.opcode = Opcode::cvt_pack;
        return true;
      }
      if (word == "relu") return op.relu = true, features |= kRelu, true;
      if (word == "satfinite") return op.finite = true, features |= kFinite, true;
      if (word == "rna") return op.rounding = Rounding::rna, features |= kRoundAway, true;
      return false;
    case Opcode::cvt_pack:
      if (op.type == DataType::none && (word == "u2" || word == "s2" || word == "u4" || word == "s4")) {
        op.type = word[0] == 'u' ? DataType::u8 : DataType::s8;
        op.pack_bits = static_cast<std::uint8_t>(word[1] - '0');
        return features |= kPackBits, true;
      }
      return false;
    case Opcode::fma_:
      if (word != "relu") return false;
      return op.relu = true, features |= kRelu, true;
    case Opcode::mbarrier:
      if (word == "pending_count" && op.mbarrier_mode == MbarrierMode::none) {
        op.opcode = Opcode::pending_count;
        return true;
      }
      if (word == "parity") return op.by_parity = true, features |= kParity, true;
      if (word == "noComplete") return features |= kNoComplete, true;
      if (word == "noinc" && op.mbarrier_mode == MbarrierMode::copies_arrive) {
        op.mbarrier_mode = MbarrierMode::copies_arrive_noinc;
        return true;
      }
      if (word == "expect_tx" && op.mbarrier_mode == MbarrierMode::arrive) {
        op.mbarrier_mode = MbarrierMode::arrive_expect_tx;
        return true;
      }
      if (word == "expect_tx" && op.mbarrier_mode == MbarrierMode::arrive_drop) {
        op.mbarrier_mode = MbarrierMode::arrive_drop_expect_tx;
        return true;
      }
      if (among(kOrders, word)) return features |= kMemoryOrder, true;
      return op.mbarrier_mode == MbarrierMode::none && mode(look_up(kMbarrierModes, word, op.mbarrier_mode));
    case Opcode::async_copy:
      if (word == "shared" || word == "shared::cta") return features |= kToShared, true;
      if (word == "L2::cache_hint") return features |= kCacheHint, true;
      if (word == "ca" || word == "cg") {
        op.cache_op = word == "ca" ? CacheOp::ca : CacheOp::cg;
        return features |= kCacheOp, true;
      }
      if (among(kHints, word)) return features |= kHint, true;
      return false;
    case Opcode::applypriority:
    case Opcode::discard:
      if (word != "L2" && word != "L2::evict_normal") return false;
      return features |= kHint, true;
    case Opcode::createpolicy:
      if (find_type(word) != DataType::none || word == "global") return false;
      return features |= kHint, true;
    case Opcode::griddepcontrol:
      if (word != "launch_dependents" && word != "wait") return false;
      return features |= kHint, true;
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
    case Opcode::redux:
      if (word == "abs") return op.magnitude = true, features |= kMagnitude, true;
      if (word == "NaN") return op.propagate_nan = true, features |= kNan, true;
      [[fallthrough]];
    case Opcode::atom:
    case Opcode::red:
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
    case Opcode::tld4:
      if (op.texture.geometry == TextureGeometry::none && look_up(kTexelComponents, word, op.texture.component))
        return mode(true);
      [[fallthrough]];
    case Opcode::tex:
      if (op.opcode == Opcode::tex && (word == "level" || word == "grad" || word == "base")) {
        op.texture.lod = word == "level" ? TextureLod::level : word == "grad" ? TextureLod::gradient : TextureLod::base;
        return features |= word == "level" ? kLevel : word == "grad" ? kGradient : kBaseLevel, true;
      }
      if (!look_up(kGeometries, word, op.texture.geometry)) return false;
      return features |= kGeometry, true;
    case Opcode::txq:
      if (word == "level") return op.texture.lod = TextureLod::level, features |= kLevel, true;
      [[fallthrough]];
    case Opcode::suq:
      return mode(look_up(kTextureQueries, word, op.texture.query));
    case Opcode::suld:
    case Opcode::sust:
    case Opcode::sured:
      if (word == "b" || word == "p") {
        op.texture.formatted = word == "p";
        return features |= word == "p" ? kFormatted : kBytes, true;
      }
      if (look_up(kGeometries, word, op.texture.geometry)) return features |= kGeometry, true;
      if (look_up(kBounds, word, op.texture.bound)) return features |= kBound, true;
      if (op.opcode == Opcode::sured) return mode(look_up(kAtomOps, word, op.atom_op));
      if (look_up(kCacheOps, word, op.cache_op)) return features |= kCacheOp, true;
      if (word != "v2" && word != "v4") return false;
      op.vector_width = static_cast<std::uint8_t>(word[1] - '0');
      return features |= kVector, true;
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
      if (word == "xorsign") return op.sign_product = true, features |= kSignProduct, true;
      if (word == "abs") return features |= kMagnitude, true;
      if (word != "NaN") return false;
      op.propagate_nan = true;
      features |= kNan;
      return true;
    case Opcode::prefetch:
      if (word != "L1" && word != "L2" && word != "L2::evict_last" && word != "L2::evict_normal") return false;
      op.cache_op = word == "L1" ? CacheOp::ca : CacheOp::cg;
      return true;
    case Opcode::fence:
      if (among(kProxies, word)) return features |= kProxy, true;
      if (word != "sc" && word != "acq_rel" && word != "acquire" && word != "release") return false;
      features |= kMemoryOrder;
      return true;
    default:
      return false;
  }
}

bool apply_memory(std::string_view word, MicroOp& op, std::uint64_t& features) {
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
  } else if (word == "L2::cache_hint") {
    features |= kCacheHint;
  } else if (among(kOrders, word)) {
    op.is_volatile = op.opcode == Opcode::ld || op.opcode == Opcode::st;
    op.acquires = word == "acquire" || word == "acq_rel";
    op.releases = word == "release" || word == "acq_rel";
    features |= kMemoryOrder;
  } else if (word == "v2" || word == "v4" || word == "v8") {
    op.vector_width = static_cast<std::uint8_t>(word[1] - '0');
    features |= kVector;
  } else if (among(kHints, word)) {
    features |= kHint;
  } else {
    return false;
  }
  return true;
}

bool apply_common(std::string_view word, MicroOp& op, std::uint64_t& features) {
  const auto flag = [&](bool& field, std::uint64_t feature) {
    field = true;
    features |= feature;
    return true;
  };
  if (const DataType type = find_type(word); type != DataType::none) {
    if (op.type == DataType::none) {
      op.type = type;
    } else if (op.source_type == DataType::none) {
      op.source_type = type;
    } else if (op.third_type == DataType::none && (is_video(op.opcode) || op.opcode == Opcode::cvt_pack)) {
      op.third_type = type;
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
  if (word == "v4" && (op.opcode == Opcode::tex || op.opcode == Opcode::tld4))
    return op.vector_width = 4, features |= kVector, true;
  if ((word == "v2" || word == "v4") && op.opcode == Opcode::mov) {
    op.vector_width = static_cast<std::uint8_t>(word[1] - '0');
    return features |= kVector, true;
  }
  return false;
}

const std::unordered_map<std::string_view, Opcode>& mnemonics() {
  static const std::unordered_map<std::string_view, Opcode> map = [] {
    std::unordered_map<std::string_view, Opcode> m;
#define X(name, spelling, ...) m.emplace(spelling, Opcode::name);
    HEDDLE_OPCODES(X)
#undef X
    m.erase("bar.warp");
    m.erase("cvt.pack");
    m.erase("mbarrier.pending_count");
    m.erase("cp.async.wait");
    m["cp.async.wait_group"] = m["cp.async.wait_all"] = Opcode::async_wait;
    m["cp.async.mbarrier.arrive"] = Opcode::mbarrier;
    m["mov"] = Opcode::mov;    // not the special register
    m["call"] = Opcode::call;  // or the system call of the same spelling
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
  out.features = word == "ldu" ? static_cast<std::uint64_t>(kUniform) : 0;
  if (word == "cp.async.mbarrier.arrive") out.features = kMode;
  // cp.async.wait_all has no operand and wait_group has one, so they are two forms.
  if (word == "cp.async.wait_all") out.features = kUniform;
  return true;
}

bool begins_mnemonic(std::string_view words) {
  // All prefixes of the multi-word names.
  static const std::unordered_map<std::string, bool> beginnings = [] {
    std::unordered_map<std::string, bool> known;
    const auto add = [&](std::string_view name) {
      for (std::size_t dot = name.find('.'); dot != std::string_view::npos; dot = name.find('.', dot + 1))
        known[std::string(name.substr(0, dot))] = known[std::string(name)] = true;
    };
    for (const auto& [name, opcode] : mnemonics()) add(name);
    for (const Refusal& refusal : all_refusals()) add(refusal.name);
    return known;
  }();
  return beginnings.find(std::string(words)) != beginnings.end();
}

std::string_view apply_modifiers(std::span<const std::string_view> modifiers, MicroOp& op, std::uint64_t& features) {
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
  for (unsigned i = 1; i <= static_cast<unsigned>(DataType::s16x2); ++i) {
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
    case Opcode::mbarrier:
      return static_cast<unsigned>(op.mbarrier_mode);
    case Opcode::sured:
      return static_cast<unsigned>(op.atom_op);
    case Opcode::tex:
      return static_cast<unsigned>(op.texture.geometry);
    case Opcode::tld4:
      return op.texture.component;
    case Opcode::txq:
    case Opcode::suq:
      return static_cast<unsigned>(op.texture.query);
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

namespace {

template <typename Enum, std::size_t N>
void add_words(const Word<Enum> (&words)[N], std::uint32_t modes, std::vector<std::string_view>& out) {
  for (const auto& word : words) {
    if (((modes >> static_cast<unsigned>(word.value)) & 1) != 0) out.push_back(word.text);
  }
}

std::vector<std::string_view> mode_words(Opcode opcode, std::uint32_t modes) {
  std::vector<std::string_view> out;
  switch (opcode) {
    case Opcode::atom:
    case Opcode::red:
    case Opcode::redux:
    case Opcode::sured:
      add_words(kAtomOps, modes, out);
      break;
    case Opcode::shfl:
      add_words(kShflModes, modes, out);
      break;
    case Opcode::vote:
      add_words(kVoteModes, modes, out);
      break;
    case Opcode::match:
      add_words(kMatchModes, modes, out);
      break;
    case Opcode::prmt:
      add_words(kPrmtModes, modes, out);
      break;
    case Opcode::testp:
      add_words(kTestpModes, modes, out);
      break;
    case Opcode::bar: {
      constexpr Word<BarMode> kBarModes[] = {{"sync", BarMode::sync},
                                             {"arrive", BarMode::arrive},
                                             {"red.popc", BarMode::red_popc},
                                             {"red.and", BarMode::red_and},
                                             {"red.or", BarMode::red_or}};
      add_words(kBarModes, modes, out);
      break;
    }
    case Opcode::brx:
      out = {"idx"};
      break;
    case Opcode::tld4:
      add_words(kTexelComponents, modes, out);
      break;
    case Opcode::txq:
    case Opcode::suq:
      add_words(kTextureQueries, modes, out);
      break;
    case Opcode::mbarrier: {
      add_words(kMbarrierModes, modes, out);
      constexpr Word<MbarrierMode> kTwoWords[] = {{"arrive.expect_tx", MbarrierMode::arrive_expect_tx},
                                                  {"arrive_drop.expect_tx", MbarrierMode::arrive_drop_expect_tx}};
      add_words(kTwoWords, modes, out);
      break;
    }
    default:
      break;
  }
  return out;
}

template <typename Enum, std::size_t N>
std::vector<std::string_view> all_words(const Word<Enum> (&words)[N]) {
  std::vector<std::string_view> out;
  for (const auto& word : words) out.push_back(word.text);
  return out;
}

}  // namespace

std::vector<std::string_view> words_of(Opcode opcode, std::uint64_t feature, std::uint32_t modes) {
  std::vector<std::string_view> out;
  switch (feature) {
    case kRounding:
      return all_words(kFloatRoundings);
    case kIntegerRounding:
      return all_words(kIntegerRoundings);
    case kFlush:
      return {"ftz"};
    case kSaturate:
      return {"sat"};
    case kApproximate:
      return {"approx"};
    case kFullRange:
      return {"full"};
    case kCarryOut:
      return {"cc"};
    case kMulMode:
      add_words(kMulModes, modes, out);
      return out;
    case kCompare: {
      out = all_words(kCompares);
      // Video instructions compare integers only: the first six.
      if (is_video(opcode)) out.resize(6);
      return out;
    }
    case kBoolOp:
      return opcode == Opcode::lop3 ? std::vector<std::string_view>{"and", "or"} : all_words(kBoolOps);
    case kSpace: {
      if (opcode == Opcode::async_copy || opcode == Opcode::applypriority || opcode == Opcode::discard)
        return {"global"};
      if (opcode == Opcode::mbarrier) return {"shared", "shared::cta"};
      if (opcode == Opcode::atom || opcode == Opcode::red || opcode == Opcode::cond_acc)
        return {"global", "shared", "shared::cta"};
      if (opcode == Opcode::prefetch) return {"global", "local"};
      if (opcode == Opcode::createpolicy) return {"global"};
      if (opcode == Opcode::st) return {"global", "shared", "shared::cta", "local", "param", "param::func"};
      return all_words(kSpaces);
    }
    case kCacheOp:
      if (opcode == Opcode::async_copy) return {"ca", "cg"};
      if (opcode == Opcode::suld) return {"ca", "cg", "cs", "cv"};
      if (opcode == Opcode::sust) return {"wb", "cg", "cs", "wt"};
      return all_words(kCacheOps);
    case kVolatile:
      return {"volatile"};
    case kMemoryOrder:
      if (opcode == Opcode::fence) return {"sc", "acq_rel", "acquire", "release"};
      return {std::begin(kOrders), std::end(kOrders)};
    case kScope:
      return all_words(kScopes);
    case kVector:
      if (opcode == Opcode::tex || opcode == Opcode::tld4) return {"v4"};
      if (opcode == Opcode::suld || opcode == Opcode::sust) return {"v2", "v4"};
      if (opcode == Opcode::mov) return {"v2", "v4"};
      return {"v2", "v4", "v8"};
    case kSync:
      return {"sync"};
    case kUniform:
      return {"uni"};
    case kNan:
      return {"NaN"};
    case kNonCoherent:
      return {"nc"};
    case kShiftAmount:
      return {"shiftamt"};
    case kTo:
      return {"to"};
    case kShiftWrap:
      return {"wrap", "clamp"};
    case kDirection:
      return {"l", "r"};
    case kMode:
      return mode_words(opcode, modes);
    case kHint:
      if (opcode == Opcode::bar || opcode == Opcode::elect) return {"aligned"};
      if (opcode == Opcode::discard) return {"L2"};
      if (opcode == Opcode::applypriority) return {"L2::evict_normal"};
      if (opcode == Opcode::griddepcontrol) return {"launch_dependents", "wait"};
      if (opcode == Opcode::createpolicy) return {"fractional.L2::evict_last", "range.L2::evict_last"};
      return {std::begin(kHints), std::end(kHints)};
    case kGeometry:
      if (opcode == Opcode::tld4) return {"2d", "a2d", "cube", "acube"};
      if (opcode != Opcode::tex) return {"1d", "2d", "3d", "a1d", "a2d"};
      add_words(kGeometries, modes, out);
      return out;
    case kRowHint:
      return {"rowhint"};
    case kRelu:
      return {"relu"};
    case kFinite:
      return {"satfinite"};
    case kMagnitude:
      return {"abs"};
    case kSignProduct:
      return {"xorsign"};
    case kSecond:
      return video_elements(opcode) > 1 ? std::vector<std::string_view>{"add"} : all_words(kSecondOps);
    case kPlusOne:
      return {"po"};
    case kScale:
      return {"shr7", "shr15"};
    case kParity:
      return {"parity"};
    case kNoComplete:
      return {"noComplete"};
    case kCacheHint:
      return {"L2::cache_hint"};
    case kToShared:
      return {"shared", "shared::cta"};
    case kPackBits:
      return {"u2", "s2", "u4", "s4"};
    case kRoundAway:
      return {"rna"};
    case kProxy:
      return {std::begin(kProxies), std::end(kProxies)};
    case kLevel:
      return {"level"};
    case kGradient:
      return {"grad"};
    case kBaseLevel:
      return {"base"};
    case kBytes:
      return {"b"};
    case kFormatted:
      return {"p"};
    case kBound:
      return all_words(kBounds);
    default:
      return {};
  }
}

bool allows_space(const MicroOp& op) {
  if (op.space == Space::none || op.space == Space::generic) return true;
  for (const std::string_view word : words_of(op.opcode, kSpace)) {
    Space space = Space::none;
    if (look_up(kSpaces, word, space) && space == op.space) return true;
  }
  return false;
}

}  // namespace heddle::isa
