// SPDX-License-Identifier: Apache-2.0
// A study as its file describes it: programs x machines x parameters. docs/sweeps.md is the format.
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
  std::string shown;  ///< text without quotes, else the JSON: what tables and messages write
  bool operator==(const Value&) const = default;
};

/// Override of a machine's description.
struct Setting {
  std::string path;
  Value value;
  bool operator==(const Setting&) const = default;
};

/// What a run may take. 0: nothing is said.
struct Requests {
  double memory_gib = 0;
  double minutes = 0;
};

struct Program {
  std::string name;
  std::vector<std::string> command;           ///< program and arguments; a program with '/' is an absolute path
  std::vector<std::string> machines;          ///< names of those it runs on; empty: all
  std::vector<std::filesystem::path> inputs;  ///< files it reads, absolute: their bytes belong to the run
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

/// What a point must be to match: by column (`program`, `machine` or a parameter) the values, as they are shown, of
/// which it has one.
struct Pattern {
  std::map<std::string, std::vector<std::string>> wanted;
  unsigned line = 0;
};

/// Settings listed by hand, on the programs and machines that `on` matches.
struct ListedPoint {
  std::vector<Setting> settings;
  Pattern on;
};

/// Which runs the report shows.
struct ReportChoice {
  std::uint64_t runs = 40;  ///< at most so many
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
  std::vector<std::string> collect;  ///< statistics, a column each
  unsigned retries = 0;
  ReportChoice report;

  /// Every parameter that some run sets, in the order of the file: the columns of the table.
  std::vector<std::string> columns() const;
};

/// Most runs a study may have: more is a slip of the pen.
inline constexpr std::uint64_t kMostPoints = 1'000'000;

/// Reads and checks a study. Throws Error(kIo) for a file that cannot be read and Error(kConfiguration) for anything
/// wrong in it, with file, line, path, what is legal and the nearest right spelling. What a machine's parameters may be
/// is found out later, when they are resolved.
Study read_study(const std::filesystem::path& file);
/// The same of a text; file: for messages and relative paths, absolute.
Study parse_study(const std::string& text, const std::filesystem::path& file);

}  // namespace heddle::sweep
