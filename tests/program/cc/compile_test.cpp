// SPDX-License-Identifier: Apache-2.0
// Output of `heddle cc` for single sources: PTX, objects, programs, make rules, and messages.
#include "sandbox.h"

namespace heddle::test {
namespace {

using CompilerDriver = Sandbox;

constexpr const char* kProgram = R"(
#include <cstdio>
__constant__ float scale[4];
__device__ int counter;
static __global__ void tick() { atomicAdd(&counter, 1); }
__global__ void saxpy(float a, const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] / (y[i] + scale[0]);
}
int main() {
  saxpy<<<2, 64>>>(2.0f, nullptr, nullptr, 0);
  tick<<<1, 32>>>();
  std::printf("done\n");
  return 3;
}
)";

constexpr const char* kMath = R"(
__global__ void __launch_bounds__(128) bounded(float* p) { p[0] = p[1]; }
__global__ void quotient(float* p) { p[0] = p[1] / p[2]; }
__global__ void root(float* p) { p[0] = sqrtf(p[1]) + __fsqrt_rn(p[2]); }
__global__ void sine(float* p) { p[0] = sinf(p[1]); }
__global__ void fused(float* p) { p[0] = p[1] * p[2] + p[3]; }
#ifdef __CUDA_ARCH__
__global__ void architecture(int* p) { p[0] = __CUDA_ARCH__; }
#endif
)";

TEST_F(CompilerDriver, BuildsAProgramThatRegistersItsDeviceCodeAndRuns) {
  write("app.cu", kProgram);
  const Result build = cc("app.cu -o app");
  EXPECT_EQ(build.status, 0) << build.err;
  EXPECT_EQ(build.err, "");
  const Result app = run("./app");
  EXPECT_EQ(app.status, 3);
  EXPECT_TRUE(contains(app.out, "module magic=466243b1 version=1 modules=1 ptx=yes")) << app.out;
  EXPECT_TRUE(contains(app.out, "kernel _ZL4tickv own"));
  EXPECT_TRUE(contains(app.out, "variable scale own bytes=16 constant=1"));
  EXPECT_TRUE(contains(app.out, "launch _Z5saxpyfPKfPfi grid=2 block=64"));
  EXPECT_TRUE(contains(run("readelf -d app").out, "(RUNPATH)"));
  EXPECT_TRUE(left_behind().empty());
}

// Only the source lane of the shuffle sets the variable. A compiler that assumes arguments to be defined would
// conclude that every lane is that lane.
TEST_F(CompilerDriver, ALaneThatSetsWhatOthersShuffleKeepsItsBranch) {
  write("ticket.cu", R"(
__global__ void number(int* counter, int* out, int leader) {
  int ticket;
  if (threadIdx.x == leader) ticket = atomicAdd(counter, 1);
  out[threadIdx.x] = __shfl_sync(0xffffffffu, ticket, leader);
}
)");
  EXPECT_TRUE(contains(ptx_of("ticket.cu", ""), "bra")) << read("of.ptx");
}

TEST_F(CompilerDriver, FindsTheLibrariesOfTheDistributionWithoutAFlag) {
  write("app.cu", "#include <thrust/version.h>\n#include <cub/version.cuh>\n#include <cuda/std/cstdint>\n");
  write("app.cpp", "#include <thrust/version.h>\n#include <cub/version.cuh>\n#include <cuda/std/cstdint>\n");
  for (const char* source : {"app.cu", "app.cpp"}) {
    const Result build = cc(std::string("-c ") + source);
    EXPECT_EQ(build.status, 0) << source << build.err;
  }
}

TEST_F(CompilerDriver, AnotherLinkerNeedsOnlyTheStaticNameOfTheRuntime) {
  write("app.cu", kProgram);
  ASSERT_EQ(cc("-c app.cu").status, 0);
  ASSERT_EQ(run("g++ app.o -L\"$HEDDLE_HOME/share/heddle/cuda/lib64\" -lcudart_static -o app").status, 0);
  EXPECT_EQ(run("./app").status, 3);
}

TEST_F(CompilerDriver, MixesSourcesOfThreeLanguagesInOneCommand) {
  write("app.cu",
        "#include \"part.h\"\n__global__ void k() {}\nint main() { k<<<1, 1>>>(); return plus() + minus(); }\n");
  write("include/part.h", "int plus();\nextern \"C\" int minus(void);\n");
  write(
      "plus.cpp",
      "#include <cuda_runtime.h>\n#include \"part.h\"\nint plus() { return AMOUNT + (cudaSuccess == 0 ? 0 : 100); }\n");
  write("minus.c", "int minus(void) { return -2; }\n");
  const Result build = cc("-I include -DAMOUNT=9 app.cu plus.cpp minus.c -o app");
  EXPECT_EQ(build.status, 0) << build.err;
  EXPECT_EQ(run("./app").status, 7);
}

TEST_F(CompilerDriver, TakesAnyFileAsCudaWhenTold) {
  write("kernel.cpp", "__global__ void k(int* p) { *p = 1; }\nint main() { k<<<1, 1>>>(nullptr); }\n");
  EXPECT_NE(cc("-c kernel.cpp").status, 0);
  EXPECT_EQ(cc("-x cu -c kernel.cpp").status, 0);
  EXPECT_TRUE(exists("kernel.o"));
}

TEST_F(CompilerDriver, BuildsASharedLibraryWithKernels) {
  write("lib.cu", "__global__ void k() {}\nvoid call() { k<<<5, 1>>>(); }\n");
  write("user.cpp", "void call();\nint main() { call(); }\n");
  const Result build = cc("-shared -Xcompiler -fPIC lib.cu -o libkernels.so");
  ASSERT_EQ(build.status, 0) << build.err;
  ASSERT_EQ(run("g++ user.cpp -L. -lkernels -Wl,-rpath,. -o user").status, 0);
  EXPECT_TRUE(contains(run("./user").out, "launch _Z1kv grid=5"));
}

TEST_F(CompilerDriver, BuildsAStaticLibraryWhoseMembersAreNamedAfterTheirSources) {
  write("one.cu", "__global__ void one() {}\nvoid call_one() { one<<<1, 1>>>(); }\n");
  write("two.cpp", "void call_one();\nvoid call_two() { call_one(); }\n");
  write("app.cpp", "void call_two();\nint main() { call_two(); }\n");
  ASSERT_EQ(cc("-lib one.cu two.cpp -o libparts.a").status, 0);
  EXPECT_EQ(run("ar t libparts.a").out, "one.o\ntwo.o\n");
  ASSERT_EQ(cc("-run app.cpp libparts.a -o app").status, 0);
  EXPECT_TRUE(contains(run("./app").out, "launch _Z3onev"));
}

TEST_F(CompilerDriver, OpenmpProgramsBuildWithOrWithoutClangsLibrary) {
  write("app.cu",
        "#include <omp.h>\n__global__ void k() {}\n"
        "int main() {\n#pragma omp parallel\n#pragma omp critical\n  k<<<1, 1>>>();\n  return omp_get_max_threads() > "
        "0 ? 5 : 6;\n}\n");
  const Result build = cc("-Xcompiler -fopenmp app.cu -o app");
  ASSERT_EQ(build.status, 0) << build.err;
  EXPECT_EQ(run("./app").status, 5);
}

TEST_F(CompilerDriver, RegisterLimitIsWrittenIntoEntriesWithoutLaunchBounds) {
  write("math.cu", kMath);
  const std::string ptx = ptx_of("math.cu", "-maxrregcount=24");
  EXPECT_EQ(count(ptx, ".maxnreg 24"), 5u);
  EXPECT_EQ(count(ptx, ".maxntid 128"), 1u);
  EXPECT_EQ(count(ptx_of("math.cu", ""), ".maxnreg"), 0u);
}

TEST_F(CompilerDriver, FastMathChangesTheInstructions) {
  write("math.cu", kMath);
  const std::string plain = ptx_of("math.cu", "");
  EXPECT_TRUE(contains(plain, "div.rn.f32"));
  EXPECT_TRUE(contains(plain, "sqrt.rn.f32"));
  EXPECT_TRUE(contains(plain, "fma.rn.f32"));
  EXPECT_FALSE(contains(plain, ".ftz"));
  const std::string fast = ptx_of("math.cu", "-use_fast_math");
  EXPECT_TRUE(contains(fast, "div.approx.ftz.f32"));
  EXPECT_TRUE(contains(fast, "sqrt.approx.ftz.f32"));
  EXPECT_TRUE(contains(fast, "sqrt.rn.ftz.f32")) << "__fsqrt_rn is exact in every mode";
  EXPECT_TRUE(contains(fast, "sin.approx.ftz.f32"));
  EXPECT_TRUE(contains(ptx_of("math.cu", "-prec-sqrt=false"), "sqrt.approx.f32"));
  EXPECT_TRUE(contains(ptx_of("math.cu", "-prec-div=false"), "div.full.f32"));
  EXPECT_TRUE(contains(ptx_of("math.cu", "-ftz=true"), "div.rn.ftz.f32"));
  EXPECT_FALSE(contains(ptx_of("math.cu", "--fmad=false"), "fma.rn.f32 \t%f4, %f1"));
}

TEST_F(CompilerDriver, CacheOperatorOfPtxasIsWrittenIntoLoads) {
  write("math.cu", kMath);
  const std::string ptx = ptx_of("math.cu", "-Xptxas -v,-dlcm=cg");
  EXPECT_TRUE(contains(ptx, "ld.global.cg.f32"));
  EXPECT_FALSE(contains(ptx, "ld.global.f32"));
  EXPECT_TRUE(contains(ptx, "ld.param.u64"));
}

TEST_F(CompilerDriver, EveryKindOfDebugInformationGivesSourceLinesAndNothingElse) {
  write("math.cu", kMath);
  EXPECT_FALSE(contains(ptx_of("math.cu", ""), ".loc"));
  for (const char* option : {"-g", "-G", "-lineinfo", "--generate-line-info"}) {
    const std::string ptx = ptx_of("math.cu", option);
    EXPECT_TRUE(contains(ptx, ".loc\t1 3 ")) << option;
    EXPECT_TRUE(contains(ptx, ", inlined_at 1 5 ")) << option << ": where sinf is called";
    EXPECT_FALSE(contains(ptx, ".debug_info")) << option;
  }
  EXPECT_TRUE(contains(ptx_of("math.cu", "-G"), "__local_depot")) << "unoptimised code keeps variables in memory";
}

TEST_F(CompilerDriver, ArchitecturesOutsideTheRangeBecomeTheNearestAndAreNotedOnce) {
  write("math.cu", kMath);
  const auto target = [&](const std::string& options) {
    const Result result = cc("-ptx " + options + " math.cu");
    return std::to_string(count(result.err, "note:")) + (contains(read("math.ptx"), ".target sm_70")   ? " 70"
                                                         : contains(read("math.ptx"), ".target sm_75") ? " 75"
                                                         : contains(read("math.ptx"), ".target sm_86") ? " 86"
                                                                                                       : " ?");
  };
  EXPECT_EQ(target(""), "0 70");
  EXPECT_EQ(target("-arch=sm_35"), "1 70");
  EXPECT_EQ(target("-arch sm_75"), "0 75");
  EXPECT_EQ(target("-arch=sm_90a"), "1 86");
  EXPECT_EQ(target("-gencode arch=compute_50,code=sm_50 -gencode arch=compute_70,code=sm_70"), "0 70");
  EXPECT_TRUE(contains(ptx_of("math.cu", "-arch=compute_75 -code=sm_75"), ", 750;"));
}

TEST_F(CompilerDriver, MachineCodeIsPtxUnderItsNameAndSaidToBe) {
  write("math.cu", kMath);
  const Result result = cc("-cubin math.cu");
  EXPECT_EQ(result.status, 0);
  EXPECT_TRUE(contains(result.err, "-cubin: no machine code is generated")) << result.err;
  EXPECT_TRUE(contains(read("math.cubin"), ".entry"));
  ASSERT_EQ(cc("-fatbin -gencode arch=compute_70,code=sm_70 -o kernels.fatbin math.cu").status, 0);
  EXPECT_EQ(read("kernels.fatbin"), read("math.cubin"));
}

TEST_F(CompilerDriver, UnknownOptionIsAnError) {
  write("math.cu", kMath);
  const Result result = cc("--no-such-option -c math.cu");
  EXPECT_EQ(result.status, 2);
  EXPECT_TRUE(contains(result.err, "Unknown option '--no-such-option'")) << result.err;
  EXPECT_FALSE(exists("math.o"));
  EXPECT_EQ(cc("--no-such-option -forward-unknown-to-host-compiler -c math.cu").status == 0, false);
}

TEST_F(CompilerDriver, LaunchBracketsMayBeApartInSourcesAndHeaders) {
  write("sub/launch.cuh",
        "template <typename K, typename... A> void launch(K k, A... a) { k<< <3, 7>> >(a...); }\n#include "
        "\"more.cuh\"\n");
  write("sub/more.cuh", "#define LAUNCH(k) k << <5, 1>> > (nullptr)\n");
  write("app.cu",
        "#include <launch.cuh>\n#include <vector>\n__global__ void k(int* p) { *p = 1; }\n"
        "int main() {\n  std::vector<std::vector<std::vector<int>> > v;\n  launch(k, (int*)nullptr);\n  LAUNCH(k);\n"
        "  k<< <2, 32>> >(nullptr);\n  return 0;\n}\n");
  const Result build = cc("-std=c++17 -I sub -MMD -lineinfo app.cu -o app");
  ASSERT_EQ(build.status, 0) << build.err;
  const std::string out = run("./app").out;
  for (const char* grid : {"grid=3 block=7", "grid=5 block=1", "grid=2 block=32"})
    EXPECT_TRUE(contains(out, grid)) << out;
  EXPECT_TRUE(contains(read("app.d"), "app:") && contains(read("app.d"), "sub/more.cuh")) << read("app.d");
  EXPECT_FALSE(contains(read("app.d"), "corrected")) << "files keep their names";
  write("wrong.cu", "__global__ void k() {}\nint main() { k<< <1, 1>> >(); undeclared(); }\n");
  const Result wrong = cc("-c wrong.cu");
  EXPECT_TRUE(contains(wrong.err, "wrong.cu:2:31: error")) << wrong.err;
}

TEST_F(CompilerDriver, RegisterIsNoErrorUnderCxx17) {
  write("old.cu",
        "__global__ void k(int* p) { register int i = 1; *p = i; }\nint main() { register int j = 0; return j; }\n");
  const Result result = cc("-std=c++17 -Werror all-warnings -c old.cu");
  EXPECT_EQ(result.status, 0) << result.err;
}

TEST_F(CompilerDriver, AMakeRuleOfALinkIsForTheProgram) {
  write("app.cu", kProgram);
  ASSERT_EQ(cc("-MD app.cu -o program").status, 0);
  EXPECT_EQ(read("program.d").rfind("program:", 0), 0u) << read("program.d");
  ASSERT_EQ(cc("-MMD -MF rule app.cu").status, 0);
  EXPECT_TRUE(contains(read("rule"), "app.cu"));
  EXPECT_TRUE(left_behind().empty());
}

TEST_F(CompilerDriver, TheFolderShapedLikeAToolkitIsPrinted) {
  const std::string folder = cc("--print-cuda-path").out;
  EXPECT_EQ(folder, std::string(HEDDLE_TEST_HOME) + "/share/heddle/cuda\n");
  const Result nowhere = run("HEDDLE_HOME=/nowhere \"$CC_UNDER_TEST\" --print-cuda-path");
  EXPECT_EQ(nowhere.status, 100);
  EXPECT_TRUE(contains(nowhere.err, "is missing")) << nowhere.err;
}

TEST_F(CompilerDriver, TheVersionReadsWithTheUsualCommands) {
  EXPECT_EQ(run("\"$CC_UNDER_TEST\" --version | grep release | sed 's/.*release //' | sed 's/,.*//'").out, "11.8\n");
  EXPECT_EQ(run("\"$CC_UNDER_TEST\" --version | awk '/release/ {print $5}'").out, "11.8,\n");
  EXPECT_EQ(run("\"$CC_UNDER_TEST\" -V | sed -n 's/^.*V\\([0-9.]*\\)$/\\1/p'").out, "11.8.0\n");
}

TEST_F(CompilerDriver, OptionsMayComeFromFiles) {
  write("math.cu", kMath);
  write("options", "-ptx -D 'TEXT=\"a b\"'\n-o out.ptx");
  EXPECT_EQ(cc("--options-file options math.cu").status, 0);
  EXPECT_TRUE(exists("out.ptx"));
  write("more", "@options math.cu");
  fs::remove(path("out.ptx"));
  EXPECT_EQ(cc("@more").status, 0);
  EXPECT_TRUE(exists("out.ptx"));
}

TEST_F(CompilerDriver, FailedCompilationLeavesNothing) {
  write("bad.cu", "__global__ void k() { undeclared(); }\n");
  const Result result = cc("-c bad.cu -o bad.o");
  EXPECT_NE(result.status, 0);
  EXPECT_TRUE(contains(result.err, "bad.cu:1:"));
  EXPECT_FALSE(exists("bad.o"));
  EXPECT_TRUE(left_behind().empty());
}

TEST_F(CompilerDriver, MakeRuleNamesWhatEitherPassRead) {
  write("app.cu",
        "#include \"both.h\"\n#ifdef __CUDA_ARCH__\n#include \"device.h\"\n#else\n#include \"host.h\"\n#endif\n"
        "__global__ void k() {}\nint main() {}\n");
  for (const char* header : {"both.h", "device.h", "host.h"}) write(header, "");
  ASSERT_EQ(cc("-c app.cu -o app.o -MD -MF app.dep -MT target.o -MP").status, 0);
  const std::string rule = read("app.dep");
  EXPECT_EQ(rule.rfind("target.o:", 0), 0u) << rule;
  for (const char* header : {"both.h", "device.h", "host.h"}) EXPECT_TRUE(contains(rule, header)) << header;
  EXPECT_TRUE(contains(rule, "\nhost.h:\n"));
  EXPECT_FALSE(contains(rule, "/tmp/heddle-cc")) << "intermediate files are nobody's dependency";

  ASSERT_EQ(cc("-dc app.cu -MMD").status, 0);
  EXPECT_TRUE(contains(read("app.d"), "app.o:"));
  EXPECT_FALSE(contains(read("app.d"), "cuda_runtime.h"));

  const Result only = cc("-M app.cu");
  EXPECT_EQ(only.status, 0);
  EXPECT_TRUE(contains(only.out, "host.h"));
  EXPECT_TRUE(contains(only.out, "app.o:"));
}

TEST_F(CompilerDriver, InstalledToolkitIsNeverRead) {
  write("math.cu", kMath);
  write("app.cu", kProgram);
  write("toolkit/include/cuda_runtime.h", "#error the toolkit was read\n");
  write("toolkit/include/cuda_runtime_api.h", "#error the toolkit was read\n");
  write("toolkit/include/cublas_v2.h", "");
  write("toolkit/bin/nvcc", "#!/bin/sh\nexit 9\n");
  write("toolkit/lib64/libcudart.so", "not a library\n");
  write("toolkit/lib64/libcudart_static.a", "not a library\n");
  fs::permissions(path("toolkit/bin/nvcc"), fs::perms::owner_all);
  const std::string environment =
      "PATH=\"$PWD/toolkit/bin:$PATH\" CUDA_PATH=\"$PWD/toolkit\" CPATH=\"$PWD/toolkit/include\" "
      "LIBRARY_PATH=\"$PWD/toolkit/lib64\" ";
  const Result build = run(
      environment + "\"$CC_UNDER_TEST\" -I toolkit/include -isystem toolkit/include -L toolkit/lib64 app.cu -o app");
  EXPECT_EQ(build.status, 0) << build.err;
  EXPECT_EQ(count(build.err, "is ignored"), 3u) << build.err;
  EXPECT_EQ(run("./app").status, 3);
  write("user.cu", "#include <cublas_v2.h>\n");
  EXPECT_NE(run(environment + "\"$CC_UNDER_TEST\" -I toolkit/include -c user.cu").status, 0);
}

TEST_F(CompilerDriver, DryRunShowsCommandsAndWritesNothing) {
  write("app.cu", kProgram);
  const Result result = cc("--dryrun -rdc=true app.cu -o app");
  EXPECT_EQ(result.status, 0);
  EXPECT_TRUE(contains(result.err, "--cuda-device-only"));
  EXPECT_TRUE(contains(result.err, "--cuda-host-only"));
  EXPECT_FALSE(exists("app"));
}

TEST_F(CompilerDriver, KeptFilesIncludeThePtx) {
  write("app.cu", kProgram);
  EXPECT_EQ(cc("--keep --keep-dir kept -c app.cu").status, 0);
  EXPECT_TRUE(contains(read("kept/app.ptx"), ".entry"));
}

TEST_F(CompilerDriver, VersionIsThatOfTheHeaders) {
  const std::string version = cc("--version").out;
  EXPECT_TRUE(contains(version, "nvcc: NVIDIA (R) Cuda compiler driver")) << "CMake looks for these words";
  EXPECT_TRUE(contains(version, "not NVIDIA software"));
  write("version.cu",
        "#include <cuda_runtime_api.h>\n#include <cstdio>\n"
        "int main() { std::printf(\"release %d.%d, V%d.%d.0\", CUDART_VERSION / 1000, CUDART_VERSION % 1000 / 10, "
        "__CUDACC_VER_MAJOR__, __CUDACC_VER_MINOR__); }\n");
  ASSERT_EQ(cc("version.cu -o version").status, 0);
  EXPECT_TRUE(contains(version, run("./version").out)) << version;
}

TEST_F(CompilerDriver, MissingClangIsNamedWithItsPackage) {
  write("app.cu", kProgram);
  const Result result = run("HEDDLE_CLANG=/nowhere/clang++ \"$CC_UNDER_TEST\" -c app.cu");
  EXPECT_EQ(result.status, 100);
  EXPECT_TRUE(contains(result.err, "clang-14")) << result.err;
}

TEST_F(CompilerDriver, NamedClangStatesItsVersion) {
  write("app.cu", kProgram);
  for (const auto& [version, status] :
       {std::pair{"13.0.1", 100}, {"14.0.6", 0}, {"19.1.7", 0}, {"20.1.2", 100}, {"words", 100}}) {
    write("clang", std::string("#!/bin/sh\necho ") + version + "\n");
    const Result result = run("chmod +x clang; HEDDLE_CLANG=./clang \"$CC_UNDER_TEST\" --dryrun -c app.cu");
    EXPECT_EQ(result.status, status) << version << ": " << result.err;
    EXPECT_EQ(contains(result.err, "it is not clang 14 to 19"), status != 0) << result.err;
    EXPECT_EQ(contains(result.err, "-no-enable-noundef-analysis"), version[0] == '1' && version[1] == '9')
        << result.err;
  }
}

TEST_F(CompilerDriver, MissingHeadersAreNamed) {
  write("app.cu", kProgram);
  const Result result = run("HEDDLE_HOME=/nowhere \"$CC_UNDER_TEST\" -c app.cu");
  EXPECT_EQ(result.status, 100);
  EXPECT_TRUE(contains(result.err, "HEDDLE_HOME")) << result.err;
}

using HeddleCommand = Sandbox;

TEST_F(HeddleCommand, DispatchesToTheCompilerDriver) {
  EXPECT_EQ(run(HEDDLE_COMMAND " cc --version").out, cc("--version").out);
  EXPECT_TRUE(contains(run(HEDDLE_COMMAND " --help").out, "cc "));
  EXPECT_TRUE(contains(run(HEDDLE_COMMAND " --version").out, "heddle "));
}

TEST_F(HeddleCommand, UnknownSubcommandIsAnsweredWithTheNearest) {
  const Result result = run(HEDDLE_COMMAND " ccc");
  EXPECT_EQ(result.status, 2);
  EXPECT_TRUE(contains(result.err, "'ccc'") && contains(result.err, "'cc'")) << result.err;
}

TEST_F(HeddleCommand, ActsAsTheCompilerDriverUnderNvccsName) {
  fs::create_symlink(HEDDLE_COMMAND, path("nvcc"));
  EXPECT_EQ(run("./nvcc --version").out, cc("--version").out);
}

}  // namespace
}  // namespace heddle::test
