// SPDX-License-Identifier: Apache-2.0
#include "isa/ptx/modifiers/apply.h"

#include "isa/ptx/modifiers/words.h"

namespace heddle::isa {
namespace {

// Types, and words that several kinds of operation have. Forms say which of them may.
bool apply_common(std::string_view word, MicroOp& op, std::uint64_t& features) {
  const auto flag = [&](bool& field, std::uint64_t feature) {
    field = true;
    features |= feature;
    return true;
  };
  if (const DataType type = find_type(word); type != DataType::none) {
    if (op.type == DataType::none) {
      op.type = type;
    } else if (op.source_type == DataType::none) {
      op.source_type = type;
    } else if (op.third_type == DataType::none && (is_video(op.opcode) || op.opcode == Opcode::cvt_pack)) {
      op.third_type = type;
    } else {
      return false;
    }
    return true;
  }
  if (look_up(kFloatRoundings, word, op.rounding)) return features |= kRounding, true;
  if (look_up(kIntegerRoundings, word, op.rounding)) return features |= kIntegerRounding, true;
  if (look_up(kSpaces, word, op.space)) return features |= kSpace, true;
  if (look_up(kScopes, word, op.scope)) return features |= kScope, true;
  if (word == "ftz") return flag(op.flush_to_zero, kFlush);
  if (word == "sat") return flag(op.saturate, kSaturate);
  if (word == "approx") return flag(op.approximate, kApproximate);
  if (word == "full") return flag(op.full_range, kFullRange);
  if (word == "cc") return flag(op.carry_out, kCarryOut);
  if (word == "sync") return flag(op.sync_form, kSync);
  if (word == "uni") return flag(op.uniform, kUniform);
  if (word == "aligned") return features |= kHint, true;
  if (word == "v4" && (op.opcode == Opcode::tex || op.opcode == Opcode::tld4))
    return op.vector_width = 4, features |= kVector, true;
  if ((word == "v2" || word == "v4") && op.opcode == Opcode::mov) {
    op.vector_width = static_cast<std::uint8_t>(word[1] - '0');
    return features |= kVector, true;
  }
  return false;
}

}  // namespace

DataType find_type(std::string_view name) {
  if (name.empty() || name == "none") return DataType::none;
  for (unsigned i = 1; i <= static_cast<unsigned>(DataType::s16x2); ++i) {
    if (name_of(static_cast<DataType>(i)) == name) return static_cast<DataType>(i);
  }
  return DataType::none;
}

std::string_view apply_modifiers(std::span<const std::string_view> modifiers, MicroOp& op, std::uint64_t& features) {
  for (const std::string_view modifier : modifiers) {
    const std::string_view word = modifier.substr(1);
    if (apply_arithmetic(word, op, features) || apply_video(word, op, features) || apply_threads(word, op, features) ||
        apply_memory(word, op, features) || apply_texture(word, op, features) || apply_common(word, op, features)) {
      continue;
    }
    return modifier;
  }
  return {};
}

}  // namespace heddle::isa
