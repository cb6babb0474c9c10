// SPDX-License-Identifier: Apache-2.0
// Runs as the page carries them: what it does not show is left out, and tables of numbers are columns of binary data,
// so that neither this program nor the browser keeps a value a number.
//
//   8 bytes   length of the JSON text, least significant byte first
//   n bytes   {"heddle": version, "parameters": {path: [unit, sentence]}, "runs": [{"label": ..., "file": ..., "run":
//   {...}}]},
//             padded to 8 bytes with blanks
//   the rest  columns, each from a multiple of 8 bytes on
//
// A table {"columns": [names], "rows": [[numbers]]} (the time series, the spans) becomes {"columns": [names],
// "table": {"rows": n, "data": [["u8" | "u16" | "u32" | "f64", offset], ...]}}, an offset a column, in bytes from the
// first column; least significant byte first.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::report {

/// One run, ready to be put on the page.
struct PackedRun {
  std::filesystem::path file;
  std::string json;              ///< the run's object, on one line
  std::string machine, program;  ///< of its identity; empty when it has none
  std::vector<std::string> arguments;
};

/// Packs the text of a run.json. Columns are appended to `columns`, which is common to all runs of a page.
/// Throws Error(kConfiguration) for malformed text, which it names with its line, and for what is no result of a run;
/// Error(kIo) when the schema is newer than this program's.
PackedRun pack_run(const std::filesystem::path& file, std::string_view text, std::string& columns);

/// Reads a run.json, or the one in the folder that is named. Throws Error(kIo) when it cannot be read, and as above.
PackedRun read_packed_run(const std::filesystem::path& file, std::string& columns);

/// What tells the runs of a page apart, no two the same: the machine; with the program where programs differ, with the
/// arguments where these do; then with the folder, and last with a number.
std::vector<std::string> distinct_labels(const std::vector<PackedRun>& runs);

/// What the page says beside the runs.
struct PageFacts {
  std::string version;            ///< of this program
  std::string parameters = "{}";  ///< JSON object: unit and sentence by path of parameter
};

/// The layout above. labels: one a run.
std::string payload(const std::vector<PackedRun>& runs, const std::vector<std::string>& labels, const PageFacts& facts,
                    std::string_view columns);

}  // namespace heddle::report
