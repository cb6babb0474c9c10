// SPDX-License-Identifier: Apache-2.0
// Maps an address to controller, L2 slice, bank, row and column. A map is a permutation of address bits, optionally
// with XOR hashing, applied after a division that interleaves any number of controllers.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/config/parameters.h"

namespace heddle::memory {

/// Geometry of a channel, used by the named maps. All values are powers of two.
struct ChannelGeometry {
  unsigned ranks = 1;
  unsigned bank_groups = 1;
  unsigned banks_per_group = 8;
  unsigned row_bytes = 2048;  ///< bytes per row, summed over all chips of the channel
  unsigned burst_bytes = 64;  ///< bytes moved by one column command
  unsigned banks() const { return ranks * bank_groups * banks_per_group; }
  unsigned banks_of_rank() const { return bank_groups * banks_per_group; }
  unsigned columns() const { return row_bytes / burst_bytes; }

  void describe(ParameterVisitor& v);
  void check(ParameterChecks& checks) const;
};

struct AddressMapParameters {
  unsigned controllers = 1;
  unsigned slices = 1;  ///< L2 slices per controller; a power of two
  /// Controller = (address >> division_bit) mod controllers; the quotient replaces the divided bits.
  unsigned division_bit = 8;
  /// Either a map name (see address_map_names()) or one letter per bit of the divided address, most significant first:
  /// R row, K rank, G bank group, B bank, C column (counted in bursts), D controller (instead of the division), S byte
  /// within a burst. Dots and spaces are separators. Address bits above the pattern belong to the row.
  std::string pattern = "row_bank_column";
  /// "B0=13^16": bank bit 0 is XORed with bits 13 and 16 of the divided address. L stands for the slice.
  std::vector<std::string> hashes;
  std::vector<unsigned> slice_bits;  ///< bits of the divided address that select the slice, lowest first

  void describe(ParameterVisitor& v);
};

/// A location in the memory of one controller. `bank` is numbered across ranks and groups: (rank * groups + group) *
/// banks + bank.
struct DramAddress {
  std::uint64_t row = 0;
  std::uint32_t controller = 0, slice = 0;
  std::uint32_t rank = 0, bank_group = 0, bank = 0, column = 0;
};

class AddressMap {
 public:
  /// Fails with kConfiguration, naming `key`, unless the map is one-to-one.
  AddressMap(const AddressMapParameters& parameters, const ChannelGeometry& geometry, std::string_view key);

  DramAddress decode(std::uint64_t address) const;
  /// The L2 slice that serves an address: controller * slices + slice.
  unsigned target(std::uint64_t address) const;
  unsigned targets() const { return parameters_.controllers * parameters_.slices; }
  /// The address within its slice: the bits that select controller and slice are squeezed out. Cache index hashes use
  /// it, so that every set of a slice is reachable.
  std::uint64_t local_address(std::uint64_t address) const;
  /// Interleaving granularity of the slices in bytes, a power of two.
  std::uint64_t granule() const { return granule_; }
  /// Bytes per aligned block that lies in consecutive columns of one row. A power of two.
  std::uint64_t row_granule() const { return row_granule_; }
  const AddressMapParameters& parameters() const { return parameters_; }
  const ChannelGeometry& geometry() const { return geometry_; }

 private:
  enum Field : unsigned { kRow, kRank, kGroup, kBank, kColumn, kController, kSlice, kFields };
  struct Run {  // address bits that are contiguous in a field
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
  std::uint64_t dropped_ = 0;     // bits of the rest that a slice-local address omits
  std::array<std::vector<unsigned>, kFields> bits_;
  std::array<std::vector<Hash>, kFields> hashes_;
  std::array<std::vector<Run>, kFields> runs_;
  std::vector<Run> local_runs_;
};

/// Map names that AddressMapParameters::pattern accepts instead of letters.
std::vector<std::string> address_map_names();

}  // namespace heddle::memory
