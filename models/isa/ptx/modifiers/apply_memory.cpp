// SPDX-License-Identifier: Apache-2.0
#include "isa/ptx/modifiers/apply.h"
#include "isa/ptx/modifiers/words.h"

namespace heddle::isa {
namespace {

bool is_access(Opcode opcode) {
  return opcode == Opcode::ld || opcode == Opcode::st || opcode == Opcode::atom || opcode == Opcode::red ||
         opcode == Opcode::prefetch;
}

// Words of one operation.
bool apply_own(std::string_view word, MicroOp& op, std::uint64_t& features) {
  switch (op.opcode) {
    case Opcode::async_copy:
      if (word == "shared" || word == "shared::cta") return features |= kToShared, true;
      if (word == "L2::cache_hint") return features |= kCacheHint, true;
      if (word == "ca" || word == "cg") {
        op.cache_op = word == "ca" ? CacheOp::ca : CacheOp::cg;
        return features |= kCacheOp, true;
      }
      if (among(kHints, word)) return features |= kHint, true;
      return false;
    case Opcode::applypriority:
    case Opcode::discard:
      if (word != "L2" && word != "L2::evict_normal") return false;
      return features |= kHint, true;
    case Opcode::createpolicy:
      if (find_type(word) != DataType::none || word == "global") return false;
      return features |= kHint, true;
    case Opcode::atom:
    case Opcode::red:
      return note(look_up(kAtomOps, word, op.atom_op), kMode, features);
    case Opcode::cvta:
      if (word != "to") return false;
      op.to_space = true;
      features |= kTo;
      return true;
    case Opcode::prefetch:
      if (word != "L1" && word != "L2" && word != "L2::evict_last" && word != "L2::evict_normal") return false;
      op.cache_op = word == "L1" ? CacheOp::ca : CacheOp::cg;
      return true;
    case Opcode::fence:
      if (among(kProxies, word)) return features |= kProxy, true;
      if (word != "sc" && word != "acq_rel" && word != "acquire" && word != "release") return false;
      features |= kMemoryOrder;
      return true;
    default:
      return false;
  }
}

// Words of any access.
bool apply_access(std::string_view word, MicroOp& op, std::uint64_t& features) {
  if (look_up(kCacheOps, word, op.cache_op)) {
    features |= kCacheOp;
  } else if (word == "nc") {
    op.non_coherent = true;
    features |= kNonCoherent;
  } else if (word == "rowhint" && op.opcode == Opcode::ld) {
    op.row_hint = true;
    features |= kRowHint;
  } else if (word == "volatile") {
    op.is_volatile = true;
    features |= kVolatile;
  } else if (word == "L2::cache_hint") {
    features |= kCacheHint;
  } else if (among(kOrders, word)) {
    op.is_volatile = op.opcode == Opcode::ld || op.opcode == Opcode::st;
    op.acquires = word == "acquire" || word == "acq_rel";
    op.releases = word == "release" || word == "acq_rel";
    features |= kMemoryOrder;
  } else if (word == "v2" || word == "v4" || word == "v8") {
    op.vector_width = static_cast<std::uint8_t>(word[1] - '0');
    features |= kVector;
  } else if (among(kHints, word)) {
    features |= kHint;
  } else {
    return false;
  }
  return true;
}

}  // namespace

bool apply_memory(std::string_view word, MicroOp& op, std::uint64_t& features) {
  return apply_own(word, op, features) || (is_access(op.opcode) && apply_access(word, op, features));
}

}  // namespace heddle::isa
