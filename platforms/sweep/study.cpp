// SPDX-License-Identifier: Apache-2.0
#include "sweep/study.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "core/file.h"
#include "core/names.h"
#include "sweep/study_reader.h"

namespace heddle::sweep {
namespace {

namespace fs = std::filesystem;

const std::vector<std::string> kStudyKeys = {"name",    "description", "programs", "machines", "parameters", "points",
                                             "exclude", "options",     "collect",  "requests", "retries",    "report"};

Value value_of(const Checked& checked) {
  const JsonNode& node = checked.node();
  const std::string json = json_text(node);
  return {json, node.kind == JsonNode::Kind::text ? node.text : json};
}

/// A list, or a single value as a list of one.
std::vector<Checked> one_or_more(const Checked& checked) {
  return checked.is(JsonNode::Kind::array) ? checked.list(1) : std::vector<Checked>{checked};
}

Setting setting_of(const std::string& path, const Checked& value) {
  if (value.is(JsonNode::Kind::object))
    value.refuse("expected a value; write the path with dots, as in \"{}.{}\"", path,
                 value.node().members.empty() ? "key" : value.node().members[0].name);
  return {path, value_of(value)};
}

std::vector<Setting> settings_of(const Checked& checked) {
  std::vector<Setting> settings;
  for (const auto& [path, value] : checked.object().members()) settings.push_back(setting_of(path, value));
  return settings;
}

/// Reads a study part by part, ordered so that later parts can refer to earlier ones.
class Reader {
 public:
  Reader(const JsonNode& root, const fs::path& file, const std::string& origin)
      : root_(root, "", origin), folder_(file.parent_path()) {
    study_.file = file;
  }

  Study read() {
    root_.object(kStudyKeys);
    study_.name = root_.has("name") ? root_.member("name").text() : study_.file.stem().string();
    if (root_.has("description")) root_.member("description").text();
    if (study_.name.find('/') != std::string::npos) root_.member("name").refuse("a name has no '/'");
    machines();
    programs();
    if (root_.has("parameters")) parameters();
    if (root_.has("points")) points();
    patterns();
    study_.collect = {"cycles", "ipc", "thread_ipc", "simulated_seconds", "warp_instructions", "thread_instructions"};
    if (root_.has("collect")) study_.collect = root_.member("collect").texts(1);
    if (root_.has("retries")) study_.retries = static_cast<unsigned>(root_.member("retries").whole(0, 100));
    return std::move(study_);
  }

 private:
  std::string beside(const std::string& path) const { return (folder_ / path).lexically_normal().string(); }

  /// Refuses a second entry of a name.
  void unique(std::set<std::string>& names, const Checked& entry, const std::string& name) {
    if (!names.insert(name).second) entry.refuse("a second '{}'; give it a unique name", name);
  }

  void machines() {
    std::set<std::string> names;
    for (const Checked& entry : root_.member("machines").list(1)) {
      Machine machine;
      machine.line = entry.line();
      if (entry.is(JsonNode::Kind::text)) {
        machine.machine = entry.text();
      } else {
        entry.object({"name", "machine", "set"});
        machine.machine = entry.member("machine").text();
        if (entry.has("set")) machine.settings = settings_of(entry.member("set"));
      }
      // Same rule as in Configuration: anything else is a preset's name.
      const bool file =
          machine.machine.find('/') != std::string::npos || fs::path(machine.machine).extension() == ".json";
      machine.name = file ? fs::path(machine.machine).stem().string() : machine.machine;
      if (entry.has("name")) machine.name = entry.member("name").text();
      if (file) machine.machine = beside(machine.machine);
      unique(names, entry, machine.name);
      study_.machines.push_back(std::move(machine));
    }
  }

  Requests requests(const Checked& checked, Requests requests) {
    checked.object({"memory_gib", "minutes"});
    if (checked.has("memory_gib")) requests.memory_gib = checked.member("memory_gib").positive();
    if (checked.has("minutes")) requests.minutes = checked.member("minutes").positive();
    return requests;
  }

  /// Options of `heddle run`, except those that a study expresses differently.
  std::vector<std::string> options(const Checked& checked) {
    std::vector<std::string> options;
    for (const Checked& option : checked.list()) {
      const std::string& text = option.text();
      const std::string word = text.substr(0, text.find('='));
      const bool own = word == "-m" || word == "--machine" || word == "--set" || word == "-o" || word == "--output";
      if (own)
        option.refuse("{} is not allowed in options: the study sets machines, parameters and results folders", word);
      if (word == "--") option.refuse("'--' ends the options; the program is named under programs");
      options.push_back(text);
    }
    return options;
  }

  void programs() {
    std::set<std::string> names;
    const Requests common = root_.has("requests") ? requests(root_.member("requests"), {}) : Requests{};
    const std::vector<std::string> common_options =
        root_.has("options") ? options(root_.member("options")) : std::vector<std::string>{};
    for (const Checked& entry : root_.member("programs").list(1)) {
      entry.object({"name", "command", "machines", "inputs", "options", "requests"});
      Program program;
      program.line = entry.line();
      program.command = entry.member("command").texts(1);
      std::string& file = program.command[0];
      if (file.empty()) entry.member("command").refuse("the program is empty");
      program.name = entry.has("name") ? entry.member("name").text() : fs::path(file).filename().string();
      if (file.find('/') != std::string::npos) file = beside(file);
      if (entry.has("machines")) {
        for (const Checked& machine : entry.member("machines").list(1)) {
          const auto known = values_of("machine");
          if (std::find(known.begin(), known.end(), machine.text()) == known.end())
            machine.refuse("the study has no machine '{}'{}", machine.text(), nearest_hint(machine.text(), known));
          program.machines.push_back(machine.text());
        }
      }
      if (entry.has("inputs")) {
        for (const std::string& input : entry.member("inputs").texts()) program.inputs.emplace_back(beside(input));
      }
      program.options = common_options;
      if (entry.has("options")) {
        for (std::string& option : options(entry.member("options"))) program.options.push_back(std::move(option));
      }
      program.requests = entry.has("requests") ? requests(entry.member("requests"), common) : common;
      unique(names, entry, program.name);
      study_.programs.push_back(std::move(program));
    }
  }

  void parameters() {
    for (const auto& [path, values] : root_.member("parameters").object().members()) {
      Parameter parameter{path, {}, values.line()};
      for (const Checked& value : values.list(1)) parameter.values.push_back(setting_of(path, value).value);
      for (std::size_t i = 1; i < parameter.values.size(); ++i) {
        const auto before = parameter.values.begin() + static_cast<std::ptrdiff_t>(i);
        if (std::find(parameter.values.begin(), before, parameter.values[i]) != before)
          values.refuse("{} appears twice", parameter.values[i].json);
      }
      study_.parameters.push_back(std::move(parameter));
    }
  }

  void points() {
    for (const Checked& entry : root_.member("points").list()) {
      ListedPoint point;
      for (const auto& [key, value] : entry.object().members()) {
        if (key == "program" || key == "machine") {
          wanted(key, value, point.on);
        } else {
          point.settings.push_back(setting_of(key, value));
        }
      }
      point.on.line = entry.line();
      study_.points.push_back(std::move(point));
    }
  }

  /// Possible values of a column.
  std::vector<std::string> values_of(const std::string& column) const {
    std::vector<std::string> known;
    if (column == "program") {
      for (const Program& program : study_.programs) known.push_back(program.name);
    } else if (column == "machine") {
      for (const Machine& machine : study_.machines) known.push_back(machine.name);
    }
    for (const Parameter& parameter : study_.parameters) {
      if (parameter.path != column) continue;
      for (const Value& value : parameter.values) known.push_back(value.shown);
    }
    for (const ListedPoint& point : study_.points) {
      for (const Setting& setting : point.settings) {
        if (setting.path == column) known.push_back(setting.value.shown);
      }
    }
    return known;
  }

  void wanted(const std::string& column, const Checked& values, Pattern& pattern) {
    const std::vector<std::string> known = values_of(column);
    for (const Checked& value : one_or_more(values)) {
      const std::string shown = value_of(value).shown;
      if (std::find(known.begin(), known.end(), shown) == known.end())
        value.refuse("no run of the study has {} '{}'{}; it has: {}", column, shown, nearest_hint(shown, known),
                     fmt::join(known, ", "));
      pattern.wanted[column].push_back(shown);
    }
  }

  Pattern pattern(const Checked& checked) {
    std::vector<std::string> columns = study_.columns();
    columns.insert(columns.begin(), {"program", "machine"});
    checked.object(columns);
    Pattern pattern{{}, checked.line()};
    for (const auto& [column, values] : checked.members()) wanted(column, values, pattern);
    return pattern;
  }

  void patterns() {
    if (root_.has("exclude")) {
      for (const Checked& entry : root_.member("exclude").list()) {
        if (entry.object().members().empty()) entry.refuse("an empty pattern would exclude every run");
        study_.exclude.push_back(pattern(entry));
      }
    }
    if (!root_.has("report")) return;
    const Checked report = root_.member("report");
    report.object({"runs", "where"});
    if (report.has("runs")) study_.report.runs = report.member("runs").whole(1, 1000);
    if (report.has("where")) study_.report.where = pattern(report.member("where"));
  }

  Checked root_;
  fs::path folder_;
  Study study_;
};

}  // namespace

std::vector<std::string> Study::columns() const {
  std::vector<std::string> columns;
  const auto add = [&](const std::string& path) {
    if (std::find(columns.begin(), columns.end(), path) == columns.end()) columns.push_back(path);
  };
  for (const Parameter& parameter : parameters) add(parameter.path);
  for (const ListedPoint& point : points) {
    for (const Setting& setting : point.settings) add(setting.path);
  }
  return columns;
}

Study parse_study(const std::string& text, const fs::path& file) {
  const std::string origin = file.filename().string();
  const JsonNode root = parse_json(text, origin);
  return Reader(root, file, origin).read();
}

Study read_study(const fs::path& file) { return parse_study(read_file(file), fs::absolute(file).lexically_normal()); }

}  // namespace heddle::sweep
