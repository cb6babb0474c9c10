// SPDX-License-Identifier: Apache-2.0
// Errors reported to the user. Every deliberate throw is a heddle::Error, whose exit code gives the kind.
#pragma once

#include <fmt/core.h>

#include <stdexcept>
#include <string>
#include <utility>

namespace heddle {

/// Process exit status when the model ends a run. A program that ends normally keeps its own status.
enum class ExitCode : int {
  usage = 2,            ///< wrong command line
  configuration = 100,  ///< wrong key or value in a machine description
  ptx = 101,            ///< malformed or unsupported PTX
  launch = 102,         ///< a launch the machine cannot hold
  memory_fault = 103,   ///< out-of-bounds or misaligned access
  no_progress = 104,    ///< deadlock, live lock, divergent barrier
  limit = 105,          ///< --max-cycles or --max-instructions reached
  io = 106,             ///< a file could not be read or written
  internal = 107,       ///< a broken invariant of the model
  kernel_fault = 108,   ///< a kernel executed trap or failed an assertion
  hazard = 109,         ///< heddle check found code that depends on lock-step execution
  difference = 110,     ///< an RTL block and its model disagree
  interrupted = 130,    ///< SIGINT
};

/// Short name of the kind, for messages and run.json.
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
