// SPDX-License-Identifier: Apache-2.0
// Graph API: construction, queries and changes, capture, instantiation, launches.
#include <fmt/core.h>

#include <algorithm>
#include <cstdio>
#include <set>
#include <utility>

#include "runtime/runtime.h"

using namespace heddle::runtime;

namespace {

std::vector<CUgraphNode_st*> nodes_of(const CUgraph_st& graph, const cudaGraphNode_t* nodes, std::size_t count) {
  require(nodes != nullptr || count == 0, cudaErrorInvalidValue);
  std::vector<CUgraphNode_st*> result(nodes, nodes + count);
  for (const CUgraphNode_st* node : result) require(graph.owns(node), cudaErrorInvalidValue);
  return result;
}

/// Adds a node with the work returned by `make(runtime)`.
template <typename Make>
cudaError_t add(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* dependencies, std::size_t count,
                Make&& make, const char* call = __builtin_FUNCTION()) {
  return api(
      [&](Runtime& runtime) {
        require(node != nullptr, cudaErrorInvalidValue);
        const auto owner = runtime.graphs().find(graph);
        auto before = nodes_of(*owner, dependencies, count);
        *node = owner->add(make(runtime), std::move(before));
      },
      call);
}

/// A node's work, which must be of the given kind.
template <typename Kind>
Kind& work_of(CUgraphNode_st& node) {
  Kind* work = std::get_if<Kind>(&node.work);
  require(work != nullptr, cudaErrorInvalidValue);
  return *work;
}

/// Applies `change(work, runtime)` to the node.
template <typename Kind, typename Change>
cudaError_t with_node(cudaGraphNode_t node, Change&& change, const char* call = __builtin_FUNCTION()) {
  return api([&](Runtime& runtime) { change(work_of<Kind>(runtime.graphs().node(node)), runtime); }, call);
}

/// The same for the copy of a node in an executable graph.
template <typename Kind, typename Change>
cudaError_t with_copy(cudaGraphExec_t executable, cudaGraphNode_t node, Change&& change,
                      const char* call = __builtin_FUNCTION()) {
  return api(
      [&](Runtime& runtime) {
        CUgraphNode_st* copy = runtime.graphs().executable(executable).graph->copy_of(node);
        require(copy != nullptr, cudaErrorInvalidValue);
        change(work_of<Kind>(*copy), runtime);
      },
      call);
}

template <typename T>
const T& given(const T* parameters) {
  require(parameters != nullptr, cudaErrorInvalidValue);
  return *parameters;
}

CopyWork copy_of(const cudaMemcpy3DParms* parameters) {
  CopyWork work;
  work.parameters = given(parameters);
  return work;
}

FillWork fill_of(const cudaMemsetParams* parameters) {
  FillWork work;
  work.parameters = given(parameters);
  const unsigned size = work.parameters.elementSize;
  require(size == 1 || size == 2 || size == 4, cudaErrorInvalidValue);
  return work;
}

HostWork host_of(const cudaHostNodeParams* parameters) {
  HostWork work;
  work.parameters = given(parameters);
  require(work.parameters.fn != nullptr, cudaErrorInvalidValue);
  return work;
}

void* address_of_symbol(Runtime& runtime, const void* symbol, std::size_t offset, std::size_t count) {
  ModuleTable::VariableRange place;
  require(runtime.modules().find_variable(symbol, runtime.site(), place), cudaErrorInvalidSymbol);
  require(offset <= place.size && count <= place.size - offset, cudaErrorInvalidValue);
  return reinterpret_cast<void*>(place.address + offset);
}

/// Copies up to `*count` nodes to `out`, or only counts them when `out` is null.
void give(const std::vector<CUgraphNode_st*>& nodes, cudaGraphNode_t* out, std::size_t* count) {
  require(count != nullptr, cudaErrorInvalidValue);
  if (out != nullptr) {
    for (std::size_t i = 0; i < *count; ++i) out[i] = i < nodes.size() ? nodes[i] : nullptr;
    *count = std::min(*count, nodes.size());
  } else {
    *count = nodes.size();
  }
}

std::vector<CUgraphNode_st*> all_nodes(const CUgraph_st& graph) {
  std::vector<CUgraphNode_st*> nodes;
  for (const auto& node : graph.nodes) nodes.push_back(node.get());
  return nodes;
}

cudaGraphExec_t instantiate(Runtime& runtime, cudaGraph_t graph) {
  std::shared_ptr<CUgraph_st> copy = runtime.graphs().find(graph)->copy();
  require(copy->in_order().size() == copy->nodes.size(), cudaErrorInvalidValue);
  return runtime.graphs().add_executable(std::move(copy));
}

}  // namespace

// -- graphs and their nodes

cudaError_t cudaGraphCreate(cudaGraph_t* graph, unsigned flags) {
  return api([&](Runtime& runtime) {
    require(graph != nullptr && flags == 0, cudaErrorInvalidValue);
    *graph = runtime.graphs().add(std::make_unique<CUgraph_st>());
  });
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  return api([&](Runtime& runtime) { require(runtime.graphs().remove(graph), cudaErrorInvalidValue); });
}

cudaError_t cudaGraphClone(cudaGraph_t* clone, cudaGraph_t original) {
  return api([&](Runtime& runtime) {
    require(clone != nullptr, cudaErrorInvalidValue);
    *clone = runtime.graphs().add(runtime.graphs().find(original)->copy());
  });
}

cudaError_t cudaGraphNodeFindInClone(cudaGraphNode_t* node, cudaGraphNode_t original, cudaGraph_t clone) {
  return api([&](Runtime& runtime) {
    require(node != nullptr, cudaErrorInvalidValue);
    *node = runtime.graphs().find(clone)->copy_of(original);
    require(*node != nullptr, cudaErrorInvalidValue);
  });
}

cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* dependencies,
                                   std::size_t count, const cudaKernelNodeParams* parameters) {
  return add(node, graph, dependencies, count,
             [&](Runtime& runtime) { return kernel_work(runtime, given(parameters)); });
}

cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* dependencies,
                                   std::size_t count, const cudaMemcpy3DParms* parameters) {
  return add(node, graph, dependencies, count, [&](Runtime&) { return copy_of(parameters); });
}

cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* dependencies,
                                     std::size_t count, void* to, const void* from, std::size_t bytes,
                                     cudaMemcpyKind kind) {
  return add(node, graph, dependencies, count, [&](Runtime&) { return copy_work(to, from, bytes, kind); });
}

cudaError_t cudaGraphAddMemcpyNodeToSymbol(cudaGraphNode_t* node, cudaGraph_t graph,
                                           const cudaGraphNode_t* dependencies, std::size_t count, const void* symbol,
                                           const void* from, std::size_t bytes, std::size_t offset,
                                           cudaMemcpyKind kind) {
  return add(node, graph, dependencies, count, [&](Runtime& runtime) {
    return copy_work(address_of_symbol(runtime, symbol, offset, bytes), from, bytes, kind);
  });
}

cudaError_t cudaGraphAddMemcpyNodeFromSymbol(cudaGraphNode_t* node, cudaGraph_t graph,
                                             const cudaGraphNode_t* dependencies, std::size_t count, void* to,
                                             const void* symbol, std::size_t bytes, std::size_t offset,
                                             cudaMemcpyKind kind) {
  return add(node, graph, dependencies, count, [&](Runtime& runtime) {
    return copy_work(to, address_of_symbol(runtime, symbol, offset, bytes), bytes, kind);
  });
}

cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* dependencies,
                                   std::size_t count, const cudaMemsetParams* parameters) {
  return add(node, graph, dependencies, count, [&](Runtime&) { return fill_of(parameters); });
}

cudaError_t cudaGraphAddHostNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* dependencies,
                                 std::size_t count, const cudaHostNodeParams* parameters) {
  return add(node, graph, dependencies, count, [&](Runtime&) { return host_of(parameters); });
}

cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* dependencies,
                                       std::size_t count, cudaGraph_t child) {
  return add(node, graph, dependencies, count,
             [&](Runtime& runtime) { return ChildWork{runtime.graphs().find(child)->copy()}; });
}

cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* dependencies,
                                  std::size_t count) {
  return add(node, graph, dependencies, count, [](Runtime&) { return EmptyWork{}; });
}

cudaError_t cudaGraphAddEventRecordNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* dependencies,
                                        std::size_t count, cudaEvent_t event) {
  return add(node, graph, dependencies, count, [&](Runtime& runtime) {
    require(runtime.streams().valid_event(event), cudaErrorInvalidResourceHandle);
    return RecordWork{event};
  });
}

cudaError_t cudaGraphAddEventWaitNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* dependencies,
                                      std::size_t count, cudaEvent_t event) {
  return add(node, graph, dependencies, count, [&](Runtime& runtime) {
    require(runtime.streams().valid_event(event), cudaErrorInvalidResourceHandle);
    return WaitWork{event};
  });
}

cudaError_t cudaGraphAddMemAllocNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* dependencies,
                                     std::size_t count, cudaMemAllocNodeParams* parameters) {
  return add(node, graph, dependencies, count, [&](Runtime& runtime) {
    given(parameters);
    parameters->dptr = allocate_device(runtime, parameters->bytesize);
    return AllocateWork{parameters->dptr, parameters->bytesize};
  });
}

cudaError_t cudaGraphAddMemFreeNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* dependencies,
                                    std::size_t count, void* pointer) {
  return add(node, graph, dependencies, count, [&](Runtime&) { return FreeWork{pointer}; });
}

cudaError_t cudaGraphDestroyNode(cudaGraphNode_t node) {
  return api([&](Runtime& runtime) { runtime.graphs().node(node).graph->remove(node); });
}

// -- edges

cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t* from, const cudaGraphNode_t* to,
                                     std::size_t count) {
  return api([&](Runtime& runtime) {
    const auto owner = runtime.graphs().find(graph);
    const auto before = nodes_of(*owner, from, count), after = nodes_of(*owner, to, count);
    for (std::size_t i = 0; i < count; ++i) {
      auto& dependencies = after[i]->dependencies;
      const bool there = std::find(dependencies.begin(), dependencies.end(), before[i]) != dependencies.end();
      require(!there && before[i] != after[i], cudaErrorInvalidValue);
      dependencies.push_back(before[i]);
    }
  });
}

cudaError_t cudaGraphRemoveDependencies(cudaGraph_t graph, const cudaGraphNode_t* from, const cudaGraphNode_t* to,
                                        std::size_t count) {
  return api([&](Runtime& runtime) {
    const auto owner = runtime.graphs().find(graph);
    const auto before = nodes_of(*owner, from, count), after = nodes_of(*owner, to, count);
    for (std::size_t i = 0; i < count; ++i)
      require(std::erase(after[i]->dependencies, before[i]) != 0, cudaErrorInvalidValue);
  });
}

cudaError_t cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t* from, cudaGraphNode_t* to, std::size_t* count) {
  return api([&](Runtime& runtime) {
    std::vector<CUgraphNode_st*> begins, ends;
    for (const auto& node : runtime.graphs().find(graph)->nodes) {
      for (CUgraphNode_st* dependency : node->dependencies) {
        begins.push_back(dependency);
        ends.push_back(node.get());
      }
    }
    require(count != nullptr && (from == nullptr) == (to == nullptr), cudaErrorInvalidValue);
    std::size_t room = *count;
    give(begins, from, &room);
    give(ends, to, count);
  });
}

// -- queries

cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t* nodes, std::size_t* count) {
  return api([&](Runtime& runtime) { give(all_nodes(*runtime.graphs().find(graph)), nodes, count); });
}

cudaError_t cudaGraphGetRootNodes(cudaGraph_t graph, cudaGraphNode_t* nodes, std::size_t* count) {
  return api([&](Runtime& runtime) {
    auto roots = all_nodes(*runtime.graphs().find(graph));
    std::erase_if(roots, [](const CUgraphNode_st* node) { return !node->dependencies.empty(); });
    give(roots, nodes, count);
  });
}

cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t* nodes, std::size_t* count) {
  return api([&](Runtime& runtime) { give(runtime.graphs().node(node).dependencies, nodes, count); });
}

cudaError_t cudaGraphNodeGetDependentNodes(cudaGraphNode_t node, cudaGraphNode_t* nodes, std::size_t* count) {
  return api([&](Runtime& runtime) {
    auto dependent = all_nodes(*runtime.graphs().node(node).graph);
    std::erase_if(dependent, [node](const CUgraphNode_st* other) {
      return std::find(other->dependencies.begin(), other->dependencies.end(), node) == other->dependencies.end();
    });
    give(dependent, nodes, count);
  });
}

cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node, cudaGraphNodeType* type) {
  return api([&](Runtime& runtime) {
    require(type != nullptr, cudaErrorInvalidValue);
    *type = type_of(runtime.graphs().node(node).work);
  });
}

cudaError_t cudaGraphChildGraphNodeGetGraph(cudaGraphNode_t node, cudaGraph_t* graph) {
  return with_node<ChildWork>(node, [&](ChildWork& work, Runtime&) {
    require(graph != nullptr, cudaErrorInvalidValue);
    *graph = work.graph.get();
  });
}

cudaError_t cudaGraphDebugDotPrint(cudaGraph_t graph, const char* path, unsigned) {
  return api([&](Runtime& runtime) {
    require(path != nullptr, cudaErrorInvalidValue);
    static constexpr const char* kNames[] = {"kernel",     "memcpy",       "memset",    "host",      "graph",  "empty",
                                             "event wait", "event record", "semaphore", "semaphore", "malloc", "free"};
    const auto owner = runtime.graphs().find(graph);
    std::string text = "digraph graph_1 {\n";
    for (std::size_t i = 0; i < owner->nodes.size(); ++i) {
      text += fmt::format("  node_{} [label=\"{}: {}\"];\n", i, i, kNames[type_of(owner->nodes[i]->work)]);
      for (std::size_t j = 0; j < owner->nodes.size(); ++j) {
        const auto& after = owner->nodes[j]->dependencies;
        if (std::find(after.begin(), after.end(), owner->nodes[i].get()) != after.end())
          text += fmt::format("  node_{} -> node_{};\n", i, j);
      }
    }
    text += "}\n";
    std::FILE* file = std::fopen(path, "w");
    require(file != nullptr, cudaErrorOperatingSystem);
    const bool written = std::fputs(text.c_str(), file) >= 0;
    require(std::fclose(file) == 0 && written, cudaErrorOperatingSystem);
  });
}

// -- node parameters

cudaError_t cudaGraphKernelNodeGetParams(cudaGraphNode_t node, cudaKernelNodeParams* parameters) {
  return with_node<KernelWork>(node, [&](KernelWork& work, Runtime&) {
    require(parameters != nullptr, cudaErrorInvalidValue);
    work.pointers.clear();
    for (auto& bytes : work.arguments) work.pointers.push_back(bytes.data());
    *parameters = {
        const_cast<void*>(work.function), work.grid, work.block, work.shared_bytes, work.pointers.data(), nullptr};
  });
}

cudaError_t cudaGraphKernelNodeSetParams(cudaGraphNode_t node, const cudaKernelNodeParams* parameters) {
  return with_node<KernelWork>(node, [&](KernelWork& work, Runtime& runtime) {
    const bool cooperative = work.cooperative;
    work = kernel_work(runtime, given(parameters));
    work.cooperative = cooperative;
  });
}

cudaError_t cudaGraphMemcpyNodeGetParams(cudaGraphNode_t node, cudaMemcpy3DParms* parameters) {
  return with_node<CopyWork>(node, [&](CopyWork& work, Runtime&) {
    require(parameters != nullptr, cudaErrorInvalidValue);
    *parameters = work.parameters;
  });
}

cudaError_t cudaGraphMemcpyNodeSetParams(cudaGraphNode_t node, const cudaMemcpy3DParms* parameters) {
  return with_node<CopyWork>(node, [&](CopyWork& work, Runtime&) { work = copy_of(parameters); });
}

cudaError_t cudaGraphMemcpyNodeSetParams1D(cudaGraphNode_t node, void* to, const void* from, std::size_t bytes,
                                           cudaMemcpyKind kind) {
  return with_node<CopyWork>(node, [&](CopyWork& work, Runtime&) { work = copy_work(to, from, bytes, kind); });
}

cudaError_t cudaGraphMemsetNodeGetParams(cudaGraphNode_t node, cudaMemsetParams* parameters) {
  return with_node<FillWork>(node, [&](FillWork& work, Runtime&) {
    require(parameters != nullptr, cudaErrorInvalidValue);
    *parameters = work.parameters;
  });
}

cudaError_t cudaGraphMemsetNodeSetParams(cudaGraphNode_t node, const cudaMemsetParams* parameters) {
  return with_node<FillWork>(node, [&](FillWork& work, Runtime&) { work = fill_of(parameters); });
}

cudaError_t cudaGraphHostNodeGetParams(cudaGraphNode_t node, cudaHostNodeParams* parameters) {
  return with_node<HostWork>(node, [&](HostWork& work, Runtime&) {
    require(parameters != nullptr, cudaErrorInvalidValue);
    *parameters = work.parameters;
  });
}

cudaError_t cudaGraphHostNodeSetParams(cudaGraphNode_t node, const cudaHostNodeParams* parameters) {
  return with_node<HostWork>(node, [&](HostWork& work, Runtime&) { work = host_of(parameters); });
}

cudaError_t cudaGraphMemAllocNodeGetParams(cudaGraphNode_t node, cudaMemAllocNodeParams* parameters) {
  return with_node<AllocateWork>(node, [&](AllocateWork& work, Runtime&) {
    require(parameters != nullptr, cudaErrorInvalidValue);
    *parameters = {};
    parameters->bytesize = work.bytes;
    parameters->dptr = work.pointer;
  });
}

cudaError_t cudaGraphMemFreeNodeGetParams(cudaGraphNode_t node, void* pointer) {
  return with_node<FreeWork>(node, [&](FreeWork& work, Runtime&) {
    require(pointer != nullptr, cudaErrorInvalidValue);
    *static_cast<void**>(pointer) = work.pointer;
  });
}

// -- executable graphs

cudaError_t cudaGraphInstantiate(cudaGraphExec_t* executable, cudaGraph_t graph, cudaGraphNode_t* error_node, char* log,
                                 std::size_t log_bytes) {
  return api([&](Runtime& runtime) {
    require(executable != nullptr, cudaErrorInvalidValue);
    if (error_node != nullptr) *error_node = nullptr;
    if (log != nullptr && log_bytes != 0) *log = '\0';
    *executable = instantiate(runtime, graph);
  });
}

cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t* executable, cudaGraph_t graph, unsigned long long) {
  return cudaGraphInstantiate(executable, graph, nullptr, nullptr, 0);
}

cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t executable, cudaGraphNode_t node,
                                             const cudaKernelNodeParams* parameters) {
  return with_copy<KernelWork>(executable, node, [&](KernelWork& work, Runtime& runtime) {
    const bool cooperative = work.cooperative;
    work = kernel_work(runtime, given(parameters));
    work.cooperative = cooperative;
  });
}

cudaError_t cudaGraphExecMemcpyNodeSetParams(cudaGraphExec_t executable, cudaGraphNode_t node,
                                             const cudaMemcpy3DParms* parameters) {
  return with_copy<CopyWork>(executable, node, [&](CopyWork& work, Runtime&) { work = copy_of(parameters); });
}

cudaError_t cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t executable, cudaGraphNode_t node, void* to,
                                               const void* from, std::size_t bytes, cudaMemcpyKind kind) {
  return with_copy<CopyWork>(executable, node,
                             [&](CopyWork& work, Runtime&) { work = copy_work(to, from, bytes, kind); });
}

cudaError_t cudaGraphExecMemsetNodeSetParams(cudaGraphExec_t executable, cudaGraphNode_t node,
                                             const cudaMemsetParams* parameters) {
  return with_copy<FillWork>(executable, node, [&](FillWork& work, Runtime&) { work = fill_of(parameters); });
}

cudaError_t cudaGraphExecHostNodeSetParams(cudaGraphExec_t executable, cudaGraphNode_t node,
                                           const cudaHostNodeParams* parameters) {
  return with_copy<HostWork>(executable, node, [&](HostWork& work, Runtime&) { work = host_of(parameters); });
}

cudaError_t cudaGraphNodeSetEnabled(cudaGraphExec_t executable, cudaGraphNode_t node, unsigned enabled) {
  return api([&](Runtime& runtime) {
    CUgraphNode_st* copy = runtime.graphs().executable(executable).graph->copy_of(node);
    require(copy != nullptr, cudaErrorInvalidValue);
    copy->enabled = enabled != 0;
  });
}

cudaError_t cudaGraphNodeGetEnabled(cudaGraphExec_t executable, cudaGraphNode_t node, unsigned* enabled) {
  return api([&](Runtime& runtime) {
    const CUgraphNode_st* copy = runtime.graphs().executable(executable).graph->copy_of(node);
    require(copy != nullptr && enabled != nullptr, cudaErrorInvalidValue);
    *enabled = copy->enabled ? 1 : 0;
  });
}

cudaError_t cudaGraphExecUpdate(cudaGraphExec_t executable, cudaGraph_t graph, cudaGraphNode_t* error_node,
                                cudaGraphExecUpdateResult* result) {
  return api([&](Runtime& runtime) {
    CUgraphExec_st& target = runtime.graphs().executable(executable);
    std::shared_ptr<CUgraph_st> updated = runtime.graphs().find(graph)->copy();
    if (error_node != nullptr) *error_node = nullptr;
    const auto answer = [&](cudaGraphExecUpdateResult what) {
      if (result != nullptr) *result = what;
      require(what == cudaGraphExecUpdateSuccess, cudaErrorGraphExecUpdateFailure);
    };
    const auto before = target.graph->in_order(), after = updated->in_order();
    if (before.size() != after.size()) answer(cudaGraphExecUpdateErrorTopologyChanged);
    for (std::size_t i = 0; i < before.size(); ++i) {
      if (type_of(before[i]->work) != type_of(after[i]->work)) answer(cudaGraphExecUpdateErrorNodeTypeChanged);
      if (before[i]->dependencies.size() != after[i]->dependencies.size())
        answer(cudaGraphExecUpdateErrorTopologyChanged);
      // The program keeps using node handles of the instantiated graph.
      after[i]->original = before[i]->original;
      after[i]->enabled = before[i]->enabled;
    }
    target.graph = std::move(updated);
    answer(cudaGraphExecUpdateSuccess);
  });
}

cudaError_t cudaGraphUpload(cudaGraphExec_t executable, cudaStream_t stream) {
  return api([&](Runtime& runtime) {
    require(runtime.streams().valid(stream), cudaErrorInvalidResourceHandle);
    runtime.graphs().executable(executable);
  });
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t executable, cudaStream_t stream) {
  std::shared_ptr<CUgraph_st> graph;
  const cudaError_t code = on_stream(
      stream, [&](Runtime& runtime) { return ChildWork{runtime.graphs().executable(executable).graph->copy()}; },
      [&](Runtime& runtime) { graph = runtime.graphs().executable(executable).graph; });
  return code == cudaSuccess && graph != nullptr ? run_graph(*graph, stream) : code;
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t executable) {
  return api([&](Runtime& runtime) { require(runtime.graphs().remove_executable(executable), cudaErrorInvalidValue); });
}

// -- capture

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode mode) {
  return api([&](Runtime& runtime) {
    require(runtime.streams().valid(stream), cudaErrorInvalidResourceHandle);
    require(mode <= cudaStreamCaptureModeRelaxed, cudaErrorInvalidValue);
    require(stream != nullptr && stream != cudaStreamLegacy, cudaErrorStreamCaptureUnsupported);
    require(runtime.graphs().capture_of(stream) == nullptr, cudaErrorIllegalState);
    runtime.graphs().begin(stream);
  });
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
  return api([&](Runtime& runtime) {
    require(runtime.streams().valid(stream), cudaErrorInvalidResourceHandle);
    require(graph != nullptr, cudaErrorInvalidValue);
    *graph = nullptr;
    *graph = runtime.graphs().end(stream);
  });
}

namespace {

cudaStreamCaptureStatus status_of(const Capture* capture) {
  if (capture == nullptr) return cudaStreamCaptureStatusNone;
  return capture->broken ? cudaStreamCaptureStatusInvalidated : cudaStreamCaptureStatusActive;
}

}  // namespace

cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus* status) {
  return cudaStreamGetCaptureInfo(stream, status, nullptr);
}

cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, cudaStreamCaptureStatus* status, unsigned long long* id) {
  return cudaStreamGetCaptureInfo_v2(stream, status, id, nullptr, nullptr, nullptr);
}

cudaError_t cudaStreamGetCaptureInfo_v2(cudaStream_t stream, cudaStreamCaptureStatus* status, unsigned long long* id,
                                        cudaGraph_t* graph, const cudaGraphNode_t** dependencies, std::size_t* count) {
  return api([&](Runtime& runtime) {
    require(runtime.streams().valid(stream), cudaErrorInvalidResourceHandle);
    require(status != nullptr, cudaErrorInvalidValue);
    const Capture* capture = runtime.graphs().capture_of(stream);
    *status = status_of(capture);
    if (id != nullptr) *id = capture != nullptr ? capture->id : 0;
    if (capture == nullptr) return;
    const auto& last = runtime.graphs().last_nodes(stream);
    if (graph != nullptr) *graph = capture->graph.get();
    if (dependencies != nullptr) *dependencies = last.data();
    if (count != nullptr) *count = last.size();
  });
}

cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode* mode) {
  // Calls from other threads never invalidate a capture here, whatever the mode.
  static thread_local cudaStreamCaptureMode present = cudaStreamCaptureModeGlobal;
  if (mode == nullptr) return last_error() = cudaErrorInvalidValue;
  std::swap(*mode, present);
  return cudaSuccess;
}
