// SPDX-License-Identifier: Apache-2.0
// heddle report: a self-contained page that shows the results of runs.
#include <fmt/core.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <system_error>
#include <vector>

#include "cli/commands.h"
#include "cli/output_options.h"
#include "cli/run_command.h"
#include "common/command_line.h"
#include "common/install_paths.h"
#include "common/machine_description.h"
#include "core/error.h"
#include "core/file.h"
#include "core/json.h"
#include "report/page.h"
#include "report/run_pack.h"

namespace heddle::cli {
namespace {

namespace fs = std::filesystem;

struct ReportCommand {
  std::vector<std::string> runs, labels;
  std::string output = "report.html";
  bool named = false;  ///< the page's name is the user's choice
  OutputOptions files;
};

/// Unit and description of every configuration parameter: {"path": ["unit", "sentence"]}.
std::string parameter_sentences() {
  JsonWriter out;
  out.begin_object(true);
  for (const ParameterEntry& entry : list_machine_parameters()) {
    out.key(entry.path).begin_array(true).value(entry.unit).value(entry.sentence).end_array();
  }
  out.end_object();
  return out.text();
}

/// Labels from the command line, else labels that distinguish the runs.
std::vector<std::string> labels_of(const ReportCommand& command, const std::vector<report::PackedRun>& runs) {
  if (command.labels.empty()) return report::distinct_labels(runs);
  if (command.labels.size() != runs.size()) {
    fail(ExitCode::usage, "{} --label for {} runs: give one per run, in order, or none", command.labels.size(),
         runs.size());
  }
  if (std::set<std::string>(command.labels.begin(), command.labels.end()).size() != runs.size()) {
    fail(ExitCode::usage, "two --label are the same: labels must distinguish the runs");
  }
  return command.labels;
}

/// Whether a file is a page of an earlier report.
bool is_report(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  std::string start(4096, '\0');
  in.read(start.data(), static_cast<std::streamsize>(start.size()));
  return start.find("<title>Heddle: ") != std::string::npos;
}

/// Refuses a page that would replace one of the runs, or what else exists. A page under the default name is replaced
/// by the next: it can be made again from its runs.
void check_output(const ReportCommand& command) {
  std::error_code ignored;
  const auto whole = [&](const fs::path& path) { return fs::weakly_canonical(fs::absolute(path, ignored), ignored); };
  for (const std::string& run : command.runs) {
    const fs::path file = fs::is_directory(run, ignored) ? fs::path(run) / "run.json" : fs::path(run);
    if (whole(file) == whole(command.output))
      fail(ExitCode::usage, "-o {} is one of the runs; the page would replace it", command.output);
  }
  const bool again = !command.named && is_report(command.output);
  OutputCheck(command.files.force || again).file(command.output);
}

void write_report(const ReportCommand& command) {
  check_output(command);
  const std::string page_template = report::read_template(find_install_paths().report_template);
  std::vector<report::PackedRun> runs;
  std::string columns;
  for (const std::string& file : command.runs) runs.push_back(report::read_packed_run(file, columns));
  const auto labels = labels_of(command, runs);
  std::string title = "Heddle: ";
  for (std::size_t i = 0; i < labels.size(); ++i) title += (i == 0 ? "" : " | ") + labels[i];
  const std::string page = report::make_page(
      page_template, title, report::payload(runs, labels, {HEDDLE_VERSION, parameter_sentences()}, columns));
  write_file_atomically(command.output, page);
  command.files.say_written(
      "report", {{command.output, fmt::format("page of {} run{}, {:.1f} MB", runs.size(), runs.size() == 1 ? "" : "s",
                                              static_cast<double>(page.size()) / 1e6)}});
}

}  // namespace

int report(int argc, char** argv) {
  CommandLine app{"Writes a self-contained page that shows the results of runs, several of them side by side."};
  ReportCommand command;
  app.add_option("run", command.runs, "folder of `heddle run -o`, or its run.json; any number").required();
  const CommandLineOption output = app.add_option("-o,--output", command.output, "the page").show_default();
  app.add_option("--label", command.labels, "name of a run, in the order of the runs; may be repeated").repeated();
  command.files.declare(app);
  return run_command(app, argc, argv, [&] {
    command.named = output.given();
    write_report(command);
  });
}

}  // namespace heddle::cli
