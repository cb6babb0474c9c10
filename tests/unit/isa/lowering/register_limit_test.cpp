// SPDX-License-Identifier: Apache-2.0
// A register limit below a kernel's needs is reported; no value is spilled.
#include <gmock/gmock.h>

#include "../front_end_fixture.h"

namespace heddle::isa {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// Four values live at once.
std::shared_ptr<const Kernel> four_registers(const std::string& directive) {
  return lower_text(module_text(".visible .entry k() " + directive + R"( {
.reg .b32 %r<5>;
mov.u32 %r1, %tid.x; mov.u32 %r2, %tid.y; mov.u32 %r3, %tid.z; mov.u32 %r4, %ctaid.x;
st.global.u32 [0], %r1; st.global.u32 [4], %r2; st.global.u32 [8], %r3; st.global.u32 [12], %r4;
ret; })"));
}

TEST(RegisterLimit, BelowTheNeedIsSaidWithBothNumbers) {
  const auto kernel = four_registers(".maxnreg 3");
  EXPECT_EQ(kernel->registers, 4u) << "it keeps what it needs";
  EXPECT_THAT(kernel->notes, ElementsAre(AllOf(HasSubstr("kernel 'k' needs 4 registers"), HasSubstr("limit of 3"))));
}

TEST(RegisterLimit, ThatIsMetIsNotMentioned) {
  EXPECT_THAT(four_registers(".maxnreg 4")->notes, IsEmpty());
  EXPECT_THAT(four_registers("")->notes, IsEmpty());
}

TEST(RegisterNames, AreCountedForPredicatesAsForRegisters) {
  // Each predicate and register is dead before the next is written: one of either is allocated.
  std::string body = ".reg .pred %p<70>; .reg .b32 %r<70>;\n";
  for (unsigned i = 0; i < 70; ++i) {
    const std::string n = std::to_string(i);
    body +=
        "mov.u32 %r" + n + ", %tid.x; setp.eq.u32 %p" + n + ", %r" + n + ", 1; @%p" + n + " st.global.u32 [0], 1;\n";
  }
  const auto kernel = lower_text(module_text(".visible .entry k() {\n" + body + "ret; }"));
  EXPECT_EQ(kernel->predicates, 1u);
  EXPECT_EQ(kernel->named_predicates, 70u);
  EXPECT_EQ(kernel->registers, 1u);
  EXPECT_EQ(kernel->named_registers, 70u);
}

}  // namespace
}  // namespace heddle::isa
