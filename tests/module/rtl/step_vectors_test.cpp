// SPDX-License-Identifier: Apache-2.0
// rtl/dependency_step.sv against sm::product(): all pairs of matrices in every entry, random ones of different entries,
// and the vectors of docs/sources/branch-and-warp-interweaving.md V6.
#include "../../unit/sm/interweaving_vectors.h"
#include "DependencyStep6.h"
#include "rtl/dependency_step_rtl.h"
#include "stand.h"
#ifndef HEDDLE_COVERED
#include "DependencyStep12.h"
#endif

namespace heddle::rtl {
namespace {

using sm::DependencyMatrix;
using sm::StepRequest;

class StepVectors : public BlockTest {
 protected:
  template <typename Step, unsigned kEntries>
  void all_pairs() {
    DependencyStepRtl<Step, kEntries> step(site_);
    for (unsigned move = 0; move < 512; ++move) {
      // Each matrix passes every entry.
      for (unsigned first = 0; first < 512; ++first) {
        StepRequest request;
        request.step = static_cast<DependencyMatrix>(move);
        for (unsigned e = 0; e < kEntries; ++e)
          request.entries[e] = static_cast<DependencyMatrix>((first + 43 * e) % 512);
        const sm::StepAnswer answer = step.step(request);
        for (unsigned e = 0; e < kEntries; ++e)
          ASSERT_EQ(answer.entries[e], sm::product(request.entries[e], request.step)) << "entry " << e;
        for (unsigned e = kEntries; e < sm::kMaxDependencyEntries; ++e) ASSERT_EQ(answer.entries[e], 0);
      }
    }
  }
};

TEST_F(StepVectors, AllPairsInSixEntries) { all_pairs<DependencyStep6, 6>(); }
#ifndef HEDDLE_COVERED
TEST_F(StepVectors, AllPairsInTwelveEntries) { all_pairs<DependencyStep12, 12>(); }
#endif

TEST_F(StepVectors, OfTheSource) {
  DependencyStepRtl<DependencyStep6, 6> step(site_);
  expect_step_vectors(step);
}

}  // namespace
}  // namespace heddle::rtl
