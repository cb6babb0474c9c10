// SPDX-License-Identifier: Apache-2.0
// Where an address lives: controller, L2 slice, bank, row, column. A map is a permutation of address bits, optionally
// with exclusive-or hashing, after a division that interleaves any number of controllers.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/config/parameters.h"

namespace heddle::memory {

/// Sizes of a channel's parts, for maps given by name. Each a power of two.
struct ChannelGeometry {
  unsigned ranks = 1;
  unsigned bank_groups = 1;
  unsigned banks_per_group = 8;
  unsigned row_bytes = 2048;  ///< bytes one row holds over all chips of the channel
  unsigned burst_bytes = 64;  ///< bytes one column command moves
  unsigned banks() const { return ranks * bank_groups * banks_per_group; }
  unsigned columns() const { return row_bytes / burst_bytes; }

  void describe(ParameterVisitor& v);
  void check(ParameterChecks& checks) const;
};

struct AddressMapParameters {
  unsigned controllers = 1;
  unsigned slices = 1;  ///< L2 slices of a controller; a power of two
  /// Controller = (address >> division_bit) mod controllers; the quotient takes the place of the divided bits.
  unsigned division_bit = 8;
  /// Letters from the most significant bit to bit 0 of what the division leaves: R row, K rank, G bank group, B bank,
  /// C column (counted in bursts), D controller (instead of the division), S byte of a burst. Dots and spaces separate.
  /// Higher address bits belong to the row. Or the name of a map, see address_map_names().
  std::string pattern = "row_bank_column";
  /// "B0=13^16": bit 0 of the bank is its own bit exclusive-or bits 13 and 16 of what the division leaves. L is the
  /// slice.
  std::vector<std::string> hashes;
  std::vector<unsigned> slice_bits;  ///< bits of what the division leaves that choose the slice, lowest first

  void describe(ParameterVisitor& v);
};

/// A place in the memory of one controller. `bank` counts over ranks and groups: (rank * groups + group) * banks +
/// bank.
struct DramAddress {
  std::uint64_t row = 0;
  std::uint32_t controller = 0, slice = 0;
  std::uint32_t rank = 0, bank_group = 0, bank = 0, column = 0;
};

class AddressMap {
 public:
  /// Fails with kConfiguration, naming `key`, unless every address has a place of its own.
  AddressMap(const AddressMapParameters& parameters, const ChannelGeometry& geometry, std::string_view key);

  DramAddress decode(std::uint64_t address) const;
  /// Controller * slices + slice: which L2 slice serves an address.
  unsigned target(std::uint64_t address) const;
  unsigned targets() const { return parameters_.controllers * parameters_.slices; }
  /// An address counted within its slice: the bits that chose controller and slice are squeezed out. Cache index hashes
  /// work on this, so that every set of a slice is used.
  std::uint64_t local_address(std::uint64_t address) const;
  /// Aligned blocks of this many bytes stay with one slice. A power of two.
  std::uint64_t granule() const { return granule_; }
  /// Aligned blocks of this many bytes lie in one row of one bank, in columns that follow each other. A power of two.
  std::uint64_t row_granule() const { return row_granule_; }
  const AddressMapParameters& parameters() const { return parameters_; }
  const ChannelGeometry& geometry() const { return geometry_; }

 private:
  enum Field : unsigned { kRow, kRank, kGroup, kBank, kColumn, kController, kSlice, kFields };
  struct Run {  // address bits that lie side by side in a field
    unsigned shift = 0, field_shift = 0;
    std::uint64_t mask = 0;
  };
  struct Hash {
    unsigned bit = 0;
    std::uint64_t mask = 0;
  };

  void parse_pattern(std::string_view key);
  void parse_hashes(std::string_view key);
  void check_one_to_one(std::string_view key) const;
  void build_runs();
  std::uint64_t divided(std::uint64_t address, std::uint32_t& controller) const;
  std::uint64_t field(Field which, std::uint64_t rest) const;

  AddressMapParameters parameters_;
  ChannelGeometry geometry_;
  bool divides_ = true;
  unsigned pattern_bits_ = 0;
  std::uint64_t granule_ = 1;
  std::uint64_t row_granule_ = 1;
  std::uint64_t reciprocal_ = 0;  // of the number of controllers, in 2^-64
  std::uint64_t dropped_ = 0;     // bits of the rest that a slice-local address leaves out
  std::array<std::vector<unsigned>, kFields> bits_;
  std::array<std::vector<Hash>, kFields> hashes_;
  std::array<std::vector<Run>, kFields> runs_;
  std::vector<Run> local_runs_;
};

/// Names that AddressMapParameters::pattern may have instead of letters.
std::vector<std::string> address_map_names();

}  // namespace heddle::memory
