// SPDX-License-Identifier: Apache-2.0
// Opens recording windows when selected instructions issue.
#pragma once

#include <memory>
#include <unordered_map>
#include <vector>

#include "core/statistics/windows.h"
#include "gpu/recording/trace_filter.h"
#include "sm/watch/sm_listener.h"

namespace heddle::sm {
class Sm;
}

namespace heddle::gpu {

class WindowTriggers final : public sm::SmListenerBase {
 public:
  /// Both outlive this. Excluded SMs and warps open no windows.
  WindowTriggers(Windows& windows, const TraceFilter& filter) : windows_(windows), filter_(filter) {}

  void listen_to(sm::Sm& sm);
  /// Whether any trigger has opened a window.
  bool fired() const { return fired_; }
  void issued(const sm::Packet& packet, const sm::ContextSituation& context, unsigned, Cycle now) override;

 private:
  /// By instruction of a kernel: window length in cycles; 0: none.
  const std::vector<Cycle>& of(const isa::Kernel& kernel);

  Windows& windows_;
  const TraceFilter& filter_;
  bool fired_ = false;
  std::unordered_map<const isa::Kernel*, std::vector<Cycle>> known_;
};

}  // namespace heddle::gpu
