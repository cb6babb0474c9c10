// SPDX-License-Identifier: Apache-2.0
// Selects the SMs, warps, kernels and cycles to record.
#pragma once

#include <string>
#include <unordered_map>
#include <utility>

#include "core/identifier.h"
#include "core/names.h"
#include "core/number_ranges.h"
#include "core/statistics/windows.h"

namespace heddle::gpu {

class TraceFilter {
 public:
  /// sms, warps: in the syntax of NumberRanges, empty: all; a warp is a context of its SM. kernels: name patterns,
  /// empty: all. windows outlive this.
  TraceFilter(const std::string& sms, const std::string& warps, std::string kernels, const Windows& windows)
      : sms_(sms, "--sms"), warps_(warps, "--warps"), kernels_(std::move(kernels)), windows_(windows) {}

  bool sm(SmId number) const { return sms_.empty() || sms_.contains(number); }
  bool warp(ContextId context) const { return warps_.empty() || warps_.contains(context); }
  bool kernel(const std::string& name) const {
    if (kernels_.empty()) return true;
    // Asked for every instruction.
    const auto [place, fresh] = known_.try_emplace(name);
    if (fresh) place->second = kernel_match(kernels_, name);
    return place->second;
  }
  bool cycle(Cycle cycle) const { return windows_.contains(cycle); }
  const Windows& windows() const { return windows_; }

 private:
  NumberRanges sms_, warps_;
  std::string kernels_;
  mutable std::unordered_map<std::string, bool> known_;  ///< by kernel: whether it is recorded
  const Windows& windows_;
};

}  // namespace heddle::gpu
