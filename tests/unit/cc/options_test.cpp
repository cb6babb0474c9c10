// SPDX-License-Identifier: Apache-2.0
#include "cc/options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string_view>

#include "cc/option_table.h"
#include "core/error.h"

namespace heddle::cc {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<std::string> texts(const Options& options, Input::Kind kind) {
  std::vector<std::string> out;
  for (const Input& input : options.inputs) {
    if (input.kind == kind) out.push_back(input.text);
  }
  return out;
}

std::string error_of(const std::vector<std::string>& arguments) {
  try {
    parse_options(arguments);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::usage);
    return error.what();
  }
  return "no error";
}

TEST(Options, DefaultIsALinkOfWholeProgramCode) {
  const Options options = parse_options({"a.cu"});
  EXPECT_EQ(options.phase, Phase::link);
  EXPECT_FALSE(options.relocatable_device_code);
  EXPECT_EQ(options.runtime, Runtime::static_);
  EXPECT_TRUE(options.floating_point.fuse_multiply_add);
  EXPECT_FALSE(options.max_registers.has_value());
  EXPECT_THAT(options.notes, IsEmpty());
}

TEST(Options, ValueFollowsASpaceOrAnEqualSignInLongAndShortSpelling) {
  for (const std::vector<std::string>& spelling : std::vector<std::vector<std::string>>{
           {"-o", "x"}, {"-o=x"}, {"-ox"}, {"--output-file", "x"}, {"--output-file=x"}}) {
    EXPECT_EQ(parse_options(spelling).output, "x") << spelling.front();
  }
  for (const std::vector<std::string>& spelling :
       std::vector<std::vector<std::string>>{{"-std", "c++14"}, {"-std=c++14"}, {"--std", "c++14"}, {"--std=c++14"}}) {
    EXPECT_EQ(parse_options(spelling).standard, "c++14") << spelling.front();
  }
  for (const std::vector<std::string>& spelling :
       std::vector<std::vector<std::string>>{{"-maxrregcount", "32"},
                                             {"--maxrregcount=32"},
                                             {"-Xptxas", "-maxrregcount=32"},
                                             {"--ptxas-options=-v,--maxrregcount=32"}}) {
    EXPECT_EQ(parse_options(spelling).max_registers, 32) << spelling.front();
  }
}

TEST(Options, EveryArchitectureSpellingIsUnderstood) {
  EXPECT_THAT(parse_options({"-arch=sm_70"}).architectures, ElementsAre(70));
  EXPECT_THAT(parse_options({"-arch", "compute_35", "-code", "sm_35,compute_35"}).architectures, ElementsAre(35));
  EXPECT_THAT(parse_options({"--gpu-architecture=sm_90a", "--gpu-code=sm_90a"}).architectures, ElementsAre(90));
  EXPECT_THAT(
      parse_options({"-gencode", "arch=compute_50,code=sm_50", "-gencode=arch=compute_80,code=[sm_80,compute_80]"})
          .architectures,
      ElementsAre(50, 80));
  EXPECT_THAT(parse_options({"--generate-code=arch=compute_75,code=\"sm_75,compute_75\""}).architectures,
              ElementsAre(75));
  EXPECT_THAT(parse_options({"-arch=native"}).architectures, ElementsAre(0));
  EXPECT_THAT(error_of({"-arch=fast"}), HasSubstr("sm_70"));
  EXPECT_THAT(error_of({"-gencode", "code=sm_70"}), HasSubstr("arch="));
}

TEST(Options, PreprocessorFlagsKeepTheirOrder) {
  const Options options = parse_options({"-DA=1", "-U", "A", "-I", "x", "-Iy,z", "--define-macro", "F(a,b)=a",
                                         "-isystem=s", "--pre-include", "p.h", "--include-path=w"});
  EXPECT_THAT(options.preprocessor, ElementsAre("-DA=1", "-UA", "-Ix", "-Iy", "-Iz", "-DF(a,b)=a", "-isystem", "s",
                                                "-include", "p.h", "-Iw"));
}

TEST(Options, LinkInputsKeepTheirOrder) {
  const Options options = parse_options(
      {"a.o", "-lfirst", "b.a", "-Xlinker", "-rpath,/x", "--library=second", "-Wl,-z,now", "-L", "one", "-Ltwo"});
  std::vector<std::string> order;
  for (const Input& input : options.inputs) order.push_back(input.text);
  EXPECT_THAT(order,
              ElementsAre("a.o", "first", "b.a", "-Xlinker", "-rpath", "-Xlinker", "/x", "second", "-Wl,-z,now"));
  EXPECT_THAT(options.library_folders, ElementsAre("one", "two"));
}

TEST(Options, LanguageFollowsTheNameUnlessForced) {
  const auto languages = [](const std::vector<std::string>& arguments) {
    std::vector<Language> out;
    for (const Input& input : parse_options(arguments).inputs) out.push_back(input.language);
    return out;
  };
  EXPECT_THAT(languages({"a.cu", "b.cpp", "c.c", "d.o", "e.a", "libf.so.1.2", "g.cc", "h.cxx"}),
              ElementsAre(Language::cuda, Language::cxx, Language::c, Language::linker_input, Language::linker_input,
                          Language::linker_input, Language::cxx, Language::cxx));
  EXPECT_THAT(languages({"b.cpp", "d.o", "-x", "cu"}), ElementsAre(Language::cuda, Language::linker_input));
  EXPECT_THAT(languages({"-x=c++", "a.cu"}), ElementsAre(Language::cxx));
  EXPECT_THAT(error_of({"-x", "fortran"}), HasSubstr("fortran"));
  EXPECT_THAT(error_of({"kernel.ptx"}), HasSubstr("kernel.ptx"));
}

TEST(Options, PhasesAndRelocatableCode) {
  EXPECT_EQ(parse_options({"-c"}).phase, Phase::compile);
  EXPECT_FALSE(parse_options({"-c"}).relocatable_device_code);
  EXPECT_EQ(parse_options({"-dc"}).phase, Phase::compile);
  EXPECT_TRUE(parse_options({"--device-c"}).relocatable_device_code);
  EXPECT_TRUE(parse_options({"-rdc=true", "-c"}).relocatable_device_code);
  EXPECT_TRUE(parse_options({"--relocatable-device-code", "true"}).relocatable_device_code);
  EXPECT_FALSE(parse_options({"-rdc", "false"}).relocatable_device_code);
  EXPECT_EQ(parse_options({"-dlink", "-c"}).phase, Phase::device_link);
  EXPECT_EQ(parse_options({"-M", "-c"}).phase, Phase::dependencies);
  EXPECT_EQ(parse_options({"--ptx"}).phase, Phase::ptx);
  EXPECT_EQ(parse_options({"-E"}).phase, Phase::preprocess);
  EXPECT_EQ(parse_options({"-lib"}).phase, Phase::archive);
  EXPECT_TRUE(parse_options({"-shared"}).shared);
}

TEST(Options, MachineCodeBecomesPtxUnderItsName) {
  for (const auto& [option, extension] : {std::pair{"-cubin", ".cubin"}, std::pair{"--fatbin", ".fatbin"}}) {
    const Options options = parse_options({option, "a.cu"});
    EXPECT_EQ(options.phase, Phase::ptx) << option;
    EXPECT_EQ(options.ptx_extension, extension);
    EXPECT_THAT(options.notes, ElementsAre(HasSubstr("PTX"))) << option;
  }
}

// What `nvcc --help` of CUDA 11.2 to 13 lists, by its long names.
constexpr const char* kDocumented[] = {"cuda",
                                       "cubin",
                                       "fatbin",
                                       "ptx",
                                       "optix-ir",
                                       "ltoir",
                                       "preprocess",
                                       "generate-dependencies",
                                       "generate-nonsystem-dependencies",
                                       "generate-dependencies-with-compile",
                                       "generate-nonsystem-dependencies-with-compile",
                                       "dependency-output",
                                       "generate-dependency-targets",
                                       "compile",
                                       "device-c",
                                       "device-w",
                                       "device-link",
                                       "link",
                                       "lib",
                                       "run",
                                       "output-file",
                                       "pre-include",
                                       "objdir-as-tempdir",
                                       "library",
                                       "define-macro",
                                       "undefine-macro",
                                       "include-path",
                                       "system-include",
                                       "library-path",
                                       "output-directory",
                                       "compiler-bindir",
                                       "allow-unsupported-compiler",
                                       "archiver-binary",
                                       "cudart",
                                       "cudadevrt",
                                       "libdevice-directory",
                                       "target-directory",
                                       "use-local-env",
                                       "force-cl-env-setup",
                                       "profile",
                                       "debug",
                                       "device-debug",
                                       "generate-line-info",
                                       "optimization-info",
                                       "optimize",
                                       "Ofast-compile",
                                       "dopt",
                                       "dlink-time-opt",
                                       "lto",
                                       "gen-opt-lto",
                                       "ftemplate-backtrace-limit",
                                       "ftemplate-depth",
                                       "no-exceptions",
                                       "shared",
                                       "x",
                                       "std",
                                       "no-host-device-initializer-list",
                                       "no-host-device-move-forward",
                                       "expt-relaxed-constexpr",
                                       "extended-lambda",
                                       "expt-extended-lambda",
                                       "machine",
                                       "m64",
                                       "compiler-options",
                                       "linker-options",
                                       "archive-options",
                                       "ptxas-options",
                                       "nvlink-options",
                                       "static-global-template-stub",
                                       "device-entity-has-hidden-visibility",
                                       "forward-unknown-to-host-compiler",
                                       "forward-unknown-to-host-linker",
                                       "forward-unknown-opts",
                                       "dont-use-profile",
                                       "dryrun",
                                       "verbose",
                                       "threads",
                                       "split-compile",
                                       "split-compile-extended",
                                       "fdevice-syntax-only",
                                       "fdevice-time-trace",
                                       "keep",
                                       "keep-dir",
                                       "save-temps",
                                       "clean-targets",
                                       "time",
                                       "run-args",
                                       "input-drive-prefix",
                                       "dependency-drive-prefix",
                                       "drive-prefix",
                                       "dependency-target-name",
                                       "no-align-double",
                                       "no-device-link",
                                       "gpu-architecture",
                                       "gpu-code",
                                       "generate-code",
                                       "relocatable-device-code",
                                       "entries",
                                       "maxrregcount",
                                       "use_fast_math",
                                       "ftz",
                                       "prec-div",
                                       "prec-sqrt",
                                       "fmad",
                                       "extra-device-vectorization",
                                       "default-stream",
                                       "disable-warnings",
                                       "keep-device-functions",
                                       "source-in-ptx",
                                       "restrict",
                                       "Wreorder",
                                       "Wdefault-stream-launch",
                                       "Wmissing-launch-bounds",
                                       "Wext-lambda-captures-this",
                                       "Wno-deprecated-declarations",
                                       "Wno-deprecated-gpu-targets",
                                       "Werror",
                                       "resource-usage",
                                       "extensible-whole-program",
                                       "no-compress",
                                       "qpp-config",
                                       "compile-as-tools-patch",
                                       "list-gpu-code",
                                       "list-gpu-arch",
                                       "display-error-number",
                                       "no-display-error-number",
                                       "diag-error",
                                       "diag-suppress",
                                       "diag-warn",
                                       "host-linker-script",
                                       "augment-host-linker-script",
                                       "relocatable-link",
                                       "brief-diagnostics",
                                       "jump-table-density",
                                       "relocatable-ptx",
                                       "device-stack-protector",
                                       "compress-mode",
                                       "frandom-seed",
                                       "sanitize",
                                       "jobserver",
                                       "help",
                                       "version"};

TEST(Options, EveryDocumentedOneIsTakenIgnoredOrRefusedWithAReason) {
  for (const char* name : kDocumented) {
    const OptionSpec* const spec = find_option(name);
    ASSERT_NE(spec, nullptr) << name;
    EXPECT_EQ(spec->why.empty(), !spec->refused() && spec->has_effect()) << name;
  }
  for (const OptionSpec& spec : option_specs()) {
    if (!spec.refused()) continue;
    EXPECT_THAT(error_of({"-" + std::string(spec.long_name), "a.cu"}), HasSubstr(std::string(spec.why)));
  }
}

TEST(Options, PathsPhasesAndFlagsArriveWhereTheyBelong) {
  const Options paths =
      parse_options({"-odir", "out", "-ccbin", "g++-12", "--archiver-binary=ar2", "-m", "64", "a.cu"});
  EXPECT_EQ(paths.output_directory, "out");
  EXPECT_EQ(paths.host_compiler, "g++-12");
  EXPECT_EQ(paths.archiver, "ar2");
  EXPECT_EQ(parse_options({"-c", "-link"}).phase, Phase::link);
  const Options whole = parse_options({"-rdc=true", "-dw"});
  EXPECT_EQ(whole.phase, Phase::compile);
  EXPECT_FALSE(whole.relocatable_device_code);
  const Options runs = parse_options({"-run", "--run-args", "a,b", "a.cu"});
  EXPECT_TRUE(runs.run_after_link);
  EXPECT_THAT(runs.run_arguments, ElementsAre("a", "b"));
  const Options rule = parse_options({"-MM", "a.cu"});
  EXPECT_EQ(rule.phase, Phase::dependencies);
  EXPECT_TRUE(rule.dependencies.skip_system);
  EXPECT_THAT(parse_options({"-pg", "-noeh", "--ftemplate-depth=99", "-ftemplate-backtrace-limit", "3", "-Wreorder",
                             "-Wno-deprecated-declarations"})
                  .host_flags,
              ElementsAre("-pg", "-fno-exceptions", "-ftemplate-depth=99", "-ftemplate-backtrace-limit=3", "-Wreorder",
                          "-Wno-deprecated-declarations"));
  EXPECT_TRUE(parse_options({"-w"}).disable_warnings);
  EXPECT_FALSE(parse_options({"-nodlink"}).device_link);
  EXPECT_TRUE(parse_options({"--save-temps"}).keep);
  EXPECT_TRUE(parse_options({"--list-gpu-arch"}).list_architectures);
  EXPECT_TRUE(parse_options({"-code-ls"}).list_architectures);
  EXPECT_THAT(parse_options({"-default-stream", "per-thread"}).preprocessor,
              ElementsAre("-DCUDA_API_PER_THREAD_DEFAULT_STREAM=1"));
  EXPECT_THAT(parse_options({"-default-stream=legacy"}).preprocessor, IsEmpty());
  for (const char* forward : {"-forward-unknown-to-host-linker", "--forward-unknown-opts"}) {
    EXPECT_THAT(parse_options({forward, "--mystery", "a.cu"}).host_flags, ElementsAre("--mystery")) << forward;
  }
}

TEST(Options, NamesAreThereOnce) {
  std::set<std::string_view> names;
  for (const OptionSpec& spec : option_specs()) {
    EXPECT_TRUE(names.insert(spec.long_name).second) << spec.long_name;
    if (!spec.short_name.empty() && spec.short_name != spec.long_name) {
      EXPECT_TRUE(names.insert(spec.short_name).second) << spec.short_name;
    }
  }
}

TEST(Options, DebuggedDeviceCodeMayBeOptimised) {
  EXPECT_TRUE(parse_options({"-G", "-dopt=on"}).optimize_debugged);
  EXPECT_THAT(error_of({"-dopt=off"}), HasSubstr("-dopt off"));
}

TEST(Options, TheHostCompilersSpellingsOfDebugInformationAreKnown) {
  EXPECT_TRUE(parse_options({"-g3"}).host_debug);
  EXPECT_TRUE(parse_options({"-gdwarf-4"}).host_debug);
  EXPECT_FALSE(parse_options({"-g0"}).host_debug);
  EXPECT_THAT(error_of({"-gpu-arch=sm_70", "a.cu"}), HasSubstr("Unknown option '-gpu-arch=sm_70'"));
}

TEST(Options, OptimisationLevelMayBeAttachedOrAlone) {
  EXPECT_EQ(parse_options({"-O3"}).optimization, "3");
  EXPECT_EQ(parse_options({"-O", "2"}).optimization, "2");
  EXPECT_EQ(parse_options({"--optimize=1"}).optimization, "1");
  const Options alone = parse_options({"-O", "a.cu"});
  EXPECT_EQ(alone.optimization, "1");
  EXPECT_THAT(texts(alone, Input::Kind::file), ElementsAre("a.cu"));
}

TEST(Options, HostFlagsArriveUnderEverySpelling) {
  EXPECT_THAT(
      parse_options({"-Xcompiler", "-Wall,-fopenmp", "-Xcompiler=-fPIC", "--compiler-options", "-O1 -g"}).host_flags,
      ElementsAre("-Wall", "-fopenmp", "-fPIC", "-O1", "-g"));
  EXPECT_THAT(parse_options({"-fPIC", "-pthread", "-march=native", "-fsanitize=address,undefined"}).host_flags,
              ElementsAre("-fPIC", "-pthread", "-march=native", "-fsanitize=address,undefined"));
}

TEST(Options, MakeRuleFlagsInsideXcompilerAreTheDriversOwn) {
  const Options options = parse_options({"-Xcompiler", "-MMD,-MP,-MF,x.d,-Wall"});
  EXPECT_TRUE(options.dependencies.with_compile);
  EXPECT_TRUE(options.dependencies.skip_system);
  EXPECT_TRUE(options.dependencies.phony_targets);
  EXPECT_EQ(options.dependencies.file, "x.d");
  EXPECT_THAT(options.host_flags, ElementsAre("-Wall"));
}

TEST(Options, UnknownIsAnErrorUnlessItGoesToTheHostCompiler) {
  EXPECT_THAT(error_of({"--mystery", "a.cu"}), HasSubstr("Unknown option '--mystery'"));
  EXPECT_THAT(error_of({"--use-fast-math", "a.cu"}), HasSubstr("did you mean '--use_fast_math'"));
  const Options forwarded = parse_options({"--mystery", "a.cu", "-forward-unknown-to-host-compiler"});
  EXPECT_THAT(forwarded.notes, IsEmpty());
  EXPECT_THAT(forwarded.host_flags, ElementsAre("--mystery"));
}

TEST(Options, OptionsOfProgramsThatDoNotRunAreTakenInSilence) {
  const Options options = parse_options({"-Xptxas",
                                         "-v,-O3",
                                         "-Xnvlink",
                                         "--suppress",
                                         "-Xcudafe",
                                         "--diag_suppress=1",
                                         "-diag-suppress",
                                         "20",
                                         "-m64",
                                         "--threads=4",
                                         "-t",
                                         "0",
                                         "--expt-relaxed-constexpr",
                                         "--expt-extended-lambda",
                                         "--extended-lambda",
                                         "-Wno-deprecated-gpu-targets",
                                         "-restrict",
                                         "-cudadevrt",
                                         "none",
                                         "-Werror",
                                         "cross-execution-space-call",
                                         "-split-compile=0",
                                         "a.cu"});
  EXPECT_THAT(options.notes, IsEmpty());
  EXPECT_THAT(options.host_flags, IsEmpty());
  EXPECT_THAT(texts(options, Input::Kind::file), ElementsAre("a.cu"));
}

TEST(Options, FastMathIsItsFourSwitches) {
  const FloatOptions fast = parse_options({"--use_fast_math"}).floating_point;
  EXPECT_TRUE(fast.flush_denormals && fast.fuse_multiply_add && fast.fast_math);
  EXPECT_FALSE(fast.precise_division || fast.precise_square_root);
  const FloatOptions single = parse_options({"-ftz=true", "-prec-div", "false", "-fmad=false"}).floating_point;
  EXPECT_TRUE(single.flush_denormals && single.precise_square_root);
  EXPECT_FALSE(single.precise_division || single.fuse_multiply_add || single.fast_math);
  EXPECT_THAT(error_of({"-ftz=perhaps"}), HasSubstr("true or false"));
}

TEST(Options, WrongCommandLinesAreUsageErrors) {
  EXPECT_THAT(error_of({"a.cu", "-o"}), HasSubstr("-o"));
  EXPECT_THAT(error_of({"-c", "a.cu", "b.cu", "-o", "x.o"}), HasSubstr("x.o"));
  EXPECT_THAT(error_of({"-m32"}), HasSubstr("64"));
  EXPECT_THAT(error_of({"-maxrregcount=many"}), HasSubstr("whole number"));
  EXPECT_THAT(error_of({"-cudart", "dynamic"}), HasSubstr("shared"));
}

TEST(Options, ToolOptionsSplitAtCommasAndBlanksOutsideQuotes) {
  EXPECT_THAT(split_tool_options("-a,-b -c"), ElementsAre("-a", "-b", "-c"));
  EXPECT_THAT(split_tool_options("-Wl,-rpath,/x -b"), ElementsAre("-Wl,-rpath,/x", "-b"));
  EXPECT_THAT(split_tool_options("-DX=\\\"a\\\",-DY=\"b c,d\""), ElementsAre("-DX=\"a\"", "-DY=b c,d"));
  EXPECT_THAT(split_tool_options("-f=a\\,b"), ElementsAre("-f=a,b"));
  EXPECT_THAT(split_tool_options(""), IsEmpty());
}

TEST(Options, StemLosesFolderAndLastExtension) {
  EXPECT_EQ(stem_of("a/b/kernel.test.cu"), "kernel.test");
  EXPECT_EQ(stem_of(".hidden"), ".hidden");
  EXPECT_EQ(stem_of("plain"), "plain");
}

}  // namespace
}  // namespace heddle::cc
