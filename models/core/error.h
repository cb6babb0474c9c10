// SPDX-License-Identifier: Apache-2.0
// Errors a user can cause or must know of. Everything thrown on purpose is a heddle::Error; its exit code tells the
// kind.
#pragma once

#include <fmt/core.h>

#include <stdexcept>
#include <string>
#include <utility>

namespace heddle {

/// Process exit status of a run the model itself ended. A program that ends by itself keeps its own status.
enum class ExitCode : int {
  kUsage = 2,            ///< wrong command line
  kConfiguration = 100,  ///< wrong key or value in a machine description
  kPtx = 101,            ///< malformed or unsupported PTX
  kLaunch = 102,         ///< a launch the machine cannot hold
  kMemoryFault = 103,    ///< out-of-bounds or misaligned access
  kNoProgress = 104,     ///< deadlock, live lock, divergent barrier
  kLimit = 105,          ///< --max-cycles or --max-instructions reached
  kIo = 106,             ///< a file could not be read or written
  kInternal = 107,       ///< a broken invariant of the model
  kKernelFault = 108,    ///< a kernel executed trap or failed an assertion
  kHazard = 109,         ///< heddle check found what depends on lock step
  kDifference = 110,     ///< a block of RTL and its model differ
  kInterrupted = 130,    ///< SIGINT
};

/// The kind in a word or two, for messages and run.json.
const char* name_of(ExitCode code);

/// One message: what happened, where, and what to do about it.
class Error : public std::runtime_error {
 public:
  Error(ExitCode code, const std::string& message) : std::runtime_error(message), code_(code) {}
  ExitCode code() const noexcept { return code_; }

 private:
  ExitCode code_;
};

/// Throws an Error whose text is formatted by fmt.
template <typename... Args>
[[noreturn, gnu::cold, gnu::noinline]] void fail(ExitCode code, fmt::format_string<Args...> format, Args&&... args) {
  throw Error(code, fmt::format(format, std::forward<Args>(args)...));
}

}  // namespace heddle
