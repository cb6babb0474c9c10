// SPDX-License-Identifier: Apache-2.0
#include "memory/cache/lines.h"

#include <algorithm>

namespace heddle::memory {

CacheLines::Span CacheLines::span_of(const tlm::tlm_generic_payload& payload, std::uint64_t line) const {
  const std::uint64_t address = payload.get_address();
  const std::uint64_t first = std::max<std::uint64_t>(address, address_of(line));
  const std::uint64_t end = std::min<std::uint64_t>(address + payload.get_data_length(), address_of(line + 1));
  return {first, static_cast<unsigned>(end - first)};
}

LinePiece CacheLines::piece_of(const CacheRequest& request, std::uint64_t line) const {
  LinePiece piece{line, set_of(line), 1, false};
  const auto [first, bytes] = span_of(*request.payload, line);
  const std::uint64_t line_first = address_of(line), end = first + bytes;
  if (tags.sectors() > 1) {
    const auto low = static_cast<unsigned>((first - line_first) >> tags.sector_bits());
    const auto high = static_cast<unsigned>((end - 1 - line_first) >> tags.sector_bits());
    const SectorMask touched = (~SectorMask{0} >> (31 - (high - low))) << low;
    piece.sectors = touched;
    if (request.info != nullptr && (touched & request.info->sectors) != 0) piece.sectors &= request.info->sectors;
  }
  if (request.action == CacheAction::store) {
    const bool partial =
        request.info != nullptr ? request.info->partial : request.payload->get_byte_enable_ptr() != nullptr;
    const std::uint64_t within = (std::uint64_t{1} << tags.sector_bits()) - 1;
    piece.whole = !partial && ((first | end) & within) == 0;
  }
  return piece;
}

}  // namespace heddle::memory
