// SPDX-License-Identifier: Apache-2.0
#include "runtime/runtime.h"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "isa/fault.h"
#include "runtime/messages.h"
#include "runtime/progress.h"
#include "runtime/results.h"
#include "runtime/signal_watch.h"

namespace heddle::runtime {
namespace {

/// Handles a terminating signal. If a kernel is running, it holds the lock; it stops and ends the process itself.
void on_interrupt(int signal) {
  Runtime& runtime = Runtime::instance();
  const std::lock_guard guard(runtime.lock());
  runtime.interrupted(signal);
}

/// What to type to see what limits the run: the command as the user called it, and the folder as seen from the user's
/// shell, which the program may have left.
std::string compare_command(const std::string& output) {
  const auto variable = [](const char* name) -> std::string {
    const char* value = std::getenv(name);
    return value != nullptr ? value : "";
  };
  const std::string called = variable("HEDDLE_CALLED_AS");
  const std::string near = std::filesystem::path(output).lexically_relative(variable("PWD")).string();
  return fmt::format("{} compare {}", called.empty() ? "heddle" : called,
                     near.empty() || near.starts_with("..") ? output : near);
}

/// Runs after the program's exit handlers, because it was registered before main.
void at_exit(int status, void*) {
  Runtime& runtime = Runtime::instance();
  // A thread that was interrupted inside a call and then exits still holds the lock; continue without it.
  std::unique_lock guard(runtime.lock(), std::try_to_lock);
  while (!guard.owns_lock() && runtime.ending()) pause();
  runtime.finish();
  if (status != 0 || runtime.exit_status() == 0) return;
  // The program ignored its errors, so report them in the exit status.
  std::fflush(nullptr);
  _exit(runtime.exit_status());
}

__attribute__((constructor)) void register_exit() { on_exit(at_exit, nullptr); }

}  // namespace

Runtime& Runtime::instance() {
  static auto& runtime = *new Runtime;
  return runtime;
}

Device& Runtime::device() {
  if (device_ == nullptr) {
    try {
      const Options options = options_from_environment();
      // `heddle run` has checked this, but another program of the same script may have written since.
      check_outputs(options, "HEDDLE_FORCE=1");
      device_ = std::make_unique<Device>(options);
      device_->port().on_astray([this] { return earlier_errors.sentence(); });
      watch_signals(on_interrupt);
    } catch (const Error& error) {
      stop(error);
    }
  }
  return *device_;
}

ModuleSite Runtime::site() { return {device().memory(), device().port().textures(), device().limits(), stack_bytes}; }

bool Runtime::captures(cudaStream_t stream) {
  require(streams_.valid(stream), cudaErrorInvalidResourceHandle);
  if (!graphs_.any_capture()) return false;
  if (graphs_.capture_of(stream) != nullptr) return true;
  // The legacy stream waits for every stream that did not opt out, but a capturing stream cannot be waited for.
  if (stream == nullptr || stream == cudaStreamLegacy)
    require(!graphs_.break_captures(
                [this](cudaStream_t one) { return (streams_.properties(one).flags & cudaStreamNonBlocking) == 0; }),
            cudaErrorStreamCaptureImplicit);
  return false;
}

void Runtime::launch(gpu::LaunchRequest request) {
  device().port().printf_buffer().flush(stdout);
  device().launch(std::move(request));
}

cudaError_t Runtime::failed(const Error& error) {
  const auto sticky = [&](cudaError_t code) {
    if (exit_status_ == 0) exit_status_ = static_cast<int>(error.code());
    // Show kernel output from before the fault.
    if (device_ != nullptr) device_->port().printf_buffer().flush(stdout);
    say_error(error.what());
    if (why_incomplete_.empty()) why_incomplete_ = error.what();
    return sticky_ = code;
  };
  switch (error.code()) {
    case ExitCode::memory_fault: {
      const auto* fault = dynamic_cast<const isa::MemoryFault*>(&error);
      const bool misaligned = fault != nullptr && fault->kind() == isa::AccessFault::misaligned;
      return sticky(misaligned ? cudaErrorMisalignedAddress : cudaErrorIllegalAddress);
    }
    case ExitCode::kernel_fault: {
      const auto* fault = dynamic_cast<const isa::KernelFault*>(&error);
      const bool assertion = fault != nullptr && fault->kind() == isa::FaultKind::assertion;
      return sticky(assertion ? cudaErrorAssert : cudaErrorLaunchFailure);
    }
    case ExitCode::ptx:
      refused(error.code(), error.what());
      return cudaErrorInvalidPtx;
    case ExitCode::launch: {
      refused(error.code(), error.what());
      const bool unusable = dynamic_cast<const gpu::UnusableMachine*>(&error) != nullptr;
      return unusable ? cudaErrorUnknown : cudaErrorLaunchOutOfResources;
    }
    default:
      stop(error);
  }
}

cudaError_t Runtime::broken(const std::exception& error) {
  refused(ExitCode::internal,
          fmt::format("a CUDA runtime call failed because of an error in the model: {}", error.what()));
  return cudaErrorUnknown;
}

void Runtime::refused(ExitCode code, const std::string& message, bool silent) {
  if (silent && exit_status_ == 0) exit_status_ = static_cast<int>(code);
  say_error(message);
  if (why_incomplete_.empty()) why_incomplete_ = message;
}

void Runtime::interrupted(int signal) {
  ending_ = true;
  const std::string message =
      fmt::format("interrupted by signal {} ({}) while no kernel ran", signal, sigabbrev_np(signal));
  say_error(message);
  if (why_incomplete_.empty()) why_incomplete_ = message;
  finish();
}

void Runtime::stop(const Error& error) {
  if (device_ != nullptr) device_->port().printf_buffer().flush(stdout);
  say_error(error.what());
  if (why_incomplete_.empty()) why_incomplete_ = error.what();
  finish();
  std::fflush(nullptr);
  _exit(static_cast<int>(error.code()));
}

void Runtime::synchronize() {
  if (device_ != nullptr) device_->port().printf_buffer().flush(stdout);
}

void Runtime::reset() {
  synchronize();
  sticky_ = cudaSuccess;
  exit_status_ = 0;
  earlier_errors.clear();
  streams_.clear();
  arrays_.clear();
  graphs_.clear();
  pools_.clear();
  hints_.clear();
  modules_.unload_all();
  host_flags.clear();
  if (device_ != nullptr) device_->reset();
}

void Runtime::finish() {
  if (finished_ || device_ == nullptr) return;
  finished_ = true;
  PrintfBuffer& waiting = device_->port().printf_buffer();
  if (!waiting.empty()) {
    say_note(
        fmt::format("{} bytes of kernel output were never shown: as on a GPU, it appears when the host synchronises "
                    "(cudaDeviceSynchronize)",
                    waiting.bytes()));
  }
  const RunResults results = write_results(*device_, modules_, why_incomplete_);
  if (exit_status_ == 0) exit_status_ = results.status;
  if (device_->options().check) report_check();
  if (device_->options().quiet) return;
  std::fflush(stdout);
  if (device_->totals().launches != 0)
    fmt::print(stderr, "heddle: {}\n", closing_line(device_->totals(), device_->limits().name));
  if (why_incomplete_.empty()) {
    if (const std::string agreed = lockstep_line(device_->services().statistics); !agreed.empty())
      fmt::print(stderr, "heddle: {}\n", agreed);
  }
  if (!results.files.empty()) fmt::print(stderr, "heddle: {}\n", written_text(results.files));
  if (results.written && device_->totals().timed != 0)
    fmt::print(stderr, "heddle: what limits it: {}\n", compare_command(device_->options().output));
}

void Runtime::report_check() {
  const std::vector<gpu::Hazard>& hazards = device_->hazards();
  std::vector<std::string> races, early, harmless;
  for (const gpu::Race& race : device_->races())
    (race.harmless ? harmless : race.in_flight ? early : races).push_back(race.text());
  static constexpr std::size_t kMost = 10;
  const auto tell = [](std::size_t count, const char* what, const auto& say, const auto& text) {
    for (std::size_t i = 0; i < std::min(kMost, count); ++i) say(text(i));
    if (count > kMost) say_note(fmt::format("{} more {} are not shown", count - kMost, what));
  };
  tell(hazards.size(), "hazards", say_error, [&](std::size_t i) { return hazards[i].text(); });
  tell(races.size(), "races", say_error, [&](std::size_t i) { return races[i]; });
  tell(early.size(), "accesses before a copy is complete", say_error, [&](std::size_t i) { return early[i]; });
  tell(harmless.size(), "races of equal values", say_note, [&](std::size_t i) { return harmless[i]; });
  if (hazards.empty() && races.empty() && early.empty()) {
    say_note(fmt::format("no hazard between threads of a warp and no race in {} memory in {} launch{}{}",
                         device_->options().check_global ? "shared or global" : "shared", device_->totals().launches,
                         device_->totals().launches == 1 ? "" : "es",
                         device_->options().check_global ? "" : " (global memory not checked: --global)"));
    return;
  }
  const auto pairs = [](std::size_t count) {
    return count == 1 ? std::string("1 pair of accesses") : fmt::format("{} pairs of accesses", count);
  };
  if (!hazards.empty()) {
    say_error(
        fmt::format("{} in this program depend{} on threads of a warp running in lock step: order them with "
                    "__syncwarp(), __syncthreads() or an atomic operation",
                    pairs(hazards.size()), hazards.size() == 1 ? "s" : ""));
  }
  if (!races.empty()) {
    say_error(
        fmt::format("{} of different warps race{}: order them with __syncthreads(), or with an atomic operation or "
                    "volatile flag with __threadfence() on both sides",
                    pairs(races.size()), races.size() == 1 ? "s" : ""));
  }
  if (!early.empty()) {
    say_error(fmt::format("{} come{} before the completion of a copy to shared memory that was not waited for",
                          pairs(early.size()), early.size() == 1 ? "s" : ""));
  }
  exit_status_ = static_cast<int>(ExitCode::hazard);
}

cudaError_t& last_error() {
  thread_local cudaError_t error = cudaSuccess;
  return error;
}

std::vector<CallConfiguration>& call_configurations() {
  thread_local std::vector<CallConfiguration> configurations;
  return configurations;
}

}  // namespace heddle::runtime

cudaError_t cudaGetLastError() {
  using namespace heddle::runtime;
  const cudaError_t code = cudaPeekAtLastError();
  last_error() = cudaSuccess;
  return code;
}

cudaError_t cudaPeekAtLastError() {
  using namespace heddle::runtime;
  const std::lock_guard guard(Runtime::instance().lock());
  Runtime& runtime = Runtime::instance();
  const cudaError_t code = runtime.sticky() != cudaSuccess ? runtime.sticky() : last_error();
  if (code != cudaSuccess) runtime.error_was_seen();
  return code;
}
