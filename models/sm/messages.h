// SPDX-License-Identifier: Apache-2.0
// What travels on the links of an SM, besides packets.
#pragma once

#include <cstdint>
#include <memory>

#include "core/kernel/instruction_store.h"
#include "isa/state.h"
#include "sm/packet.h"

namespace heddle::sm {

/// Dispatcher to SM: a block to run.
struct BlockLaunch {
  const isa::LaunchState* launch = nullptr;
  std::uint64_t block = 0;  ///< linear index in the grid
};

/// SM to dispatcher: a block has finished and its resources are free.
struct BlockDone {
  std::uint64_t launch_id = 0;
  std::uint64_t block = 0;
};

/// Issue to fetch.
struct FetchRequest {
  std::uint64_t code_address = 0;  ///< of the kernel's first instruction
  std::uint32_t pc = 0;
  std::uint16_t count = 0;  ///< instructions
  ContextId context = kNoContext;
  std::uint16_t generation = 0;
};

/// Issue to fetch in the barrel shape, where a context is picked when it is fetched: a call, not a link.
class FetchAtPick : public virtual sc_core::sc_interface {
 public:
  /// Looks up the instruction cache. On a miss the request comes back as a Fetched when the line is there.
  virtual InstructionStore::Answer fetch_at_pick(const FetchRequest& request) = 0;
};

/// Fetch to decode to issue: the instructions of one request are there.
struct Fetched {
  FetchRequest request;
};

/// Write-back to issue: a packet of variable latency is complete, its result usable.
struct Completion {
  PacketHandle packet;
};

/// Memory to issue, of a packet that is not complete; each kind once a packet at most, and heard of before its
/// Completion, which has a stage more to pass.
struct MemoryReport {
  enum class What : std::uint8_t {
    missed,    ///< a line that it waits for was not in the cache
    returned,  ///< `threads` have their data
  };
  PacketHandle packet;
  What what = What::missed;
  ThreadSet threads;  ///< returned: by place in the packet's context
};

/// Operand stage to issue: a packet got its operands when its result was due by its loop distance, or later.
struct OperandDelay {
  PacketHandle packet;
};

}  // namespace heddle::sm
