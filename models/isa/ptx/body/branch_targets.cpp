// SPDX-License-Identifier: Apache-2.0
#include "isa/ptx/body/branch_targets.h"

namespace heddle::isa {

void BranchTargets::read_list(const Token& name) {
  const auto list = static_cast<std::uint32_t>(body_.target_lists.size());
  body_.target_lists.emplace_back();
  lists_.insert_or_assign(name.text, list);
  do {
    const Token& label = in_.expect(TokenKind::identifier, "a label");
    label_uses_.push_back({&label, scopes_.current(), InstructionSyntax::kNone, list});
  } while (in_.accept(','));
  in_.expect(';');
}

void BranchTargets::read_label() {
  const Token& label = in_.expect(TokenKind::identifier, "a label");
  label_uses_.push_back({&label, scopes_.current(), next_instruction()});
}

void BranchTargets::read_list_name() {
  const Token& name = in_.expect(TokenKind::identifier, "a list of branch targets");
  list_uses_.push_back({&name, next_instruction()});
}

void BranchTargets::bind() {
  for (const ListUse& use : list_uses_) {
    const auto found = lists_.find(use.name->text);
    if (found == lists_.end()) in_.fail(*use.name, "there is no .branchtargets '{}'", use.name->text);
    body_.instructions[use.instruction].targets = found->second;
  }
  for (const LabelUse& use : label_uses_) {
    const ScopeEntry* entry = scopes_.find(use.name->text, use.scope);
    if (entry == nullptr || entry->kind != ScopeEntry::Kind::label) {
      in_.fail(*use.name, "there is no label '{}'", use.name->text);
    }
    if (use.list != InstructionSyntax::kNone) {
      body_.target_lists[use.list].push_back(entry->index);
    } else {
      body_.instructions[use.instruction].label = entry->index;
    }
  }
}

}  // namespace heddle::isa
