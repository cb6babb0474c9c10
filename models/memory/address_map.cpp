// SPDX-License-Identifier: Apache-2.0
#include "memory/address_map.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <utility>

#include "core/error.h"
#include "core/unit.h"

namespace heddle::memory {
namespace {

constexpr unsigned kAddressBits = 64;
constexpr std::string_view kFieldLetters = "RKGBCDL";

/// Named maps: field order from the most significant bit down.
constexpr std::pair<std::string_view, std::string_view> kNamedMaps[] = {
    {"row_bank_column", "RKGBC"},  // whole rows, then the next bank: streams stay in an open row
    {"row_column_bank", "RCKGB"},  // consecutive bursts in different banks
    {"row_bank_group_column", "RKBGC"},
    {"bank_row_column", "KGBRC"},  // each bank is one contiguous region
};

unsigned width(unsigned count) { return static_cast<unsigned>(std::countr_zero(count)); }

std::string letters_of(std::string_view order, const ChannelGeometry& g) {
  std::string letters;
  for (char field : order) {
    switch (field) {
      case 'R':
        letters += std::string(16, 'R');
        break;
      case 'K':
        letters += std::string(width(g.ranks), 'K');
        break;
      case 'G':
        letters += std::string(width(g.bank_groups), 'G');
        break;
      case 'B':
        letters += std::string(width(g.banks_per_group), 'B');
        break;
      default:
        letters += std::string(width(g.columns()), 'C');
        break;
    }
  }
  return letters + std::string(width(g.burst_bytes), 'S');
}

/// Collects the runs that compress the masked bits into contiguous ones.
template <typename Run>
std::vector<Run> runs_of(const std::vector<unsigned>& bits) {
  std::vector<Run> runs;
  for (unsigned i = 0; i < bits.size();) {
    unsigned length = 1;
    while (i + length < bits.size() && bits[i + length] == bits[i] + length) ++length;
    const std::uint64_t mask = length == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << length) - 1;
    runs.push_back({bits[i], i, mask});
    i += length;
  }
  return runs;
}

}  // namespace

void ChannelGeometry::describe(ParameterVisitor& v) {
  v("ranks", ranks, "ranks per channel", unit::kNone, power_of_two(1, 8));
  v("bank_groups", bank_groups, "bank groups per rank", unit::kNone, power_of_two(1, 16));
  v("banks_per_group", banks_per_group, "banks per bank group", unit::kBanks, power_of_two(1, 64));
  v("row_bytes", row_bytes, "row size over all chips of the channel", unit::kBytes, power_of_two(64, 1 << 20));
  v("burst_bytes", burst_bytes, "bytes moved by one column command", unit::kBytes, power_of_two(4, 4096));
}

void ChannelGeometry::check(ParameterChecks& checks) const {
  checks.require(burst_bytes <= row_bytes, "burst_bytes", "a burst must fit a row");
  checks.require(banks() <= 64, "banks_per_group", "a channel has at most 64 banks");
}

void AddressMapParameters::describe(ParameterVisitor& v) {
  v("controllers", controllers, "memory controllers, one per channel", unit::kNone, range(1, 64));
  v("slices", slices, "L2 slices per controller", unit::kNone, power_of_two(1, 16));
  v("division_bit", division_bit, "controller = (address >> division_bit) modulo controllers", unit::kBits,
    range(0, 40));
  v("pattern", pattern,
    "one letter per bit of the divided address, highest first (R row, K rank, G bank group, B bank, C column, D "
    "controller instead of the division, S byte of a burst), or a name: row_bank_column, row_column_bank, "
    "row_bank_group_column, bank_row_column");
  v("hashes", hashes, "bits XORed with address bits, as in B0=13^16; letters as in the pattern, L for the slice");
  v("slice_bits", slice_bits, "bits of the divided address that select the slice, lowest first", unit::kBits,
    range(0, 63));
}

std::vector<std::string> address_map_names() {
  std::vector<std::string> names;
  for (const auto& [name, order] : kNamedMaps) names.emplace_back(name);
  return names;
}

AddressMap::AddressMap(const AddressMapParameters& parameters, const ChannelGeometry& geometry, std::string_view key)
    : parameters_(parameters), geometry_(geometry) {
  for (unsigned count : {geometry_.ranks, geometry_.bank_groups, geometry_.banks_per_group, geometry_.burst_bytes,
                         geometry_.row_bytes, parameters_.slices}) {
    if (!std::has_single_bit(count)) {
      fail(ExitCode::configuration,
           "{}: ranks, groups, banks, row and burst bytes and slices must be powers of two, not {}", key, count);
    }
  }
  if (parameters_.controllers == 0) fail(ExitCode::configuration, "{}: at least one controller is needed", key);
  if (geometry_.burst_bytes > geometry_.row_bytes) {
    fail(ExitCode::configuration, "{}: a burst of {} bytes does not fit a row of {}", key, geometry_.burst_bytes,
         geometry_.row_bytes);
  }
  parse_pattern(key);
  parse_hashes(key);
  check_one_to_one(key);
  build_runs();
}

void AddressMap::parse_pattern(std::string_view key) {
  std::string letters = parameters_.pattern;
  for (const auto& [name, order] : kNamedMaps) {
    if (letters == name) letters = letters_of(order, geometry_);
  }
  letters.erase(std::remove_if(letters.begin(), letters.end(), [](char c) { return c == '.' || c == ' '; }),
                letters.end());
  pattern_bits_ = static_cast<unsigned>(letters.size());
  if (letters.empty() || letters.size() > kAddressBits) {
    fail(ExitCode::configuration, "{}: an address map has 1 to 64 letters, not {}", key, letters.size());
  }
  unsigned burst_bits = 0;
  for (unsigned bit = 0; bit < pattern_bits_; ++bit) {
    const char letter = letters[pattern_bits_ - 1 - bit];
    if (letter == 'S') {
      ++burst_bits;
      continue;
    }
    const auto field = kFieldLetters.find(letter);
    if (field == std::string_view::npos || letter == 'L') {
      fail(ExitCode::configuration, "{}: '{}' in the address map \"{}\"; letters are R K G B C D S, names {}", key,
           letter, parameters_.pattern, fmt::join(address_map_names(), ", "));
    }
    bits_[field].push_back(bit);
  }
  for (unsigned bit = pattern_bits_; bit < kAddressBits; ++bit) bits_[kRow].push_back(bit);

  divides_ = bits_[kController].empty();
  const std::pair<unsigned, unsigned> widths[] = {
      {static_cast<unsigned>(bits_[kRank].size()), width(geometry_.ranks)},
      {static_cast<unsigned>(bits_[kGroup].size()), width(geometry_.bank_groups)},
      {static_cast<unsigned>(bits_[kBank].size()), width(geometry_.banks_per_group)},
      {static_cast<unsigned>(bits_[kColumn].size()), width(geometry_.columns())},
      {burst_bits, width(geometry_.burst_bytes)},
      {static_cast<unsigned>(parameters_.slice_bits.size()), width(parameters_.slices)}};
  const char* const names[] = {"rank", "bank group", "bank", "column", "byte of a burst", "slice"};
  for (unsigned i = 0; i < std::size(widths); ++i) {
    if (widths[i].first != widths[i].second) {
      fail(ExitCode::configuration, "{}: the address map \"{}\" gives {} bits to the {}, the machine needs {}", key,
           parameters_.pattern, widths[i].first, names[i], widths[i].second);
    }
  }
  if (!divides_ && (std::size_t{1} << bits_[kController].size()) != parameters_.controllers) {
    fail(ExitCode::configuration, "{}: the address map \"{}\" addresses {} controllers, the machine has {}", key,
         parameters_.pattern, std::size_t{1} << bits_[kController].size(), parameters_.controllers);
  }
  bits_[kSlice] = parameters_.slice_bits;
}

void AddressMap::parse_hashes(std::string_view key) {
  for (const std::string& text : parameters_.hashes) {
    const auto equals = text.find('=');
    const auto field = text.empty() ? std::string_view::npos : kFieldLetters.find(text[0]);
    unsigned index = 0;
    bool good = field != std::string_view::npos && equals != std::string::npos && equals > 1;
    if (good) {
      const auto read = std::from_chars(text.data() + 1, text.data() + equals, index);
      good = read.ec == std::errc() && read.ptr == text.data() + equals && index < bits_[field].size();
    }
    std::uint64_t mask = 0;
    const char* at = text.data() + equals + 1;
    const char* const end = text.data() + text.size();
    while (good) {
      unsigned bit = 0;
      const auto read = std::from_chars(at, end, bit);
      good = read.ec == std::errc() && bit < kAddressBits;
      if (!good) break;
      mask ^= std::uint64_t{1} << bit;
      at = read.ptr;
      if (at == end) break;
      good = *at++ == '^';
    }
    if (!good) {
      fail(ExitCode::configuration,
           "{}: the hash \"{}\" is not of the form B0=13^16: a field letter of the map, the index of one of its bits, "
           "and the address bits it is combined with",
           key, text);
    }
    hashes_[field].push_back({index, mask});
  }
}

void AddressMap::check_one_to_one(std::string_view key) const {
  // Every output bit is the parity of a mask of input bits; the map is one-to-one if these masks, with the bits of a
  // burst, are linearly independent (Gaussian elimination over GF(2)).
  std::vector<std::uint64_t> rows;
  std::uint64_t covered = 0;
  for (unsigned f = 0; f <= kController; ++f) {
    std::vector<std::uint64_t> masks;
    for (unsigned bit : bits_[f]) {
      masks.push_back(std::uint64_t{1} << bit);
      covered |= std::uint64_t{1} << bit;
    }
    for (const Hash& hash : hashes_[f]) masks[hash.bit] ^= hash.mask;
    rows.insert(rows.end(), masks.begin(), masks.end());
  }
  for (unsigned bit = 0; bit < kAddressBits; ++bit) {
    if (((covered >> bit) & 1) == 0) rows.push_back(std::uint64_t{1} << bit);
  }
  unsigned rank = 0;
  for (unsigned bit = 0; bit < kAddressBits; ++bit) {
    auto pivot = std::find_if(rows.begin() + rank, rows.end(), [bit](std::uint64_t row) { return (row >> bit) & 1; });
    if (pivot == rows.end()) continue;
    std::iter_swap(rows.begin() + rank, pivot);
    for (std::size_t other = 0; other < rows.size(); ++other) {
      if (other != rank && ((rows[other] >> bit) & 1)) rows[other] ^= rows[rank];
    }
    ++rank;
  }
  if (rank != kAddressBits) {
    fail(ExitCode::configuration, "{}: the address map \"{}\" with hashes {} maps two addresses to one location", key,
         parameters_.pattern, fmt::join(parameters_.hashes, " "));
  }
  for (const Hash& hash : hashes_[kSlice]) {
    if ((hash.mask >> bits_[kSlice][hash.bit]) & 1) {
      fail(ExitCode::configuration, "{}: slice bit {} is hashed with itself", key, hash.bit);
    }
  }
  for (unsigned bit : parameters_.slice_bits) {
    if (bit >= kAddressBits || (!divides_ && ((covered >> bit) & 1) == 0)) {
      fail(ExitCode::configuration, "{}: slice bit {} lies inside a burst or outside the address", key, bit);
    }
  }
}

void AddressMap::build_runs() {
  for (unsigned f = 0; f < kFields; ++f) runs_[f] = runs_of<Run>(bits_[f]);
  for (unsigned bit : bits_[kSlice]) dropped_ |= std::uint64_t{1} << bit;
  for (unsigned bit : bits_[kController]) dropped_ |= std::uint64_t{1} << bit;
  std::vector<unsigned> kept;
  for (unsigned bit = 0; bit < kAddressBits; ++bit) {
    if (((dropped_ >> bit) & 1) == 0) kept.push_back(bit);
  }
  local_runs_ = runs_of<Run>(kept);

  std::uint64_t choosing = dropped_;
  for (Field f : {kController, kSlice}) {
    for (const Hash& hash : hashes_[f]) choosing |= hash.mask;
  }
  if (divides_ && parameters_.controllers > 1) choosing |= std::uint64_t{1} << parameters_.division_bit;
  // Count the low column bits that directly follow the burst bits, in order and unhashed.
  unsigned row_bits = width(geometry_.burst_bytes);
  for (unsigned bit : bits_[kColumn]) {
    if (bit != row_bits || !hashes_[kColumn].empty()) break;
    ++row_bits;
  }
  // Only address bits below the division are unchanged by it.
  if (divides_ && parameters_.controllers > 1) row_bits = std::min(row_bits, parameters_.division_bit);
  std::uint64_t hashed = 0;
  for (const auto& field : hashes_) {
    for (const Hash& hash : field) hashed |= hash.mask;
  }
  if (hashed != 0) row_bits = std::min(row_bits, static_cast<unsigned>(std::countr_zero(hashed)));
  row_granule_ = std::uint64_t{1} << row_bits;
  reciprocal_ = parameters_.controllers > 1 ? ~std::uint64_t{0} / parameters_.controllers + 1 : 0;
  granule_ = choosing == 0 ? std::uint64_t{1} << 63 : choosing & (~choosing + 1);
}

std::uint64_t AddressMap::divided(std::uint64_t address, std::uint32_t& controller) const {
  if (!divides_ || parameters_.controllers == 1) {
    controller = 0;
    return address;
  }
  const std::uint64_t blocks = address >> parameters_.division_bit;
  const std::uint64_t low = address & ((std::uint64_t{1} << parameters_.division_bit) - 1);
  // Block numbers below 2^40 are divided by multiplying with 2^64 / controllers, rounded up: exact for up to 2^16
  // controllers.
  const std::uint64_t quotient =
      blocks >> 40 == 0 ? static_cast<std::uint64_t>(static_cast<unsigned __int128>(blocks) * reciprocal_ >> 64)
                        : blocks / parameters_.controllers;
  controller = static_cast<std::uint32_t>(blocks - quotient * parameters_.controllers);
  return (quotient << parameters_.division_bit) | low;
}

std::uint64_t AddressMap::field(Field which, std::uint64_t rest) const {
  std::uint64_t value = 0;
  for (const Run& run : runs_[which]) value |= ((rest >> run.shift) & run.mask) << run.field_shift;
  for (const Hash& hash : hashes_[which]) {
    value ^= static_cast<std::uint64_t>(std::popcount(rest & hash.mask) & 1) << hash.bit;
  }
  return value;
}

DramAddress AddressMap::decode(std::uint64_t address) const {
  DramAddress place;
  const std::uint64_t rest = divided(address, place.controller);
  if (!divides_) place.controller = static_cast<std::uint32_t>(field(kController, rest));
  place.slice = static_cast<std::uint32_t>(field(kSlice, rest));
  place.row = field(kRow, rest);
  place.rank = static_cast<std::uint32_t>(field(kRank, rest));
  place.bank_group = static_cast<std::uint32_t>(field(kGroup, rest));
  place.bank = (place.rank * geometry_.bank_groups + place.bank_group) * geometry_.banks_per_group +
               static_cast<std::uint32_t>(field(kBank, rest));
  place.column = static_cast<std::uint32_t>(field(kColumn, rest));
  return place;
}

unsigned AddressMap::target(std::uint64_t address) const {
  std::uint32_t controller = 0;
  const std::uint64_t rest = divided(address, controller);
  if (!divides_) controller = static_cast<std::uint32_t>(field(kController, rest));
  return controller * parameters_.slices + static_cast<unsigned>(field(kSlice, rest));
}

std::uint64_t AddressMap::local_address(std::uint64_t address) const {
  std::uint32_t controller = 0;
  const std::uint64_t rest = divided(address, controller);
  std::uint64_t value = 0;
  for (const Run& run : local_runs_) value |= ((rest >> run.shift) & run.mask) << run.field_shift;
  return value;
}

}  // namespace heddle::memory
