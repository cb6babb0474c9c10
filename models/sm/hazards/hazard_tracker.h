// SPDX-License-Identifier: Apache-2.0
// When an instruction may use a value. The issue stage asks before an instruction issues, tells when a packet issues
// and when its lanes complete; the tracker keeps what it needs, keyed as it needs: never assume that a context is a
// warp.
#pragma once

#include <cstdint>

#include "core/config/mechanism.h"
#include "core/kernel/module_state.h"
#include "core/statistics/statistics.h"
#include "sm/context_table.h"
#include "sm/needs.h"
#include "sm/packet.h"

namespace heddle::sm {

struct HazardShape {
  unsigned contexts = 48;
  unsigned warps = 48;           ///< machine warps: values of ContextTable::warp
  unsigned warp_threads = 32;    ///< that each of them may have
  bool named_registers = false;  ///< registers as PTX names them, instead of allocated ones
  Cycle barrel_depth = 0;        ///< of a barrel pipeline; 0: the shape is another
  Cycle release_lead = 0;        ///< GroupingTraits::release_lead, in a barrel pipeline
};

/// What became usable: a packet's result, or the end of a packet without one.
struct Release {
  const isa::MicroOp* op = nullptr;
  ContextId context = kNoContext;
  std::uint16_t warp = 0;
  std::uint32_t token = 0;
  bool variable = false;  ///< a variable-latency packet (memory)
};

struct HazardTraits {
  Features offers;
  /// Releases wake every context of the warp, not only the one that issued.
  bool shared_by_warp = false;
  /// It decides itself when a packet's registers are released: release_at() is asked.
  bool keeps_time = false;
};

class HazardTracker {
 public:
  using MakeArguments = void(const HazardShape&);
  /// Implementations have a static function traits().
  using Traits = HazardTraits;
  using TraitsArguments = void();
  virtual ~HazardTracker() = default;

  /// Whether the context's next instruction may issue, and if not, why: Wait::hazard or Wait::memory.
  virtual Wait check(const ContextTable& contexts, ContextId context, const isa::MicroOp& op) = 0;
  /// A packet issued. Returns the token that its Release will carry.
  virtual std::uint32_t issued(const ContextTable& contexts, const Packet& packet, bool variable) = 0;
  virtual void released(const Release& release) = 0;
  /// Cycle in which the packet's registers are released, where its result is there in cycle `done`: later for trackers
  /// that commit late. For those that keep time; asked once a packet, at its issue where its latency is fixed, else at
  /// its completion. Later than its issue, and than the present cycle unless it is `done`.
  virtual Cycle release_at(const Packet& /*packet*/, Cycle done) const { return done; }
  /// How much of the warp is marked: 0 once all that issued is released. For the checker.
  virtual std::size_t pending(std::uint16_t warp) const = 0;
  /// A kernel's warps are about to use the SM: sizes of its register name space.
  virtual void admit(const isa::Kernel& kernel) = 0;
  /// Instructions of a warp that write registers and may be in flight at once; 0: any number.
  virtual unsigned entries() const { return 0; }
  /// Declares what it keeps, for waveforms, dumps and the storage cost. Called once, after construction.
  virtual void declare_state(ModuleState& /*state*/) {}
  /// Declares what it counts. Called once, after construction.
  virtual void declare_statistics(const StatisticsGroup& /*group*/) {}
  /// Threads of a warp that may not be packed now. For trackers that offer Feature::threads_in_flight; null otherwise.
  virtual const ThreadSet* busy_threads(std::uint16_t /*warp*/) const { return nullptr; }
};

/// Registers an instruction reads and writes, as the shape says.
inline const isa::RegisterUse& registers_of(const isa::MicroOp& op, bool named) {
  return named ? op.named : op.allocated;
}

}  // namespace heddle::sm
