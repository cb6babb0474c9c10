// SPDX-License-Identifier: Apache-2.0
// Graphs, built and captured; memory pools, hints about managed memory, exported memory handles. Checks its own
// results.
#include <vector>

#include "expect.h"

constexpr int kCount = 1000;

__global__ void add(int* values, int what, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) values[i] += what;
}

__global__ void combine(const int* a, const int* b, int* out, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) out[i] = 10 * a[i] + b[i];
}

static bool all(const std::vector<int>& values, int wanted) {
  for (int value : values) {
    if (value != wanted) return false;
  }
  return true;
}

static void captured_fork_and_join() {
  int *a, *b, *out;
  std::vector<int> ones(kCount, 1), result(kCount);
  OK(cudaMalloc(&a, kCount * sizeof(int)));
  OK(cudaMalloc(&b, kCount * sizeof(int)));
  OK(cudaMalloc(&out, kCount * sizeof(int)));
  cudaStream_t first, second;
  OK(cudaStreamCreate(&first));
  OK(cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking));
  cudaEvent_t fork, join;
  OK(cudaEventCreate(&fork));
  OK(cudaEventCreate(&join));

  OK(cudaStreamBeginCapture(first, cudaStreamCaptureModeGlobal));
  OK(cudaMemcpyAsync(a, ones.data(), kCount * sizeof(int), cudaMemcpyHostToDevice, first));
  OK(cudaEventRecord(fork, first));
  OK(cudaStreamWaitEvent(second, fork, 0));
  OK(cudaMemsetAsync(b, 0, kCount * sizeof(int), second));
  add<<<4, 256, 0, second>>>(b, 5, kCount);
  OK(cudaEventRecord(join, second));
  add<<<4, 256, 0, first>>>(a, 2, kCount);
  cudaStreamCaptureStatus status;
  OK(cudaStreamIsCapturing(second, &status));
  EXPECT(status == cudaStreamCaptureStatusActive);
  OK(cudaStreamWaitEvent(first, join, 0));
  combine<<<4, 256, 0, first>>>(a, b, out, kCount);
  OK(cudaMemcpyAsync(result.data(), out, kCount * sizeof(int), cudaMemcpyDeviceToHost, first));
  cudaGraph_t graph;
  OK(cudaStreamEndCapture(first, &graph));
  EXPECT(all(result, 0));  // nothing ran yet
  std::size_t count = 0;
  OK(cudaGraphGetNodes(graph, nullptr, &count));
  EXPECT(count == 6);
  OK(cudaGraphGetRootNodes(graph, nullptr, &count));
  EXPECT(count == 1);
  OK(cudaGraphGetEdges(graph, nullptr, nullptr, &count));
  EXPECT(count == 6);

  cudaGraphExec_t executable;
  OK(cudaGraphInstantiate(&executable, graph, nullptr, nullptr, 0));
  for (int round = 0; round < 2; ++round) {
    result.assign(kCount, 0);
    OK(cudaGraphLaunch(executable, first));
    OK(cudaStreamSynchronize(first));
    EXPECT(all(result, 35));
  }
  ones.assign(kCount, 2);  // copies read memory when the graph runs
  OK(cudaGraphLaunch(executable, first));
  EXPECT(all(result, 45));
  OK(cudaGraphExecDestroy(executable));
  OK(cudaGraphDestroy(graph));
  OK(cudaStreamDestroy(first));
  OK(cudaStreamDestroy(second));
  OK(cudaFree(a));
  OK(cudaFree(b));
  OK(cudaFree(out));
}

static void built_by_hand() {
  int *a, sum = 0;
  std::vector<int> result(kCount);
  OK(cudaMalloc(&a, kCount * sizeof(int)));
  cudaGraph_t graph;
  OK(cudaGraphCreate(&graph, 0));
  cudaGraphNode_t fill, kernel, copy, host;
  cudaMemsetParams set{};
  set.dst = a;
  set.elementSize = 4;
  set.value = 0x01020304;
  set.width = kCount;
  set.height = 1;
  set.pitch = kCount * sizeof(int);
  OK(cudaGraphAddMemsetNode(&fill, graph, nullptr, 0, &set));
  int what = 1, count = kCount;
  void* arguments[] = {&a, &what, &count};
  cudaKernelNodeParams launch{};
  launch.func = reinterpret_cast<void*>(add);
  launch.gridDim = dim3(4);
  launch.blockDim = dim3(256);
  launch.kernelParams = arguments;
  OK(cudaGraphAddKernelNode(&kernel, graph, &fill, 1, &launch));
  what = 100;  // arguments were copied
  OK(cudaGraphAddMemcpyNode1D(&copy, graph, &kernel, 1, result.data(), a, kCount * sizeof(int),
                              cudaMemcpyDeviceToHost));
  cudaHostNodeParams call{};
  call.fn = [](void* data) { ++*static_cast<int*>(data); };
  call.userData = &sum;
  OK(cudaGraphAddHostNode(&host, graph, &copy, 1, &call));
  cudaGraphNodeType type;
  OK(cudaGraphNodeGetType(kernel, &type));
  EXPECT(type == cudaGraphNodeTypeKernel);
  cudaKernelNodeParams asked{};
  OK(cudaGraphKernelNodeGetParams(kernel, &asked));
  EXPECT(asked.blockDim.x == 256 && *static_cast<int*>(asked.kernelParams[1]) == 1);

  cudaGraphExec_t executable;
  OK(cudaGraphInstantiate(&executable, graph));
  OK(cudaGraphLaunch(executable, 0));
  OK(cudaDeviceSynchronize());
  EXPECT(all(result, 0x01020305) && sum == 1);
  OK(cudaGraphExecKernelNodeSetParams(executable, kernel, &launch));
  OK(cudaGraphLaunch(executable, 0));
  EXPECT(all(result, 0x01020304 + 100) && sum == 2);

  // The same graph with a different argument replaces the old one.
  OK(cudaGraphKernelNodeSetParams(kernel, &launch));
  cudaGraphExecUpdateResult updated;
  cudaGraphNode_t wrong;
  what = 7;
  OK(cudaGraphKernelNodeSetParams(kernel, &launch));
  OK(cudaGraphExecUpdate(executable, graph, &wrong, &updated));
  OK(cudaGraphLaunch(executable, 0));
  EXPECT(all(result, 0x01020304 + 7));
  cudaGraphNode_t more;
  OK(cudaGraphAddEmptyNode(&more, graph, &host, 1));
  EXPECT_CODE(cudaGraphExecUpdate(executable, graph, &wrong, &updated), cudaErrorGraphExecUpdateFailure);
  EXPECT(updated == cudaGraphExecUpdateErrorTopologyChanged);

  // A cycle is detected, not followed.
  OK(cudaGraphAddDependencies(graph, &more, &fill, 1));
  cudaGraphExec_t never;
  EXPECT_CODE(cudaGraphInstantiate(&never, graph), cudaErrorInvalidValue);
  OK(cudaGraphRemoveDependencies(graph, &more, &fill, 1));

  // A graph in a graph, and one launched while another is captured.
  cudaGraph_t outer, clone;
  cudaGraphNode_t child;
  OK(cudaGraphCreate(&outer, 0));
  OK(cudaGraphAddChildGraphNode(&child, outer, nullptr, 0, graph));
  OK(cudaGraphClone(&clone, outer));
  cudaGraphNode_t found;
  OK(cudaGraphNodeFindInClone(&found, child, clone));
  EXPECT(found != child);
  cudaGraphExec_t nested;
  OK(cudaGraphInstantiate(&nested, clone, 0));
  result.assign(kCount, 0);
  OK(cudaGraphLaunch(nested, 0));
  EXPECT(all(result, 0x01020304 + 7) && sum == 4);
  for (cudaGraph_t one : {graph, outer, clone}) OK(cudaGraphDestroy(one));
  EXPECT_CODE(cudaGraphDestroy(graph), cudaErrorInvalidValue);
  OK(cudaFree(a));
}

static void what_cannot_be_captured() {
  cudaStream_t stream, other;
  OK(cudaStreamCreate(&stream));
  OK(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
  cudaGraph_t graph;
  EXPECT_CODE(cudaStreamBeginCapture(0, cudaStreamCaptureModeGlobal), cudaErrorStreamCaptureUnsupported);
  EXPECT_CODE(cudaStreamEndCapture(stream, &graph), cudaErrorIllegalState);

  OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  EXPECT_CODE(cudaStreamSynchronize(stream), cudaErrorStreamCaptureUnsupported);
  EXPECT_CODE(cudaStreamEndCapture(stream, &graph), cudaErrorStreamCaptureInvalidated);
  EXPECT(graph == nullptr);

  OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  int* a;
  OK(cudaMalloc(&a, 4));
  EXPECT_CODE(cudaMemset(a, 0, 4), cudaErrorStreamCaptureImplicit);
  EXPECT_CODE(cudaStreamEndCapture(stream, &graph), cudaErrorStreamCaptureInvalidated);

  cudaEvent_t event;
  OK(cudaEventCreate(&event));
  OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  OK(cudaEventRecord(event, stream));
  OK(cudaStreamWaitEvent(other, event, 0));
  OK(cudaMemsetAsync(a, 0, 4, other));
  EXPECT_CODE(cudaEventQuery(event), cudaErrorCapturedEvent);
  EXPECT_CODE(cudaStreamEndCapture(other, &graph), cudaErrorStreamCaptureUnmatched);
  EXPECT_CODE(cudaStreamEndCapture(stream, &graph), cudaErrorStreamCaptureUnjoined);
  OK(cudaMemsetAsync(a, 0, 4, other));
  OK(cudaStreamSynchronize(other));
  OK(cudaFree(a));
  (void)cudaGetLastError();
}

static void pools() {
  cudaMemPool_t pool, mine;
  OK(cudaDeviceGetDefaultMemPool(&pool, 0));
  int supported = 0;
  OK(cudaDeviceGetAttribute(&supported, cudaDevAttrMemoryPoolsSupported, 0));
  EXPECT(supported == 1);
  unsigned long long threshold = ~0ull, used = 0;
  OK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &threshold));
  threshold = 0;
  OK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &threshold));
  EXPECT(threshold == ~0ull);
  cudaStream_t stream;
  OK(cudaStreamCreate(&stream));
  int *a, *b;
  OK(cudaMallocAsync(&a, 4096, stream));
  OK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used));
  EXPECT(used == 4096);
  OK(cudaMemsetAsync(a, 1, 4096, stream));
  OK(cudaFreeAsync(a, stream));
  OK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used));
  EXPECT(used == 0);
  OK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemHigh, &used));
  EXPECT(used == 4096);
  cudaMemPoolProps properties{};
  properties.allocType = cudaMemAllocationTypePinned;
  properties.location = {cudaMemLocationTypeDevice, 0};
  OK(cudaMemPoolCreate(&mine, &properties));
  OK(cudaDeviceSetMemPool(0, mine));
  OK(cudaMallocAsync(&a, 100, stream));
  OK(cudaMallocFromPoolAsync(&b, 50, mine, stream));
  OK(cudaMemPoolGetAttribute(mine, cudaMemPoolAttrUsedMemCurrent, &used));
  EXPECT(used == 150);
  OK(cudaFree(a));
  OK(cudaFreeAsync(b, stream));
  OK(cudaMemPoolDestroy(mine));
  EXPECT_CODE(cudaMemPoolDestroy(mine), cudaErrorInvalidValue);
  cudaMemPool_t current;
  OK(cudaDeviceGetMemPool(&current, 0));
  EXPECT(current == pool);

  // Memory that a graph allocates.
  OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  int result = 0;
  OK(cudaMallocAsync(&a, sizeof(int), stream));
  OK(cudaMemsetAsync(a, 0, sizeof(int), stream));
  add<<<1, 32, 0, stream>>>(a, 42, 1);
  OK(cudaMemcpyAsync(&result, a, sizeof(int), cudaMemcpyDeviceToHost, stream));
  OK(cudaFreeAsync(a, stream));
  cudaGraph_t graph;
  OK(cudaStreamEndCapture(stream, &graph));
  cudaGraphExec_t executable;
  OK(cudaGraphInstantiateWithFlags(&executable, graph, 0));
  for (int round = 0; round < 2; ++round) {
    result = 0;
    OK(cudaGraphLaunch(executable, stream));
    EXPECT(result == 42);
  }
  (void)cudaGetLastError();
}

static void hints() {
  char* managed;
  OK(cudaMallocManaged(&managed, 8192));
  int value = 0;
  OK(cudaMemRangeGetAttribute(&value, sizeof value, cudaMemRangeAttributePreferredLocation, managed, 8192));
  EXPECT(value == cudaInvalidDeviceId);
  OK(cudaMemAdvise(managed, 8192, cudaMemAdviseSetPreferredLocation, 0));
  OK(cudaMemAdvise(managed, 4096, cudaMemAdviseSetReadMostly, 0));
  OK(cudaMemPrefetchAsync(managed, 8192, 0));
  OK(cudaMemPrefetchAsync(managed + 4096, 4096, cudaCpuDeviceId));
  const auto ask = [&](cudaMemRangeAttribute attribute, int from, int bytes) {
    int answer = -100;
    OK(cudaMemRangeGetAttribute(&answer, sizeof answer, attribute, managed + from, bytes));
    return answer;
  };
  EXPECT(ask(cudaMemRangeAttributePreferredLocation, 0, 8192) == 0);
  EXPECT(ask(cudaMemRangeAttributeReadMostly, 0, 4096) == 1);
  EXPECT(ask(cudaMemRangeAttributeReadMostly, 0, 8192) == 0);
  EXPECT(ask(cudaMemRangeAttributeLastPrefetchLocation, 0, 4096) == 0);
  EXPECT(ask(cudaMemRangeAttributeLastPrefetchLocation, 4096, 4096) == cudaCpuDeviceId);
  EXPECT(ask(cudaMemRangeAttributeLastPrefetchLocation, 0, 8192) == cudaInvalidDeviceId);
  OK(cudaMemAdvise_v2(managed, 4096, cudaMemAdviseSetAccessedBy, {cudaMemLocationTypeHost, 0}));
  EXPECT(ask(cudaMemRangeAttributeAccessedBy, 0, 4096) == cudaCpuDeviceId);
  EXPECT_CODE(cudaMemPrefetchAsync(managed, 8192, 1), cudaErrorInvalidDevice);
  EXPECT_CODE(cudaMemPrefetchAsync(managed, 8193, 0), cudaErrorInvalidValue);
  OK(cudaFree(managed));
  (void)cudaGetLastError();
}

static void launches_with_attributes() {
  int *a, result = 0;
  OK(cudaMalloc(&a, 4));
  OK(cudaMemset(a, 0, 4));
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeCooperative;
  attribute.val.cooperative = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(1);
  config.blockDim = dim3(32);
  config.attrs = &attribute;
  config.numAttrs = 1;
  OK(cudaLaunchKernelEx(&config, add, a, 11, 1));
  OK(cudaMemcpy(&result, a, 4, cudaMemcpyDeviceToHost));
  EXPECT(result == 11);
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim = {2, 1, 1};
  EXPECT_CODE(cudaLaunchKernelEx(&config, add, a, 11, 1), cudaErrorNotSupported);
  OK(cudaFree(a));
  (void)cudaGetLastError();
}

// Code loaded at run time, in addition to the program's own.
static void libraries() {
  static const char kCode[] =
      ".version 6.4\n.target sm_70\n.address_size 64\n"
      ".visible .global .u32 seed = 40;\n"
      ".visible .entry tell(.param .u64 out) {\n"
      ".reg .b64 %d; .reg .b32 %r; ld.param.u64 %d, [out]; ld.global.u32 %r, [seed];\n"
      "add.u32 %r, %r, 2; st.global.u32 [%d], %r; ret; }\n";
  cudaLibrary_t library;
  OK(cudaLibraryLoadData(&library, kCode, nullptr, nullptr, 0, nullptr, nullptr, 0));
  unsigned count = 0;
  OK(cudaLibraryGetKernelCount(&count, library));
  EXPECT(count == 1);
  cudaKernel_t kernel;
  OK(cudaLibraryGetKernel(&kernel, library, "tell"));
  int *out, result = 0;
  OK(cudaMalloc(&out, 4));
  void* arguments[] = {&out};
  OK(cudaLaunchKernel((const void*)kernel, dim3(1), dim3(1), arguments, 0, nullptr));
  OK(cudaMemcpy(&result, out, 4, cudaMemcpyDeviceToHost));
  EXPECT(result == 42);
  EXPECT_CODE(cudaLibraryGetKernel(&kernel, library, "no such kernel"), cudaErrorSymbolNotFound);
  OK(cudaLibraryUnload(library));
  OK(cudaFree(out));
  (void)cudaGetLastError();
}

static void handles() {
  int *a, *b;
  OK(cudaMalloc(&a, 400));
  cudaIpcMemHandle_t handle;
  OK(cudaIpcGetMemHandle(&handle, a + 10));
  void* opened = nullptr;
  OK(cudaIpcOpenMemHandle(&opened, handle, cudaIpcMemLazyEnablePeerAccess));
  EXPECT(opened == a);
  OK(cudaIpcCloseMemHandle(opened));
  EXPECT_CODE(cudaIpcCloseMemHandle(opened), cudaErrorInvalidValue);
  OK(cudaFree(a));
  OK(cudaMalloc(&b, 400));  // at the same place
  EXPECT_CODE(cudaIpcOpenMemHandle(&opened, handle, 0), cudaErrorMapBufferObjectFailed);
  handle = {};
  EXPECT_CODE(cudaIpcOpenMemHandle(&opened, handle, 0), cudaErrorInvalidValue);
  cudaEvent_t event, same;
  OK(cudaEventCreateWithFlags(&event, cudaEventInterprocess | cudaEventDisableTiming));
  cudaIpcEventHandle_t event_handle;
  OK(cudaIpcGetEventHandle(&event_handle, event));
  OK(cudaIpcOpenEventHandle(&same, event_handle));
  EXPECT(same == event);
  OK(cudaFree(b));
  (void)cudaGetLastError();
}

int main() {
  captured_fork_and_join();
  built_by_hand();
  what_cannot_be_captured();
  pools();
  hints();
  launches_with_attributes();
  libraries();
  handles();
  return finish();
}
