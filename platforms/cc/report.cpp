// SPDX-License-Identifier: Apache-2.0
#include "cc/report.h"

#include <fmt/core.h>

#include <cstdlib>
#include <map>
#include <utility>
#include <vector>

#include "cc/option_table.h"

namespace heddle::cc {

std::string version_text() {
  return fmt::format(
      "nvcc: NVIDIA (R) Cuda compiler driver, whose command line heddle cc accepts; this is not NVIDIA software\n"
      "It builds CUDA programs for the Heddle GPU model with clang\n"
      "Cuda compilation tools, release {0}.{1}, V{0}.{1}.0\n",
      kInterfaceVersion.major, kInterfaceVersion.minor);
}

std::string help_text() {
  return "usage: heddle cc [options] file...\n"
         "Builds CUDA programs that run on the Heddle GPU model. Accepts nvcc's options; the common ones:\n"
         "  -o FILE                    name of the output\n"
         "  -c, -dc                    compile only; -dc with relocatable device code (also -rdc=true)\n"
         "  -dlink                     device link only: an object for another linker to add\n"
         "  -ptx, -E, -M, -lib         stop at PTX, after preprocessing, at a make rule, at a static library\n"
         "  -shared                    link a shared library\n"
         "  -I -D -U -include -isystem preprocessor, as usual\n"
         "  -L -l -Xlinker             link, as usual; the runtime library is added (not with -cudart none)\n"
         "  -std=c++17 -O2 -g          language, host optimisation (2 unless -g), host debug information\n"
         "  -G, -lineinfo              device code unoptimised; source lines in the PTX\n"
         "  -arch=sm_70, -gencode ...  architecture: 70, 72, 75, 80 or 86; others become the nearest of these\n"
         "  -use_fast_math, -ftz, -prec-div, -prec-sqrt, -fmad, -maxrregcount, -Xptxas -dlcm=cg\n"
         "  -ccbin PROGRAM, -Xcompiler host compiler for C++ sources and links; its flags\n"
         "  -MD -MMD -MF -MT -MP       make rules next to the output\n"
         "  --print-cuda-path          print the folder with a toolkit's layout: bin/nvcc, include, lib64\n"
         "  -v, --dryrun, --keep       show commands; show only; keep the PTX\n"
         "Environment: HEDDLE_HOME (prefix of the installation), HEDDLE_CLANG (a clang++ 14 to 19), TMPDIR.\n"
         "heddle reference compiler lists every option and its effect.\n"
         "See guide-cuda-programs in the documentation for what differs from nvcc.\n";
}

std::string option_page() {
  std::string text =
      "# Options of the compiler driver\n\nGenerated from the declarations in the code by `heddle reference compiler`. "
      "An option that is not listed is an error, except `-f...`, `-m...`, `-W...`, `-pthread` and the like, which the "
      "host compiler gets.\n\n| option | short | |\n|---|---|---|\n";
  for (const OptionSpec& spec : option_specs()) {
    const std::string what = spec.refused()      ? fmt::format("refused: {}", spec.why)
                             : spec.has_effect() ? std::string("taken")
                                                 : fmt::format("no effect: {}", spec.why);
    text += fmt::format("| `--{}` | {} | {} |\n", spec.long_name,
                        spec.short_name.empty() ? std::string() : fmt::format("`-{}`", spec.short_name), what);
  }
  return text;
}

CommandDescription command_description() {
  // Values that beginners look up; of other options, the value is a file, a number or free text.
  const std::map<std::string_view, std::vector<std::string>> choices = {
      {"gpu-architecture", {"sm_70", "sm_72", "sm_75", "sm_80", "sm_86"}},
      {"std", {"c++14", "c++17", "c++20"}},
      {"optimize", {"0", "1", "2", "3"}},
      {"cudart", {"none", "shared", "static"}},
      {"default-stream", {"legacy", "null", "per-thread"}},
      {"x", {"cu", "c++", "c"}},
      {"machine", {"64"}},
      {"relocatable-device-code", {"true", "false"}}};
  CommandDescription description{
      "Builds CUDA programs that run on the Heddle GPU model. Accepts nvcc's options.", {}, {}};
  for (const OptionSpec& spec : option_specs()) {
    if (spec.refused()) continue;
    CommandArgument argument;
    if (!spec.short_name.empty()) argument.options.push_back("-" + std::string(spec.short_name));
    argument.options.push_back("--" + std::string(spec.long_name));
    argument.group = spec.has_effect() ? "Options" : "Without effect";
    if (!spec.has_effect()) argument.sentence = spec.why;
    if (spec.arity != Arity::flag) argument.type = "TEXT";
    if (const auto found = choices.find(spec.long_name); found != choices.end()) argument.choices = found->second;
    argument.many = spec.arity == Arity::list;
    description.arguments.push_back(std::move(argument));
  }
  CommandArgument files;
  files.name = "FILE";
  files.type = "TEXT";
  files.sentence = "sources, objects and libraries";
  files.required = files.many = true;
  description.arguments.push_back(std::move(files));
  return description;
}

std::string environment_text(const Build& build) {
  const InstallPaths& paths = build.tools.paths;
  const char* path = std::getenv("PATH");
  // CMake requires a folder of that name and derives the toolkit's root from it. It contains no device library, because
  // the headers define the math functions.
  return fmt::format(
      "#$ _SPACE_= \n"
      "#$ _CUDART_=cudart\n"
      "#$ _HERE_={0}/bin\n"
      "#$ _THERE_={0}/bin\n"
      "#$ _TARGET_SIZE_=64\n"
      "#$ TOP={1}\n"
      "#$ NVVMIR_LIBRARY_DIR={1}/nvvm/libdevice\n"
      "#$ PATH={2}\n"
      "#$ INCLUDES={3}\n"
      "#$ LIBRARIES={4}\n"
      "#$ DEVICE= -arch compute_{5}\n",
      paths.home.string(), paths.cuda_root.string(), path == nullptr ? "" : path,
      shell_text({"-I" + paths.cuda_include.string()}), shell_text({"-L" + paths.runtime_library.string()}),
      build.architecture.number);
}

}  // namespace heddle::cc
