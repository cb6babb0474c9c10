// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/json.h"
#include "core/statistics/run_locality.h"

namespace heddle {

/// Writes the member `locality` of run.json, described in docs/locality.md.
void write_locality(JsonWriter& out, const RunLocality& locality);

}  // namespace heddle
