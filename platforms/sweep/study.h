// SPDX-License-Identifier: Apache-2.0
// A study as described by its file: programs x machines x parameters. Format: docs/sweeps.md.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace heddle::sweep {

/// A value of a parameter.
struct Value {
  std::string json;   ///< what is set
  std::string shown;  ///< form shown in tables and messages: text without quotes, else the JSON
  bool operator==(const Value&) const = default;
};

/// Override of a machine description.
struct Setting {
  std::string path;
  Value value;
  bool operator==(const Setting&) const = default;
};

/// Resources a run may use. 0: not stated.
struct Requests {
  double memory_gib = 0;
  double minutes = 0;
};

struct Program {
  std::string name;
  std::vector<std::string> command;           ///< program and arguments; a program with '/' is an absolute path
  std::vector<std::string> machines;          ///< machines to run on, by name; empty: all
  std::vector<std::filesystem::path> inputs;  ///< input files, absolute paths; their contents are part of the run's key
  std::vector<std::string> options;           ///< of `heddle run`, the study's first
  Requests requests;
  unsigned line = 0;
};

struct Machine {
  std::string name;
  std::string machine;  ///< a preset, or the absolute path of a description
  std::vector<Setting> settings;
  unsigned line = 0;
};

/// A parameter and its values, a factor of the product.
struct Parameter {
  std::string path;
  std::vector<Value> values;
  unsigned line = 0;
};

/// A pattern for points: for each column (`program`, `machine` or a parameter), the displayed values that match.
struct Pattern {
  std::map<std::string, std::vector<std::string>> wanted;
  unsigned line = 0;
};

/// Explicitly listed settings, for the programs and machines matched by `on`.
struct ListedPoint {
  std::vector<Setting> settings;
  Pattern on;
};

/// Selection of runs for the report.
struct ReportChoice {
  std::uint64_t runs = 40;  ///< maximum number
  Pattern where;
};

struct Study {
  std::filesystem::path file;  ///< absolute
  std::string name;
  std::vector<Program> programs;
  std::vector<Machine> machines;
  std::vector<Parameter> parameters;
  std::vector<ListedPoint> points;
  std::vector<Pattern> exclude;
  std::vector<std::string> collect;  ///< statistics, one column each
  unsigned retries = 0;
  ReportChoice report;

  /// Every parameter set by any run, in file order: the columns of the table.
  std::vector<std::string> columns() const;
};

/// Maximum number of runs in a study; more is surely a mistake.
inline constexpr std::uint64_t kMostPoints = 1'000'000;

/// Reads and checks a study. Throws Error(kIo) for an unreadable file and Error(kConfiguration) for an invalid one,
/// with file, line, path, legal values and the nearest valid spelling. Machine parameters are only checked when they
/// are resolved.
Study read_study(const std::filesystem::path& file);
/// Parses a study from text; file: absolute path, for messages and relative paths.
Study parse_study(const std::string& text, const std::filesystem::path& file);

}  // namespace heddle::sweep
