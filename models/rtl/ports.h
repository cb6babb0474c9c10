// SPDX-License-Identifier: Apache-2.0
// Ports of Verilated blocks: word access independent of the type that Verilator chose, and display as waveform signals.
#pragma once

#include <verilated.h>

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/trace/probe.h"

namespace heddle::rtl {

/// Sets the 32-bit word `word` of a port. Returns whether it changed.
template <std::unsigned_integral Port>
bool put(Port& port, unsigned word, std::uint32_t bits) {
  Port value;
  if constexpr (sizeof(Port) == 8) {
    value = (port & ~(Port{0xffffffff} << (32 * word))) | Port{bits} << (32 * word);
  } else {
    value = static_cast<Port>(bits);
  }
  return std::exchange(port, value) != value;
}
template <std::size_t Words>
bool put(VlWide<Words>& port, unsigned word, std::uint32_t bits) {
  return std::exchange(port[word], bits) != bits;
}

/// Sets the 64-bit word `at` of a port; bits beyond its end are dropped. Returns whether it changed.
template <std::unsigned_integral Port>
bool put64(Port& port, unsigned at, std::uint64_t value) {
  return at == 0 && std::exchange(port, static_cast<Port>(value)) != static_cast<Port>(value);
}
template <std::size_t Words>
bool put64(VlWide<Words>& port, unsigned at, std::uint64_t value) {
  bool changed = put(port, 2 * at, static_cast<std::uint32_t>(value));
  if (2 * at + 1 < Words) changed |= put(port, 2 * at + 1, static_cast<std::uint32_t>(value >> 32));
  return changed;
}

/// The lowest kWidth bits of numbers, one behind the other, as words of a port. kWidth: 1 .. 64.
template <unsigned kWidth, std::size_t kCount>
constexpr auto packed(const std::array<std::uint64_t, kCount>& numbers) {
  std::array<std::uint64_t, (kWidth * kCount + 63) / 64> words{};
  for (std::size_t i = 0; i < kCount; ++i) {
    const std::size_t word = i * kWidth / 64, shift = i * kWidth % 64;
    const std::uint64_t number = numbers[i] & ~std::uint64_t{0} >> (64 - kWidth);
    words[word] |= number << shift;
    if (shift + kWidth > 64) words[word + 1] |= number >> (64 - shift);
  }
  return words;
}

/// The words of the first `width` bits.
template <std::size_t kWords>
std::vector<std::uint64_t> first_words(const std::array<std::uint64_t, kWords>& words, unsigned width) {
  return {words.begin(), words.begin() + (width + 63) / 64};
}

/// The 32-bit word `word` of a port; zero beyond its end.
template <std::unsigned_integral Port>
std::uint32_t get(const Port& port, unsigned word) {
  return 32 * word < 8 * sizeof(Port) ? static_cast<std::uint32_t>(std::uint64_t{port} >> (32 * word)) : 0;
}
template <std::size_t Words>
std::uint32_t get(const VlWide<Words>& port, unsigned word) {
  return word < Words ? port[word] : 0;
}

/// Bits first .. first + count - 1 of a port. count: 1 .. 64.
template <typename Port>
std::uint64_t bits(const Port& port, unsigned first, unsigned count) {
  const unsigned word = first / 32, shift = first % 32;
  std::uint64_t value = (std::uint64_t{get(port, word)} | std::uint64_t{get(port, word + 1)} << 32) >> shift;
  if (shift != 0 && shift + count > 64) value |= std::uint64_t{get(port, word + 2)} << (64 - shift);
  return count == 64 ? value : value & ((std::uint64_t{1} << count) - 1);
}

/// Shows a port of `width` bits. Sampled at the end of a cycle, so it shows the last request or answer.
template <typename Port>
void show(ProbeGroup& group, const std::string& name, unsigned width, const std::string& sentence, const Port& port) {
  group.add_wide(name, width, sentence, [&port, width](std::uint64_t* words) {
    for (unsigned first = 0; first < width; first += 64)
      words[first / 64] = bits(port, first, width - first < 64 ? width - first : 64);
  });
}

}  // namespace heddle::rtl
