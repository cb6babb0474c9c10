// SPDX-License-Identifier: Apache-2.0
// Set index functions of a cache.
#pragma once

#include <cstdint>

namespace heddle::memory {

enum class IndexHash : std::uint8_t {
  none,   ///< line number modulo the number of sets
  xor_,   ///< all bits of the line number, XOR-folded to the width of the index; sets a power of two
  fermi,  ///< the L1 hash measured on Fermi (Nugteren et al., HPCA 2014, "A detailed GPU cache model based on reuse
          ///< distance theory"); 32 or 64 sets of 128-byte lines
};

/// Set of a line, 0 .. sets-1.
inline unsigned set_index(IndexHash hash, std::uint64_t line, unsigned sets, unsigned set_bits) {
  switch (hash) {
    case IndexHash::fermi: {
      // Address bits 7-11 XOR bits 13, 14, 15, 17, 19; with 64 sets, address bit 12 becomes the top index bit.
      const auto low = static_cast<unsigned>(line & 0x1f);
      const auto high =
          static_cast<unsigned>(((line >> 6) & 0x7) | (((line >> 10) & 1) << 3) | (((line >> 12) & 1) << 4));
      return (low ^ high) | (sets == 64 ? static_cast<unsigned>(line & 0x20) : 0U);
    }
    case IndexHash::xor_: {
      if (set_bits == 0) return 0;
      std::uint64_t folded = 0;
      for (std::uint64_t rest = line; rest != 0; rest >>= set_bits) folded ^= rest;
      return static_cast<unsigned>(folded & (sets - 1));
    }
    case IndexHash::none:
      break;
  }
  return (sets & (sets - 1)) == 0 ? static_cast<unsigned>(line & (sets - 1)) : static_cast<unsigned>(line % sets);
}

}  // namespace heddle::memory
