// SPDX-License-Identifier: Apache-2.0
#include "sm/memory/access_class.h"

#include <algorithm>

#include "sm/memory/address_parts.h"

namespace heddle::sm {

namespace {

/// Whether a load must see stores of other SMs. An SM's caches are not notified of those, so they may not serve strong
/// loads with a scope wider than the block or loads with operator .cg or .cv.
bool reads_coherently(const isa::MicroOp& op) {
  if (op.opcode != isa::Opcode::ld || op.non_coherent) return false;
  return op.cache_op == isa::CacheOp::cg || op.cache_op == isa::CacheOp::cv ||
         (op.is_volatile && op.scope != isa::Scope::cta);
}

}  // namespace

AccessReach reach_of(const Packet& packet) {
  const isa::Space space = packet.op->space;
  AccessReach reach{.shared = space == isa::Space::shared, .caches = false, .local = space == isa::Space::local};
  if (space != isa::Space::generic) {
    reach.caches = !reach.shared;
    return reach;
  }
  std::uint32_t shared = 0, local = 0, others = 0;
  for (unsigned w = 0; w < packet.word_count; ++w) {
    const isa::Addresses& addresses = packet.memory->addresses[w];
    shared |= shared_part(addresses);
    local |= local_part(addresses);
    others |= addresses.mask & ~shared_part(addresses) & ~local_part(addresses);
  }
  // A packet without threads takes the path to the caches.
  return {.shared = shared != 0, .caches = shared == 0 || (local | others) != 0, .local = local != 0 && others == 0};
}

AccessClass class_of(const Packet& packet) {
  const isa::MicroOp& op = *packet.op;
  AccessClass found;
  switch (op.opcode) {
    case isa::Opcode::st:
    case isa::Opcode::cond_acc:
      found.kind = AccessKind::store;
      break;
    case isa::Opcode::atom:
      found.kind = AccessKind::atomic;
      break;
    case isa::Opcode::red:
      found.kind = AccessKind::reduction;
      break;
    case isa::Opcode::prefetch:
      found.kind = AccessKind::prefetch;
      break;
    case isa::Opcode::tex:
      found.kind = AccessKind::texture;
      found.path = CachePath::texture;
      break;
    default:
      if (op.space == isa::Space::param || op.space == isa::Space::constant) {
        found.kind = AccessKind::constant;
        found.path = CachePath::constant;
      }
      break;
  }
  found.local = reach_of(packet).local;
  found.coherent = !found.local && found.path == CachePath::data && reads_coherently(op);
  return found;
}

unsigned bytes_per_thread(const Packet& packet) {
  return std::max(1u, isa::size_of(packet.op->type)) * packet.op->vector_width;
}

}  // namespace heddle::sm
