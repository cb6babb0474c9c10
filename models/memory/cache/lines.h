// SPDX-License-Identifier: Apache-2.0
// The lines of a cache: its tags, and the mapping from address to line, set and sectors.
#pragma once

#include <memory>

#include "memory/address_map.h"
#include "memory/cache/request.h"
#include "memory/cache/tag_array.h"

namespace heddle::memory {

class CacheLines {
 public:
  /// slices: the address map, for a slice indexed by the address within it; null: the cache serves all of memory.
  /// unlimited: as for TagArray.
  CacheLines(const TagArrayParameters& parameters, std::uint64_t seed, std::shared_ptr<const AddressMap> slices,
             bool unlimited = false)
      : tags(parameters, seed, unlimited), slices_(std::move(slices)) {}

  TagArray tags;

  std::uint64_t line_of(std::uint64_t address) const { return address >> tags.line_bits(); }
  std::uint64_t address_of(std::uint64_t line) const { return line << tags.line_bits(); }
  /// Memory-wide number of the first sector of a line.
  std::uint64_t first_sector(std::uint64_t line) const { return line << (tags.line_bits() - tags.sector_bits()); }
  std::uint64_t line_bytes() const { return std::uint64_t{1} << tags.line_bits(); }
  unsigned set_of(std::uint64_t line) const {
    return tags.set_of(slices_ ? line_of(slices_->local_address(address_of(line))) : line);
  }
  TagArray::Place find(const LinePiece& piece) const { return tags.find(piece.set, piece.line); }
  /// Whether all its sectors are present. place: as returned by find().
  bool holds(const LinePiece& piece, TagArray::Place place) const {
    return place != TagArray::kNone && (piece.sectors & ~tags.line(place).valid) == 0;
  }
  /// The bytes of a request that lie in a line: address of the first, and count.
  struct Span {
    std::uint64_t first;
    unsigned bytes;
  };
  Span span_of(const tlm::tlm_generic_payload& payload, std::uint64_t line) const;
  LinePiece piece_of(const CacheRequest& request, std::uint64_t line) const;

 private:
  std::shared_ptr<const AddressMap> slices_;
};

}  // namespace heddle::memory
