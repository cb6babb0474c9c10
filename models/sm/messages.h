// SPDX-License-Identifier: Apache-2.0
// Messages on the links of an SM other than packets.
#pragma once

#include <bit>
#include <cstdint>
#include <memory>

#include "core/kernel/instruction_store.h"
#include "isa/state.h"
#include "sm/packet.h"
#include "sm/residency/residency.h"

namespace heddle::sm {

/// Dispatcher to SM: a block to run.
struct BlockLaunch {
  const isa::LaunchState* launch = nullptr;
  std::uint64_t block = 0;  ///< linear index in the grid
  unsigned granules = 0;    ///< that start at once, from the first on; the SM starts the others itself
};

/// SM to dispatcher: a block, or one of its granules, has ended and its resources are free.
struct BlockDone {
  BlockKey block;
  bool whole = true;
};

/// Issue to fetch. Up to eight neighbouring contexts at the same PC may share a request.
struct FetchRequest {
  static constexpr unsigned kMaxReceivers = 8;
  std::uint64_t code_address = 0;  ///< address of the kernel's first instruction
  std::uint32_t pc = 0;
  std::uint16_t count = 0;         ///< number of instructions
  ContextId context = kNoContext;  ///< the first receiver
  std::uint8_t receivers = 1;      ///< bit i: context + i receives the instructions; all in a word of a set
  std::uint8_t store = 0;          ///< looked up first: 0 the instruction cache, n the n-th store in front of it
  std::uint16_t generation = 0;    ///< private to the issue stage

  bool shared() const { return receivers != 1; }
  /// Calls visit(position, context) for every receiver.
  template <typename Visit>
  void for_each_receiver(Visit&& visit) const {
    for (unsigned rest = receivers; rest != 0; rest &= rest - 1) {
      const auto i = static_cast<unsigned>(std::countr_zero(rest));
      visit(i, ContextId(context + i));
    }
  }
};

/// Issue to fetch in the barrel shape: a call rather than a link, because contexts are picked at fetch.
class FetchAtPick : public virtual sc_core::sc_interface {
 public:
  /// Looks up the instruction cache. On a miss the request returns as a Fetched once the line has arrived.
  virtual InstructionStore::Answer fetch_at_pick(const FetchRequest& request) = 0;
};

/// Fetch to decode to issue: the instructions of one request have arrived.
struct Fetched {
  FetchRequest request;
};

/// Write-back to issue: a variable-latency packet is complete and its result may be read.
struct Completion {
  PacketHandle packet;
};

/// Memory to issue: progress of an incomplete packet. Each kind is sent at most once per packet and arrives before the
/// packet's Completion, which passes through one more stage.
struct MemoryReport {
  enum class What : std::uint8_t {
    missed,    ///< a line it needs was not in the cache
    returned,  ///< `threads` have their data
  };
  PacketHandle packet;
  What what = What::missed;
  ThreadSet threads;  ///< for `returned`: by position in the packet's context
};

/// Operand stage to issue, about a packet that does not gather its operands in the cycle that its loop distance assumes
/// (OperandParameters::latency + 1 cycles after issue). Trackers may ask to be told of every packet
/// (HazardTraits::follows_operands).
struct OperandReport {
  enum class What : std::uint8_t {
    waiting,   ///< still without all operands in the last cycle before its result is due; `gathered` follows
    gathered,  ///< has its operands, `late` cycles after the assumed cycle
  };
  PacketHandle packet;
  What what = What::gathered;
  Cycle late = 0;
};

}  // namespace heddle::sm
