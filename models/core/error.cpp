// SPDX-License-Identifier: Apache-2.0
#include "core/error.h"

namespace heddle {

const char* name_of(ExitCode code) {
  switch (code) {
    case ExitCode::kUsage:
      return "usage";
    case ExitCode::kConfiguration:
      return "configuration";
    case ExitCode::kPtx:
      return "PTX";
    case ExitCode::kLaunch:
      return "launch";
    case ExitCode::kMemoryFault:
      return "memory fault";
    case ExitCode::kNoProgress:
      return "no progress";
    case ExitCode::kLimit:
      return "limit reached";
    case ExitCode::kIo:
      return "input or output";
    case ExitCode::kInternal:
      return "internal";
    case ExitCode::kKernelFault:
      return "kernel fault";
    case ExitCode::kHazard:
      return "hazard";
    case ExitCode::kDifference:
      return "difference";
    case ExitCode::kInterrupted:
      return "interrupted";
  }
  return "unknown";
}

}  // namespace heddle
