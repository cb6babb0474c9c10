// SPDX-License-Identifier: Apache-2.0
// The source's worked examples on one warp of four threads, whose cycles the study compares between machines.
//
// usage: worked_examples figure_2 | figure_4
//
// In PTX, so that the instructions are those of the example. Source: docs/sources/branch-and-warp-interweaving.md, 3 (V1, V4).
#include "../../workloads/common.h"

// 1 branches; 2, 3, 4 are the one way, of threads 0 and 3, and 5 the other; 6 is where they meet.
__global__ void figure_2(unsigned* out, unsigned added) {
  unsigned value = threadIdx.x;
  const unsigned other_way = threadIdx.x == 1 || threadIdx.x == 2 ? 1 : 0;
  asm volatile("{ .reg .pred %%other;\n"
               "setp.ne.u32 %%other, %1, 0;\n"
               "@%%other bra OTHER;\n"
               "add.u32 %0, %0, %2;\n"
               "add.u32 %0, %0, %2;\n"
               "add.u32 %0, %0, %2;\n"
               "bra.uni MEET;\n"
               "OTHER:\n"
               "add.u32 %0, %0, %2;\n"
               "MEET:\n"
               "add.u32 %0, %0, %2; }"
               : "+r"(value)
               : "r"(other_way), "r"(added));
  out[threadIdx.x] = value;
}

// A: B or C; C: D or E, then F; B and F: G. Thread 0 does B, thread 1 D, threads 2 and 3 E.
__global__ void figure_4(unsigned* out, unsigned added) {
  unsigned value = threadIdx.x;
#define ADD "add.u32 %0, %0, %2;\n"
  asm volatile("{ .reg .pred %%to_c, %%to_e;\n"
               "setp.ne.u32 %%to_c, %1, 0;\n"
               "@%%to_c bra C;\n" ADD ADD ADD ADD ADD ADD ADD
               "bra.uni G;\n"
               "C:\n"
               "setp.gt.u32 %%to_e, %1, 1;\n"
               "@%%to_e bra E;\n" ADD
               "bra.uni F;\n"
               "E:\n" ADD ADD
               "F:\n" ADD ADD
               "G:\n" ADD ADD "}"
               : "+r"(value)
               : "r"(threadIdx.x), "r"(added));
  out[threadIdx.x] = value;
}

int main(int argc, char** argv) {
  const bool two = argc == 2 && std::strcmp(argv[1], "figure_2") == 0;
  if (!two && (argc != 2 || std::strcmp(argv[1], "figure_4") != 0)) {
    std::fprintf(stderr, "usage: worked_examples figure_2 | figure_4\n");
    return workload::kExitUsage;
  }
  constexpr unsigned kAdded = 100;
  const std::vector<unsigned> adds = two ? std::vector<unsigned>{4, 2, 2, 4} : std::vector<unsigned>{9, 5, 6, 6};
  std::vector<unsigned> reference(adds.size());
  for (unsigned i = 0; i < reference.size(); ++i) reference[i] = i + kAdded * adds[i];
  workload::DeviceArray<unsigned> out(reference.size());
  const unsigned threads = static_cast<unsigned>(reference.size());
  if (two) {
    figure_2<<<1, threads>>>(out.get(), kAdded);
  } else {
    figure_4<<<1, threads>>>(out.get(), kAdded);
  }
  CHECK_LAUNCH();
  workload::Report report("worked_examples");
  report.expect_equal("thread", out.download(), reference);
  return report.finish();
}
