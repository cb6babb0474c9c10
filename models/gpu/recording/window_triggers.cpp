// SPDX-License-Identifier: Apache-2.0
#include "gpu/recording/window_triggers.h"

#include <algorithm>

#include "core/names.h"
#include "sm/sm.h"

namespace heddle::gpu {

void WindowTriggers::listen_to(sm::Sm& sm) {
  if (filter_.sm(sm.number())) sm.listen(*this);
}

const std::vector<Cycle>& WindowTriggers::of(const isa::Kernel& kernel) {
  const auto [place, fresh] = known_.try_emplace(&kernel);
  if (!fresh) return place->second;
  for (const isa::MicroOp& op : kernel.ops) {
    Cycle cycles = 0;
    for (const WindowRequest::Trigger& trigger : windows_.request().triggers) {
      const std::string& file = op.source_file < kernel.files.size() ? kernel.files[op.source_file] : kernel.ptx_name;
      const bool here = trigger.line ? op.source_line == trigger.number &&
                                           (glob_match(trigger.pattern, file) ||
                                            glob_match(trigger.pattern, file.substr(file.rfind('/') + 1)))
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
