// SPDX-License-Identifier: Apache-2.0
#include "sm/memory/cache_addresses.h"

#include <bit>

#include "sm/memory/address_parts.h"

namespace heddle::sm {

namespace {

// Outside device memory and apart from each other, so that they never collide.
constexpr std::uint64_t kLocalBase = 0x3000'0000'0000;
constexpr std::uint64_t kParameterBase = 0x3800'0000'0000;

}  // namespace

std::uint64_t CacheAddresses::of_local(const PacketWord& word, unsigned lane, std::uint64_t offset) const {
  // Interleave the 32 threads by word, so that threads accessing the same variable share a line.
  const std::uint64_t bytes = word.warp->block->launch->kernel->local_bytes;
  const std::uint64_t frame = (sm_ * 512 + word.warp->warp_slot) * ((bytes + 3) / 4 * 4) * isa::kWordThreads;
  return kLocalBase + frame + (offset / 4 * isa::kWordThreads + lane) * 4 + offset % 4;
}

void CacheAddresses::translate(Packet& packet) const {
  for (unsigned w = 0; w < packet.word_count; ++w) {
    isa::Addresses& addresses = packet.memory->addresses[w];
    const std::uint32_t local = local_part(addresses);
    if (local != 0) addresses.contiguous = addresses.uniform = false;
    for (std::uint32_t lanes = local; lanes != 0; lanes &= lanes - 1) {
      const auto lane = static_cast<unsigned>(std::countr_zero(lanes));
      addresses.value[lane] = of_local(packet.words[w], lane, addresses.value[lane] & ~isa::kWindowMask);
    }
    if (addresses.space == isa::Space::param) {
      for (std::uint64_t& value : addresses.value) value += kParameterBase;
    }
  }
}

}  // namespace heddle::sm
