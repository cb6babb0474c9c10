// SPDX-License-Identifier: Apache-2.0
#include "report/run_pack.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "core/error.h"
#include "core/excerpt.h"
#include "core/file.h"
#include "core/json.h"
#include "core/statistics/run_json.h"
#include "report/columns.h"

namespace heddle::report {
namespace {

namespace fs = std::filesystem;

/// Members of a run that the page does not use.
const std::set<std::string, std::less<>> kLeftOut = {"structures"};

/// Objects whose `rows` form a table.
const std::set<std::string, std::less<>> kTables = {"/time_series", "/spans/blocks", "/spans/warps"};

/// Copies JSON while parsing, without building a tree of tens of megabytes.
class Packer : public nlohmann::json_sax<nlohmann::json> {
 public:
  Packer(const fs::path& file, std::string_view text, std::string& columns)
      : origin_(file.string()), text_(text), columns_(columns) {}

  PackedRun take() {
    if (!schema_seen_ || !statistics_seen_) {
      fail(ExitCode::configuration, "{}: not the result of a run: it has no {}; give the run.json of `heddle run -o`",
           origin_, schema_seen_ ? "statistics" : "schema_version");
    }
    for (const auto& [path, cells] : cells_) {
      if (cells != 0 && cells != names_[path]) {
        no_run(fmt::format("{} has {} columns and rows of {} values", path, names_[path], cells));
      }
    }
    return std::move(run_);
  }

  bool null() override { return scalar("null"); }
  bool boolean(bool value) override { return scalar(value ? "true" : "false"); }
  bool number_integer(number_integer_t value) override {
    if (in_row()) return cell(static_cast<double>(value));
    return scalar(std::to_string(value));
  }
  bool number_unsigned(number_unsigned_t value) override {
    if (in_row()) return cell(static_cast<double>(value));
    if (at_top("schema_version")) check_schema(value);
    return scalar(std::to_string(value));
  }
  bool number_float(number_float_t value, const string_t& text) override {
    if (in_row()) return cell(value);
    return scalar(text);
  }
  bool string(string_t& value) override {
    if (at("/identity")) {
      if (stack_.back().key == "machine") run_.machine = value;
      if (stack_.back().key == "program") run_.program = value;
    }
    if (stack_.size() == 3 || stack_.size() == 4) count_name();
    if (at("/identity/arguments")) run_.arguments.push_back(value);
    return scalar(json_quote(value));
  }
  bool binary(binary_t&) override { return false; }

  bool start_object(std::size_t) override {
    if (at_top("statistics")) statistics_seen_ = true;
    return begin('{', false);
  }
  bool end_object() override { return end('}'); }
  bool start_array(std::size_t) override {
    if (stack_.empty()) no_run("it is not an object");
    if (table_ == nullptr && skipped_ == 0 && stack_.back().key == "rows" && kTables.count(stack_.back().path) != 0) {
      separate();
      table_ = std::make_unique<Table>();
      table_->depth = stack_.size();
    }
    return begin('[', true);
  }
  bool end_array() override {
    if (table_ != nullptr && stack_.size() == table_->depth + 2) end_row();
    const bool of_table = table_ != nullptr && stack_.size() == table_->depth + 1;
    if (!of_table) return end(']');
    stack_.pop_back();
    Table& table = *table_;
    run_.json += fmt::format("\"table\":{{\"rows\":{},\"data\":[", table.rows);
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
      run_.json += i == 0 ? "" : ",";
      const auto placed = append_column(table.columns[i], columns_);
      run_.json += fmt::format("[\"{}\",{}]", placed.type, placed.offset);
    }
    run_.json += "]}";
    cells_[stack_.back().path] = table.columns.size();
    table_.reset();
    return true;
  }
  bool key(string_t& name) override {
    Level& level = stack_.back();
    level.key = name;
    if (skipped_ == 0 && stack_.size() == 1 && kLeftOut.count(name) != 0) skipped_ = 1;
    return true;
  }
  bool parse_error(std::size_t position, const std::string&, const nlohmann::detail::exception& error) override {
    fail(ExitCode::configuration, "{}:{}", origin_, json_error(text_, position, error.what()));
  }

 private:
  struct Level {
    bool array;
    std::string path;  ///< keys leading here; empty at the top level
    std::string key;   ///< of the next member; empty in an array
    bool first = true;
  };
  struct Table {
    std::size_t depth = 0;  ///< of its object
    std::vector<std::vector<double>> columns;
    std::size_t rows = 0, in_row = 0;
  };

  [[noreturn]] void no_run(const std::string& why) const {
    fail(ExitCode::configuration, "{}: not the result of a run: {}", origin_, why);
  }
  bool at(std::string_view path) const { return !stack_.empty() && stack_.back().path == path; }
  bool at_top(std::string_view name) const { return stack_.size() == 1 && stack_.back().key == name; }
  bool in_row() const { return table_ != nullptr && stack_.size() == table_->depth + 2; }

  /// Counts a string in a table's object that is a column name.
  void count_name() {
    const Level& owner = stack_[stack_.size() - 2];
    if (stack_.back().array && owner.key == "columns" && kTables.count(owner.path) != 0) ++names_[owner.path];
  }

  void check_schema(std::uint64_t version) {
    schema_seen_ = true;
    if (version <= kRunSchemaVersion) return;
    fail(ExitCode::io, "{}: has schema {}, but this program reads up to {}; use the version of Heddle that wrote it",
         origin_, version, kRunSchemaVersion);
  }

  bool cell(double value) {
    Table& table = *table_;
    if (table.rows == 0) table.columns.emplace_back();
    if (table.in_row == table.columns.size()) ragged();
    table.columns[table.in_row++].push_back(value);
    return true;
  }
  void end_row() {
    Table& table = *table_;
    if (table.in_row != table.columns.size()) ragged();
    ++table.rows;
    table.in_row = 0;
  }
  [[noreturn]] void ragged() const {
    no_run(fmt::format("row {} of {} has more or fewer values than the first", table_->rows + 1,
                       stack_[table_->depth - 1].path));
  }

  bool scalar(std::string_view json) {
    if (stack_.empty()) no_run("it is not an object");
    if (table_ != nullptr) {
      no_run(fmt::format("{} contains '{}' instead of a row of numbers", stack_[table_->depth - 1].path, json));
    }
    if (skipped_ == 0) {
      separate();
      name();
      run_.json += json;
    }
    if (skipped_ == 1) skipped_ = 0;
    return true;
  }
  /// The comma between two members or elements.
  void separate() {
    if (stack_.empty()) return;
    if (!std::exchange(stack_.back().first, false)) run_.json += ',';
  }
  void name() {
    if (!stack_.empty() && !stack_.back().array) run_.json.append(json_quote(stack_.back().key)).append(":");
  }
  bool begin(char bracket, bool array) {
    if (table_ != nullptr && (!array || stack_.size() > table_->depth + 1)) {
      no_run(fmt::format("{} contains rows that are not lists of numbers", stack_[table_->depth - 1].path));
    }
    if (stack_.size() >= kDeepestJson) no_run(fmt::format("it is nested deeper than {} levels", kDeepestJson));
    std::string path;
    if (!stack_.empty()) {
      const Level& level = stack_.back();
      path = level.array ? level.path : level.path + "/" + level.key;
    }
    if (skipped_ != 0) {
      ++skipped_;
    } else if (table_ == nullptr) {
      separate();
      name();
      run_.json += bracket;
    }
    stack_.push_back({array, std::move(path), {}});
    return true;
  }
  bool end(char bracket) {
    stack_.pop_back();
    if (table_ != nullptr) return true;
    if (skipped_ == 0) {
      run_.json += bracket;
    } else if (--skipped_ == 1) {
      skipped_ = 0;
    }
    return true;
  }

  std::string origin_;
  std::string_view text_;
  std::string& columns_;
  PackedRun run_;
  std::vector<Level> stack_;
  std::unique_ptr<Table> table_;
  std::map<std::string, std::size_t> names_, cells_;  ///< by table: number of column names, values per row
  unsigned skipped_ = 0;  ///< 1: skip the next value; n > 1: skipping, with n - 1 brackets open
  bool schema_seen_ = false, statistics_seen_ = false;
};

std::string file_name(const std::string& path) { return fs::path(path).filename().string(); }

}  // namespace

PackedRun pack_run(const fs::path& file, std::string_view text, std::string& columns) {
  Packer packer(file, text, columns);
  nlohmann::json::sax_parse(text.begin(), text.end(), &packer);
  PackedRun run = packer.take();
  run.file = file;
  return run;
}

PackedRun read_packed_run(const fs::path& file, std::string& columns) {
  std::error_code ignored;
  const fs::path path = fs::is_directory(file, ignored) ? file / "run.json" : file;
  return pack_run(path, read_file(path), columns);
}

std::vector<std::string> distinct_labels(const std::vector<PackedRun>& runs) {
  std::vector<std::string> labels;
  std::set<std::string> programs;
  for (const PackedRun& run : runs) programs.insert(file_name(run.program));
  for (const PackedRun& run : runs) {
    std::string label = run.machine.empty() ? "run" : run.machine;
    if (programs.size() > 1 && !run.program.empty()) label += ", " + file_name(run.program);
    labels.push_back(std::move(label));
  }
  // Extends duplicate labels by a property, if it distinguishes them.
  const auto refine = [&](const auto& more) {
    std::map<std::string, std::set<std::string>> kinds;
    std::map<std::string, unsigned> uses;
    for (std::size_t i = 0; i < runs.size(); ++i) {
      kinds[labels[i]].insert(more(i));
      ++uses[labels[i]];
    }
    std::vector<std::string> refined = labels;
    for (std::size_t i = 0; i < runs.size(); ++i) {
      if (uses[labels[i]] > 1 && kinds[labels[i]].size() > 1) refined[i] = fmt::format("{}, {}", labels[i], more(i));
    }
    labels = std::move(refined);
  };
  refine([&](std::size_t i) { return fmt::format("{}", fmt::join(runs[i].arguments, " ")); });
  refine([&](std::size_t i) {
    const auto folder = fs::absolute(runs[i].file).lexically_normal().parent_path().filename().string();
    return runs[i].file.filename() == "run.json" ? folder : runs[i].file.filename().string();
  });
  std::map<std::string, unsigned> uses, seen;
  for (const std::string& label : labels) ++uses[label];
  for (std::string& label : labels) {
    if (uses[label] > 1) label = fmt::format("{} #{}", label, ++seen[label]);
  }
  return labels;
}

std::string payload(const std::vector<PackedRun>& runs, const std::vector<std::string>& labels, const PageFacts& facts,
                    std::string_view columns) {
  std::string json =
      fmt::format("{{\"heddle\":{},\"parameters\":{},\"runs\":[", json_quote(facts.version), facts.parameters);
  for (std::size_t i = 0; i < runs.size(); ++i) {
    json += fmt::format("{}{{\"label\":{},\"file\":{},\"run\":", i == 0 ? "" : ",", json_quote(labels[i]),
                        json_quote(runs[i].file.string()));
    json += runs[i].json;
    json += '}';
  }
  json += "]}";
  json.resize((json.size() + 7) / 8 * 8, ' ');
  std::string out;
  out.reserve(8 + json.size() + columns.size());
  for (unsigned byte = 0; byte < 8; ++byte) out += static_cast<char>(json.size() >> (8 * byte) & 0xFF);
  out += json;
  out += columns;
  return out;
}

}  // namespace heddle::report
