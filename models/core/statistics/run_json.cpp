// SPDX-License-Identifier: Apache-2.0
#include "core/statistics/run_json.h"

#include <fmt/format.h>

#include <map>
#include <string>

#include "core/error.h"
#include "core/file.h"
#include "core/statistics/run_details_json.h"
#include "core/statistics/run_locality_json.h"

namespace heddle {
namespace {

/// Visits the numbers of one owner or class: visit(name relative to the owner, unit, value, whether it is an integer).
template <typename Visit>
void visit_values(const StatisticsOwner& model, const std::vector<std::uint64_t>& values, const Visit& visit) {
  for (const auto& declaration : model.declarations()) {
    if (declaration.kind != StatisticKind::histogram) {
      visit(declaration.name, declaration.unit, static_cast<double>(values[declaration.first]), true);
      continue;
    }
    std::string name = declaration.name + "[";
    for (std::size_t i = 0; i < declaration.labels.size(); ++i) {
      name.resize(declaration.name.size() + 1);
      name.append(declaration.labels[i]).append("]");
      visit(name, declaration.unit, static_cast<double>(values[declaration.first + i]), true);
    }
    if (declaration.weighted) {
      visit(declaration.name + "[sum]", declaration.unit,
            static_cast<double>(values[declaration.first + declaration.labels.size()]), true);
    }
  }
  for (const auto& derived : model.derived()) {
    visit(derived.name, derived.unit, derived.formula(StatisticsView(values.data())), false);
  }
}

class RunWriter {
 public:
  RunWriter(const RunReport& report, const Statistics& statistics, const Structures& structures)
      : report_(report), statistics_(statistics), structures_(structures) {}

  std::string text() {
    out_.begin_object();
    out_.member("schema_version", kRunSchemaVersion);
    out_.member("complete", report_.complete);
    if (!report_.complete) out_.member("why_incomplete", report_.why_incomplete);
    identity();
    out_.key("run")
        .begin_object()
        .member("cycles", report_.cycles)
        .member("simulated_seconds", report_.simulated_seconds);
    out_.member("wall_seconds", report_.wall_seconds).end_object();
    std::string configuration = report_.configuration;
    while (!configuration.empty() && configuration.back() == '\n') configuration.pop_back();
    out_.key("configuration").raw(configuration.empty() ? "{}" : configuration);
    const StatisticsSummary total = summarize(statistics_, report_.total);
    declarations(total);
    out_.key("statistics").begin_object();
    machine(total);
    classes(total, false);
    out_.key("instances").begin_object();
    for (const auto& entry : report_.total.owners()) {
      out_.key(entry.owner->name());
      values(*entry.owner, entry.values, false);
    }
    out_.end_object().end_object();
    kernels();
    regions();
    series();
    if (report_.profile != nullptr) write_profile(out_.key("profile"), *report_.profile);
    if (report_.spans != nullptr) write_spans(out_.key("spans"), *report_.spans);
    if (report_.locality != nullptr) write_locality(out_.key("locality"), *report_.locality);
    structures();
    out_.end_object();
    return out_.text();
  }

 private:
  void identity() {
    out_.key("identity").begin_object();
    out_.member("heddle", report_.version);
    if (!report_.commit.empty()) out_.member("commit", report_.commit);
    out_.member("machine", report_.machine).member("program", report_.program);
    out_.key("arguments").begin_array(true);
    for (const auto& argument : report_.arguments) out_.value(argument);
    out_.end_array().member("program_sha256", report_.program_sha256);
    out_.key("ptx").begin_array();
    for (const auto& ptx : report_.ptx)
      out_.begin_object(true).member("name", ptx.name).member("sha256", ptx.sha256).end_object();
    out_.end_array().end_object();
  }

  /// Unit and sentence of every statistic, once per class.
  void declarations(const StatisticsSummary& total) {
    out_.key("declarations").begin_object();
    out_.key("machine").begin_object();
    for (const auto& [derived, value] : total.machine)
      declaration(derived->name, derived->unit, derived->sentence, "derived");
    out_.end_object();
    out_.key("classes").begin_object();
    for (const auto& one : total.classes) {
      out_.key(one.name).begin_object();
      for (const auto& stored : one.model->declarations()) {
        const char* const kinds[] = {"counter", "maximum", "histogram"};
        declaration(stored.name, stored.unit, stored.sentence, kinds[static_cast<int>(stored.kind)]);
      }
      for (const auto& derived : one.model->derived())
        declaration(derived.name, derived.unit, derived.sentence, "derived");
      out_.end_object();
    }
    out_.end_object().end_object();
  }
  void declaration(const std::string& name, Unit unit, const std::string& sentence, const char* kind) {
    out_.key(name)
        .begin_object(true)
        .member("unit", unit.name)
        .member("kind", kind)
        .member("sentence", sentence)
        .end_object();
  }

  void machine(const StatisticsSummary& summary) {
    out_.key("machine").begin_object();
    for (const auto& [derived, value] : summary.machine) out_.member(derived->name, value);
    out_.end_object();
  }
  void classes(const StatisticsSummary& summary, bool skip_zero) {
    out_.key("classes").begin_object();
    for (const auto& one : summary.classes) {
      out_.key(one.name);
      values(*one.model, one.values, skip_zero);
    }
    out_.end_object();
  }
  void values(const StatisticsOwner& model, const std::vector<std::uint64_t>& numbers, bool skip_zero) {
    out_.begin_object();
    for (const auto& stored : model.declarations()) {
      if (stored.kind != StatisticKind::histogram) {
        if (numbers[stored.first] != 0 || !skip_zero) out_.member(stored.name, numbers[stored.first]);
        continue;
      }
      out_.key(stored.name).begin_object(true);
      for (std::size_t i = 0; i < stored.labels.size(); ++i) {
        if (numbers[stored.first + i] != 0 || !skip_zero) out_.member(stored.labels[i], numbers[stored.first + i]);
      }
      if (stored.weighted) out_.member("sum", numbers[stored.first + stored.labels.size()]);
      out_.end_object();
    }
    for (const auto& derived : model.derived())
      out_.member(derived.name, derived.formula(StatisticsView(numbers.data())));
    out_.end_object();
  }

  void kernels() {
    out_.key("kernels").begin_array();
    for (const auto& kernel : report_.kernels) {
      out_.begin_object().member("launch", kernel.launch).member("name", kernel.name);
      for (const auto& [key, extent] : {std::pair{"grid", kernel.grid}, std::pair{"block", kernel.block}}) {
        out_.key(key).begin_array(true);
        for (const std::uint32_t one : extent) out_.value(one);
        out_.end_array();
      }
      out_.member("dynamic_shared_bytes", kernel.dynamic_shared_bytes).member("stream", kernel.stream);
      out_.member("registers", kernel.registers).member("local_bytes", kernel.local_bytes);
      out_.member("spilled_bytes", kernel.spilled_bytes);
      out_.member("complete", kernel.complete).member("timed", kernel.timed);
      out_.member("thread_instructions", kernel.thread_instructions);
      out_.member("warp_instructions", kernel.warp_instructions);
      if (kernel.timed) out_.member("first_cycle", kernel.first_cycle).member("cycles", kernel.cycles);
      out_.member("start_seconds", kernel.start_seconds).member("end_seconds", kernel.end_seconds);
      interval(kernel.statistics);
    }
    out_.end_array();
  }
  void regions() {
    out_.key("regions").begin_array();
    for (const auto& region : report_.regions) {
      out_.begin_object().member("name", region.name).member("on_device", region.on_device);
      out_.member("first_launch", region.first_launch).member("last_launch", region.last_launch);
      interval(region.statistics);
    }
    out_.end_array();
  }
  void interval(const StatisticsSummary& summary) {
    if (!summary.classes.empty()) {
      out_.key("statistics").begin_object();
      machine(summary);
      classes(summary, true);
      out_.end_object();
    }
    out_.end_object();
  }

  void series() {
    if (report_.series == nullptr) return;
    const TimeSeries& all = *report_.series;
    out_.key("time_series").begin_object().member("every", all.every());
    out_.key("columns").begin_array(true).value("cycle");
    for (const auto& column : all.columns()) out_.value(column);
    out_.end_array().key("rows").begin_array();
    for (std::size_t i = 0; i < all.rows(); ++i) {
      out_.begin_array(true).value(all.cycle(i));
      for (std::size_t c = 0; c < all.columns().size(); ++c) out_.value(all.row(i)[c]);
      out_.end_array();
    }
    out_.end_array().end_object();
  }

  void structures() {
    out_.key("structures").begin_array();
    for (const auto* structure : structures_.all()) {
      out_.begin_object(true).member("name", structure->name()).member("sentence", structure->sentence());
      out_.member("kind", structure->logic() ? "logic" : "storage");
      out_.member("entries", std::uint64_t{structure->entries()})
          .member("bits", structure->bits())
          .key("fields")
          .begin_array(true);
      for (const auto& field : structure->fields()) {
        out_.begin_object(true)
            .member("name", field.name)
            .member("bits", field.bits)
            .member("reads", field.reads)
            .member("writes", field.writes);
        if (field.associative) out_.member("associative", true);
        out_.end_object();
      }
      out_.end_array().end_object();
    }
    out_.end_array();
  }

  const RunReport& report_;
  const Statistics& statistics_;
  const Structures& structures_;
  JsonWriter out_;
};

/// A field of a table: quoted when it holds a separator (RFC 4180).
void append_csv_field(std::string& text, std::string_view field) {
  if (field.find_first_of(",\"\n\r") == std::string_view::npos) {
    text += field;
    return;
  }
  text += '"';
  for (const char c : field) text.append(c == '"' ? 2 : 1, c);
  text += '"';
}

}  // namespace

StatisticsSummary summarize(const Statistics& statistics, const StatisticsSample& sample) {
  StatisticsSummary summary;
  std::map<std::string, std::size_t> place;
  for (const auto& entry : sample.owners()) {
    const std::string& name = entry.owner->class_name();
    const auto [at, added] = place.emplace(name, summary.classes.size());
    if (added) summary.classes.push_back({name, 0, entry.owner, sample.of_class(name)});
    ++summary.classes[at->second].instances;
  }
  for (const auto& derived : statistics.derived()) summary.machine.emplace_back(&derived, derived.formula(sample));
  return summary;
}

std::string run_json(const RunReport& report, const Statistics& statistics, const Structures& structures) {
  return RunWriter(report, statistics, structures).text();
}

std::string run_csv(const RunReport& report, const Statistics& statistics) {
  std::string text = "interval,owner,statistic,value,unit\n";
  // Lines of one interval and owner are adjacent, so their common leading fields are formatted once.
  std::string head;
  const auto begin = [&](std::string_view interval, std::string_view owner) {
    head.clear();
    append_csv_field(head, interval);
    head += ',';
    append_csv_field(head, owner);
    head += ',';
  };
  const auto line = [&](std::string_view name, Unit unit, double value, bool whole) {
    text += head;
    append_csv_field(text, name);
    text += ',';
    text += whole ? std::to_string(static_cast<std::uint64_t>(value)) : json_number(value);
    text += ',';
    text += unit.name;
    text += '\n';
  };
  const auto summary_lines = [&](const std::string& interval, const StatisticsSummary& summary) {
    begin(interval, "machine");
    for (const auto& [derived, value] : summary.machine) line(derived->name, derived->unit, value, false);
    for (const auto& one : summary.classes) {
      begin(interval, "class " + one.name);
      visit_values(*one.model, one.values, line);
    }
  };
  begin("run", "machine");
  line("cycles", unit::kCycles, static_cast<double>(report.cycles), true);
  summary_lines("run", summarize(statistics, report.total));
  for (const auto& entry : report.total.owners()) {
    begin("run", entry.owner->name());
    visit_values(*entry.owner, entry.values, line);
  }
  for (const auto& kernel : report.kernels) {
    const std::string interval = fmt::format("kernel {} {}", kernel.launch, kernel.name);
    const auto whole = [&](const char* name, Unit unit, std::uint64_t value) {
      line(name, unit, static_cast<double>(value), true);
    };
    begin(interval, "machine");
    whole("thread_instructions", unit::kThreadInstructions, kernel.thread_instructions);
    whole("warp_instructions", unit::kInstructions, kernel.warp_instructions);
    if (kernel.timed) whole("cycles", unit::kCycles, kernel.cycles);
    summary_lines(interval, kernel.statistics);
  }
  for (const auto& region : report.regions) {
    summary_lines(fmt::format("{}region {}", region.on_device ? "device " : "", region.name), region.statistics);
  }
  return text;
}

void write_run(const std::filesystem::path& folder, const RunReport& report, const Statistics& statistics,
               const Structures& structures) {
  write_file_atomically(folder / "run.json", run_json(report, statistics, structures));
  write_file_atomically(folder / "run.csv", run_csv(report, statistics));
}

JsonNode read_run(const std::filesystem::path& named) {
  std::error_code ignored;
  const std::filesystem::path file = std::filesystem::is_directory(named, ignored) ? named / "run.json" : named;
  JsonNode run = read_json(file);
  const JsonNode* version = run.find("schema_version");
  if (version == nullptr || version->kind != JsonNode::Kind::unsigned_) {
    fail(ExitCode::configuration, "{}: not the result of a run: it has no schema_version", file.string());
  }
  if (version->natural > kRunSchemaVersion) {
    fail(ExitCode::io, "{}: has schema {}, but this program reads up to {}; use the version of Heddle that wrote it",
         file.string(), version->natural, kRunSchemaVersion);
  }
  return run;
}

}  // namespace heddle
