// SPDX-License-Identifier: Apache-2.0
// Residency of blocks and warps on their SM, for the timelines of the report.
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
  /// filter outlives this. Windows do not apply: spans are always recorded in full.
  explicit SpanRecorder(const TraceFilter& filter);
  ~SpanRecorder();
  SpanRecorder(const SpanRecorder&) = delete;
  SpanRecorder& operator=(const SpanRecorder&) = delete;

  /// Call before the first cycle; the recorder must live as long as the SM runs.
  void listen_to(sm::Sm& sm);
  /// The spans, ordered by SM, then by end. Open spans end at cycle `now`.
  RunSpans result(Cycle now) const;

 private:
  class OfSm;
  const TraceFilter& filter_;
  std::vector<std::unique_ptr<OfSm>> sms_;
};

}  // namespace heddle::gpu
