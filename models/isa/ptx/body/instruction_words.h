// SPDX-License-Identifier: Apache-2.0
// The words of the instruction being parsed. Messages quote them.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "isa/ptx/token_stream.h"
#include "isa/types.h"

namespace heddle::isa {

struct InstructionWords {
  explicit InstructionWords(const TokenStream& stream) : in(stream) {}

  /// Fails at the mnemonic. The first {} of the format is the instruction as spelled.
  template <typename... Args>
  [[noreturn]] void fail(fmt::format_string<std::string, Args...> format, Args&&... args) const {
    in.fail(*mnemonic, format, spelled(), std::forward<Args>(args)...);
  }

  /// Operation and modifiers, without operands.
  std::string spelled() const {
    std::string out(operation);
    for (const auto modifier : modifiers) out += modifier;
    return out.substr(0, 200);
  }

  const TokenStream& in;
  const Token* mnemonic = nullptr;
  std::string operation;                    ///< without modifiers; may have several words: "cp.async.wait_group"
  Opcode opcode = Opcode::count;            ///< of the operation; a modifier may still make another of it (cvt.pack)
  std::vector<std::string_view> modifiers;  ///< with their dots
};

}  // namespace heddle::isa
