// SPDX-License-Identifier: Apache-2.0
// Decides when an instruction may use a value. The issue stage queries it before an instruction issues and reports when
// a packet issues and when its lanes complete. Trackers choose their own keys: do not assume that a context is a warp.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/config/mechanism.h"
#include "core/kernel/module_state.h"
#include "core/statistics/statistics.h"
#include "sm/context_table.h"
#include "sm/context_words.h"
#include "sm/needs.h"
#include "sm/packet.h"

namespace heddle::sm {

struct SmSite;

struct HazardShape {
  unsigned contexts = 48;
  unsigned warps = 48;           ///< number of machine warps, which bounds Context::warp
  unsigned warp_threads = 32;    ///< maximum threads of a machine warp
  bool named_registers = false;  ///< track registers as named in PTX instead of allocated ones
  Cycle barrel_depth = 0;        ///< depth of a barrel pipeline; 0: other shapes
  Cycle release_lead = 0;        ///< GroupingTraits::release_lead; barrel pipelines only
};

/// A result that may now be read, or the end of a packet without a result.
struct Release {
  const isa::MicroOp* op = nullptr;
  ContextId context = kNoContext;
  WarpId warp;
  std::uint32_t token = 0;
  bool variable = false;  ///< a variable-latency packet (memory)
};

struct HazardTraits {
  Features offers;
  /// Releases wake every context of the warp, not only the one that issued.
  bool shared_by_warp = false;
  /// check() may hold up an instruction that depends on nothing in flight, but never lets a dependent one pass.
  bool conservative = false;
  // -- what the tracker is asked or told beyond check(), issued() and released(); off, it costs one test
  bool keeps_time = false;        ///< release_at() determines when a packet's registers are released
  bool commits = false;           ///< commit() may hold back a release that is due; advance() lets it happen
  bool follows_operands = false;  ///< gathered() is called for every packet that goes through the operand stage
  bool follows_threads = false;   ///< regrouped() is called when threads of a warp change contexts
};

/// A change of the contexts of a machine warp. Threads that none of the parts holds are in no context: another path of
/// their warp runs, or they have exited.
struct Regrouping {
  struct Part {
    ContextId context = kNoContext;
    ThreadSet before, after;  ///< by position in the warp
  };
  WarpId warp;
  std::vector<Part> parts;  ///< every context of the warp that had threads or has some now
};

/// Contexts of a word of a set that wait, one bit each.
struct WordWaits {
  std::uint64_t hazard = 0, memory = 0;
};

class HazardTracker {
 public:
  using MakeArguments = void(const HazardShape&);
  /// Implementations have a static function traits().
  using Traits = HazardTraits;
  using TraitsArguments = void();
  virtual ~HazardTracker() = default;

  /// Whether the context's next instruction may issue and, if not, why: Wait::hazard or Wait::memory.
  virtual Wait check(const ContextTable& contexts, ContextId context, const isa::MicroOp& op) = 0;
  /// A packet issued. Returns the token to be passed back in its Release.
  virtual std::uint32_t issued(const ContextTable& contexts, const Packet& packet, bool variable) = 0;
  virtual void released(const Release& release) = 0;
  /// Makes what `op` writes in warps first + i (bit i of `warps`, all in one word of a set) pending (`set`) or
  /// readable. False: the tracker is to be told of a packet for each.
  virtual bool mark(const isa::MicroOp&, WarpId /*first*/, std::uint8_t, bool, bool /*variable*/) { return false; }
  /// Cycle in which the packet's registers are released, given that its result is ready in cycle `done`; later than
  /// `done` for trackers that commit late. Only for trackers with keeps_time. Called once per packet: at issue if the
  /// latency is fixed, else at completion. Must be after the issue and, unless it equals `done`, after the current
  /// cycle.
  virtual Cycle release_at(const Packet& /*packet*/, Cycle done) const { return done; }
  /// The packet's registers would be released now. False: not yet; the tracker hands the packet out in advance(). Only
  /// for trackers with `commits`.
  virtual bool commit(Packet& /*packet*/) { return true; }
  /// Appends the packets held back by commit() whose registers are released in this cycle, in order. Called in every
  /// cycle in which the issue stage works, after all commit() of the cycle.
  virtual void advance(Cycle /*now*/, std::vector<PacketHandle>& /*released*/) {}
  /// Cycle in which advance() has something to hand out if no event occurs before; kNever: none.
  virtual Cycle next_event() const { return kNever; }
  /// The packet has read its operands, in the cycle before. Only for trackers with follows_operands.
  virtual void gathered(const Packet& /*packet*/) {}
  /// Threads changed contexts. Told before any instruction of the warp is checked. Only for trackers with
  /// follows_threads.
  virtual void regrouped(const Regrouping& /*regrouping*/) {}
  /// Number of pending uses of the warp: 0 once every issued packet is released. For the checker.
  virtual std::size_t pending(WarpId warp) const = 0;
  /// A kernel's warps are about to use the SM: adapts to the size of its register name space.
  virtual void admit(const isa::Kernel& kernel) = 0;
  /// Maximum register-writing instructions of a warp in flight; 0: unlimited.
  virtual unsigned entries() const { return 0; }
  /// Builds its blocks on the SM. Called once, after construction.
  virtual void build(SmSite& /*site*/) {}
  /// Declares its state for waveforms, dumps and the storage cost. Called once, after construction.
  virtual void declare_state(ModuleState& /*state*/) {}
  /// Declares its statistics. Called once, after construction.
  virtual void declare_statistics(const StatisticsGroup& /*group*/) {}
  /// Threads of a warp that may not be packed now; null unless the tracker offers Feature::threads_in_flight.
  virtual const ThreadSet* busy_threads(WarpId /*warp*/) const { return nullptr; }

  /// check() for the contexts `some` of word w of a set, which know their next instruction.
  WordWaits check_word(const ContextTable& contexts, std::size_t w, std::uint64_t some) {
    WordWaits waits;
    while (some != 0) {
      const ContextId first(64 * w + static_cast<std::size_t>(std::countr_zero(some)));
      const isa::MicroOp* const op = contexts[first].next;
      if (std::has_single_bit(some)) {
        // Mostly there is only one.
        const WordWaits of = check_run(contexts, first, some, *op);
        return {waits.hazard | of.hazard, waits.memory | of.memory};
      }
      const std::size_t warp = contexts[first].warp;
      std::uint64_t run = some & -some;
      some &= some - 1;
      // Neighbours at one instruction, whose warps are neighbours too.
      for (; some != 0; some &= some - 1) {
        const auto further = static_cast<std::size_t>(std::countr_zero(some)) - first % 64;
        const Context& other = contexts[ContextId(first + further)];
        if (other.next != op || other.warp != warp + further || other.warp / 64 != warp / 64) break;
        run |= some & -some;
      }
      const WordWaits of = check_run(contexts, first, run, *op);
      waits.hazard |= of.hazard;
      waits.memory |= of.memory;
    }
    return waits;
  }
  /// check() for the contexts `run` of a word of a set, all at the same instruction. first: the lowest of them. Context
  /// first + i has warp w + i, where w is the warp of `first`, and all these warps are in one word of a set.
  virtual WordWaits check_run(const ContextTable& contexts, ContextId first, std::uint64_t run,
                              const isa::MicroOp& op) {
    WordWaits waits;
    for_each_in(first / 64, run, [&](ContextId c, std::uint64_t bit) {
      const Wait wait = check(contexts, c, op);
      if (wait == Wait::none) return;
      (wait == Wait::memory ? waits.memory : waits.hazard) |= bit;
    });
    return waits;
  }
};

/// Registers read and written by an instruction, in the numbering in use.
inline const isa::RegisterUse& registers_of(const isa::MicroOp& op, bool named) {
  return named ? op.named : op.allocated;
}

}  // namespace heddle::sm
