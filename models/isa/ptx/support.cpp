// SPDX-License-Identifier: Apache-2.0
#include "isa/ptx/support.h"

#include <fmt/format.h>

#include "isa/ptx/mnemonics.h"
#include "isa/ptx/modifiers/modifiers.h"

namespace heddle::isa {
namespace {

std::string in_marks(const std::vector<std::string_view>& words) {
  std::string out;
  for (const std::string_view word : words) {
    if (!out.empty()) out += ' ';
    out += fmt::format("`.{}`", word);
  }
  return out;
}

std::string count_text(unsigned least, unsigned most) {
  return least == most ? std::to_string(least) : fmt::format("{} to {}", least, most);
}

}  // namespace

std::string spelling_of(Opcode opcode) {
  switch (opcode) {
    case Opcode::async_wait:
      return "cp.async.wait_group";
    case Opcode::special:
    case Opcode::syscall:
      return {};
    default:
      return std::string(name_of(opcode));
  }
}

std::string types_text(std::uint32_t types) {
  std::vector<std::string_view> words;
  for (unsigned i = 1; i <= static_cast<unsigned>(DataType::s16x2); ++i) {
    if (((types >> i) & 1) != 0) words.push_back(name_of(static_cast<DataType>(i)));
  }
  return in_marks(words);
}

std::string features_text(Opcode opcode, std::uint64_t features, std::uint32_t modes) {
  std::string out;
  for (unsigned bit = 0; bit < 64; ++bit) {
    const std::uint64_t feature = std::uint64_t{1} << bit;
    if ((features & feature) == 0) continue;
    const std::string words = in_marks(words_of(opcode, feature, modes));
    if (words.empty()) continue;
    if (!out.empty()) out += "; ";
    out += words;
  }
  return out;
}

std::string support_page() {
  std::string out =
      "<!-- SPDX-License-Identifier: Apache-2.0 -->\n"
      "# PTX instructions\n\n"
      "This page lists the PTX instructions that are supported, and the messages for those that are refused.\n"
      "`heddle reference ptx` writes it from the tables that the parser reads, `models/isa/ptx/forms.cpp` and\n"
      "`models/isa/ptx/refusals.cpp`. [Semantics](semantics.md) describes what instructions do where the PTX\n"
      "manual leaves it open, [limits](limits.md) the limits of the model.\n"
      "\n"
      "A row is one legal combination: an instruction has one of the types, one word of each required group, and\n"
      "at most one word of each optional group. Semicolons separate the groups. An instruction without a row is\n"
      "refused; the message names the line and the instruction.\n"
      "\n"
      "Operands are counted as written: a vector in braces is one operand, `p|q` two. The operands of a call\n"
      "depend on the declaration of the function. Some modifiers apply only to certain types and are refused\n"
      "otherwise:\n"
      "\n"
      "- 16-bit arithmetic and conversions to 8-bit formats round with `.rn`.\n"
      "- `.lo .ls .hi .hs` compare integers, `.equ` to `.nan` floating point.\n"
      "- Video instructions have three types, `vset` and its variants two.\n"
      "\n"
      "## Supported\n\n"
      "| instruction | types | source types | required | optional | results | sources "
      "|\n|---|---|---|---|---|---|---|\n";
  for (const Form& form : all_forms()) {
    const std::string name = spelling_of(form.opcode);
    if (name.empty()) continue;
    const bool whole = form.opcode == Opcode::async_wait && form.sources_max == 0;
    // Multiplication modes form a group of their own.
    const std::uint64_t required = whole ? 0 : form.required;
    out += fmt::format(
        "| `{}` | {} | {} | {} | {} | {} | {} |\n", whole ? "cp.async.wait_all" : name, types_text(form.types),
        types_text(form.source_types), features_text(form.opcode, required, form.modes == 0 ? ~0u : form.modes),
        features_text(form.opcode, form.optional, form.modes == 0 ? ~0u : form.modes),
        count_text(form.destinations_min, form.destinations_max), count_text(form.sources_min, form.sources_max));
  }
  out +=
      "\n"
      "`barrier` is `bar`, `membar` is `fence`, `ldu` is `ld` of read-only data, `prefetchu` is `prefetch`.\n"
      "`cp.async.mbarrier.arrive` is the last row of `mbarrier`. A name with dots, such as\n"
      "`cp.async`, is one instruction; its words are not modifiers. `bar.synch_partner` has no effect but on machines\n"
      "that combine warps; it has no guard, and its operand is a literal without meaning.\n"
      "\n"
      "## Refused\n"
      "\n"
      "Each of these is an error. The message names the line and the instruction, and says what to do.\n"
      "\n"
      "| instruction | the message |\n|---|---|\n";
  for (const Refusal& refusal : all_refusals()) {
    out += fmt::format("| `{}` | {} |\n", refusal.name, refusal.sentence);
  }
  return out;
}

}  // namespace heddle::isa
