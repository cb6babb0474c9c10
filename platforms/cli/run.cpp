// SPDX-License-Identifier: Apache-2.0
#include "cli/run.h"

#include <fmt/core.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include "cli/output_options.h"
#include "cli/program_file.h"
#include "cli/run_options.h"
#include "common/command_line.h"
#include "common/install_paths.h"
#include "common/machine_description.h"
#include "common/option_rules.h"
#include "core/error.h"
#include "core/number_ranges.h"
#include "core/statistics/windows.h"
#include "runtime/options.h"

namespace heddle::cli {
namespace {

namespace fs = std::filesystem;

struct RunCommand {
  MachineOptions machine;
  RecordingOptions recording;
  std::string timing_kernels, skip_kernels;
  bool functional = false, check = false, check_global = false, live = false, no_spilling = false;
  OutputOptions files;
  std::uint64_t max_instructions = 0, max_cycles = 0, threads = 0, thread_cycles = 0;
  std::string recorder, recorded_file;      ///< gpu::FileRecorder by its name, and its file; empty: none
  std::vector<std::string> first_settings;  ///< of the machine, before those of the user
  std::string ptx, kernel, grid = "1", block = "32";
  std::uint64_t shared_bytes = 0;
  std::vector<std::string> save, print;
  std::vector<std::string> program;
};

/// Returns the option of the folder.
CommandLineOption declare(CommandLine& app, OptionRules& rules, RunCommand& command) {
  const CommandLineOption output = command.machine.declare(app);
  app.add_option("--max-instructions", command.max_instructions, "stop the run after this many thread-instructions")
      .positive();
  app.add_flag("--no-spilling", command.no_spilling,
               "give kernels all registers they need, ignoring limits: --set spill_registers=false");
  command.files.declare(app, "print no progress and no summary lines");
  // The view goes to the terminal.
  rules.idle_with(
      app.add_flag("--live", command.live, "show a view of the machine on the terminal while a long kernel runs"),
      command.files.quiet_option());
  app.prefix_command();
  return output;
}

void declare_ptx(CommandLine& app, OptionRules& rules, RunCommand& command) {
  constexpr const char* kGroup = "A PTX file";
  const CommandLineOption ptx =
      app.add_option("--ptx", command.ptx, "run a kernel of this PTX file instead of a program; its arguments follow")
          .group(kGroup);
  const auto add = [&](CommandLineOption option) { rules.needs(option.group(kGroup), {{ptx}}); };
  add(app.add_option("--kernel", command.kernel, "the kernel to run, if the file has several"));
  add(app.add_option("--grid", command.grid, "blocks, as in 64 or 8,8,2; default: 1"));
  add(app.add_option("--block", command.block, "threads per block; default: 32"));
  add(app.add_option("--shared", command.shared_bytes, "bytes of dynamic shared memory"));
  add(app.add_option("--save", command.save,
                     "write a buffer to a file after the kernel, as in 0=out.bin or out=out.bin")
          .repeated());
  add(app.add_option("--print", command.print, "print a buffer, or its first COUNT elements: PARAMETER[=COUNT]")
          .repeated());
}

void declare_timing(CommandLine& app, OptionRules& rules, RunCommand& command, CommandLineOption output) {
  const CommandLineOption functional =
      app.add_flag("--functional", command.functional, "run every kernel functionally, without timing");
  std::vector<CommandLineOption> timed = {
      app.add_option("--timing-kernels", command.timing_kernels,
                     "launches to time, as in 3,7-9; the others run functionally"),
      app.add_option("--skip-kernels", command.skip_kernels, "launches to run functionally; the others are timed"),
      app.add_option("--max-cycles", command.max_cycles, "stop the run after this many core cycles").positive(),
      app.add_option("--threads", command.threads,
                     "threads of this computer that simulate the machine, with the same results; default: 1")
          .positive(),
      app.add_option("--thread-cycles", command.thread_cycles,
                     "cycles that several threads may simulate at a time, with the same results; default: 16")
          .positive()};
  for (const CommandLineOption& option : command.recording.declare(app, rules, true, output)) timed.push_back(option);
  for (const CommandLineOption& option : timed) rules.idle_with(option, functional);
}

void set_variable(const char* name, const std::string& value) {
  // An option that is not given leaves the environment unchanged.
  if (!value.empty()) setenv(name, value.c_str(), 1);
}

std::string joined(const std::vector<std::string>& parts, const char* separator) {
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : separator) + part;
  return text;
}

void set_environment(const RunCommand& command, const fs::path& library_folder) {
  // Same rule as in Configuration: anything that is not a file is a preset's name.
  const std::string& machine = command.machine.machine;
  const bool file = machine.find('/') != std::string::npos || fs::path(machine).extension() == ".json";
  set_variable("HEDDLE_MACHINE", file ? fs::absolute(machine).string() : machine);
  set_variable("HEDDLE_SET", joined(command.machine.settings, "\n"));
  std::vector<std::string> plugins;
  for (const std::string& plugin : command.machine.plugins) plugins.push_back(fs::absolute(plugin).string());
  set_variable("HEDDLE_PLUGINS", joined(plugins, "\n"));
  set_variable("HEDDLE_FUNCTIONAL", command.functional ? "1" : "");
  set_variable("HEDDLE_CHECK", command.check ? "1" : "");
  set_variable("HEDDLE_CHECK_GLOBAL", command.check_global ? "1" : "");
  set_variable("HEDDLE_QUIET", command.files.quiet ? "1" : "");
  set_variable("HEDDLE_LIVE", command.live ? "1" : "");
  // The program may change its directory before results are written.
  const auto absolute = [](const std::string& path) {
    return path.empty() ? "" : fs::absolute(path).lexically_normal().string();
  };
  set_variable("HEDDLE_OUTPUT", absolute(command.machine.output));
  set_variable("HEDDLE_FORCE", command.files.force ? "1" : "");
  set_variable("HEDDLE_TIMING_KERNELS", command.timing_kernels);
  set_variable("HEDDLE_SKIP_KERNELS", command.skip_kernels);
  set_variable("HEDDLE_MAX_INSTRUCTIONS",
               command.max_instructions != 0 ? std::to_string(command.max_instructions) : "");
  set_variable("HEDDLE_MAX_CYCLES", command.max_cycles != 0 ? std::to_string(command.max_cycles) : "");
  const auto number = [](std::uint64_t value) { return value != 0 ? std::to_string(value) : std::string(); };
  set_variable("HEDDLE_THREADS", number(command.threads));
  set_variable("HEDDLE_THREAD_CYCLES", number(command.thread_cycles));
  const RecordingOptions& recording = command.recording;
  set_variable("HEDDLE_VCD", absolute(recording.vcd));
  set_variable("HEDDLE_SIGNALS", recording.signals);
  set_variable("HEDDLE_WINDOW", recording.window);
  set_variable("HEDDLE_SMS", recording.sms);
  set_variable("HEDDLE_WARPS", recording.warps);
  set_variable("HEDDLE_KERNELS", recording.kernels);
  set_variable("HEDDLE_TRACE_BYTES", number(recording.trace_bytes));
  set_variable("HEDDLE_PIPELINE", absolute(recording.pipeline));
  set_variable("HEDDLE_PIPELINE_LINES", recording.pipeline_lines);
  set_variable("HEDDLE_TIMELINE", absolute(recording.timeline));
  set_variable("HEDDLE_TIMELINE_EVERY", number(recording.timeline_every));
  set_variable("HEDDLE_PROFILE", recording.profile ? "1" : "");
  set_variable("HEDDLE_SPANS", recording.spans ? "1" : "");
  set_variable("HEDDLE_LOCALITY", recording.locality ? "1" : "");
  set_variable("HEDDLE_L1_TRACE", absolute(recording.l1_trace));
  set_variable("HEDDLE_INSPECT", recording.inspect ? "1" : "");
  set_variable("HEDDLE_SERIES", recording.series);
  set_variable("HEDDLE_SERIES_EVERY", recording.series_every == RecordingOptions::kNotGiven
                                          ? std::string()
                                          : std::to_string(recording.series_every));
  set_variable("HEDDLE_COMMAND_TRACE", absolute(recording.command_trace));
  if (!command.recorder.empty())
    set_variable(runtime::variable_of_recorder(command.recorder).c_str(), absolute(command.recorded_file));
  const char* before = std::getenv("LD_LIBRARY_PATH");
  const std::string path =
      library_folder.string() + (before != nullptr && *before != '\0' ? ":" + std::string(before) : "");
  setenv("LD_LIBRARY_PATH", path.c_str(), 1);
}

/// Refuses what cannot run on the model; returns a note on what runs without it, or an empty string.
std::string check_program(const std::string& name, const std::string& path, const fs::path& library_folder) {
  if (path.empty()) no_program(name);
  const RuntimeLink link = runtime_link(path);
  if (link.kind == RuntimeKind::shared && !fs::exists(library_folder / link.library)) {
    fail(ExitCode::usage,
         "{} needs the CUDA runtime as {}, a version that Heddle does not replace. Build it with `heddle cc`, or with "
         "CUDA 8.0 to 13.",
         path, link.library);
  }
  if (link.kind == RuntimeKind::static_) {
    fail(
        ExitCode::usage,
        "{} is linked statically with NVIDIA's CUDA runtime, which needs a real driver and cannot be replaced. Link it "
        "with the shared runtime (nvcc -cudart shared) or build it with `heddle cc`.",
        path);
  }
  if (link.kind != RuntimeKind::none_static) return {};
  return fmt::format("{} is linked statically and contains no CUDA code: nothing that it does itself runs on the model",
                     path);
}

/// A note on an option of `heddle run` behind the program, which gets it; empty where there is none.
std::string misplaced_option(const std::vector<std::string>& program) {
  for (std::size_t i = 1; i < program.size(); ++i) {
    const std::string name = program[i].substr(0, program[i].find('='));
    for (const char* own : {"--machine", "--set", "--output", "--functional", "--inspect", "--vcd", "--pipeline",
                            "--timeline", "--l1-trace", "--locality", "--max-cycles"}) {
      if (name == own)
        return fmt::format("{} follows the program and is passed to it; options of heddle run come before the program",
                           name);
    }
  }
  return {};
}

/// Sets the program that runs a kernel from a PTX file, and its command line (ptx_runner/main.cpp).
void start_ptx(RunCommand& command) {
  check_ptx_file(command.ptx);
  std::vector<std::string> words{(find_install_paths().runtime_library / "run-ptx").string(),
                                 command.ptx,
                                 command.kernel,
                                 command.grid,
                                 command.block,
                                 std::to_string(command.shared_bytes)};
  const bool force = command.files.force || runtime::options_from_environment().force;
  for (const std::string& value : command.save) {
    if (const std::size_t equals = value.find('='); equals != std::string::npos)
      OutputCheck(force).file(value.substr(equals + 1));
    words.insert(words.end(), {"--save", value});
  }
  for (const std::string& value : command.print) words.insert(words.end(), {"--print", value});
  words.emplace_back("--");
  words.insert(words.end(), command.program.begin(), command.program.end());
  command.program = std::move(words);
}

/// Reports what the program would fail with at its first CUDA call, when it may have done things already.
void check_options() {
  const runtime::Options options = runtime::options_from_environment();
  load_machine({options.machine, options.settings, {}, options.plugins});
  check_outputs(options, "--force");
}

int start(RunCommand& command, bool separated) {
  if (command.no_spilling) command.machine.settings.emplace_back("spill_registers=false");
  std::vector<std::string>& settings = command.machine.settings;
  settings.insert(settings.begin(), command.first_settings.begin(), command.first_settings.end());
  const std::string path = find_program(command.program[0]);
  (void)NumberRanges(command.timing_kernels, "--timing-kernels", 1);
  (void)NumberRanges(command.skip_kernels, "--skip-kernels", 1);
  const RecordingOptions& recording = command.recording;
  if (!recording.window.empty()) parse_windows(recording.window);
  (void)NumberRanges(recording.sms, "--sms");
  (void)NumberRanges(recording.warps, "--warps");
  const InstallPaths paths = find_install_paths();
  if (!fs::exists(paths.runtime_library / "libcudart.so")) {
    fail(ExitCode::io, "{} does not contain libcudart.so: build or install all of Heddle",
         paths.runtime_library.string());
  }
  std::vector<std::string> notes{check_program(command.program[0], path, paths.runtime_library)};
  if (!separated) notes.push_back(misplaced_option(command.program));
  set_environment(command, paths.runtime_library);
  check_options();
  for (const std::string& note : notes) {
    if (!note.empty() && !command.files.quiet) fmt::print(stderr, "heddle run: note: {}\n", note);
  }
  std::vector<char*> arguments;
  for (std::string& argument : command.program) arguments.push_back(argument.data());
  arguments.push_back(nullptr);
  execv(path.c_str(), arguments.data());
  fail(ExitCode::usage, "{}: cannot be started: {}", path, std::strerror(errno));
}

/// Parses the arguments and starts the program; the caller sets up `app` and `command`.
int execute(CommandLine& app, const OptionRules& rules, RunCommand& command, int argc, char** argv) {
  try {
    if (!app.parse(argc, argv)) return 0;
    rules.check();
    command.program = app.remaining();
    const bool separated = !command.program.empty() && command.program[0] == "--";
    if (separated) command.program.erase(command.program.begin());
    if (!command.ptx.empty()) start_ptx(command);
    if (command.program.empty() || command.program[0].empty())
      fail(ExitCode::usage, "missing program: {} [options] ./app arguments", app.name());
    if (command.program[0][0] == '-')
      fail(ExitCode::usage, "unknown option '{}'; see {} --help", command.program[0], app.name());
    return start(command, separated || !command.ptx.empty());
  } catch (const Error& error) {
    fmt::print(stderr, "{}: error: {}\n", app.name(), error.what());
    return static_cast<int>(error.code());
  }
}

}  // namespace

int run(int argc, char** argv) {
  CommandLine app("Runs a CUDA program on the model.", "heddle run");
  RunCommand command;
  OptionRules rules;
  const CommandLineOption output = declare(app, rules, command);
  declare_timing(app, rules, command, output);
  declare_ptx(app, rules, command);
  app.footer("The exit status is that of the program. If the model ends the run, it is 100 or more.");
  return execute(app, rules, command, argc, argv);
}

int check(int argc, char** argv) {
  CommandLine app(
      "Runs a CUDA program functionally, four threads at a time, and reports races and reliance on lock step.",
      "heddle check");
  RunCommand command;
  command.check = true;
  OptionRules rules;
  declare(app, rules, command);
  app.add_flag("--global", command.check_global,
               "also check for races between warps in global memory, not only in shared memory; slower");
  app.footer(
      "The status is 109 when two threads access the same location without synchronisation and one changes it; else "
      "that "
      "of "
      "`heddle run`.");
  return execute(app, rules, command, argc, argv);
}

int run_recorded(const RecordedRun& recorded, int argc, char** argv) {
  CommandLine app(recorded.sentence, recorded.name);
  RunCommand command;
  command.recorder = recorded.recorder;
  command.recorded_file = recorded.file;
  OptionRules rules;
  declare(app, rules, command);
  app.add_option(recorded.option, command.recorded_file,
                 "file of the " + recorded.what + "; default: " + recorded.file);
  command.first_settings = recorded.settings;
  app.footer(recorded.footer + " The status is that of `heddle run`.");
  return execute(app, rules, command, argc, argv);
}

}  // namespace heddle::cli
