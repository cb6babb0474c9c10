// SPDX-License-Identifier: Apache-2.0
// Streams and events. Work executes synchronously in program order, which is legal for any set of streams and leaves
// every queue empty when the host looks. Times are simulated.
#pragma once

#include <cstdint>
#include <memory>
#include <set>

#include "cuda_runtime_api.h"

struct CUstream_st {
  std::uint64_t id = 0;
  unsigned flags = 0;
  int priority = 0;
};

struct CUevent_st {
  unsigned flags = 0;
  bool recorded = false;
  double seconds = 0;  ///< simulated
};

namespace heddle::runtime {

class StreamTable {
 public:
  static constexpr int kLeastPriority = 0, kGreatestPriority = -5;

  cudaStream_t create(unsigned flags, int priority);
  void destroy(cudaStream_t stream);
  /// True for the default streams and for existing streams.
  bool valid(cudaStream_t stream) const;
  /// 0 for the default streams.
  std::uint64_t id(cudaStream_t stream) const;
  const CUstream_st& properties(cudaStream_t stream) const;

  cudaEvent_t create_event(unsigned flags);
  void destroy_event(cudaEvent_t event);
  bool valid_event(cudaEvent_t event) const { return events_.count(event) != 0; }
  void clear();

 private:
  std::set<cudaStream_t> streams_;
  std::set<cudaEvent_t> events_;
  std::uint64_t next_ = 1;
};

}  // namespace heddle::runtime
