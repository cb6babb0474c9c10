// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "core/json.h"
#include "core/statistics/run_details.h"

namespace heddle {

/// Writes the members `profile` and `spans` of run.json, described in docs/statistics.md.
void write_profile(JsonWriter& out, const RunProfile& profile);
void write_spans(JsonWriter& out, const RunSpans& spans);
/// Writes a source with its lines. One that cannot be read has none; a listing then shows PTX only.
void write_source_file(JsonWriter& out, const std::string& path);

}  // namespace heddle
