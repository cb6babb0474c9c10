// SPDX-License-Identifier: Apache-2.0
// HEDDLE_CHECK_SIGNALS: reads what a waveform leaves out, and fails if it has changed.
#include <string>
#include <utility>

#include "core/error.h"
#include "core/trace/vcd_signals.h"

namespace heddle {
namespace {

[[noreturn]] void fail_sleeping(const std::string& scope, const std::string& name) {
  fail(ExitCode::internal,
       "waveform: '{}.{}' changed although no module of its part of the machine was called; declare that it changes by "
       "time",
       scope, name);
}

}  // namespace

void VcdSignals::check_batch(GroupBatch& batch) {
  if (batch.group->any_fired()) fail_sleeping(batch.path(), "a pulse");
  const ChangedSet by_time = batch.changed;
  batch.read(values_.data());
  for (const GroupBatch::Reading& reading : batch.readings) {
    const ProbeSignal& declared = *reading.declared;
    if (declared.by_time && (!declared.may_change || declared.may_change())) continue;
    for (const std::size_t i : reading.chosen) {
      if (batch.changed.contains(i)) fail_sleeping(batch.path(), batch.group->signals()[batch.items[i].id].name);
    }
  }
  batch.changed = by_time;
}

void VcdSignals::check_batch(EntryBatch& batch) {
  if (batch.by_time() && !batch.at_rest) return;
  batch.read(values_.data(), true);
  if (batch.changed.any()) fail_sleeping(batch.path(), "an entry");
}

void VcdSignals::check_untouched(EntryBatch& batch) {
  if (!batch.structure->knows_touched() && !batch.structure->knows_used()) return;
  const ChangedSet touched = std::exchange(batch.changed, {});
  batch.changed.resize(batch.places.size());
  batch.read(values_.data(), true);
  if (batch.changed.any())
    fail(ExitCode::internal, "waveform: an entry of '{}' changed although it was not touched or in use", batch.path());
  batch.changed = touched;
}

}  // namespace heddle
