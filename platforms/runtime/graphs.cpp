// SPDX-License-Identifier: Apache-2.0
#include "runtime/graphs.h"

#include <algorithm>
#include <set>
#include <utility>

#include "runtime/runtime.h"

using heddle::runtime::Work;

CUgraphNode_st* CUgraph_st::add(Work work, std::vector<CUgraphNode_st*> dependencies) {
  auto node = std::make_unique<CUgraphNode_st>();
  node->work = std::move(work);
  node->graph = this;
  node->dependencies = std::move(dependencies);
  nodes.push_back(std::move(node));
  return nodes.back().get();
}

bool CUgraph_st::owns(const CUgraphNode_st* node) const {
  return std::any_of(nodes.begin(), nodes.end(), [node](const auto& one) { return one.get() == node; });
}

bool CUgraph_st::remove(const CUgraphNode_st* node) {
  if (!owns(node)) return false;
  for (const auto& other : nodes) std::erase(other->dependencies, node);
  std::erase_if(nodes, [node](const auto& one) { return one.get() == node; });
  return true;
}

CUgraphNode_st* CUgraph_st::copy_of(const CUgraphNode_st* original) const {
  for (const auto& node : nodes) {
    if (node->original == original) return node.get();
  }
  return nullptr;
}

std::unique_ptr<CUgraph_st> CUgraph_st::copy() const {
  auto result = std::make_unique<CUgraph_st>();
  for (const auto& node : nodes) {
    CUgraphNode_st* copied = result->add(node->work, {});
    copied->original = node.get();
    copied->enabled = node->enabled;
    if (auto* child = std::get_if<heddle::runtime::ChildWork>(&copied->work)) child->graph = child->graph->copy();
  }
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    for (const CUgraphNode_st* dependency : nodes[i]->dependencies)
      result->nodes[i]->dependencies.push_back(result->copy_of(dependency));
  }
  return result;
}

std::vector<CUgraphNode_st*> CUgraph_st::in_order() const {
  std::vector<CUgraphNode_st*> order;
  std::set<const CUgraphNode_st*> done;
  for (bool found = true; found;) {
    found = false;
    for (const auto& node : nodes) {
      const auto& before = node->dependencies;
      if (done.count(node.get()) != 0 ||
          !std::all_of(before.begin(), before.end(), [&](const CUgraphNode_st* one) { return done.count(one) != 0; }))
        continue;
      done.insert(node.get());
      order.push_back(node.get());
      found = true;
    }
  }
  return order;
}

namespace heddle::runtime {
namespace {

template <typename... Cases>
struct Overloaded : Cases... {
  using Cases::operator()...;
};
template <typename... Cases>
Overloaded(Cases...) -> Overloaded<Cases...>;

cudaError_t perform(const Work& work, cudaStream_t stream) {
  return std::visit(Overloaded{
                        [&](const KernelWork& kernel) {
                          std::vector<void*> arguments;
                          for (const auto& bytes : kernel.arguments)
                            arguments.push_back(const_cast<std::byte*>(bytes.data()));
                          const auto launch = kernel.cooperative ? cudaLaunchCooperativeKernel : cudaLaunchKernel;
                          return launch(kernel.function, kernel.grid, kernel.block, arguments.data(),
                                        kernel.shared_bytes, stream);
                        },
                        [&](const CopyWork& copy) { return cudaMemcpy3DAsync(&copy.parameters, stream); },
                        [&](const FillWork& fill) { return fill_elements(fill.parameters, stream); },
                        [&](const HostWork& host) {
                          return cudaLaunchHostFunc(stream, host.parameters.fn, host.parameters.userData);
                        },
                        [&](const ChildWork& child) { return run_graph(*child.graph, stream); },
                        [&](const EmptyWork&) { return cudaSuccess; },
                        [&](const RecordWork& record) { return cudaEventRecord(record.event, stream); },
                        [&](const WaitWork& wait) { return cudaStreamWaitEvent(stream, wait.event, 0); },
                        // The memory exists from node creation on, so every launch finds it at the same address.
                        [&](const AllocateWork&) { return cudaSuccess; },
                        [&](const FreeWork&) { return cudaSuccess; },
                        [&](const CallWork& captured) { return captured.call(); },
                    },
                    work);
}

}  // namespace

cudaGraphNodeType type_of(const Work& work) {
  return std::visit(Overloaded{[](const KernelWork&) { return cudaGraphNodeTypeKernel; },
                               [](const CopyWork&) { return cudaGraphNodeTypeMemcpy; },
                               [](const FillWork&) { return cudaGraphNodeTypeMemset; },
                               [](const HostWork&) { return cudaGraphNodeTypeHost; },
                               [](const ChildWork&) { return cudaGraphNodeTypeGraph; },
                               [](const EmptyWork&) { return cudaGraphNodeTypeEmpty; },
                               [](const RecordWork&) { return cudaGraphNodeTypeEventRecord; },
                               [](const WaitWork&) { return cudaGraphNodeTypeWaitEvent; },
                               [](const AllocateWork&) { return cudaGraphNodeTypeMemAlloc; },
                               [](const FreeWork&) { return cudaGraphNodeTypeMemFree; },
                               [](const CallWork& captured) { return captured.type; }},
                    work);
}

cudaError_t run_graph(const CUgraph_st& graph, cudaStream_t stream) {
  for (const CUgraphNode_st* node : graph.in_order()) {
    if (!node->enabled) continue;
    if (const cudaError_t code = perform(node->work, stream); code != cudaSuccess) return code;
  }
  return cudaSuccess;
}

CopyWork copy_work(void* to, const void* from, std::size_t count, cudaMemcpyKind kind) {
  CopyWork work;
  work.parameters.dstPtr = {to, count, count, 1};
  work.parameters.srcPtr = {const_cast<void*>(from), count, count, 1};
  work.parameters.extent = {count, 1, 1};
  work.parameters.kind = kind;
  return work;
}

// -- the table

cudaGraph_t GraphTable::add(std::unique_ptr<CUgraph_st> graph) { return add(std::shared_ptr(std::move(graph))); }

cudaGraph_t GraphTable::add(std::shared_ptr<CUgraph_st> graph) {
  cudaGraph_t handle = graph.get();
  graphs_.emplace(handle, std::move(graph));
  return handle;
}

std::shared_ptr<CUgraph_st> GraphTable::find(cudaGraph_t graph) const {
  const auto found = graphs_.find(graph);
  if (found != graphs_.end()) return found->second;
  // A child graph belongs to its node.
  for (const auto& [handle, owner] : graphs_) {
    for (const auto& node : owner->nodes) {
      const auto* child = std::get_if<ChildWork>(&node->work);
      if (child != nullptr && child->graph.get() == graph) return child->graph;
    }
  }
  throw ApiError(cudaErrorInvalidValue);
}

CUgraphNode_st& GraphTable::node(cudaGraphNode_t node) const {
  for (const auto& [handle, graph] : graphs_) {
    if (graph->owns(node)) return *node;
    for (const auto& outer : graph->nodes) {
      const auto* child = std::get_if<ChildWork>(&outer->work);
      if (child != nullptr && child->graph->owns(node)) return *node;
    }
  }
  for (const auto& [stream, place] : streams_) {
    if (place.capture->graph->owns(node)) return *node;
  }
  throw ApiError(cudaErrorInvalidValue);
}

cudaGraphExec_t GraphTable::add_executable(std::shared_ptr<CUgraph_st> graph) {
  auto executable = std::make_unique<CUgraphExec_st>();
  executable->graph = std::move(graph);
  cudaGraphExec_t handle = executable.get();
  executables_.emplace(handle, std::move(executable));
  return handle;
}

CUgraphExec_st& GraphTable::executable(cudaGraphExec_t executable) const {
  const auto found = executables_.find(executable);
  require(found != executables_.end(), cudaErrorInvalidValue);
  return *found->second;
}

Capture* GraphTable::capture_of(cudaStream_t stream) {
  const auto found = streams_.find(stream);
  return found != streams_.end() ? found->second.capture.get() : nullptr;
}

bool GraphTable::break_captures(const std::function<bool(cudaStream_t)>& affected) {
  bool any = false;
  for (const auto& [stream, place] : streams_) {
    if (!affected(stream)) continue;
    place.capture->broken = true;
    any = true;
  }
  return any;
}

void GraphTable::begin(cudaStream_t stream) {
  auto capture = std::make_shared<Capture>();
  capture->graph = std::make_shared<CUgraph_st>();
  capture->origin = stream;
  capture->id = next_capture_++;
  streams_[stream] = {std::move(capture), {}};
}

cudaGraph_t GraphTable::end(cudaStream_t stream) {
  const auto found = streams_.find(stream);
  require(found != streams_.end(), cudaErrorIllegalState);
  const std::shared_ptr<Capture> capture = found->second.capture;
  require(capture->origin == stream, cudaErrorStreamCaptureUnmatched);
  // All work captured on other streams must precede the end of the origin stream.
  std::set<const CUgraphNode_st*> reached;
  std::vector<const CUgraphNode_st*> open(found->second.last.begin(), found->second.last.end());
  while (!open.empty()) {
    const CUgraphNode_st* node = open.back();
    open.pop_back();
    if (reached.insert(node).second) open.insert(open.end(), node->dependencies.begin(), node->dependencies.end());
  }
  bool joined = true;
  for (const auto& [other, place] : streams_) {
    if (place.capture != capture) continue;
    for (const CUgraphNode_st* node : place.last) joined = joined && reached.count(node) != 0;
  }
  std::erase_if(streams_, [&](const auto& entry) { return entry.second.capture == capture; });
  std::erase_if(events_, [&](const auto& entry) { return entry.second.capture == capture; });
  require(!capture->broken, cudaErrorStreamCaptureInvalidated);
  require(joined, cudaErrorStreamCaptureUnjoined);
  return add(capture->graph);
}

CUgraphNode_st* GraphTable::record(cudaStream_t stream, Work work) {
  CapturePoint& place = streams_.at(stream);
  require(!place.capture->broken, cudaErrorStreamCaptureInvalidated);
  CUgraphNode_st* node = place.capture->graph->add(std::move(work), place.last);
  place.last = {node};
  return node;
}

void GraphTable::record_event(cudaStream_t stream, cudaEvent_t event) { events_[event] = streams_.at(stream); }

bool GraphTable::wait_event(cudaStream_t stream, cudaEvent_t event) {
  const auto recorded = events_.find(event);
  if (recorded == events_.end()) return false;
  const auto found = streams_.find(stream);
  if (found == streams_.end()) {
    streams_[stream] = recorded->second;
    return true;
  }
  require(found->second.capture == recorded->second.capture, cudaErrorStreamCaptureMerge);
  auto& last = found->second.last;
  for (CUgraphNode_st* node : recorded->second.last) {
    if (std::find(last.begin(), last.end(), node) == last.end()) last.push_back(node);
  }
  return true;
}

void GraphTable::clear() {
  graphs_.clear();
  executables_.clear();
  streams_.clear();
  events_.clear();
}

}  // namespace heddle::runtime
