// SPDX-License-Identifier: Apache-2.0
#include "cc/driver.h"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cc/commands.h"
#include "cc/device_link.h"
#include "cc/inlined_lines.h"
#include "cc/library_packages.h"
#include "cc/make_rule.h"
#include "cc/object_file.h"
#include "cc/options.h"
#include "cc/ptx_text.h"
#include "cc/refused_features.h"
#include "cc/report.h"
#include "cc/response_file.h"
#include "cc/runner.h"
#include "cc/source_overlay.h"
#include "cc/spin_loops.h"
#include "cc/toolchain.h"
#include "cc/toolkits.h"
#include "cc/unnamed_types.h"
#include "common/install_paths.h"
#include "core/error.h"
#include "core/excerpt.h"
#include "core/file.h"

namespace heddle::cc {

namespace fs = std::filesystem;

namespace {

/// FNV-1a, 64 bits: derives the identifier of a compilation unit from its distinguishing properties.
std::uint64_t identifier_of(const std::vector<std::string>& parts) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (const std::string& part : parts) {
    for (unsigned char c : part + '\n') hash = (hash ^ c) * 0x100000001b3u;
  }
  return hash;
}

class Driver {
 public:
  Driver(Options options, Toolchain tools, std::vector<std::string> arguments)
      : options_(std::move(options)),
        tools_(std::move(tools)),
        arguments_(std::move(arguments)),
        runner_(options_.verbose, options_.dry_run),
        work_(options_.keep ? (options_.keep_directory.empty() ? "." : options_.keep_directory) : ""),
        build_{options_, tools_, choose_architecture(options_.architectures), (work_.path() / "no-toolkit").string()} {
    if (!options_.archiver.empty()) tools_.archiver = options_.archiver;
    if (!build_.architecture.note.empty()) options_.notes.push_back(build_.architecture.note);
    if (compiles_cuda() && drops_openmp(build_)) {
      options_.notes.push_back(fmt::format(
          "OpenMP pragmas in CUDA sources have no effect because clang's OpenMP library is missing; install "
          "libomp-{}-dev",
          tools_.clang_version));
    }
    leave_out_toolkits(tools_.paths, options_);
  }

  int run();

 private:
  struct Failed {
    int status;
  };

  void execute(const Command& command) { execute(command, command); }
  void execute(const Command& command, const Command& shown) {
    const int status = runner_.run(command, shown);
    if (status == 0) return;
    for (const std::string& note : {library_note(runner_, command, work_.path() / "included"),
                                    refused_features_note(runner_, command, work_.path() / "messages")}) {
      if (!note.empty()) fmt::print(stderr, "heddle cc: note: {}\n", note);
    }
    throw Failed{status};
  }

  void check_inputs() const;
  void check_installation() const;
  void check_output() const;

  fs::path intermediate_folder();
  std::string intermediate(const std::string& source, const std::string& extension);
  std::string rule_target(const std::string& source, const std::string& object) const;
  void prepare(const Input& input);
  std::string output_beside(const std::string& source, const std::string& extension) const;
  void compile_device(const std::string& source, const std::string& object, const std::string& ptx);
  void recompile_if_needed(const std::string& source, const std::string& output);
  std::string terminated(const std::string& ptx) const;
  void compile(const Input& input, const std::string& object);
  void write_make_rule(const std::string& object, const std::string& device, const std::string& host);
  bool compiles_cuda() const;

  std::vector<std::string> build_objects(std::vector<std::string>& link_items);
  DeviceObjects gather(const std::vector<std::string>& items) const;
  void link_device_code(const DeviceObjects& objects, const std::string& object);

  void run_sources(const std::string& extension, const std::function<void(const Input&, const std::string&)>& step);
  void run_preprocess();
  void run_device_link();
  void run_archive();
  void run_link();

  Options options_;
  Toolchain tools_;
  std::vector<std::string> arguments_;
  Runner runner_;
  WorkFolder work_;
  Build build_;
  int intermediates_ = 0;
};

void Driver::check_inputs() const {
  std::error_code error;
  bool any = false;
  for (const Input& input : options_.inputs) {
    if (input.kind != Input::Kind::file) continue;
    any = true;
    if (fs::is_directory(input.text, error)) fail(ExitCode::usage, "{}: is a folder, not a file", input.text);
    if (input.language == Language::linker_input && !fs::exists(input.text, error)) {
      fail(ExitCode::usage, "{}: no such file, and its name has no known extension", excerpt(input.text, 300));
    }
  }
  if (!any) fail(ExitCode::usage, "no input files; see heddle cc --help");
}

bool Driver::compiles_cuda() const {
  return std::any_of(options_.inputs.begin(), options_.inputs.end(), [](const Input& input) {
    return input.kind == Input::Kind::file && input.language == Language::cuda;
  });
}

void Driver::check_installation() const {
  std::error_code error;
  if (compiles_cuda() && !fs::exists(tools_.paths.cuda_include / "cuda_runtime.h", error)) {
    fail(ExitCode::configuration,
         "{}: the CUDA headers are missing; set HEDDLE_HOME to the installation prefix of Heddle",
         tools_.paths.cuda_include.string());
  }
}

// What clang and the linker would say after minutes of compilation. Existing files are replaced, as nvcc does.
void Driver::check_output() const {
  const std::string& output = options_.output;
  if (options_.dry_run || output == "-") return;
  const auto cannot_write = [](const std::string& file, const std::string& why) {
    fail(ExitCode::io, "{}: cannot be written: {}", file, why);
  };
  std::error_code error;
  const auto check_folder = [&](const std::string& file, const fs::path& folder) {
    if (!fs::is_directory(folder, error)) cannot_write(file, fmt::format("there is no folder {}", folder.string()));
    if (access(folder.c_str(), W_OK) != 0) cannot_write(file, std::strerror(errno));
  };
  if (!options_.output_directory.empty()) check_folder(options_.output_directory, options_.output_directory);
  if (output.empty()) return;
  for (const Input& input : options_.inputs) {
    const bool source = input.kind == Input::Kind::file && input.language != Language::linker_input;
    if (source && fs::equivalent(input.text, output, error))
      fail(ExitCode::usage, "-o {} is one of the sources, which it would replace", output);
  }
  if (is_written_through(output)) return;
  if (!fs::exists(output, error))
    check_folder(output, fs::path(output).has_parent_path() ? fs::path(output).parent_path() : ".");
}

fs::path Driver::intermediate_folder() {
  if (options_.keep) return work_.path();
  const fs::path folder = work_.path() / std::to_string(intermediates_++);
  std::error_code error;
  fs::create_directory(folder, error);
  if (error) fail(ExitCode::io, "{}: cannot create the folder: {}", folder.string(), error.message());
  return folder;
}

std::string Driver::intermediate(const std::string& source, const std::string& extension) {
  // Separate folders unless kept, because archive members are named after these files.
  return (intermediate_folder() / (stem_of(source) + extension)).string();
}

std::string Driver::output_beside(const std::string& source, const std::string& extension) const {
  if (!options_.output.empty()) return options_.output;
  const std::string name = stem_of(source) + extension;
  return options_.output_directory.empty() ? name : (fs::path(options_.output_directory) / name).string();
}

// Compiles a source to PTX and writes ptxas options into the text.
void Driver::compile_device(const std::string& source, const std::string& object, const std::string& ptx) {
  const bool lines = has_lines(options_);
  const std::string ir = lines ? intermediate(source, ".ll") : ptx;
  Command command = device_command(build_, source, ir);
  if (options_.dependencies.with_compile) {
    const Command flags = dependency_flags(options_, object, ptx + ".d");
    command.insert(command.end(), flags.begin(), flags.end());
  }
  execute(command);
  recompile_if_needed(source, ir);
  std::optional<InlinedLines> inlined;
  if (lines) {
    if (!runner_.dry_run()) {
      inlined.emplace(read_file(ir));
      write_file(ir, inlined->numbered());
    }
    execute(code_command(build_, ir, ptx));
  }
  if (runner_.dry_run()) return;
  const std::string original = read_file(ptx);
  std::string text = inlined ? inlined->with_calls(original) : original;
  if (options_.relocatable_device_code) text = with_local_names(text);
  if (options_.max_registers) text = with_register_limit(text, *options_.max_registers);
  text = with_cache_operators(text, options_.load_cache_operator, options_.store_cache_operator);
  if (text != original) write_file(ptx, text);
}

// Compiles device code again if it has loops in which threads try to take a lock, or variables of types without a name.
// Other code stays as it is.
void Driver::recompile_if_needed(const std::string& source, const std::string& output) {
  if (runner_.dry_run() || !optimizes_device(options_)) return;
  // Variables of the same name in other sources are others, which only symbols of their own object tell apart.
  const bool unnamed = !options_.relocatable_device_code && may_have_unnamed_types(read_file(source));
  if (!unnamed && !may_spin(read_file(output))) return;
  const std::string ir = intermediate(source, ".unoptimized.ll");
  execute(unoptimized_command(build_, source, ir));
  const std::string text = read_file(ir);
  std::string changed = with_meeting_points(text);
  if (unnamed) changed = with_visible_variables(changed);
  if (changed == text) return;
  write_file(ir, changed);
  execute(optimization_command(build_, ir, output));
}

void Driver::write_make_rule(const std::string& object, const std::string& device, const std::string& host) {
  if (!options_.dependencies.with_compile || runner_.dry_run()) return;
  const MakeRule of_host = host.empty() ? MakeRule{} : parse_make_rule(read_file(host));
  const MakeRule of_device = device.empty() ? MakeRule{} : parse_make_rule(read_file(device));
  const MakeRule rule = merge_make_rules(host.empty() ? of_device : of_host, of_device, work_.path().string() + "/");
  const std::string& named = options_.dependencies.file;
  write_file(named.empty() ? fs::path(object).replace_extension(".d") : fs::path(named),
             make_rule_text(rule, options_.dependencies.phony_targets));
}

// Target of a make rule: the object, or the link output if the object is an intermediate file.
std::string Driver::rule_target(const std::string& source, const std::string& object) const {
  if (options_.phase == Phase::compile) return object;
  const auto is_source = [](const Input& input) {
    return input.kind == Input::Kind::file && input.language != Language::linker_input;
  };
  const bool one = std::count_if(options_.inputs.begin(), options_.inputs.end(), is_source) == 1;
  return one && !options_.output.empty() ? options_.output : stem_of(source) + ".o";
}

// Prepares the overlay clang needs for a source.
void Driver::prepare(const Input& input) {
  build_.overlay.clear();
  if (input.language != Language::cuda || runner_.dry_run()) return;
  build_.overlay = source_overlay(input.text, include_folders(options_.preprocessor), intermediate_folder());
}

// PTX as a file to embed. The runtime library reads the text up to a NUL, which clang 14 adds and later versions do
// not.
std::string Driver::terminated(const std::string& ptx) const {
  if (build_.tools.clang_version == 14) return ptx;
  std::string text = ptx + ".text";
  if (!runner_.dry_run()) write_file(text, read_file(ptx) + '\0');
  return text;
}

void Driver::compile(const Input& input, const std::string& object) {
  const std::string& source = input.text;
  prepare(input);
  const bool rules = options_.dependencies.with_compile;
  const std::string target = rule_target(source, object);
  const std::string host_rule = rules ? intermediate(source, ".host.d") : "";
  const Command flags = rules ? dependency_flags(options_, target, host_rule) : Command{};
  const auto with_flags = [&](Command command) {
    command.insert(command.end(), flags.begin(), flags.end());
    return command;
  };
  if (input.language != Language::cuda) {
    execute(with_flags(plain_command(build_, source, input.language, object)));
    return write_make_rule(target, "", host_rule);
  }
  const std::string ptx = intermediate(source, ".ptx");
  compile_device(source, target, ptx);
  const std::string text = terminated(ptx);
  if (!options_.relocatable_device_code) {
    execute(with_flags(host_command(build_, source, text, object)));
  } else {
    // Rename the module before the object appears under its final name.
    const std::string unnamed = intermediate(source, ".rdc.o");
    execute(with_flags(host_command(build_, source, text, unnamed)));
    if (!runner_.dry_run()) {
      std::vector<std::string> parts = arguments_;
      parts.insert(parts.end(), {fs::absolute(source).string(), fs::absolute(object).string()});
      rename_module(unnamed, identifier_of(parts));
      write_file(object, read_file(unnamed));
    }
  }
  write_make_rule(target, rules ? ptx + ".d" : "", host_rule);
}

// Compiles the sources and lists the link inputs in command-line order. Returns only the objects.
std::vector<std::string> Driver::build_objects(std::vector<std::string>& link_items) {
  std::vector<std::string> objects;
  for (const Input& input : options_.inputs) {
    std::string item = input.text;
    if (input.kind == Input::Kind::library) {
      item = "-l" + item;
    } else if (input.kind == Input::Kind::file && input.language != Language::linker_input) {
      item = intermediate(input.text, ".o");
      compile(input, item);
    }
    if (input.kind == Input::Kind::file) objects.push_back(item);
    link_items.push_back(item);
  }
  return objects;
}

// Gathers device code from all link inputs: objects, archives, and libraries for which the linker would use the
// archive.
DeviceObjects Driver::gather(const std::vector<std::string>& items) const {
  DeviceObjects objects;
  if (runner_.dry_run()) return objects;
  std::vector<fs::path> seen;
  const auto read = [&](const fs::path& path) {
    const fs::path canonical = fs::canonical(path);
    if (!fs::is_regular_file(canonical) || std::find(seen.begin(), seen.end(), canonical) != seen.end()) return;
    seen.push_back(canonical);
    read_device_objects(path.string(), objects);
  };
  std::error_code error;
  for (const std::string& item : items) {
    if (item.rfind("-l", 0) == 0) {
      const std::string name = item.substr(2);
      for (const std::string& folder : options_.library_folders) {
        const bool exact = name.rfind(':', 0) == 0;
        if (!exact && fs::exists(fs::path(folder) / ("lib" + name + ".so"), error)) break;
        const fs::path archive = fs::path(folder) / (exact ? name.substr(1) : "lib" + name + ".a");
        if (!fs::exists(archive, error)) continue;
        read(archive);
        break;
      }
    } else if (item.rfind('-', 0) != 0 && fs::exists(item, error)) {
      read(item);
    }
  }
  return objects;
}

void Driver::link_device_code(const DeviceObjects& objects, const std::string& object) {
  const std::vector<DeviceModule> modules = modules_to_link(objects);
  std::vector<std::string> files;
  for (std::size_t i = 0; i < modules.size(); ++i) {
    files.push_back(intermediate(fmt::format("module{}", i), ".ptx"));
    write_file(files.back(), modules[i].ptx);
  }
  const std::string source = intermediate("registration", ".cpp");
  if (!runner_.dry_run()) write_file(source, registration_source(modules, files));
  execute(registration_command(build_, source, object));
}

void Driver::run_sources(const std::string& extension,
                         const std::function<void(const Input&, const std::string&)>& step) {
  bool any = false;
  for (const Input& input : options_.inputs) {
    if (input.kind != Input::Kind::file || input.language == Language::linker_input) continue;
    any = true;
    step(input, output_beside(input.text, extension));
  }
  if (!any) fail(ExitCode::usage, "there is no source among the inputs; -c and -ptx compile .cu, .cpp and .c files");
}

void Driver::run_preprocess() {
  const bool rule = options_.phase == Phase::dependencies;
  const std::string output = !options_.output.empty() ? options_.output : rule ? options_.dependencies.file : "";
  for (const Input& input : options_.inputs) {
    if (input.kind != Input::Kind::file || input.language == Language::linker_input) continue;
    prepare(input);
    execute(preprocess_command(build_, input.text, input.language, output));
  }
}

void Driver::run_device_link() {
  options_.relocatable_device_code = true;
  std::vector<std::string> items;
  build_objects(items);
  link_device_code(gather(items), options_.output.empty() ? "a_dlink.o" : options_.output);
}

void Driver::run_archive() {
  std::vector<std::string> items;
  const std::vector<std::string> objects = build_objects(items);
  const std::string output = options_.output.empty() ? "a.a" : options_.output;
  // ar would append to an existing archive.
  if (std::error_code error; !runner_.dry_run() && fs::is_regular_file(output, error)) fs::remove(output, error);
  execute(archive_command(build_, objects, output));
}

void Driver::run_link() {
  std::vector<std::string> items;
  build_objects(items);
  const DeviceObjects objects = gather(items);
  if (options_.device_link && !modules_to_link(objects).empty()) {
    const std::string registration = intermediate("registration", ".o");
    link_device_code(objects, registration);
    items.insert(items.begin(), registration);
  }
  const std::string output = options_.output.empty() ? "a.out" : options_.output;
  const Command command = link_command(build_, items, output);
  // Build systems use the first word as the linker for CUDA objects. It must be this program, which adds the run path
  // of the runtime library and the registration of relocatable device code.
  Command shown = command;
  shown.front() = (tools_.paths.program.parent_path() / "heddle-cc").string();
  execute(command, shown);
  if (options_.run_after_link) {
    Command program{fs::absolute(output).string()};
    program.insert(program.end(), options_.run_arguments.begin(), options_.run_arguments.end());
    execute(program);
  }
}

int Driver::run() {
  if (options_.verbose || options_.dry_run) fmt::print(stderr, "{}", environment_text(build_));
  for (const std::string& note : options_.notes) {
    if (!options_.disable_warnings) fmt::print(stderr, "heddle cc: note: {}\n", note);
  }
  std::fflush(stderr);
  check_inputs();
  check_installation();
  check_output();
  try {
    switch (options_.phase) {
      case Phase::compile:
        run_sources(".o", [this](const Input& input, const std::string& object) { compile(input, object); });
        break;
      case Phase::ptx:
        run_sources(options_.ptx_extension, [this](const Input& input, const std::string& output) {
          prepare(input);
          const std::string ptx = intermediate(input.text, ".ptx");
          compile_device(input.text, output, ptx);
          if (!runner_.dry_run() && ptx != output) write_file(output, read_file(ptx));
          write_make_rule(output, ptx + ".d", "");
        });
        break;
      case Phase::preprocess:
      case Phase::dependencies:
        run_preprocess();
        break;
      case Phase::device_link:
        run_device_link();
        break;
      case Phase::archive:
        run_archive();
        break;
      case Phase::link:
        run_link();
        break;
    }
  } catch (const Failed& failed) {
    return failed.status;
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const std::vector<std::string> arguments = expand_response_files({argv + 1, argv + argc});
    const Options options = parse_options(arguments);
    if (options.show_help || options.show_version) {
      fmt::print("{}", options.show_help ? help_text() : version_text());
      return 0;
    }
    if (options.show_cuda_path) {
      const fs::path folder = find_install_paths().cuda_root;
      if (std::error_code error; !fs::is_directory(folder, error))
        fail(ExitCode::configuration, "{}: is missing; build or install all of Heddle", folder.string());
      fmt::print("{}\n", folder.string());
      return 0;
    }
    if (options.list_architectures) {
      for (int number : {70, 72, 75, 80, 86}) fmt::print("compute_{}\n", number);
      return 0;
    }
    return Driver(options, find_toolchain(find_install_paths(), options.host_compiler), arguments).run();
  } catch (const Error& error) {
    fmt::print(stderr, "heddle cc: error: {}\n", error.what());
    return static_cast<int>(error.code());
  } catch (const std::exception& error) {
    fmt::print(stderr, "heddle cc: error: {}\n", error.what());
    return static_cast<int>(ExitCode::internal);
  }
}

}  // namespace heddle::cc
