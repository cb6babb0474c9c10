// SPDX-License-Identifier: Apache-2.0
// Graphs of work, built by API calls or captured from streams, and run node by node in topological order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <variant>
#include <vector>

#include "cuda_runtime_api.h"

namespace heddle::runtime {

/// A kernel with a copy of its arguments from when the node was created or changed.
struct KernelWork {
  const void* function = nullptr;
  dim3 grid, block;
  unsigned shared_bytes = 0;
  bool cooperative = false;
  std::vector<std::vector<std::byte>> arguments;
  std::vector<void*> pointers;  ///< to the arguments; returned on queries
};
struct CopyWork {
  cudaMemcpy3DParms parameters{};
};
struct FillWork {
  cudaMemsetParams parameters{};
};
struct HostWork {
  cudaHostNodeParams parameters{};
};
struct ChildWork {
  std::shared_ptr<struct CUgraph_st> graph;
};
struct EmptyWork {};
struct RecordWork {
  cudaEvent_t event = nullptr;
};
struct WaitWork {
  cudaEvent_t event = nullptr;
};
struct AllocateWork {
  void* pointer = nullptr;  ///< valid from node creation on
  std::size_t bytes = 0;
};
struct FreeWork {
  void* pointer = nullptr;
};
/// A captured call without a node type of its own.
struct CallWork {
  cudaGraphNodeType type;
  std::function<cudaError_t()> call;
};
using Work = std::variant<KernelWork, CopyWork, FillWork, HostWork, ChildWork, EmptyWork, RecordWork, WaitWork,
                          AllocateWork, FreeWork, CallWork>;

}  // namespace heddle::runtime

struct CUgraphNode_st {
  heddle::runtime::Work work;
  CUgraph_st* graph = nullptr;
  std::vector<CUgraphNode_st*> dependencies;
  const CUgraphNode_st* original = nullptr;  ///< node this is a copy of
  bool enabled = true;
};

/// Owns its nodes, in the order in which they were added.
struct CUgraph_st {
  std::vector<std::unique_ptr<CUgraphNode_st>> nodes;

  CUgraphNode_st* add(heddle::runtime::Work work, std::vector<CUgraphNode_st*> dependencies);
  /// Also removes its edges. False when the node is not in this graph.
  bool remove(const CUgraphNode_st* node);
  bool owns(const CUgraphNode_st* node) const;
  /// This graph's copy of a node of the graph it was cloned from; null when there is none.
  CUgraphNode_st* copy_of(const CUgraphNode_st* original) const;
  std::unique_ptr<CUgraph_st> copy() const;
  /// Nodes in topological order; incomplete if the edges form a cycle.
  std::vector<CUgraphNode_st*> in_order() const;
};

struct CUgraphExec_st {
  std::shared_ptr<CUgraph_st> graph;
};

namespace heddle::runtime {

class Runtime;

/// The corresponding CUDA node type.
cudaGraphNodeType type_of(const Work& work);

/// Kernel work with copied arguments. Throws ApiError when there is no such kernel.
KernelWork kernel_work(Runtime& runtime, const cudaKernelNodeParams& parameters);
/// A copy of `count` bytes.
CopyWork copy_work(void* to, const void* from, std::size_t count, cudaMemcpyKind kind);

/// A capture in progress, which records a stream's calls instead of executing them.
struct Capture {
  std::shared_ptr<CUgraph_st> graph;
  cudaStream_t origin = nullptr;
  std::uint64_t id = 0;
  bool broken = false;  ///< an uncapturable call was made on one of its streams
};

/// All graphs, and the streams and events that take part in captures.
class GraphTable {
 public:
  cudaGraph_t add(std::unique_ptr<CUgraph_st> graph);
  cudaGraph_t add(std::shared_ptr<CUgraph_st> graph);
  std::shared_ptr<CUgraph_st> find(cudaGraph_t graph) const;  ///< throws ApiError when there is none
  bool remove(cudaGraph_t graph) { return graphs_.erase(graph) != 0; }
  /// Throws ApiError when the node is in no graph of the program.
  CUgraphNode_st& node(cudaGraphNode_t node) const;

  cudaGraphExec_t add_executable(std::shared_ptr<CUgraph_st> graph);
  CUgraphExec_st& executable(cudaGraphExec_t executable) const;
  bool remove_executable(cudaGraphExec_t executable) { return executables_.erase(executable) != 0; }

  // -- capture
  /// Null when the stream is not capturing.
  Capture* capture_of(cudaStream_t stream);
  bool any_capture() const { return !streams_.empty(); }
  /// Invalidates all captures with a participating stream selected by `affected`. True when there was one.
  bool break_captures(const std::function<bool(cudaStream_t)>& affected);
  void begin(cudaStream_t stream);
  /// Ends a capture and returns the graph. Throws ApiError when the stream did not begin the capture, or other streams
  /// have not been joined.
  cudaGraph_t end(cudaStream_t stream);
  /// Adds work after everything captured from the stream so far.
  CUgraphNode_st* record(cudaStream_t stream, Work work);
  void record_event(cudaStream_t stream, cudaEvent_t event);
  /// Makes the stream depend on the event and join its capture. False when the event was not captured.
  bool wait_event(cudaStream_t stream, cudaEvent_t event);
  bool captured(cudaEvent_t event) const { return events_.count(event) != 0; }
  void forget_event(cudaEvent_t event) { events_.erase(event); }
  const std::vector<CUgraphNode_st*>& last_nodes(cudaStream_t stream) const { return streams_.at(stream).last; }
  void clear();

 private:
  struct CapturePoint {
    std::shared_ptr<Capture> capture;
    std::vector<CUgraphNode_st*> last;  ///< dependencies of the next node
  };
  std::map<cudaGraph_t, std::shared_ptr<CUgraph_st>> graphs_;
  std::map<cudaGraphExec_t, std::unique_ptr<CUgraphExec_st>> executables_;
  std::map<cudaStream_t, CapturePoint> streams_;  ///< capturing streams
  std::map<cudaEvent_t, CapturePoint> events_;    ///< recorded in a capture
  std::uint64_t next_capture_ = 1;
};

/// Allocates device memory like cudaMalloc. Throws ApiError when there is none.
void* allocate_device(Runtime& runtime, std::size_t bytes);
/// Frees memory like cudaFree. Throws ApiError for an invalid pointer.
void release_device(Runtime& runtime, void* pointer);
/// Fills rows with an element of 1, 2 or 4 bytes.
cudaError_t fill_elements(const cudaMemsetParams& parameters, cudaStream_t stream);

/// Runs each node as the corresponding call. Takes the runtime's lock per call, since host functions run without it.
cudaError_t run_graph(const CUgraph_st& graph, cudaStream_t stream);

}  // namespace heddle::runtime
