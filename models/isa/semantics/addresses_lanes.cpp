// SPDX-License-Identifier: Apache-2.0
// The lane-function table of one level, and the address scan of a memory operation.
#include "isa/execute.h"
#include "isa/semantics/lane_loop.h"

namespace heddle::isa::HEDDLE_LANE_LEVEL {
namespace {

LaneFunction find(const MicroOp& op) {
  // Each finder returns null for opcodes, types and modifiers it does not handle. find_words and find_convert_small
  // handle modifier variants of operations found elsewhere, so they come first.
  for (const auto finder : {find_words, find_convert_small, find_video, find_integer, find_bits, find_move, find_float,
                            find_half, find_compare, find_convert, find_approximate}) {
    if (LaneFunction found = finder(op)) return found;
  }
  return nullptr;
}

/// Lane i's offset in a contiguous access: i times 1, 2, 4, ... 32 bytes.
struct Steps {
  alignas(64) std::uint64_t offset[6][kWordThreads];
};
constexpr Steps kSteps = [] {
  Steps steps{};
  for (unsigned log = 0; log < 6; ++log) {
    for (unsigned i = 0; i < kWordThreads; ++i) steps.offset[log][i] = std::uint64_t{i} << log;
  }
  return steps;
}();

/// Finds lanes whose generic address lies in a window; rare.
[[gnu::noinline, gnu::cold]] void find_windows(Addresses& out) {
  const std::uint64_t* value = out.value.data();
  std::uint32_t shared = 0, local = 0;
  for (unsigned i = 0; i < kWordThreads; ++i) {
    const std::uint64_t window = value[i] & kWindowMask;
    shared |= window == kSharedWindow ? kLaneBits[i] : 0u;
    local |= window == kLocalWindow ? kLaneBits[i] : 0u;
  }
  out.shared_lanes = shared & out.mask;
  out.local_lanes = local & out.mask;
}

/// OR of all address bits. Lanes outside the mask use the first active lane's address.
template <bool Partial>
[[gnu::noinline]] std::uint64_t find_extremes(Addresses& out) {
  const std::uint64_t* value = &out.value[0];
  const std::uint32_t mask = out.mask;
  const std::uint64_t first = value[Partial ? __builtin_ctz(mask) : 0];
  std::uint64_t lowest = first, highest = first, any = 0;
  for (unsigned i = 0; i < kWordThreads; ++i) {
    const std::uint64_t seen = Partial && (mask & kLaneBits[i]) == 0 ? first : value[i];
    lowest = seen < lowest ? seen : lowest;
    highest = seen > highest ? seen : highest;
    any |= seen;
  }
  out.lowest = lowest;
  out.highest = highest + out.bytes;
  out.uniform = lowest == highest;
  return any;
}

/// Sets value[i] = base[i] + added; returns whether value[i] = base[0] + added + steps[i] for all lanes. Written with
/// intrinsics on vector levels, where the compiler's horizontal OR would cost as much as the rest.
HEDDLE_INLINE bool add_offset(const std::uint64_t* base, std::uint64_t added, const std::uint64_t* steps,
                              std::uint64_t* value) {
#if defined(__AVX512F__)
  const __m512i offset = _mm512_set1_epi64(static_cast<std::int64_t>(added));
  const __m512i first = _mm512_set1_epi64(static_cast<std::int64_t>(base[0] + added));
  __m512i apart = _mm512_setzero_si512();
  for (unsigned i = 0; i < kWordThreads; i += 8) {
    const __m512i address = _mm512_add_epi64(_mm512_loadu_si512(base + i), offset);
    _mm512_storeu_si512(value + i, address);
    const __m512i expected = _mm512_add_epi64(first, _mm512_load_si512(steps + i));
    apart = _mm512_or_si512(apart, _mm512_xor_si512(address, expected));
  }
  return _mm512_test_epi64_mask(apart, apart) == 0;
#elif defined(__AVX2__)
  const __m256i offset = _mm256_set1_epi64x(static_cast<std::int64_t>(added));
  const __m256i first = _mm256_set1_epi64x(static_cast<std::int64_t>(base[0] + added));
  __m256i apart = _mm256_setzero_si256();
  for (unsigned i = 0; i < kWordThreads; i += 4) {
    const __m256i address = _mm256_add_epi64(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(base + i)), offset);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(value + i), address);
    const __m256i expected = _mm256_add_epi64(first, _mm256_load_si256(reinterpret_cast<const __m256i*>(steps + i)));
    apart = _mm256_or_si256(apart, _mm256_xor_si256(address, expected));
  }
  return _mm256_testz_si256(apart, apart) != 0;
#else
  const std::uint64_t first = base[0] + added;
  std::uint64_t apart = 0;
  HEDDLE_INDEPENDENT
  for (unsigned i = 0; i < kWordThreads; ++i) {
    const std::uint64_t address = base[i] + added;
    value[i] = address;
    apart |= address ^ (first + steps[i]);
  }
  return apart == 0;
#endif
}

void scan_addresses(const std::uint64_t* base, std::int64_t offset, Addresses& out) {
  const auto added = static_cast<std::uint64_t>(offset);
  const std::uint64_t first = base[0] + added;
  const std::uint64_t* steps = kSteps.offset[__builtin_ctz(out.bytes)];
  const bool contiguous = add_offset(base, added, steps, &out.value[0]);
  out.shared_lanes = out.local_lanes = 0;
  std::uint64_t any;
  if (contiguous && out.mask == kAllLanes) [[likely]] {
    const std::uint64_t last = first + steps[kWordThreads - 1];
    out.contiguous = true;
    out.uniform = false;
    out.lowest = first;
    out.highest = last + out.bytes;
    any = first | last;
  } else {
    out.contiguous = false;
    any = out.mask == kAllLanes ? find_extremes<false>(out) : find_extremes<true>(out);
  }
  if (any >= kLocalWindow) [[unlikely]]
    find_windows(out);
}

#define HEDDLE_STRING_OF(name) #name
#define HEDDLE_STRING(name) HEDDLE_STRING_OF(name)

}  // namespace

const LaneOperations kLaneOperations = {HEDDLE_STRING(HEDDLE_LANE_LEVEL), find, scan_addresses};

}  // namespace heddle::isa::HEDDLE_LANE_LEVEL
