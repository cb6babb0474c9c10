// SPDX-License-Identifier: Apache-2.0
// When blocks and warps were on their SM, for the timelines of the report.
#pragma once

#include <memory>
#include <vector>

#include "core/statistics/run_details.h"
#include "gpu/recording/trace_filter.h"

namespace heddle::sm {
class Sm;
}

namespace heddle::gpu {

class SpanRecorder {
 public:
  /// filter outlives this. Only SMs, warps and kernels are looked at in it: a span is as long as it is.
  explicit SpanRecorder(const TraceFilter& filter);
  ~SpanRecorder();
  SpanRecorder(const SpanRecorder&) = delete;
  SpanRecorder& operator=(const SpanRecorder&) = delete;

  /// Before the first cycle; the recorder lives as long as the SM runs.
  void listen_to(sm::Sm& sm);
  /// Spans under way end with cycle `now`. In order of SM, then of their ends.
  RunSpans result(Cycle now) const;

 private:
  class OfSm;
  const TraceFilter& filter_;
  std::vector<std::unique_ptr<OfSm>> sms_;
};

}  // namespace heddle::gpu
