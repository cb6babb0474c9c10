// SPDX-License-Identifier: Apache-2.0
// Graph nodes of every kind: queries and modifications. Checks its own results.
#include <string>
#include <vector>

#include "expect.h"

__device__ int symbol[4];

__global__ void add(int* values, int what, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) values[i] += what;
}

static cudaMemcpy3DParms one_row(void* to, const void* from, std::size_t bytes) {
  cudaMemcpy3DParms copy{};
  copy.dstPtr = make_cudaPitchedPtr(to, bytes, bytes, 1);
  copy.srcPtr = make_cudaPitchedPtr(const_cast<void*>(from), bytes, bytes, 1);
  copy.extent = make_cudaExtent(bytes, 1, 1);
  copy.kind = cudaMemcpyDefault;
  return copy;
}

static cudaMemsetParams words(void* to, unsigned value, std::size_t count) {
  cudaMemsetParams fill{};
  fill.dst = to;
  fill.value = value;
  fill.elementSize = 4;
  fill.width = count;
  fill.height = 1;
  fill.pitch = 4 * count;
  return fill;
}

static void copies_and_symbols() {
  int in[4] = {1, 2, 3, 4}, out[4] = {}, other[4] = {9, 9, 9, 9};
  int* data;
  OK(cudaMalloc(&data, sizeof in));
  cudaGraph_t graph;
  cudaGraphNode_t to_symbol, from_symbol, back;
  OK(cudaGraphCreate(&graph, 0));
  OK(cudaGraphAddMemcpyNodeToSymbol(&to_symbol, graph, nullptr, 0, symbol, in, sizeof in, 0, cudaMemcpyHostToDevice));
  OK(cudaGraphAddMemcpyNodeFromSymbol(&from_symbol, graph, &to_symbol, 1, data, symbol, sizeof in, 0,
                                      cudaMemcpyDeviceToDevice));
  const cudaMemcpy3DParms copy = one_row(out, data, sizeof out);
  OK(cudaGraphAddMemcpyNode(&back, graph, &from_symbol, 1, &copy));
  cudaMemcpy3DParms asked{};
  OK(cudaGraphMemcpyNodeGetParams(back, &asked));
  EXPECT(asked.dstPtr.ptr == out && asked.extent.width == sizeof out);
  std::size_t count = 0;
  OK(cudaGraphNodeGetDependencies(back, nullptr, &count));
  EXPECT(count == 1);
  cudaGraphNode_t neighbour[2];
  count = 2;
  OK(cudaGraphNodeGetDependentNodes(to_symbol, neighbour, &count));
  EXPECT(count == 1 && neighbour[0] == from_symbol && neighbour[1] == nullptr);
  cudaGraphExec_t executable;
  OK(cudaGraphInstantiate(&executable, graph));
  OK(cudaGraphUpload(executable, nullptr));
  OK(cudaGraphLaunch(executable, nullptr));
  EXPECT(out[0] == 1 && out[3] == 4);
  OK(cudaGraphExecMemcpyNodeSetParams1D(executable, back, other, data, 8, cudaMemcpyDeviceToHost));
  OK(cudaGraphLaunch(executable, nullptr));
  EXPECT(other[0] == 1 && other[1] == 2 && other[2] == 9);
  const cudaMemcpy3DParms whole = one_row(other, data, sizeof other);
  OK(cudaGraphExecMemcpyNodeSetParams(executable, back, &whole));
  OK(cudaGraphLaunch(executable, nullptr));
  EXPECT(other[3] == 4);
  OK(cudaGraphMemcpyNodeSetParams(back, &whole));
  OK(cudaGraphMemcpyNodeSetParams1D(back, other, data, 4, cudaMemcpyDeviceToHost));
  OK(cudaGraphMemcpyNodeGetParams(back, &asked));
  EXPECT(asked.extent.width == 4);
  EXPECT_CODE(cudaGraphMemsetNodeGetParams(back, nullptr), cudaErrorInvalidValue);
  OK(cudaGraphExecDestroy(executable));
  OK(cudaGraphDestroyNode(back));
  EXPECT_CODE(cudaGraphDestroyNode(back), cudaErrorInvalidValue);
  OK(cudaGraphGetNodes(graph, nullptr, &count));
  EXPECT(count == 2);
  OK(cudaGraphDestroy(graph));
  OK(cudaFree(data));
  (void)cudaGetLastError();
}

static void count_up(void* data) { ++*static_cast<int*>(data); }
static void count_by_ten(void* data) { *static_cast<int*>(data) += 10; }

static void fills_hosts_and_events() {
  int* data;
  int calls = 0, result[4];
  OK(cudaMalloc(&data, 16));
  cudaEvent_t event;
  OK(cudaEventCreate(&event));
  cudaGraph_t graph, child;
  cudaGraphNode_t fill, host, record, wait, inner, nested;
  OK(cudaGraphCreate(&graph, 0));
  cudaMemsetParams set = words(data, 5, 4), asked_set{};
  OK(cudaGraphAddMemsetNode(&fill, graph, nullptr, 0, &set));
  cudaHostNodeParams call{count_up, &calls}, asked_call{};
  OK(cudaGraphAddHostNode(&host, graph, &fill, 1, &call));
  OK(cudaGraphAddEventRecordNode(&record, graph, &host, 1, event));
  OK(cudaGraphAddEventWaitNode(&wait, graph, &record, 1, event));
  OK(cudaGraphMemsetNodeGetParams(fill, &asked_set));
  OK(cudaGraphHostNodeGetParams(host, &asked_call));
  EXPECT(asked_set.value == 5 && asked_call.fn == count_up);
  set.value = 6;
  OK(cudaGraphMemsetNodeSetParams(fill, &set));
  call.fn = count_by_ten;
  OK(cudaGraphHostNodeSetParams(host, &call));
  OK(cudaGraphCreate(&child, 0));
  OK(cudaGraphAddEmptyNode(&inner, child, nullptr, 0));
  OK(cudaGraphAddChildGraphNode(&nested, graph, &wait, 1, child));
  cudaGraph_t within = nullptr;
  OK(cudaGraphChildGraphNodeGetGraph(nested, &within));
  std::size_t count = 0;
  OK(cudaGraphGetNodes(within, nullptr, &count));
  EXPECT(within != child && count == 1);

  cudaGraphExec_t executable;
  OK(cudaGraphInstantiate(&executable, graph, nullptr, nullptr, 0));
  OK(cudaGraphLaunch(executable, nullptr));
  OK(cudaEventSynchronize(event));
  OK(cudaMemcpy(result, data, 16, cudaMemcpyDeviceToHost));
  EXPECT(result[3] == 6 && calls == 10);
  set.value = 7;
  OK(cudaGraphExecMemsetNodeSetParams(executable, fill, &set));
  call.fn = count_up;
  OK(cudaGraphExecHostNodeSetParams(executable, host, &call));
  OK(cudaGraphLaunch(executable, nullptr));
  OK(cudaMemcpy(result, data, 16, cudaMemcpyDeviceToHost));
  EXPECT(result[0] == 7 && calls == 11);
  unsigned enabled = 7;
  OK(cudaGraphNodeSetEnabled(executable, host, 0));
  OK(cudaGraphNodeGetEnabled(executable, host, &enabled));
  EXPECT(enabled == 0);
  OK(cudaGraphLaunch(executable, nullptr));
  EXPECT(calls == 11);
  cudaMemsetParams wrong = set;
  wrong.elementSize = 3;
  EXPECT_CODE(cudaGraphMemsetNodeSetParams(fill, &wrong), cudaErrorInvalidValue);

  OK(cudaGraphDebugDotPrint(graph, "graph.dot", 0));
  std::FILE* file = std::fopen("graph.dot", "r");
  std::string text(2000, '\0');
  text.resize(std::fread(&text[0], 1, text.size(), file));
  std::fclose(file);
  EXPECT(text.find("memset") != std::string::npos && text.find("->") != std::string::npos);
  OK(cudaGraphExecDestroy(executable));
  OK(cudaGraphDestroy(graph));
  OK(cudaGraphDestroy(child));
  OK(cudaFree(data));
  (void)cudaGetLastError();
}

static void memory_of_a_graph() {
  cudaGraph_t graph;
  cudaGraphNode_t allocate, kernel, back, release;
  OK(cudaGraphCreate(&graph, 0));
  cudaMemAllocNodeParams memory{}, asked{};
  memory.poolProps.allocType = cudaMemAllocationTypePinned;
  memory.poolProps.location = {cudaMemLocationTypeDevice, 0};
  memory.bytesize = 256;
  OK(cudaGraphAddMemAllocNode(&allocate, graph, nullptr, 0, &memory));
  OK(cudaGraphMemAllocNodeGetParams(allocate, &asked));
  EXPECT(memory.dptr != nullptr && asked.dptr == memory.dptr && asked.bytesize == 256);
  cudaGraphNode_t fill;
  const cudaMemsetParams set = words(memory.dptr, 40, 64);
  OK(cudaGraphAddMemsetNode(&fill, graph, &allocate, 1, &set));
  int what = 2, count = 64, result[64] = {};
  void* arguments[] = {&memory.dptr, &what, &count};
  cudaKernelNodeParams launch{};
  launch.func = reinterpret_cast<void*>(add);
  launch.gridDim = dim3(1);
  launch.blockDim = dim3(64);
  launch.kernelParams = arguments;
  OK(cudaGraphAddKernelNode(&kernel, graph, &fill, 1, &launch));
  OK(cudaGraphAddMemcpyNode1D(&back, graph, &kernel, 1, result, memory.dptr, sizeof result, cudaMemcpyDeviceToHost));
  OK(cudaGraphAddMemFreeNode(&release, graph, &back, 1, memory.dptr));
  void* released = nullptr;
  OK(cudaGraphMemFreeNodeGetParams(release, &released));
  EXPECT(released == memory.dptr);
  cudaGraphExec_t executable;
  OK(cudaGraphInstantiate(&executable, graph));
  for (int round = 0; round < 2; ++round) {
    result[63] = 0;
    OK(cudaGraphLaunch(executable, nullptr));
    EXPECT(result[63] == 42);
  }
  OK(cudaGraphExecDestroy(executable));
  OK(cudaGraphDestroy(graph));
}

// Calls of every kind on a stream that captures.
static void captured_calls() {
  cudaStream_t stream;
  OK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  char *data, host[64], back[64] = {};
  std::size_t pitch = 0;
  for (int i = 0; i < 64; ++i) host[i] = static_cast<char>(i);
  OK(cudaMallocPitch(&data, &pitch, 16, 4));
  cudaArray_t array;
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<char>();
  OK(cudaMallocArray(&array, &format, 16, 4));
  OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
  OK(cudaMemset2DAsync(data, pitch, 1, 16, 4, stream));
  OK(cudaMemset3DAsync(make_cudaPitchedPtr(data, pitch, 16, 4), 2, make_cudaExtent(8, 2, 1), stream));
  OK(cudaMemcpy2DAsync(data + 4, pitch, host, 16, 4, 4, cudaMemcpyHostToDevice, stream));
  OK(cudaMemcpy2DToArrayAsync(array, 0, 0, data, pitch, 16, 4, cudaMemcpyDeviceToDevice, stream));
  OK(cudaMemcpyToArrayAsync(array, 0, 3, host, 16, cudaMemcpyHostToDevice, stream));
  OK(cudaMemcpy2DFromArrayAsync(back, 16, array, 0, 0, 16, 3, cudaMemcpyDeviceToHost, stream));
  OK(cudaMemcpyFromArrayAsync(back + 48, array, 0, 3, 16, cudaMemcpyDeviceToHost, stream));
  int numbers[4] = {5, 6, 7, 8}, again[4] = {};
  OK(cudaMemcpyToSymbolAsync(symbol, numbers, sizeof numbers, 0, cudaMemcpyHostToDevice, stream));
  OK(cudaMemcpyFromSymbolAsync(again, symbol, sizeof again, 0, cudaMemcpyDeviceToHost, stream));
  const cudaMemcpy3DParms row = one_row(data, host, 4);
  OK(cudaMemcpy3DAsync(&row, stream));
  cudaStreamCaptureStatus status;
  cudaGraph_t under_way = nullptr, graph;
  const cudaGraphNode_t* last = nullptr;
  unsigned long long id = 0;
  std::size_t count = 0;
  OK(cudaStreamGetCaptureInfo_v2(stream, &status, &id, &under_way, &last, &count));
  EXPECT(status == cudaStreamCaptureStatusActive && id != 0 && under_way != nullptr && count == 1);
  cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
  OK(cudaThreadExchangeStreamCaptureMode(&mode));
  EXPECT(mode == cudaStreamCaptureModeGlobal);
  OK(cudaThreadExchangeStreamCaptureMode(&mode));
  OK(cudaStreamEndCapture(stream, &graph));
  EXPECT(back[4] == 0 && again[0] == 0);
  cudaGraphExec_t executable;
  OK(cudaGraphInstantiate(&executable, graph));
  OK(cudaGraphLaunch(executable, stream));
  OK(cudaStreamSynchronize(stream));
  EXPECT(back[0] == 2 && back[4] == 0 && back[7] == 3 && back[8] == 1 && back[16 + 5] == 17 && back[32] == 1);
  EXPECT(back[48] == 0 && back[63] == 15 && again[0] == 5 && again[3] == 8);
  OK(cudaGraphExecDestroy(executable));
  OK(cudaGraphDestroy(graph));
  OK(cudaFreeArray(array));
  OK(cudaFree(data));
  OK(cudaStreamDestroy(stream));
}

int main() {
  copies_and_symbols();
  fills_hosts_and_events();
  memory_of_a_graph();
  captured_calls();
  return finish();
}
