// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/json.h"
#include "core/run_details.h"

namespace heddle {

/// The members `profile` and `spans` of run.json; docs/statistics.md says what is in them.
void write_profile(JsonWriter& out, const RunProfile& profile);
void write_spans(JsonWriter& out, const RunSpans& spans);

}  // namespace heddle
