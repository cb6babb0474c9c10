// SPDX-License-Identifier: Apache-2.0
// How the modifiers of PTX are spelled, by kind. Spellings are without the dot.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <string_view>
#include <vector>

#include "isa/types.h"

namespace heddle::isa {

template <typename Enum>
struct Word {
  std::string_view text;
  Enum value;
};

inline constexpr Word<Rounding> kFloatRoundings[] = {
    {"rn", Rounding::rn}, {"rz", Rounding::rz}, {"rm", Rounding::rm}, {"rp", Rounding::rp}};
inline constexpr Word<Rounding> kIntegerRoundings[] = {
    {"rni", Rounding::rni}, {"rzi", Rounding::rzi}, {"rmi", Rounding::rmi}, {"rpi", Rounding::rpi}};
inline constexpr Word<Compare> kCompares[] = {
    {"eq", Compare::eq},   {"ne", Compare::ne},   {"lt", Compare::lt},   {"le", Compare::le},   {"gt", Compare::gt},
    {"ge", Compare::ge},   {"lo", Compare::lo},   {"ls", Compare::ls},   {"hi", Compare::hi},   {"hs", Compare::hs},
    {"equ", Compare::equ}, {"neu", Compare::neu}, {"ltu", Compare::ltu}, {"leu", Compare::leu}, {"gtu", Compare::gtu},
    {"geu", Compare::geu}, {"num", Compare::num}, {"nan", Compare::nan}};
inline constexpr Word<BoolOp> kBoolOps[] = {{"and", BoolOp::and_}, {"or", BoolOp::or_}, {"xor", BoolOp::xor_}};
inline constexpr Word<MulMode> kMulModes[] = {{"lo", MulMode::lo}, {"hi", MulMode::hi}, {"wide", MulMode::wide}};
inline constexpr Word<AtomOp> kAtomOps[] = {
    {"and", AtomOp::and_}, {"or", AtomOp::or_},  {"xor", AtomOp::xor_}, {"exch", AtomOp::exch}, {"cas", AtomOp::cas},
    {"add", AtomOp::add},  {"inc", AtomOp::inc}, {"dec", AtomOp::dec},  {"min", AtomOp::min},   {"max", AtomOp::max}};
inline constexpr Word<ShflMode> kShflModes[] = {
    {"up", ShflMode::up}, {"down", ShflMode::down}, {"bfly", ShflMode::bfly}, {"idx", ShflMode::idx}};
inline constexpr Word<VoteMode> kVoteModes[] = {
    {"all", VoteMode::all}, {"any", VoteMode::any}, {"uni", VoteMode::uni}, {"ballot", VoteMode::ballot}};
inline constexpr Word<MatchMode> kMatchModes[] = {{"any", MatchMode::any}, {"all", MatchMode::all}};
inline constexpr Word<PrmtMode> kPrmtModes[] = {{"f4e", PrmtMode::f4e}, {"b4e", PrmtMode::b4e},
                                                {"rc8", PrmtMode::rc8}, {"ecl", PrmtMode::ecl},
                                                {"ecr", PrmtMode::ecr}, {"rc16", PrmtMode::rc16}};
inline constexpr Word<TestpMode> kTestpModes[] = {{"finite", TestpMode::finite}, {"infinite", TestpMode::infinite},
                                                  {"number", TestpMode::number}, {"notanumber", TestpMode::notanumber},
                                                  {"normal", TestpMode::normal}, {"subnormal", TestpMode::subnormal}};
inline constexpr Word<AtomOp> kSecondOps[] = {{"add", AtomOp::add}, {"min", AtomOp::min}, {"max", AtomOp::max}};
inline constexpr Word<MbarrierMode> kMbarrierModes[] = {
    {"init", MbarrierMode::init},           {"inval", MbarrierMode::inval},
    {"expect_tx", MbarrierMode::expect_tx}, {"complete_tx", MbarrierMode::complete_tx},
    {"arrive", MbarrierMode::arrive},       {"arrive_drop", MbarrierMode::arrive_drop},
    {"test_wait", MbarrierMode::test_wait}, {"try_wait", MbarrierMode::try_wait}};
inline constexpr Word<TextureGeometry> kGeometries[] = {
    {"1d", TextureGeometry::d1},      {"2d", TextureGeometry::d2},   {"3d", TextureGeometry::d3},
    {"a1d", TextureGeometry::a1d},    {"a2d", TextureGeometry::a2d}, {"cube", TextureGeometry::cube},
    {"acube", TextureGeometry::acube}};
inline constexpr Word<std::uint8_t> kTexelComponents[] = {{"r", 0}, {"g", 1}, {"b", 2}, {"a", 3}};
inline constexpr Word<TextureQuery> kTextureQueries[] = {
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
inline constexpr Word<SurfaceBound> kBounds[] = {
    {"trap", SurfaceBound::trap}, {"clamp", SurfaceBound::clamp}, {"zero", SurfaceBound::zero}};
inline constexpr Word<CacheOp> kCacheOps[] = {{"ca", CacheOp::ca}, {"cg", CacheOp::cg}, {"cs", CacheOp::cs},
                                              {"lu", CacheOp::lu}, {"cv", CacheOp::cv}, {"wb", CacheOp::wb},
                                              {"wt", CacheOp::wt}};
inline constexpr Word<Scope> kScopes[] = {
    {"cta", Scope::cta}, {"gpu", Scope::gpu}, {"gl", Scope::gpu}, {"sys", Scope::sys}};
inline constexpr Word<Space> kSpaces[] = {{"global", Space::global},      {"shared", Space::shared},
                                          {"shared::cta", Space::shared}, {"local", Space::local},
                                          {"const", Space::constant},     {"param", Space::param},
                                          {"param::entry", Space::param}, {"param::func", Space::param}};

// Memory-ordering modifiers and cache hints, accepted without effect.
inline constexpr std::string_view kOrders[] = {"relaxed", "acquire", "release", "acq_rel", "mmio"};
inline constexpr std::string_view kHints[] = {"weak",
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
inline constexpr std::string_view kProxies[] = {
    "proxy", "alias", "async", "async::global", "async::shared", "async::shared::cta", "mbarrier_init"};

/// The value of `text` among `words`; false when absent.
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

template <std::size_t N>
bool among(const std::string_view (&words)[N], std::string_view text) {
  return std::find(std::begin(words), std::end(words), text) != std::end(words);
}

/// Adds the words whose values are in the mask.
template <typename Enum, std::size_t N>
void add_words(const Word<Enum> (&words)[N], std::uint32_t modes, std::vector<std::string_view>& out) {
  for (const auto& word : words) {
    if (((modes >> static_cast<unsigned>(word.value)) & 1) != 0) out.push_back(word.text);
  }
}

template <typename Enum, std::size_t N>
std::vector<std::string_view> all_words(const Word<Enum> (&words)[N]) {
  std::vector<std::string_view> out;
  for (const auto& word : words) out.push_back(word.text);
  return out;
}

/// The spellings of the modes in `modes`, a mask by enumerator (mode_of()).
std::vector<std::string_view> mode_words(Opcode opcode, std::uint32_t modes);

}  // namespace heddle::isa
