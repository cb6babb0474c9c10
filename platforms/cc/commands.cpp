// SPDX-License-Identifier: Apache-2.0
#include "cc/commands.h"

#include <algorithm>
#include <array>
#include <functional>
#include <iterator>
#include <string_view>

namespace heddle::cc {

namespace {

bool starts_with(std::string_view text, std::string_view prefix) { return text.substr(0, prefix.size()) == prefix; }

void append(Command& command, const Command& more) { command.insert(command.end(), more.begin(), more.end()); }

// Host flags that affect the meaning of the source and so apply to device code too. All others (code generation,
// sanitizers, profiling, OpenMP, linking) are host-only.
bool concerns_device(std::string_view flag) {
  constexpr std::array<std::string_view, 20> kPrefixes{"-D",
                                                       "-U",
                                                       "-I",
                                                       "-isystem",
                                                       "-iquote",
                                                       "-idirafter",
                                                       "-include",
                                                       "-imacros",
                                                       "-std=",
                                                       "-pthread",
                                                       "-fexceptions",
                                                       "-fno-exceptions",
                                                       "-frtti",
                                                       "-fno-rtti",
                                                       "-fsigned-char",
                                                       "-funsigned-char",
                                                       "-fshort-enums",
                                                       "-ftemplate-depth",
                                                       "-fconstexpr",
                                                       "-fms-extensions"};
  return std::any_of(kPrefixes.begin(), kPrefixes.end(), [&](std::string_view p) { return starts_with(flag, p); });
}

bool takes_value(std::string_view flag) {
  for (std::string_view name : {"-D", "-U", "-I", "-isystem", "-iquote", "-idirafter", "-include", "-imacros"}) {
    if (flag == name) return true;
  }
  return false;
}

Command device_host_flags(const Command& flags) {
  Command out;
  for (std::size_t i = 0; i < flags.size(); ++i) {
    if (!concerns_device(flags[i])) continue;
    out.push_back(flags[i]);
    if (takes_value(flags[i]) && i + 1 < flags.size()) out.push_back(flags[++i]);
  }
  return out;
}

bool has_sources(const Options& options) {
  return std::any_of(options.inputs.begin(), options.inputs.end(), [](const Input& input) {
    return input.kind == Input::Kind::file && input.language != Language::linker_input;
  });
}

bool asks_openmp(const Command& flags) {
  return std::any_of(flags.begin(), flags.end(), [](const std::string& f) { return starts_with(f, "-fopenmp"); });
}

Command without_openmp(const Command& flags) {
  Command out;
  std::copy_if(flags.begin(), flags.end(), std::back_inserter(out),
               [](const std::string& flag) { return !starts_with(flag, "-fopenmp"); });
  return out;
}

// Flags for clang's host pass. OpenMP pragmas need clang's OpenMP library, but a program that only queries thread
// counts still builds with GCC's header and library.
Command clang_host_flags(const Build& build) {
  const Command& flags = build.options.host_flags;
  if (!drops_openmp(build)) return flags;
  Command out = without_openmp(flags);
  if (!build.tools.gcc_include.empty()) append(out, {"-idirafter", build.tools.gcc_include});
  return out;
}

// Language standard of a CUDA source. The headers need C++11.
std::string cuda_standard(const Options& options) {
  const std::string& asked = options.standard;
  if (asked.empty()) return "gnu++17";
  for (const char* old : {"++98", "++03", "++0x"}) {
    if (asked.find(old) != std::string::npos) return asked.substr(0, asked.find("++")) + "++11";
  }
  return asked;
}

// Macros that identify the compiler, also in host sources, and the header folder nvcc searches implicitly.
void append_interface(Command& command, const Build& build) {
  append(command,
         {"-D__NVCC__=1", "-D__HEDDLE__=1", "-D__CUDACC_VER_MAJOR__=" + std::to_string(kInterfaceVersion.major),
          "-D__CUDACC_VER_MINOR__=" + std::to_string(kInterfaceVersion.minor), "-D__CUDACC_VER_BUILD__=0"});
  // Not -I: clang accepts device overloads of library functions from system headers only (platforms/cuda/FLAGS.md).
  append(command, {"-isystem", build.tools.paths.cuda_include.string()});
}

void append_optimization(Command& command, const Options& options) {
  if (!options.optimization.empty())
    command.push_back("-O" + options.optimization);
  else
    command.push_back(options.host_debug || options.device_debug ? "-O0" : "-O2");
}

// Flags common to both passes over a CUDA source. clang launches kernels with cudaLaunchKernel since CUDA 9.2, and
// takes the version from -target-sdk-version in the absence of a toolkit.
Command cuda_base(const Build& build) {
  const Options& options = build.options;
  Command command{build.tools.clang, "-x", "cuda", "-std=" + cuda_standard(options), "-nocudainc", "-nocudalib",
                  "--cuda-path=" + build.empty_folder, "--cuda-gpu-arch=" + build.architecture.name(), "-Xclang",
                  "-target-sdk-version=9.2",
                  // libcu++ declares variadic functions for overload resolution; va_arg in a kernel is still an error.
                  "-Xclang", "-fcuda-allow-variadic-functions", "-D__CUDACC__=1"};
  append_interface(command, build);
  // `register` in C++17 is an error for clang but not for nvcc.
  command.push_back("-Wno-register");
  if (!build.overlay.empty()) append(command, {"-ivfsoverlay", build.overlay});
  if (options.relocatable_device_code) append(command, {"-fgpu-rdc", "-D__CUDACC_RDC__=1"});
  if (options.device_debug) command.push_back("-D__CUDACC_DEBUG__=1");
  if (options.floating_point.fast_math) command.push_back("-D__USE_FAST_MATH__=1");
  if (options.floating_point.flush_denormals) command.push_back("-DHEDDLE_CUDA_FTZ=1");
  // The back end's switch only applies when infinities are excluded, so the headers implement the option.
  if (!options.floating_point.precise_square_root) command.push_back("-DHEDDLE_CUDA_PREC_SQRT=0");
  append(command, {"-include", "cuda_runtime.h"});
  append(command, options.preprocessor);
  return command;
}

void append_device_division(Command& command, const FloatOptions& math) {
  // LLVM's NVPTX back end: 0 is div.approx, 1 div.full, 2 div.rn.
  if (math.fast_math || !math.precise_division) {
    append(command, {"-mllvm", math.fast_math ? "-nvptx-prec-divf32=0" : "-nvptx-prec-divf32=1"});
  }
}

std::string device_optimization(const Options& options) { return optimizes_device(options) ? "-O3" : "-O0"; }

// -ffast-math would also drop NaNs and reorder sums, unlike nvcc's -use_fast_math. Set exactly its four switches; the
// headers map single-precision functions to intrinsics.
void append_device_math(Command& command, const FloatOptions& math) {
  if (math.flush_denormals) command.push_back("-fgpu-flush-denormals-to-zero");
  command.push_back(math.fuse_multiply_add ? "-ffp-contract=fast" : "-ffp-contract=off");
  append_device_division(command, math);
}

// Passes over LLVM IR of device code.
Command ir_command(const Build& build) {
  const Options& options = build.options;
  Command command{build.tools.clang,
                  "-x",
                  "ir",
                  "--target=nvptx64-nvidia-cuda",
                  "-march=" + build.architecture.name(),
                  "-nocudalib",
                  "-S",
                  "-w",
                  "-Xclang",
                  "-target-feature",
                  "-Xclang",
                  build.architecture.ptx_feature(),
                  device_optimization(options)};
  // Of -ffp-contract, which is no option of these passes.
  if (options.floating_point.fuse_multiply_add && optimizes_device(options))
    append(command, {"-mllvm", "-nvptx-fma-level=2"});
  append_device_division(command, options.floating_point);
  return command;
}

void append_host_side(Command& command, const Build& build) {
  const Options& options = build.options;
  append_optimization(command, options);
  if (options.host_debug) command.push_back("-g");
  if (options.disable_warnings) command.push_back("-w");
  if (options.warnings_are_errors) command.push_back("-Werror");
}

// Moves libraries behind the objects, as nvcc does. Flags for the linker concern the items around them, so where there
// are any, the order stays.
std::vector<std::string> in_link_order(std::vector<std::string> items) {
  const auto is_library = [](const std::string& item) { return starts_with(item, "-l"); };
  const auto is_flag = [&](const std::string& item) { return starts_with(item, "-") && !is_library(item); };
  if (std::none_of(items.begin(), items.end(), is_flag))
    std::stable_partition(items.begin(), items.end(), std::not_fn(is_library));
  return items;
}

}  // namespace

bool drops_openmp(const Build& build) {
  return build.tools.openmp_library.empty() && asks_openmp(build.options.host_flags);
}

bool optimizes_device(const Options& options) { return !options.device_debug || options.optimize_debugged; }

bool has_lines(const Options& options) {
  return options.device_debug || options.host_debug || options.line_information;
}

Command device_command(const Build& build, const std::string& source, const std::string& output) {
  const Options& options = build.options;
  Command command = cuda_base(build);
  append(command,
         {"--cuda-device-only", "-S", "-w", "-Xclang", "-target-feature", "-Xclang", build.architecture.ptx_feature()});
  // Programs pass variables that only the source lane of a shuffle has set. If clang assumed every argument to be
  // defined, it would drop the branches that control the assignment.
  append(command,
         {"-Xclang", build.tools.clang_version == 14 ? "-disable-noundef-analysis" : "-no-enable-noundef-analysis"});
  // clang marks internal-linkage names only if the compilation unit has an identifier; with_local_names() in ptx_text.h
  // turns the marks into local symbols.
  if (options.relocatable_device_code) command.push_back("-cuid=heddle");
  command.push_back(device_optimization(options));
  if (has_lines(options)) append(command, {"-gline-directives-only", "-emit-llvm"});
  append_device_math(command, options.floating_point);
  append(command, device_host_flags(options.host_flags));
  append(command, {source, "-o", output});
  return command;
}

Command unoptimized_command(const Build& build, const std::string& source, const std::string& ir) {
  Command command = device_command(build, source, ir);
  append(command, {"-emit-llvm", "-Xclang", "-disable-llvm-passes"});
  return command;
}

Command optimization_command(const Build& build, const std::string& ir, const std::string& output) {
  Command command = ir_command(build);
  if (has_lines(build.options)) command.push_back("-emit-llvm");
  append(command, {ir, "-o", output});
  return command;
}

Command code_command(const Build& build, const std::string& ir, const std::string& ptx) {
  Command command = ir_command(build);
  append(command, {"-Xclang", "-disable-llvm-passes", ir, "-o", ptx});
  return command;
}

Command host_command(const Build& build, const std::string& source, const std::string& ptx, const std::string& object) {
  Command command = cuda_base(build);
  append(command, {"--cuda-host-only", "-Wno-unused-command-line-argument", "-Wno-unknown-warning-option"});
  if (build.options.relocatable_device_code) command.push_back("-fuse-cuid=none");
  append_host_side(command, build);
  append(command, clang_host_flags(build));
  append(command, {"-Xclang", "-fcuda-include-gpubinary", "-Xclang", ptx, "-c", source, "-o", object});
  return command;
}

Command plain_command(const Build& build, const std::string& source, Language language, const std::string& object) {
  const Options& options = build.options;
  Command command{language == Language::c ? build.tools.c_compiler : build.tools.host_compiler};
  append(command, {"-x", language == Language::c ? "c" : "c++"});
  if (language == Language::cxx && !options.standard.empty()) command.push_back("-std=" + options.standard);
  append_interface(command, build);
  append(command, options.preprocessor);
  append_host_side(command, build);
  append(command, options.host_flags);
  append(command, {"-c", source, "-o", object});
  return command;
}

Command preprocess_command(const Build& build, const std::string& source, Language language,
                           const std::string& output) {
  const Options& options = build.options;
  Command command;
  if (language == Language::cuda) {
    command = cuda_base(build);
    append(command, {"--cuda-host-only", "-Wno-unused-command-line-argument"});
    append(command, clang_host_flags(build));
  } else {
    command = {language == Language::c ? build.tools.c_compiler : build.tools.host_compiler, "-x",
               language == Language::c ? "c" : "c++"};
    if (language == Language::cxx && !options.standard.empty()) command.push_back("-std=" + options.standard);
    append_interface(command, build);
    append(command, options.preprocessor);
    append(command, options.host_flags);
  }
  if (options.phase == Phase::dependencies) {
    const DependencyOptions& dependencies = options.dependencies;
    command.push_back(dependencies.skip_system ? "-MM" : "-M");
    if (dependencies.phony_targets) command.push_back("-MP");
    for (const std::string& target : dependencies.targets) append(command, {"-MT", target});
    if (dependencies.targets.empty()) append(command, {"-MT", stem_of(source) + ".o"});
  } else {
    command.push_back("-E");
  }
  command.push_back(source);
  if (!output.empty()) append(command, {"-o", output});
  return command;
}

Command dependency_flags(const Options& options, const std::string& object, const std::string& file) {
  const DependencyOptions& dependencies = options.dependencies;
  Command command{dependencies.skip_system ? "-MMD" : "-MD", "-MF", file};
  if (dependencies.phony_targets) command.push_back("-MP");
  for (const std::string& target : dependencies.targets) append(command, {"-MT", target});
  if (dependencies.targets.empty()) append(command, {"-MT", object});
  return command;
}

Command link_command(const Build& build, const std::vector<std::string>& items, const std::string& output) {
  const Options& options = build.options;
  Command command{build.tools.host_compiler};
  if (options.shared) command.push_back("-shared");
  // Build systems query the linker's libraries and folders with a verbose link.
  if (options.verbose && !has_sources(options)) command.push_back("-v");
  if (options.host_debug) command.push_back("-g");
  // A program must have a single OpenMP library: clang's, which also supports GCC-compiled code.
  const bool clang_openmp = asks_openmp(options.host_flags) && !build.tools.openmp_library.empty();
  append(command, clang_openmp ? without_openmp(options.host_flags) : options.host_flags);
  append(command, {"-o", output});
  command.push_back("-Wl,--start-group");
  append(command, in_link_order(items));
  command.push_back("-Wl,--end-group");
  const std::string runtime = build.tools.paths.runtime_library.string();
  // Our folder comes first, so that an installed toolkit does not provide -lcudart.
  command.push_back("-L" + runtime);
  for (const std::string& folder : options.library_folders) command.push_back("-L" + folder);
  if (options.runtime != Runtime::none) {
    append(command, {"-Wl,--enable-new-dtags", "-Wl,-rpath," + runtime, "-lcudadevrt",
                     options.runtime == Runtime::shared ? "-lcudart" : "-lcudart_static"});
  }
  if (clang_openmp) command.push_back(build.tools.openmp_library);
  append(command, {"-lpthread", "-ldl", "-lrt"});
  return command;
}

Command registration_command(const Build& build, const std::string& source, const std::string& object) {
  return {build.tools.host_compiler, "-x", "c++", "-std=c++14", "-O1", "-fPIC",
          "-fvisibility=hidden",     "-w", "-c",  source,       "-o",  object};
}

Command archive_command(const Build& build, const std::vector<std::string>& objects, const std::string& output) {
  Command command{build.tools.archiver, "rcs", output};
  append(command, objects);
  return command;
}

std::string shell_text(const Command& command) {
  constexpr std::string_view kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./:,@%";
  std::string text;
  for (const std::string& word : command) {
    if (!text.empty()) text += ' ';
    if (!word.empty() && word.find_first_not_of(kPlain) == std::string::npos) {
      text += word;
      continue;
    }
    text += '"';
    for (char c : word) {
      if (c == '"' || c == '\\' || c == '$' || c == '`') text += '\\';
      text += c;
    }
    text += '"';
  }
  return text;
}

}  // namespace heddle::cc
