// SPDX-License-Identifier: Apache-2.0
#include "runtime/streams.h"

#include <algorithm>

#include "runtime/runtime.h"

namespace heddle::runtime {

namespace {

bool is_default(cudaStream_t stream) {
  return stream == nullptr || stream == cudaStreamLegacy || stream == cudaStreamPerThread;
}

}  // namespace

cudaStream_t StreamTable::create(unsigned flags, int priority) {
  auto* stream = new CUstream_st{next_++, flags, std::clamp(priority, kGreatestPriority, kLeastPriority)};
  streams_.insert(stream);
  return stream;
}

void StreamTable::destroy(cudaStream_t stream) {
  streams_.erase(stream);
  delete stream;
}

bool StreamTable::valid(cudaStream_t stream) const { return is_default(stream) || streams_.count(stream) != 0; }

std::uint64_t StreamTable::id(cudaStream_t stream) const { return properties(stream).id; }

const CUstream_st& StreamTable::properties(cudaStream_t stream) const {
  static const CUstream_st default_stream;
  return is_default(stream) ? default_stream : *stream;
}

cudaEvent_t StreamTable::create_event(unsigned flags) {
  auto* event = new CUevent_st;
  event->flags = flags;
  events_.insert(event);
  return event;
}

void StreamTable::destroy_event(cudaEvent_t event) {
  events_.erase(event);
  delete event;
}

void StreamTable::clear() {
  while (!streams_.empty()) destroy(*streams_.begin());
  while (!events_.empty()) destroy_event(*events_.begin());
}

}  // namespace heddle::runtime

using heddle::runtime::api;
using heddle::runtime::on_stream;
using heddle::runtime::require;
using heddle::runtime::Runtime;
using heddle::runtime::StreamTable;

namespace {

/// A capturing stream executes nothing that could be waited for or queried.
void check_not_captured(Runtime& runtime, cudaStream_t stream) {
  if (!runtime.captures(stream)) return;
  runtime.graphs().capture_of(stream)->broken = true;
  throw heddle::runtime::ApiError(cudaErrorStreamCaptureUnsupported);
}

/// An event recorded in a capture never completes.
void check_event(Runtime& runtime, cudaEvent_t event) {
  require(runtime.streams().valid_event(event), cudaErrorInvalidResourceHandle);
  require(!runtime.graphs().captured(event), cudaErrorCapturedEvent);
}

}  // namespace

// -- streams

cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned flags, int priority) {
  return api([&](Runtime& runtime) {
    require(stream != nullptr && (flags & ~cudaStreamNonBlocking) == 0, cudaErrorInvalidValue);
    runtime.device();
    *stream = runtime.streams().create(flags, priority);
  });
}

cudaError_t cudaStreamCreate(cudaStream_t* stream) {
  return cudaStreamCreateWithPriority(stream, cudaStreamDefault, 0);
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
  return cudaStreamCreateWithPriority(stream, flags, 0);
}

cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  return api([&](Runtime& runtime) {
    require(runtime.streams().valid(stream) && runtime.streams().id(stream) != 0, cudaErrorInvalidResourceHandle);
    require(runtime.graphs().capture_of(stream) == nullptr, cudaErrorStreamCaptureUnsupported);
    runtime.streams().destroy(stream);
  });
}

cudaError_t cudaStreamGetPriority(cudaStream_t stream, int* priority) {
  return api([&](Runtime& runtime) {
    require(runtime.streams().valid(stream), cudaErrorInvalidResourceHandle);
    require(priority != nullptr, cudaErrorInvalidValue);
    *priority = runtime.streams().properties(stream).priority;
  });
}

cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned* flags) {
  return api([&](Runtime& runtime) {
    require(runtime.streams().valid(stream), cudaErrorInvalidResourceHandle);
    require(flags != nullptr, cudaErrorInvalidValue);
    *flags = runtime.streams().properties(stream).flags;
  });
}

cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  return api([&](Runtime&) {
    if (least != nullptr) *least = StreamTable::kLeastPriority;
    if (greatest != nullptr) *greatest = StreamTable::kGreatestPriority;
  });
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  return api([&](Runtime& runtime) {
    check_not_captured(runtime, stream);
    runtime.synchronize();
  });
}

cudaError_t cudaStreamQuery(cudaStream_t stream) {
  return api([&](Runtime& runtime) { check_not_captured(runtime, stream); });
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags) {
  return api([&](Runtime& runtime) {
    require(runtime.streams().valid(stream) && runtime.streams().valid_event(event), cudaErrorInvalidResourceHandle);
    require((flags & ~cudaEventWaitExternal) == 0, cudaErrorInvalidValue);
    if (flags == cudaEventWaitExternal && runtime.captures(stream)) {
      runtime.graphs().record(stream, heddle::runtime::WaitWork{event});
    } else {
      runtime.graphs().wait_event(stream, event);
    }
  });
}

cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, void*, std::size_t, unsigned) {
  return api([&](Runtime& runtime) { require(runtime.streams().valid(stream), cudaErrorInvalidResourceHandle); });
}

cudaError_t cudaStreamSetAttribute(cudaStream_t stream, cudaStreamAttrID, const cudaStreamAttrValue* value) {
  return api([&](Runtime& runtime) {
    require(runtime.streams().valid(stream), cudaErrorInvalidResourceHandle);
    require(value != nullptr, cudaErrorInvalidValue);
  });
}

cudaError_t cudaStreamGetAttribute(cudaStream_t stream, cudaStreamAttrID, cudaStreamAttrValue* value) {
  return api([&](Runtime& runtime) {
    require(runtime.streams().valid(stream), cudaErrorInvalidResourceHandle);
    require(value != nullptr, cudaErrorInvalidValue);
    *value = {};
  });
}

// Host functions run without the lock, since they may wait for another host thread that calls the API.
cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback, void* data, unsigned flags) {
  const cudaError_t code = api([&](Runtime& runtime) {
    check_not_captured(runtime, stream);
    require(callback != nullptr && flags == 0, cudaErrorInvalidValue);
    runtime.synchronize();
  });
  if (code == cudaSuccess) callback(stream, cudaSuccess, data);
  return code;
}

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void* data) {
  bool now = false;
  const cudaError_t code = on_stream(
      stream,
      [&](Runtime&) {
        require(function != nullptr, cudaErrorInvalidValue);
        return heddle::runtime::HostWork{{function, data}};
      },
      [&](Runtime& runtime) {
        require(function != nullptr, cudaErrorInvalidValue);
        runtime.synchronize();
        now = true;
      });
  if (now) function(data);
  return code;
}

// -- events

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags) {
  return api([&](Runtime& runtime) {
    constexpr unsigned kKnown = cudaEventBlockingSync | cudaEventDisableTiming | cudaEventInterprocess;
    require(event != nullptr && (flags & ~kKnown) == 0, cudaErrorInvalidValue);
    runtime.device();
    *event = runtime.streams().create_event(flags);
  });
}

cudaError_t cudaEventCreate(cudaEvent_t* event) { return cudaEventCreateWithFlags(event, cudaEventDefault); }

cudaError_t cudaEventDestroy(cudaEvent_t event) {
  return api([&](Runtime& runtime) {
    require(runtime.streams().valid_event(event), cudaErrorInvalidResourceHandle);
    runtime.graphs().forget_event(event);
    runtime.streams().destroy_event(event);
  });
}

namespace {

/// `call`: the API function, for messages.
cudaError_t record(cudaEvent_t event, cudaStream_t stream, unsigned flags, const char* call = __builtin_FUNCTION()) {
  return api(
      [&](Runtime& runtime) {
        require(runtime.streams().valid_event(event) && runtime.streams().valid(stream),
                cudaErrorInvalidResourceHandle);
        require((flags & ~cudaEventRecordExternal) == 0, cudaErrorInvalidValue);
        if (runtime.captures(stream)) {
          if (flags == cudaEventRecordExternal) {
            runtime.graphs().record(stream, heddle::runtime::RecordWork{event});
          } else {
            runtime.graphs().record_event(stream, event);
          }
          return;
        }
        runtime.graphs().forget_event(event);
        event->recorded = true;
        event->seconds = runtime.device().now();
      },
      call);
}

}  // namespace

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  return record(event, stream, cudaEventRecordDefault);
}

cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned flags) {
  return record(event, stream, flags);
}

cudaError_t cudaEventQuery(cudaEvent_t event) {
  return api([&](Runtime& runtime) { check_event(runtime, event); });
}

cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  return api([&](Runtime& runtime) {
    check_event(runtime, event);
    runtime.synchronize();
  });
}

cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t end) {
  return api([&](Runtime& runtime) {
    require(milliseconds != nullptr, cudaErrorInvalidValue);
    for (cudaEvent_t event : {start, end}) {
      check_event(runtime, event);
      require(event->recorded && (event->flags & cudaEventDisableTiming) == 0, cudaErrorInvalidResourceHandle);
    }
    *milliseconds = static_cast<float>((end->seconds - start->seconds) * 1e3);
  });
}
