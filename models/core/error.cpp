// SPDX-License-Identifier: Apache-2.0
#include "core/error.h"

namespace heddle {

const char* name_of(ExitCode code) {
  switch (code) {
    case ExitCode::usage:
      return "usage";
    case ExitCode::configuration:
      return "configuration";
    case ExitCode::ptx:
      return "PTX";
    case ExitCode::launch:
      return "launch";
    case ExitCode::memory_fault:
      return "memory fault";
    case ExitCode::no_progress:
      return "no progress";
    case ExitCode::limit:
      return "limit reached";
    case ExitCode::io:
      return "input or output";
    case ExitCode::internal:
      return "internal";
    case ExitCode::kernel_fault:
      return "kernel fault";
    case ExitCode::hazard:
      return "hazard";
    case ExitCode::difference:
      return "difference";
    case ExitCode::interrupted:
      return "interrupted";
  }
  return "unknown";
}

}  // namespace heddle
