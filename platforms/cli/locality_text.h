// SPDX-License-Identifier: Apache-2.0
// The locality of a run's kernels as text, from the member `locality` of a run.json.
#pragma once

#include <string>

#include "core/json.h"

namespace heddle::cli {

struct LocalityListing {
  std::string kernels = "*";  ///< name patterns
  unsigned loads = 12;        ///< per kernel, those with the most misses; 0: all
};

/// locality: as written by write_locality(). Throws Error(kUsage) when no kernel matches.
std::string locality_text(const JsonNode& locality, const LocalityListing& listing);
/// The same for a whole run.json. Throws Error(kUsage) when it has no such member.
std::string run_locality_text(const JsonNode& run, const LocalityListing& listing);

}  // namespace heddle::cli
