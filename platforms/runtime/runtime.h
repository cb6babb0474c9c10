// SPDX-License-Identifier: Apache-2.0
// The state behind the CUDA runtime API, under one lock, and the wrapper every API function runs in.
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <string>
#include <vector>

#include "core/error.h"
#include "cuda_runtime_api.h"
#include "runtime/api_error.h"
#include "runtime/arrays.h"
#include "runtime/device.h"
#include "runtime/earlier_errors.h"
#include "runtime/graphs.h"
#include "runtime/managed_memory.h"
#include "runtime/memory_pools.h"
#include "runtime/modules.h"
#include "runtime/streams.h"

namespace heddle::runtime {

/// A launch configuration pushed by kernel<<<...>>>.
struct CallConfiguration {
  dim3 grid, block;
  std::size_t shared_bytes = 0;
  cudaStream_t stream = nullptr;
};

class Runtime {
 public:
  /// Never destroyed: exit handlers of the program may still call the API.
  static Runtime& instance();

  std::mutex& lock() { return lock_; }

  /// The device, built at first use. A wrong option or configuration ends the process with a message: no program can go
  /// on.
  Device& device();
  bool has_device() const { return device_ != nullptr; }
  ModuleSite site();

  ModuleTable& modules() { return modules_; }
  StreamTable& streams() { return streams_; }
  ArrayTable& arrays() { return arrays_; }
  GraphTable& graphs() { return graphs_; }
  PoolTable& pools() { return pools_; }
  ManagedHints& hints() { return hints_; }
  /// Throws ApiError unless there is such a stream and a call on it may be done now. True: it captures.
  bool captures(cudaStream_t stream);

  /// An error after which every call fails with the same code, until the device is reset.
  cudaError_t sticky() const { return sticky_; }
  /// Turns what a kernel or a load failed with into a code, says it once, and remembers it where CUDA would. Ends the
  /// process where no code can tell the program (a machine without progress, a reached limit, an interrupt).
  cudaError_t failed(const Error& error);
  /// What nobody expected to be thrown must not pass through the program either: says it.
  cudaError_t broken(const std::exception& error);
  /// A launch that was not made: says why. It is missing in the results. silent: the program learns of it only by
  /// asking.
  void refused(ExitCode code, const std::string& message, bool silent = true);
  /// Runs a kernel to its end. Throws heddle::Error.
  void launch(gpu::LaunchRequest request);
  /// Runs what the host waits for: prints what kernels printed.
  void synchronize();
  void reset();

  std::map<std::uint64_t, unsigned> host_flags;  ///< flags of page-locked and registered host memory, by address

  EarlierErrors earlier_errors;  ///< of calls, for the message of a wild access

  std::uint64_t stack_bytes = 1024;  ///< room a thread for frames of recursive functions; binds kernels lowered later
  // What the program set and may ask for again; it has no effect on the model.
  unsigned device_flags = 0;
  cudaFuncCache cache_config = cudaFuncCachePreferNone;

  /// The exit status the run ends with when the program itself ends with 0 although a kernel failed, unless it asked
  /// about the error; 0 when none did.
  int exit_status() const { return exit_status_; }
  /// The program asked about an error: what it makes of a failed kernel is its own affair.
  void error_was_seen() {
    exit_status_ = 0;
    earlier_errors.seen();
  }
  /// Writes results and the closing line, once. Nothing runs on the device after it.
  void finish();
  /// finish() because a signal asks the process to end, which it does next.
  void interrupted(int signal);
  bool ending() const { return ending_; }

 private:
  Runtime() = default;
  [[noreturn]] void stop(const Error& error);
  void report_check();

  std::mutex lock_;
  std::unique_ptr<Device> device_;
  ModuleTable modules_;
  StreamTable streams_;
  ArrayTable arrays_;
  GraphTable graphs_;
  PoolTable pools_;
  ManagedHints hints_;
  cudaError_t sticky_ = cudaSuccess;
  int exit_status_ = 0;
  std::string why_incomplete_;  ///< the message of the first error that spoilt the run
  bool finished_ = false;
  std::atomic<bool> ending_ = false;
};

/// The last error of the calling thread.
cudaError_t& last_error();
/// Launch configurations of the calling thread.
std::vector<CallConfiguration>& call_configurations();

/// Runs the body of an API function under the lock. Its result, or what it throws, is returned and remembered for
/// cudaGetLastError. After a sticky error the body does not run. `call`: the API function, which calls this.
template <typename Body>
cudaError_t api(Body&& body, const char* call = __builtin_FUNCTION()) {
  Runtime& runtime = Runtime::instance();
  const std::lock_guard guard(runtime.lock());
  cudaError_t code = runtime.sticky();
  if (code == cudaSuccess) {
    try {
      body(runtime);
    } catch (const ApiError& error) {
      code = error.code();
      runtime.earlier_errors.note(call, code, error.detail());
    } catch (const Error& error) {
      code = runtime.failed(error);
    } catch (const std::bad_alloc&) {
      code = cudaErrorMemoryAllocation;
      runtime.earlier_errors.note(call, code, {});
    } catch (const std::exception& error) {
      code = runtime.broken(error);
    }
  }
  if (code != cudaSuccess) last_error() = code;
  return code;
}

/// A call on a stream: `body(runtime)` does it, or while the stream captures `work(runtime)` says what is added to the
/// graph. `call` as above.
template <typename MakeWork, typename Body>
cudaError_t on_stream(cudaStream_t stream, MakeWork&& work, Body&& body, const char* call = __builtin_FUNCTION()) {
  return api(
      [&](Runtime& runtime) {
        if (runtime.captures(stream)) {
          runtime.graphs().record(stream, work(runtime));
        } else {
          body(runtime);
        }
      },
      call);
}

}  // namespace heddle::runtime
