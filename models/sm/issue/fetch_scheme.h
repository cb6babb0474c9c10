// SPDX-License-Identifier: Apache-2.0
// A fetch scheme decides which contexts request instructions in a cycle, which of them share a request, and from which
// store. A grouping may bring one; without, contexts request in turn, each for itself, from the instruction cache.
#pragma once

#include "sm/context_table.h"

namespace heddle::sm {

class InstructionSupply;

class FetchScheme {
 public:
  virtual ~FetchScheme() = default;
  /// Sends the requests of this cycle. wanting: contexts whose buffer has room for a fetch and whose PC is known.
  virtual void cycle(InstructionSupply& supply, const ContextSet& wanting) = 0;
  /// Whether any of these would request if there were room, so that the stage must work in the next cycle.
  virtual bool wants(const InstructionSupply& /*supply*/, const ContextSet& /*wanting*/) const { return true; }
};

}  // namespace heddle::sm
