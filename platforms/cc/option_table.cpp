// SPDX-License-Identifier: Apache-2.0
// Names and meanings follow the manuals of NVCC 11.2 to 13 ("NVCC Command Options"). Options of tools that do not run
// here (ptxas, nvlink, fatbinary, cudafe++) are accepted without effect, except three ptxas options that change the
// PTX.
#include "cc/option_table.h"

#include <algorithm>
#include <string>

#include "core/error.h"

namespace heddle::cc {

namespace {

using Value = const std::string&;

bool truth(std::string_view option, Value value) {
  if (value == "true" || value == "1" || value == "on" || value == "yes") return true;
  if (value == "false" || value == "0" || value == "off" || value == "no") return false;
  fail(ExitCode::usage, "--{} {}: the value must be true or false", option, value);
}

int whole_number(std::string_view option, Value value) {
  if (value.empty() || value.size() > 6 || value.find_first_not_of("0123456789") != std::string::npos) {
    fail(ExitCode::usage, "--{} {}: the value must be a whole number", option, value);
  }
  return std::stoi(value);
}

void ignore(Reading&, Value) {}

template <Phase phase>
void set_phase(Reading& reading, Value) {
  Options& options = reading.options;
  // Makefiles pass flags that include -c together with these two.
  if (options.phase == Phase::device_link || options.phase == Phase::dependencies) return;
  options.phase = phase;
}

void set_device_compile(Reading& reading, Value) {
  reading.options.relocatable_device_code = true;
  set_phase<Phase::compile>(reading, {});
}

void set_whole_device_compile(Reading& reading, Value) {
  reading.options.relocatable_device_code = false;
  set_phase<Phase::compile>(reading, {});
}

/// PTX in a file named as machine code: the loader (cuModuleLoad) inspects the contents.
template <bool fat>
void set_machine_code(Reading& reading, Value) {
  set_phase<Phase::ptx>(reading, {});
  if (reading.options.phase != Phase::ptx) return;
  reading.options.ptx_extension = fat ? ".fatbin" : ".cubin";
  reading.note(std::string(fat ? "-fatbin" : "-cubin") +
               ": no machine code is generated; the file contains the PTX text, which cuModuleLoad accepts");
}

void set_run(Reading& reading, Value) { reading.options.run_after_link = true; }

template <bool skip_system>
void set_dependencies_only(Reading& reading, Value) {
  reading.options.phase = Phase::dependencies;
  reading.options.dependencies.skip_system = skip_system;
}

template <bool skip_system>
void set_dependencies_beside(Reading& reading, Value) {
  reading.options.dependencies.with_compile = true;
  reading.options.dependencies.skip_system = skip_system;
}

void set_output(Reading& reading, Value value) { reading.options.output = value; }

void add_define(Reading& reading, Value value) { reading.options.preprocessor.push_back("-D" + value); }
void add_undefine(Reading& reading, Value value) { reading.options.preprocessor.push_back("-U" + value); }
void add_include_folder(Reading& reading, Value value) { reading.options.preprocessor.push_back("-I" + value); }

void add_system_folder(Reading& reading, Value value) {
  reading.options.preprocessor.insert(reading.options.preprocessor.end(), {"-isystem", value});
}

void add_include_file(Reading& reading, Value value) {
  reading.options.preprocessor.insert(reading.options.preprocessor.end(), {"-include", value});
}

void add_library(Reading& reading, Value value) {
  reading.options.inputs.push_back({Input::Kind::library, value, Language::linker_input});
}

void add_library_folder(Reading& reading, Value value) { reading.options.library_folders.push_back(value); }

void add_linker_flag(Reading& reading, Value value) {
  for (const std::string& flag : split_tool_options(value)) {
    for (const char* part : {"-Xlinker", flag.c_str()}) {
      reading.options.inputs.push_back({Input::Kind::linker_flag, part, Language::linker_input});
    }
  }
}

void set_language(Reading& reading, Value value) {
  if (value != "cu" && value != "c++" && value != "c" && value != "none") {
    fail(ExitCode::usage, "-x {}: the language must be cu, c++ or c", value);
  }
  reading.forced_language = value == "none" ? "" : value;
}

void set_standard(Reading& reading, Value value) { reading.options.standard = value; }
void set_optimization(Reading& reading, Value value) { reading.options.optimization = value.empty() ? "1" : value; }
void set_host_debug(Reading& reading, Value) { reading.options.host_debug = true; }
void set_device_debug(Reading& reading, Value) { reading.options.device_debug = true; }
void set_line_information(Reading& reading, Value) { reading.options.line_information = true; }

void set_device_optimization(Reading& reading, Value value) {
  if (value != "on") fail(ExitCode::usage, "-dopt {}: the value must be on", value);
  reading.options.optimize_debugged = true;
}

void add_host_flag(Reading& reading, Value flag) { reading.options.host_flags.push_back(flag); }

void set_machine(Reading&, Value value) {
  if (value != "64") fail(ExitCode::usage, "-m{}: only 64-bit programs can be built", value);
}

void add_architecture(Reading& reading, Value value) {
  reading.options.architectures.push_back(architecture_number(value));
}

void add_gencode(Reading& reading, Value value) {
  reading.options.architectures.push_back(gencode_architecture(value));
}

void set_max_registers(Reading& reading, Value value) {
  const int registers = whole_number("maxrregcount", value);
  if (registers > 0) reading.options.max_registers = registers;
}

void add_ptxas_option(Reading& reading, Value value) {
  const std::size_t equal = value.find('=');
  std::string name = value.substr(0, equal);
  name.erase(0, name.find_first_not_of('-'));
  const std::string argument = equal == std::string::npos ? "" : value.substr(equal + 1);
  if (name == "maxrregcount" && !argument.empty()) set_max_registers(reading, argument);
  if (name == "dlcm" || name == "def-load-cache") reading.options.load_cache_operator = argument;
  if (name == "dscm" || name == "def-store-cache") reading.options.store_cache_operator = argument;
}

void set_ftz(Reading& reading, Value value) { reading.options.floating_point.flush_denormals = truth("ftz", value); }
void set_prec_div(Reading& reading, Value value) {
  reading.options.floating_point.precise_division = truth("prec-div", value);
}
void set_prec_sqrt(Reading& reading, Value value) {
  reading.options.floating_point.precise_square_root = truth("prec-sqrt", value);
}
void set_fmad(Reading& reading, Value value) {
  reading.options.floating_point.fuse_multiply_add = truth("fmad", value);
}
void set_fast_math(Reading& reading, Value) { reading.options.floating_point = {true, false, false, true, true}; }

void set_relocatable(Reading& reading, Value value) { reading.options.relocatable_device_code = truth("rdc", value); }

void set_runtime(Reading& reading, Value value) {
  Runtime& runtime = reading.options.runtime;
  if (value == "none")
    runtime = Runtime::none;
  else if (value == "shared")
    runtime = Runtime::shared;
  else if (value == "static")
    runtime = Runtime::static_;
  else
    fail(ExitCode::usage, "-cudart {}: the value must be none, shared or static", value);
}

void set_default_stream(Reading& reading, Value value) {
  if (value != "per-thread" && value != "legacy" && value != "null")
    fail(ExitCode::usage, "-default-stream {}: the value must be legacy, null or per-thread", value);
  if (value == "per-thread") reading.options.preprocessor.push_back("-DCUDA_API_PER_THREAD_DEFAULT_STREAM=1");
}

void set_werror(Reading& reading, Value value) {
  if (value == "all-warnings") reading.options.warnings_are_errors = true;
}

void set_forward_unknown(Reading& reading, Value) { reading.forward_unknown = true; }
void set_shared(Reading& reading, Value) { reading.options.shared = true; }
void set_profile(Reading& reading, Value) { reading.options.host_flags.push_back("-pg"); }

// Grouped by purpose, as in the manual.
constexpr OptionSpec kOptions[] = {
    // Files and paths.
    {"output-file", "o", Arity::value, set_output},
    {"output-directory", "odir", Arity::value, [](Reading& r, Value v) { r.options.output_directory = v; }},
    {"pre-include", "include", Arity::list, add_include_file},
    {"library", "l", Arity::list, add_library},
    {"define-macro", "D", Arity::value, add_define},
    {"undefine-macro", "U", Arity::value, add_undefine},
    {"include-path", "I", Arity::list, add_include_folder},
    {"system-include", "isystem", Arity::list, add_system_folder},
    {"library-path", "L", Arity::list, add_library_folder},
    {"cudart", "cudart", Arity::value, set_runtime},
    {"cudadevrt", "cudadevrt", Arity::value, ignore, "the device runtime library is empty"},
    {"libdevice-directory", "ldir", Arity::value, ignore, "the headers define the math functions"},
    {"target-directory", "target-dir", Arity::value, ignore, "there is only one target"},
    {"compiler-bindir", "ccbin", Arity::value, [](Reading& r, Value v) { r.options.host_compiler = v; }},
    {"archiver-binary", "arbin", Arity::value, [](Reading& r, Value v) { r.options.archiver = v; }},
    // Phases.
    {"link", "link", Arity::flag, set_phase<Phase::link>},
    {"lib", "lib", Arity::flag, set_phase<Phase::archive>},
    {"device-link", "dlink", Arity::flag, set_phase<Phase::device_link>},
    {"device-c", "dc", Arity::flag, set_device_compile},
    {"device-w", "dw", Arity::flag, set_whole_device_compile},
    {"compile", "c", Arity::flag, set_phase<Phase::compile>},
    {"ptx", "ptx", Arity::flag, set_phase<Phase::ptx>},
    {"preprocess", "E", Arity::flag, set_phase<Phase::preprocess>},
    {"cubin", "cubin", Arity::flag, set_machine_code<false>},
    {"fatbin", "fatbin", Arity::flag, set_machine_code<true>},
    {"cuda", "cuda", Arity::flag, nullptr, "it requests an intermediate file of another compiler; use -ptx, -E or -c"},
    {"optix-ir", "optix-ir", Arity::flag, nullptr, "OptiX programs cannot be run; use -ptx for the PTX text"},
    {"ltoir", "ltoir", Arity::flag, nullptr, "it requests an intermediate file of another compiler; use -ptx or -dc"},
    {"run", "run", Arity::flag, set_run},
    {"run-args", "run-args", Arity::list, [](Reading& r, Value v) { r.options.run_arguments.push_back(v); }},
    // Dependencies.
    {"generate-dependencies", "M", Arity::flag, set_dependencies_only<false>},
    {"generate-nonsystem-dependencies", "MM", Arity::flag, set_dependencies_only<true>},
    {"generate-dependencies-with-compile", "MD", Arity::flag, set_dependencies_beside<false>},
    {"generate-nonsystem-dependencies-with-compile", "MMD", Arity::flag, set_dependencies_beside<true>},
    {"generate-dependency-targets", "MP", Arity::flag,
     [](Reading& r, Value) { r.options.dependencies.phony_targets = true; }},
    {"dependency-output", "MF", Arity::value, [](Reading& r, Value v) { r.options.dependencies.file = v; }},
    {"dependency-target-name", "MT", Arity::value,
     [](Reading& r, Value v) { r.options.dependencies.targets.push_back(v); }},
    // Language and host compiler.
    {"x", "x", Arity::value, set_language},
    {"std", "std", Arity::value, set_standard},
    {"optimize", "O", Arity::value, set_optimization},
    {"debug", "g", Arity::flag, set_host_debug},
    {"device-debug", "G", Arity::flag, set_device_debug},
    {"generate-line-info", "lineinfo", Arity::flag, set_line_information},
    {"dopt", "dopt", Arity::value, set_device_optimization},
    {"shared", "shared", Arity::flag, set_shared},
    {"machine", "m", Arity::value, set_machine},
    {"m64", "m64", Arity::flag, ignore, "programs are always 64-bit"},
    {"m32", "m32", Arity::flag, [](Reading& r, Value) { set_machine(r, "32"); }},
    {"profile", "pg", Arity::flag, set_profile},
    {"disable-warnings", "w", Arity::flag, [](Reading& r, Value) { r.options.disable_warnings = true; }},
    {"Werror", "Werror", Arity::list, set_werror},
    {"expt-relaxed-constexpr", "expt-relaxed-constexpr", Arity::flag, ignore, "clang always allows it"},
    {"expt-extended-lambda", "expt-extended-lambda", Arity::flag, ignore, "clang always allows it"},
    {"extended-lambda", "extended-lambda", Arity::flag, ignore, "clang always allows it"},
    {"no-exceptions", "noeh", Arity::flag, [](Reading& r, Value) { add_host_flag(r, "-fno-exceptions"); }},
    {"ftemplate-depth", "ftemplate-depth", Arity::value,
     [](Reading& r, Value v) { add_host_flag(r, "-ftemplate-depth=" + v); }},
    {"ftemplate-backtrace-limit", "ftemplate-backtrace-limit", Arity::value,
     [](Reading& r, Value v) { add_host_flag(r, "-ftemplate-backtrace-limit=" + v); }},
    {"dont-use-profile", "noprof", Arity::flag, ignore, "there is no nvcc.profile"},
    {"no-align-double", "no-align-double", Arity::flag, ignore, "it concerns 32-bit programs only"},
    {"static-global-template-stub", "static-global-template-stub", Arity::value, ignore,
     "clang determines the linkage of kernel templates"},
    {"device-entity-has-hidden-visibility", "device-entity-has-hidden-visibility", Arity::value, ignore,
     "device symbols are never visible outside a link"},
    {"frandom-seed", "frandom-seed", Arity::value, ignore, "names in an object depend only on its command line"},
    {"sanitize", "sanitize", Arity::value, nullptr,
     "the model always checks every access, and heddle check looks for races; for the host use -Xcompiler "
     "-fsanitize=..."},
    {"forward-unknown-to-host-compiler", "", Arity::flag, set_forward_unknown},
    {"forward-unknown-to-host-linker", "", Arity::flag, set_forward_unknown},
    {"forward-unknown-opts", "", Arity::flag, set_forward_unknown},
    // Other tools.
    {"compiler-options", "Xcompiler", Arity::value, apply_host_flags},
    {"linker-options", "Xlinker", Arity::value, add_linker_flag},
    {"ptxas-options", "Xptxas", Arity::list, add_ptxas_option},
    {"nvlink-options", "Xnvlink", Arity::value, ignore, "nvlink does not run"},
    {"archive-options", "Xarchive", Arity::value, ignore, "ar is called with rcs"},
    {"Xcudafe", "Xcudafe", Arity::value, ignore, "cudafe++ does not run"},
    {"fatbin-options", "Xfatbin", Arity::value, ignore, "fatbinary does not run"},
    // Device code.
    {"gpu-architecture", "arch", Arity::value, add_architecture},
    {"gpu-code", "code", Arity::value, ignore, "the PTX of the virtual architecture is executed"},
    {"generate-code", "gencode", Arity::value, add_gencode},
    {"relocatable-device-code", "rdc", Arity::value, set_relocatable},
    {"maxrregcount", "maxrregcount", Arity::value, set_max_registers},
    {"use_fast_math", "use_fast_math", Arity::flag, set_fast_math},
    {"ftz", "ftz", Arity::value, set_ftz},
    {"prec-div", "prec-div", Arity::value, set_prec_div},
    {"prec-sqrt", "prec-sqrt", Arity::value, set_prec_sqrt},
    {"fmad", "fmad", Arity::value, set_fmad},
    {"default-stream", "default-stream", Arity::value, set_default_stream},
    {"entries", "e", Arity::value, ignore, "every kernel is compiled"},
    {"source-in-ptx", "src-in-ptx", Arity::flag, ignore, "the PTX gives line numbers (-lineinfo), not source text"},
    {"restrict", "restrict", Arity::flag, ignore, "it only permits optimisations"},
    {"keep-device-functions", "keep-device-functions", Arity::flag, ignore,
     "device functions that nothing calls are omitted"},
    {"extra-device-vectorization", "extra-device-vectorization", Arity::flag, ignore,
     "device code is always optimised in the same way"},
    {"device-stack-protector", "device-stack-protector", Arity::value, ignore,
     "the model checks every access to local memory"},
    {"dlink-time-opt", "dlto", Arity::flag, ignore, "modules are linked as PTX"},
    {"lto", "lto", Arity::flag, ignore, "modules are linked as PTX"},
    {"gen-opt-lto", "gen-opt-lto", Arity::flag, ignore, "modules are linked as PTX"},
    {"no-compress", "no-compress", Arity::flag, ignore, "PTX is kept as text"},
    {"compress-mode", "compress-mode", Arity::value, ignore, "PTX is kept as text"},
    {"Ofast-compile", "Ofc", Arity::value, ignore, "device code is always optimised in the same way"},
    {"optimization-info", "opt-info", Arity::value, ignore, "clang's passes print no remarks"},
    {"jump-table-density", "jtd", Arity::value, ignore, "clang decides where to use branch tables"},
    {"relocatable-ptx", "reloc-ptx", Arity::flag, ignore, "modules are linked as PTX"},
    {"extensible-whole-program", "ewp", Arity::flag, ignore, "whole-program code does not need it here"},
    {"no-device-link", "nodlink", Arity::flag, [](Reading& r, Value) { r.options.device_link = false; }},
    {"relocatable-link", "r", Arity::flag, nullptr,
     "join objects with ld -r; the device link accepts the result like single objects"},
    {"host-linker-script", "hls", Arity::value, ignore, "device code needs no linker script here"},
    {"augment-host-linker-script", "aug-hls", Arity::flag, ignore, "device code needs no linker script here"},
    {"compile-as-tools-patch", "astoolspatch", Arity::flag, nullptr, "no tools patch device code"},
    {"resource-usage", "res-usage", Arity::flag, ignore, "the model allocates registers when a kernel is first used"},
    // The command itself.
    {"dryrun", "dryrun", Arity::flag, [](Reading& r, Value) { r.options.dry_run = true; }},
    {"verbose", "v", Arity::flag, [](Reading& r, Value) { r.options.verbose = true; }},
    {"keep", "keep", Arity::flag, [](Reading& r, Value) { r.options.keep = true; }},
    {"save-temps", "save-temps", Arity::flag, [](Reading& r, Value) { r.options.keep = true; }},
    {"keep-dir", "keep-dir", Arity::value, [](Reading& r, Value v) { r.options.keep_directory = v; }},
    {"clean-targets", "clean", Arity::flag, nullptr, "nothing is removed; delete the outputs of the other options"},
    {"threads", "t", Arity::value, ignore, "sources are compiled one after another"},
    {"split-compile", "split-compile", Arity::value, ignore, "sources are compiled one after another"},
    {"time", "time", Arity::value, ignore, "no table of times is written"},
    {"split-compile-extended", "split-compile-extended", Arity::value, ignore,
     "sources are compiled one after another"},
    {"jobserver", "jobserver", Arity::flag, ignore, "sources are compiled one after another"},
    {"fdevice-time-trace", "fdevice-time-trace", Arity::value, ignore, "no table of times is written"},
    {"fdevice-syntax-only", "fdevice-syntax-only", Arity::flag, nullptr,
     "code cannot be checked without compiling it; use -ptx -o /dev/null"},
    {"objdir-as-tempdir", "objtemp", Arity::flag, ignore, "intermediate files go to TMPDIR"},
    {"use-local-env", "use-local-env", Arity::flag, ignore, "it is for Windows only"},
    {"force-cl-env-setup", "force-cl-env-setup", Arity::flag, ignore, "it is for Windows only"},
    {"input-drive-prefix", "idp", Arity::value, ignore, "it is for Windows only"},
    {"dependency-drive-prefix", "ddp", Arity::value, ignore, "it is for Windows only"},
    {"drive-prefix", "dp", Arity::value, ignore, "it is for Windows only"},
    {"brief-diagnostics", "brief-diag", Arity::value, ignore, "clang's messages have one form"},
    {"print-cuda-path", "print-cuda-path", Arity::flag, [](Reading& r, Value) { r.options.show_cuda_path = true; }},
    {"qpp-config", "qpp-config", Arity::value, ignore, "it is for QNX only"},
    {"allow-unsupported-compiler", "allow-unsupported-compiler", Arity::flag, ignore, "no host compiler is rejected"},
    {"list-gpu-arch", "arch-ls", Arity::flag, [](Reading& r, Value) { r.options.list_architectures = true; }},
    {"list-gpu-code", "code-ls", Arity::flag, [](Reading& r, Value) { r.options.list_architectures = true; }},
    {"help", "h", Arity::flag, [](Reading& r, Value) { r.options.show_help = true; }},
    {"version", "V", Arity::flag, [](Reading& r, Value) { r.options.show_version = true; }},
    // Diagnostic numbers of another front end, meaningless to clang.
    {"display-error-number", "err-no", Arity::flag, ignore, "clang's messages have no numbers"},
    {"no-display-error-number", "no-err-no", Arity::flag, ignore, "clang's messages have no numbers"},
    {"diag-error", "diag-error", Arity::value, ignore, "clang's messages have no numbers"},
    {"diag-suppress", "diag-suppress", Arity::value, ignore, "clang's messages have no numbers"},
    {"diag-warn", "diag-warn", Arity::value, ignore, "clang's messages have no numbers"},
    {"Wno-deprecated-gpu-targets", "Wno-deprecated-gpu-targets", Arity::flag, ignore,
     "old targets cause a note, which -w silences"},
    {"Wreorder", "Wreorder", Arity::flag, [](Reading& r, Value) { add_host_flag(r, "-Wreorder"); }},
    {"Wno-deprecated-declarations", "Wno-deprecated-declarations", Arity::flag,
     [](Reading& r, Value) { add_host_flag(r, "-Wno-deprecated-declarations"); }},
    {"Wdefault-stream-launch", "Wdefault-stream-launch", Arity::flag, ignore, "clang has no such warning"},
    {"Wmissing-launch-bounds", "Wmissing-launch-bounds", Arity::flag, ignore, "clang has no such warning"},
    {"Wext-lambda-captures-this", "Wext-lambda-captures-this", Arity::flag, ignore, "clang has no such warning"},
    {"no-host-device-initializer-list", "nohdinitlist", Arity::flag, ignore,
     "clang always allows std::initializer_list on both sides"},
    {"no-host-device-move-forward", "nohdmoveforward", Arity::flag, ignore,
     "clang always allows std::move on both sides"},
};

}  // namespace

void Reading::note(const std::string& sentence) {
  if (std::find(options.notes.begin(), options.notes.end(), sentence) == options.notes.end()) {
    options.notes.push_back(sentence);
  }
}

bool OptionSpec::has_effect() const { return apply != ignore; }

std::span<const OptionSpec> option_specs() { return kOptions; }

const OptionSpec* find_option(std::string_view name) {
  for (const OptionSpec& spec : kOptions) {
    if (spec.long_name == name || (!spec.short_name.empty() && spec.short_name == name)) return &spec;
  }
  return nullptr;
}

void apply_host_flags(Reading& reading, const std::string& value) {
  const std::vector<std::string> flags = split_tool_options(value);
  for (std::size_t i = 0; i < flags.size(); ++i) {
    const std::string& flag = flags[i];
    const bool dependency_file = flag == "-MF" || flag == "-MT" || flag == "-MQ";
    if (dependency_file && i + 1 < flags.size()) {
      // The two passes share one make rule, so the host compiler must not write its own.
      find_option(flag == "-MF" ? "MF" : "MT")->apply(reading, flags[++i]);
    } else if (flag == "-MD" || flag == "-MMD" || flag == "-MP") {
      find_option(flag.substr(1))->apply(reading, "");
    } else {
      reading.options.host_flags.push_back(flag);
    }
  }
}

}  // namespace heddle::cc
