// SPDX-License-Identifier: Apache-2.0
// Requests for tests of the parts of a memory channel.
#pragma once

#include "memory/dram/dram_queue.h"

namespace heddle::memory {

inline DramRequest request_to(unsigned bank, std::uint64_t row, bool write = false, std::uint32_t column = 0,
                              unsigned bursts = 1) {
  DramRequest request;
  request.bank = static_cast<std::uint8_t>(bank);
  request.row = row;
  request.write = write;
  request.column = column;
  request.bursts = static_cast<std::uint16_t>(bursts);
  return request;
}
inline DramRequest read_of(unsigned bank, std::uint64_t row, std::uint32_t column = 0, unsigned bursts = 1) {
  return request_to(bank, row, false, column, bursts);
}
inline DramRequest write_of(unsigned bank, std::uint64_t row, std::uint32_t column = 0, unsigned bursts = 1) {
  return request_to(bank, row, true, column, bursts);
}

}  // namespace heddle::memory
