// SPDX-License-Identifier: Apache-2.0
// Branches of a function body and their labels. A branch may name a label that follows it, so all are bound at the end.
#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "isa/ptx/body/scopes.h"
#include "isa/ptx/syntax.h"
#include "isa/ptx/token_stream.h"

namespace heddle::isa {

class BranchTargets {
 public:
  BranchTargets(TokenStream& in, Scopes& scopes, Body& body) : in_(in), scopes_(scopes), body_(body) {}

  /// name: .branchtargets label, label, ...;
  void read_list(const Token& name);

  /// The label of a bra, which becomes the next instruction of the body.
  void read_label();

  /// The list of a brx, which becomes the next instruction of the body.
  void read_list_name();

  /// Once the whole body is read. Fails at a name that nothing defines.
  void bind();

 private:
  // A use of a label, by a branch or by a target list.
  struct LabelUse {
    const Token* name;
    Scopes::Id scope;
    std::uint32_t instruction = InstructionSyntax::kNone;
    std::uint32_t list = InstructionSyntax::kNone;  ///< kNone: of a branch
  };
  // A brx and the name of its target list.
  struct ListUse {
    const Token* name;
    std::uint32_t instruction;
  };

  std::uint32_t next_instruction() const { return static_cast<std::uint32_t>(body_.instructions.size()); }

  TokenStream& in_;
  Scopes& scopes_;
  Body& body_;
  std::vector<LabelUse> label_uses_;
  std::vector<ListUse> list_uses_;
  std::unordered_map<std::string_view, std::uint32_t> lists_;  ///< by name: index in Body::target_lists
};

}  // namespace heddle::isa
