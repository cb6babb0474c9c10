// SPDX-License-Identifier: Apache-2.0
// Listings of kernels with per-instruction statistics from the profile in a run.json.
#pragma once

#include <string>

#include "core/json.h"

namespace heddle::cli {

struct AnnotationRequest {
  std::string kernels = "*";  ///< name patterns
  bool source = true;         ///< by CUDA source line with its PTX; else in PTX file order
  bool instructions = true;   ///< with source: the PTX below each line
  unsigned hottest = 0;       ///< only this many lines (instructions), those with the most stall cycles; 0: all
};

/// run: the content of a run.json. Throws Error(kUsage) when it has no profile or no kernel matches.
std::string annotate(const JsonNode& run, const AnnotationRequest& request);

/// The `most` lines (without source lines: instructions) at which warps waited most, over all kernels, as a table with
/// a title; a sentence instead if the run has no profile.
std::string busiest_lines(const JsonNode& run, unsigned most);

}  // namespace heddle::cli
