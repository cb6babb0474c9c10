// SPDX-License-Identifier: Apache-2.0
// Graphs of work, built call by call or captured from streams, and run node by node in an order their edges allow.
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

/// A kernel with the bytes of its arguments as they were when the node was made or changed.
struct KernelWork {
  const void* function = nullptr;
  dim3 grid, block;
  unsigned shared_bytes = 0;
  bool cooperative = false;
  std::vector<std::vector<std::byte>> arguments;
  std::vector<void*> pointers;  ///< to them, as the program last asked for them
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
  void* pointer = nullptr;  ///< lives from the making of the node on
  std::size_t bytes = 0;
};
struct FreeWork {
  void* pointer = nullptr;
};
/// A captured call that no node type describes.
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
  const CUgraphNode_st* original = nullptr;  ///< of a copy
  bool enabled = true;
};

/// Owns its nodes, in the order in which they were added.
struct CUgraph_st {
  std::vector<std::unique_ptr<CUgraphNode_st>> nodes;

  CUgraphNode_st* add(heddle::runtime::Work work, std::vector<CUgraphNode_st*> dependencies);
  /// Takes its edges along. False: it is no node of this graph.
  bool remove(const CUgraphNode_st* node);
  bool owns(const CUgraphNode_st* node) const;
  /// The copy of a node of the graph that this one was copied from; null when there is none.
  CUgraphNode_st* copy_of(const CUgraphNode_st* original) const;
  std::unique_ptr<CUgraph_st> copy() const;
  /// Nodes with every dependency before what depends on it; fewer than there are when edges form a circle.
  std::vector<CUgraphNode_st*> in_order() const;
};

struct CUgraphExec_st {
  std::shared_ptr<CUgraph_st> graph;
};

namespace heddle::runtime {

class Runtime;

/// The type that CUDA has for it.
cudaGraphNodeType type_of(const Work& work);

/// A kernel's work with its arguments copied. Throws ApiError when there is no such kernel.
KernelWork kernel_work(Runtime& runtime, const cudaKernelNodeParams& parameters);
/// `count` bytes from one place to another.
CopyWork copy_work(void* to, const void* from, std::size_t count, cudaMemcpyKind kind);

/// What a stream's calls are added to instead of being done.
struct Capture {
  std::shared_ptr<CUgraph_st> graph;
  cudaStream_t origin = nullptr;
  std::uint64_t id = 0;
  bool broken = false;  ///< a call that cannot be captured was made on one of its streams
};

/// Graphs, and which streams and events take part in captures.
class GraphTable {
 public:
  cudaGraph_t add(std::unique_ptr<CUgraph_st> graph);
  cudaGraph_t add(std::shared_ptr<CUgraph_st> graph);
  std::shared_ptr<CUgraph_st> find(cudaGraph_t graph) const;  ///< throws ApiError when there is none
  bool remove(cudaGraph_t graph) { return graphs_.erase(graph) != 0; }
  /// Throws ApiError when it belongs to no graph of the program.
  CUgraphNode_st& node(cudaGraphNode_t node) const;

  cudaGraphExec_t add_executable(std::shared_ptr<CUgraph_st> graph);
  CUgraphExec_st& executable(cudaGraphExec_t executable) const;
  bool remove_executable(cudaGraphExec_t executable) { return executables_.erase(executable) != 0; }

  // -- capture
  /// Null when the stream does not capture.
  Capture* capture_of(cudaStream_t stream);
  bool any_capture() const { return !streams_.empty(); }
  /// Breaks the captures in which a stream takes part that `affected` names. True: there was one.
  bool break_captures(const std::function<bool(cudaStream_t)>& affected);
  void begin(cudaStream_t stream);
  /// The graph; throws ApiError when the stream is not the one that began, or others have not been joined.
  cudaGraph_t end(cudaStream_t stream);
  /// Adds work behind what the stream captured so far.
  CUgraphNode_st* record(cudaStream_t stream, Work work);
  void record_event(cudaStream_t stream, cudaEvent_t event);
  /// The stream goes on behind the event, and joins its capture. False: the event was not captured.
  bool wait_event(cudaStream_t stream, cudaEvent_t event);
  bool captured(cudaEvent_t event) const { return events_.count(event) != 0; }
  void forget_event(cudaEvent_t event) { events_.erase(event); }
  const std::vector<CUgraphNode_st*>& last_nodes(cudaStream_t stream) const { return streams_.at(stream).last; }
  void clear();

 private:
  struct Place {
    std::shared_ptr<Capture> capture;
    std::vector<CUgraphNode_st*> last;  ///< what the next node depends on
  };
  std::map<cudaGraph_t, std::shared_ptr<CUgraph_st>> graphs_;
  std::map<cudaGraphExec_t, std::unique_ptr<CUgraphExec_st>> executables_;
  std::map<cudaStream_t, Place> streams_;  ///< those that capture
  std::map<cudaEvent_t, Place> events_;    ///< recorded in a capture
  std::uint64_t next_capture_ = 1;
};

/// Device memory, as cudaMalloc gives it. Throws ApiError when there is none.
void* allocate_device(Runtime& runtime, std::size_t bytes);
/// As cudaFree. Throws ApiError for what is no such memory.
void release_device(Runtime& runtime, void* pointer);
/// Rows of elements of 1, 2 or 4 bytes, all alike.
cudaError_t fill_elements(const cudaMemsetParams& parameters, cudaStream_t stream);

/// Runs the nodes, each as the call it stands for. Takes the runtime's lock call by call, as host functions run without
/// it.
cudaError_t run_graph(const CUgraph_st& graph, cudaStream_t stream);

}  // namespace heddle::runtime
