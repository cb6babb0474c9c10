// SPDX-License-Identifier: Apache-2.0
// The command line of `heddle cc`: nvcc's options, in every spelling nvcc accepts, as plain values. Reads no files and
// runs no programs; response files are already expanded (response_file.h).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cc/architecture.h"

namespace heddle::cc {

/// Last phase to run.
enum class Phase {
  link,          ///< the default: an executable, or a shared library with -shared
  compile,       ///< -c, -dc, -dw: one object per source
  device_link,   ///< -dlink: one object that registers the device code of others
  ptx,           ///< -ptx
  preprocess,    ///< -E
  dependencies,  ///< -M, -MM: a make rule instead of a compilation
  archive,       ///< -lib: a static library
};

/// Kind of an input file.
enum class Language { cuda, cxx, c, linker_input };

/// How the runtime library is linked. It is always shared; "static" links it by its full path.
enum class Runtime { none, shared, static_ };

/// A file or library on the command line. Order is kept, as it matters for linking.
struct Input {
  enum class Kind { file, library, linker_flag } kind = Kind::file;
  std::string text;  ///< path, library name without -l, or a flag passed to the link unchanged
  Language language = Language::linker_input;
};

/// Make rules written during a compilation, or instead of one.
struct DependencyOptions {
  bool with_compile = false;         ///< -MD, -MMD
  bool skip_system = false;          ///< -MM, -MMD
  bool phony_targets = false;        ///< -MP
  std::string file;                  ///< -MF; empty: derived from the output
  std::vector<std::string> targets;  ///< -MT
};

/// Floating-point behaviour of device code. Defaults are nvcc's.
struct FloatOptions {
  bool flush_denormals = false;     ///< -ftz
  bool precise_division = true;     ///< -prec-div
  bool precise_square_root = true;  ///< -prec-sqrt
  bool fuse_multiply_add = true;    ///< -fmad
  bool fast_math = false;  ///< -use_fast_math: the four above, and single-precision calls to the fast intrinsics
};

struct Options {
  Phase phase = Phase::link;
  std::string ptx_extension = ".ptx";  ///< extension of the output of -ptx, -cubin or -fatbin
  bool relocatable_device_code = false;
  bool device_link = true;  ///< as part of a link; off with -nodlink
  bool shared = false;
  bool run_after_link = false;
  std::vector<Input> inputs;
  std::string output;            ///< -o
  std::string output_directory;  ///< -odir
  std::vector<std::string> run_arguments;

  std::vector<std::string> preprocessor;     ///< -D -U -I -isystem -include, in order, in clang's form
  std::vector<std::string> host_flags;       ///< -Xcompiler and forwarded flags
  std::vector<std::string> library_folders;  ///< -L
  std::string standard;                      ///< "c++17", or empty
  std::string optimization;                  ///< "0".."3", "s", "fast"; empty when not given
  bool host_debug = false;                   ///< -g
  bool device_debug = false;                 ///< -G: device code is not optimised
  bool optimize_debugged = false;            ///< -dopt on: optimise despite -G
  bool line_information = false;             ///< -lineinfo
  bool disable_warnings = false;             ///< -w
  bool warnings_are_errors = false;          ///< -Werror all-warnings
  FloatOptions floating_point;
  std::optional<int> max_registers;    ///< -maxrregcount, registers per thread
  std::string load_cache_operator;     ///< -Xptxas -dlcm: "ca", "cg", "cs", "cv"; empty when not given
  std::string store_cache_operator;    ///< -Xptxas -dscm: "wb", "cg", "cs", "wt"; empty when not given
  std::vector<int> architectures;      ///< requested virtual architectures, e.g. 35, 70
  std::string host_compiler;           ///< -ccbin: a program, or the folder of one
  std::string archiver;                ///< -arbin
  Runtime runtime = Runtime::static_;  ///< -cudart
  DependencyOptions dependencies;

  bool dry_run = false;
  bool verbose = false;
  bool keep = false;
  std::string keep_directory;
  bool show_version = false;
  bool show_help = false;
  bool list_architectures = false;
  bool show_cuda_path = false;
  std::vector<std::string> notes;  ///< messages for standard error, each once
};

/// Reads the arguments after the command's name. Fails (kUsage) with a reason on unknown options, missing or invalid
/// values, and options without a meaning here.
Options parse_options(const std::vector<std::string>& arguments);

/// Splits the value of -Xcompiler and similar options at commas and blanks outside quotes; an item starting with -Wl
/// keeps its commas.
std::vector<std::string> split_tool_options(const std::string& value);

/// The file name without folder and last extension, used to name outputs.
std::string stem_of(const std::string& path);

}  // namespace heddle::cc
