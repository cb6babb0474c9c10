// SPDX-License-Identifier: Apache-2.0
#include "isa/lowering/code_pass.h"

#include <utility>

#include "../front_end_fixture.h"
#include "isa/classify.h"
#include "isa/lowering/ir.h"

namespace heddle::isa {
namespace {

/// Puts an operation before all others.
class Marks final : public CodePass {
 public:
  Marks(const char* text, Opcode mark) : text_(text), mark_(mark) {}
  const char* text() const override { return text_; }
  void run(Ir& ir, std::uint32_t text) const override {
    MicroOp mark = derived(ir.ops.front(), mark_);
    mark.text = text;
    classify(mark);
    ir.ops.insert(ir.ops.begin(), mark);
    for (MicroOp& op : ir.ops) {
      if (op.opcode == Opcode::bra) ++op.target;
    }
  }

 private:
  const char* text_;
  Opcode mark_;
};

TEST(CodePass, PassesRunInTheirOrderOnTheWholeCode) {
  LowerOptions options;
  options.passes = {std::make_shared<Marks>("first (inserted)", Opcode::brkpt),
                    std::make_shared<Marks>("second (inserted)", Opcode::pmevent)};
  const auto kernel = lower_text(kernel_text("L: add.u32 %r1, %r1, 1;\n@%p1 bra L;\nret;"), "k", options);
  EXPECT_EQ(texts_of(*kernel), (std::vector<std::string>{"second (inserted)", "first (inserted)", "add.u32 %r1, %r1, 1",
                                                         "@%p1 bra L", "ret"}));
  EXPECT_EQ(kernel->ops[3].target, 2u) << "control flow is found in the changed code";
  EXPECT_EQ(kernel->ops[3].reconvergence_pc, 4u);
}

TEST(CodePass, WithoutOneTheCodeIsAsItWas) {
  const auto kernel = lower_body("L: add.u32 %r1, %r1, 1;\n@%p1 bra L;\nret;");
  EXPECT_EQ(kernel->ops.size(), 3u);
}

}  // namespace
}  // namespace heddle::isa
