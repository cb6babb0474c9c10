// SPDX-License-Identifier: Apache-2.0
// Listings of kernels with what every instruction did, from the profile in a run.json.
#pragma once

#include <string>

#include "core/json.h"

namespace heddle::cli {

struct AnnotationRequest {
  std::string kernels = "*";  ///< patterns of names
  bool source = true;         ///< by lines of the CUDA source, each with its PTX; else PTX in the order of its file
  bool instructions = true;   ///< with source: the PTX below each line
  unsigned hottest = 0;       ///< only so many lines (instructions), those with most stall cycles; 0: all
};

/// run: the content of a run.json. Throws Error(kUsage) when it has no profile or no kernel matches.
std::string annotate(const JsonNode& run, const AnnotationRequest& request);

}  // namespace heddle::cli
