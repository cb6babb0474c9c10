// SPDX-License-Identifier: Apache-2.0
// The blocks of interweaving in lockstep: model and RTL agree, a broken block is caught at its first difference, and
// the ports of the RTL are in the waveform.
#include "BrokenContextSort2.h"
#include "BrokenDependencyStep6.h"
#include "BrokenSecondaryLookup24.h"
#include "block_lockstep.h"
#include "rtl/context_sorter_rtl.h"
#include "rtl/dependency_step_rtl.h"
#include "rtl/secondary_lookup_rtl.h"

namespace heddle::rtl {
namespace {

using sm::ContextSorter;
using sm::DependencyStep;
using sm::LookupRequest;
using sm::LookupShape;
using sm::SecondaryLookup;
using sm::SorterRequest;
using sm::SorterShape;
using sm::StepRequest;
using sm::StepShape;

class InterweavingLockstep : public BlockLockstepTest {};

constexpr std::uint64_t kTop = std::uint64_t{1} << 63;

TEST_F(InterweavingLockstep, ModelAndRtlOfTheSorterAgree) {
  const auto both = make(Mechanism<ContextSorter>("lockstep"), SorterShape{2}, site_);
  const sm::SortedContexts sorted =
      both->sort({{{true, false, 0x30, 0b1001}, {true, true, 0x18, 0b0110}, {true, false, 0x30, kTop}}});
  EXPECT_EQ(sorted.contexts[0], (sm::SplitContext{true, true, 0x18, 0b0110}));
  EXPECT_EQ(sorted.contexts[1], (sm::SplitContext{true, false, 0x30, 0b1001 | kTop}));
  EXPECT_EQ(sorted.sources, (std::array<std::uint8_t, 3>{0b010, 0b101, 0}));
  expect_signals({"valid", "fixed", "pc", "masks", "sorted_valid", "sorted_fixed", "sorted_pc", "sorted_masks",
                  "sources", "push"});
}

TEST_F(InterweavingLockstep, ModelAndRtlOfASorterWithOneHotContextAgree) {
  const auto both = make(Mechanism<ContextSorter>("lockstep"), SorterShape{1}, site_);
  const sm::SortedContexts sorted = both->sort({{{true, false, 0x30, 0b1001}, {}, {true, false, 0x28, 0b0110}}});
  EXPECT_EQ(sorted.contexts[0], (sm::SplitContext{true, false, 0x28, 0b0110}));
  EXPECT_EQ(sorted.contexts[1], (sm::SplitContext{true, false, 0x30, 0b1001}));
}

TEST_F(InterweavingLockstep, ModelAndRtlOfTheLookupAgreeInEverySize) {
  for (const unsigned ways : {16u, 24u, 32u, 48u}) {
    site_.path = "block" + std::to_string(ways);
    const auto both = make(Mechanism<SecondaryLookup>("lockstep"), LookupShape{ways}, site_);
    LookupRequest request;
    request.ready = std::uint64_t{1} << (ways - 1) | 0b11;
    request.lanes[ways - 1] = kTop | 1;
    request.lanes[0] = 0b11;
    EXPECT_EQ(both->look_up(request), (sm::LookupAnswer{request.ready, 0}));
    request.first = 2;
    EXPECT_EQ(both->look_up(request), (sm::LookupAnswer{request.ready, ways - 1}));
    if (ways == 48) expect_signals({"ready", "same_unit", "free", "first", "lanes", "hits", "best", "any"});
  }
}

TEST_F(InterweavingLockstep, ModelAndRtlOfTheStepAgreeInEverySize) {
  for (const unsigned entries : {6u, 12u}) {
    site_.path = "block" + std::to_string(entries);
    const auto both = make(Mechanism<DependencyStep>("lockstep"), StepShape{entries}, site_);
    StepRequest request;
    request.step = 0b010'001'100;
    request.entries[entries - 1] = 0b111'000'001;
    EXPECT_EQ(both->step(request).entries[entries - 1], 0b111'000'100);
    if (entries == 12) expect_signals({"step", "entries", "stepped"});
  }
}

TEST_F(InterweavingLockstep, ABrokenSorterIsCaught) {
  ContextSorterLockstep both({2}, site_, make(Mechanism<ContextSorter>("model"), SorterShape{2}, site_),
                             std::make_unique<ContextSorterRtl<BrokenContextSort2>>(site_));
  both.sort({{{true, false, 0x30, 0b1001}, {true, false, 0x30, 0b0110}, {}}});
  const std::string message = difference([&] {
    both.sort({{{true, false, 0x30, 0b1001}, {true, false, 0x18, 0b0110}, {true, false, 0x30, kTop}}});
  });
  EXPECT_EQ(message.find("block: RTL and model differ in cycle 0 at sorted_valid, sorted_pc, sorted_masks, sources"),
            0u)
      << message;
  EXPECT_NE(message.find("inputs: valid=0x7 fixed=0x0 pc=0x000000300000001800000030 masks=0x8000000000000000"
                         "00000000000000060000000000000009"),
            std::string::npos)
      << message;
  EXPECT_NE(message.find("model:  sorted_valid=0x3 sorted_fixed=0x0 sorted_pc=0x000000000000003000000018"),
            std::string::npos)
      << message;
  EXPECT_NE(message.find("RTL:    sorted_valid=0x7"), std::string::npos) << message;
}

TEST_F(InterweavingLockstep, ABrokenLookupIsCaught) {
  SecondaryLookupLockstep both({24}, site_, make(Mechanism<SecondaryLookup>("model"), LookupShape{24}, site_),
                               std::make_unique<SecondaryLookupRtl<BrokenSecondaryLookup24, 24>>(site_));
  LookupRequest request;
  request.ready = 0b1001;
  request.lanes[0] = 0b1;
  request.lanes[3] = 0b11;
  both.look_up(request);
  request.lanes[0] = kTop | 1;
  const std::string message = difference([&] { both.look_up(request); });
  EXPECT_EQ(message.find("block: RTL and model differ in cycle 0 at best"), 0u) << message;
  EXPECT_NE(message.find("model:  hits=0x000009 best=0x00"), std::string::npos) << message;
  EXPECT_NE(message.find("RTL:    hits=0x000009 best=0x03"), std::string::npos) << message;
}

TEST_F(InterweavingLockstep, ABrokenStepIsCaught) {
  DependencyStepLockstep both({6}, site_, make(Mechanism<DependencyStep>("model"), StepShape{6}, site_),
                              std::make_unique<DependencyStepRtl<BrokenDependencyStep6, 6>>(site_));
  StepRequest request;
  request.step = 0b011'100'001;
  request.entries[5] = 0b000'011'001;
  both.step(request);
  request.entries[4] = 0b000'000'101;
  const std::string message = difference([&] { both.step(request); });
  EXPECT_EQ(message.find("block: RTL and model differ in cycle 0 at stepped"), 0u) << message;
  EXPECT_NE(message.find("model:  stepped=0x029003000000000000"), std::string::npos) << message;
  EXPECT_NE(message.find("RTL:    stepped=0x029002000000000000"), std::string::npos) << message;
}

TEST_F(InterweavingLockstep, ShapesWithoutRtlAreRefused) {
  const ExitCode refused = ExitCode::configuration;
  EXPECT_EQ(message_of(refused, [&] { make(Mechanism<ContextSorter>("rtl"), SorterShape{3}, site_); }),
            "sm.blocks.context_sorter: there is RTL for 1 or 2 hot contexts, this machine has 3");
  EXPECT_EQ(message_of(refused, [&] { make(Mechanism<SecondaryLookup>("rtl"), LookupShape{8}, site_); }),
            "sm.blocks.secondary_lookup: there is RTL for 16, 24, 32 or 48 ways, this machine has 8");
  EXPECT_EQ(message_of(refused, [&] { make(Mechanism<DependencyStep>("lockstep"), StepShape{8}, site_); }),
            "sm.blocks.dependency_step: there is RTL for 6 or 12 entries, this machine has 8");
}

}  // namespace
}  // namespace heddle::rtl
