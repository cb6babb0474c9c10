// SPDX-License-Identifier: Apache-2.0
#include "gpu/recording/window_triggers.h"

#include <algorithm>

#include "core/names.h"
#include "sm/sm.h"

namespace heddle::gpu {

namespace {

/// Whether the instruction comes from this line, which may be the line of an inlined function or the one that calls it.
bool comes_from(const isa::Kernel& kernel, const isa::MicroOp& op, const WindowRequest::Trigger& trigger) {
  const auto matches = [&](std::size_t number, std::uint32_t line) {
    const std::string& file = number < kernel.files.size() ? kernel.files[number] : kernel.ptx_name;
    return line == trigger.number &&
           (glob_match(trigger.pattern, file) || glob_match(trigger.pattern, file.substr(file.rfind('/') + 1)));
  };
  const isa::SourcePlace& inlined = kernel.inlined[op.inlined];
  return matches(op.source_file, op.source_line) || (op.inlined != 0 && matches(inlined.file, inlined.line));
}

}  // namespace

void WindowTriggers::listen_to(sm::Sm& sm) {
  if (filter_.sm(sm.number())) sm.listen(*this);
}

const std::vector<Cycle>& WindowTriggers::of(const isa::Kernel& kernel) {
  const auto [place, fresh] = known_.try_emplace(&kernel);
  if (!fresh) return place->second;
  for (const isa::MicroOp& op : kernel.ops) {
    Cycle cycles = 0;
    for (const WindowRequest::Trigger& trigger : windows_.request().triggers) {
      const bool here = trigger.line ? comes_from(kernel, op, trigger)
                                     : op.pc == trigger.number && kernel_match(trigger.pattern, kernel.name);
      if (here) cycles = std::max(cycles, trigger.cycles);
    }
    place->second.push_back(cycles);
  }
  return place->second;
}

void WindowTriggers::issued(const sm::Packet& packet, const sm::ContextSituation& context, unsigned, Cycle now) {
  if (!filter_.warp(context.context)) return;
  const Cycle cycles = of(*context.kernel)[packet.op->pc];
  if (cycles == 0) return;
  fired_ = true;
  windows_.open({now, now + cycles - 1});
}

}  // namespace heddle::gpu
