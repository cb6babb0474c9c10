// SPDX-License-Identifier: Apache-2.0
// The state of the CUDA runtime API, guarded by one lock, and the wrapper around every API function.
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

inline std::uint64_t address_of(const void* pointer) { return reinterpret_cast<std::uint64_t>(pointer); }

/// A launch configuration pushed by kernel<<<...>>>.
struct CallConfiguration {
  dim3 grid, block;
  std::size_t shared_bytes = 0;
  cudaStream_t stream = nullptr;
};

class Runtime {
 public:
  /// Never destroyed, as exit handlers of the program may still call the API.
  static Runtime& instance();

  std::mutex& lock() { return lock_; }

  /// The device, built on first use. An invalid option or configuration ends the process with a message.
  Device& device();
  bool has_device() const { return device_ != nullptr; }
  ModuleSite site();

  ModuleTable& modules() { return modules_; }
  StreamTable& streams() { return streams_; }
  ArrayTable& arrays() { return arrays_; }
  GraphTable& graphs() { return graphs_; }
  PoolTable& pools() { return pools_; }
  ManagedHints& hints() { return hints_; }
  /// Whether the stream is capturing. Throws ApiError when it does not exist or a call on it is not allowed at this
  /// point.
  bool captures(cudaStream_t stream);

  /// An error after which every call fails with the same code, until the device is reset.
  cudaError_t sticky() const { return sticky_; }
  /// Reports the failure of a kernel or load once, converts it to an error code, and makes it sticky where CUDA does.
  /// Ends the process for failures without a code (no progress, a limit reached, an interrupt).
  cudaError_t failed(const Error& error);
  /// Reports an unexpected exception, which must not propagate into the program.
  cudaError_t broken(const std::exception& error);
  /// Reports a refused launch, which does not appear in results. silent: the program learns of it only by asking.
  void refused(ExitCode code, const std::string& message, bool silent = true);
  /// Runs a kernel to completion. Throws heddle::Error.
  void launch(gpu::LaunchRequest request);
  /// Called when the host synchronises: prints kernel output.
  void synchronize();
  void reset();

  std::map<std::uint64_t, unsigned> host_flags;  ///< flags of page-locked and registered host memory, by address

  EarlierErrors earlier_errors;  ///< of API calls, for messages about wild accesses

  std::uint64_t stack_bytes =
      1024;  ///< per thread, for frames of recursive functions; applies to kernels lowered later
  // Settings the program may query; no effect on the model.
  unsigned device_flags = 0;
  cudaFuncCache cache_config = cudaFuncCachePreferNone;

  /// The exit status to use if a kernel failed but the program exits with 0 without having asked about the error; 0
  /// when none failed.
  int exit_status() const { return exit_status_; }
  /// The program asked about an error, so handling a failed kernel is up to it.
  void error_was_seen() {
    exit_status_ = 0;
    earlier_errors.seen();
  }
  /// Writes results and the closing line, once. Nothing runs on the device afterwards.
  void finish();
  /// finish() for a terminating signal, after which the process ends.
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
  std::string why_incomplete_;  ///< message of the first error that made the run incomplete
  bool finished_ = false;
  std::atomic<bool> ending_ = false;
};

/// The last error of the calling thread.
cudaError_t& last_error();
/// Launch configurations of the calling thread.
std::vector<CallConfiguration>& call_configurations();

/// Runs the body of an API function under the lock. Its result or exception becomes the return value and is recorded
/// for cudaGetLastError. After a sticky error the body does not run. `call`: name of the calling API function.
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

/// Runs a stream call: executes `body(runtime)` or, if the stream is capturing, adds `work(runtime)` to the graph.
/// `call` as above.
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
