// SPDX-License-Identifier: Apache-2.0
// Packed format of runs in the page: members not shown are omitted, and numeric tables become binary columns, so that
// neither this program nor the browser stores one object per number.
//
//   8 bytes   length of the JSON text, least significant byte first
//   n bytes   {"heddle": version, "parameters": {path: [unit, sentence]}, "runs": [{"label": ..., "file": ..., "run":
//   {...}}]},
//             padded to 8 bytes with blanks
//   the rest  columns, each from a multiple of 8 bytes on
//
// A table {"columns": [names], "rows": [[numbers]]} (the time series, the spans) becomes {"columns": [names], "table":
// {"rows": n, "data": [["u8" | "u16" | "u32" | "f64", offset], ...]}}, one offset per column, in bytes from the first
// column; least significant byte first.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::report {

/// One run in packed form.
struct PackedRun {
  std::filesystem::path file;
  std::string json;              ///< the run's object, on one line
  std::string machine, program;  ///< from its identity; empty if absent
  std::vector<std::string> arguments;
};

/// Packs the text of a run.json. Appends columns to `columns`, shared by all runs of a page. Throws
/// Error(kConfiguration) with the line for malformed text and for input that is not a run result; Error(kIo) when the
/// schema is newer than this program's.
PackedRun pack_run(const std::filesystem::path& file, std::string_view text, std::string& columns);

/// Reads a run.json, given its path or its folder. Throws Error(kIo) when it cannot be read, and as above.
PackedRun read_packed_run(const std::filesystem::path& file, std::string& columns);

/// Unique labels for the runs of a page: the machine; plus program and arguments where these differ; then the folder,
/// and finally a number.
std::vector<std::string> distinct_labels(const std::vector<PackedRun>& runs);

/// Data of the page besides the runs.
struct PageFacts {
  std::string version;            ///< of this program
  std::string parameters = "{}";  ///< JSON object: unit and description by parameter path
};

/// Builds the layout above. labels: one per run.
std::string payload(const std::vector<PackedRun>& runs, const std::vector<std::string>& labels, const PageFacts& facts,
                    std::string_view columns);

}  // namespace heddle::report
