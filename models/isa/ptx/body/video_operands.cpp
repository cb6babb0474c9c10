// SPDX-License-Identifier: Apache-2.0
#include "isa/ptx/body/video_operands.h"

#include <algorithm>
#include <iterator>

namespace heddle::isa {
namespace {

class VideoOperands {
 public:
  VideoOperands(MicroOp& op, std::span<OperandSyntax> operands, const InstructionWords& words)
      : op_(op), operands_(operands), words_(words) {
    if (has_third_source() && !operands_[3].selector.empty()) refuse_selector(3);
  }

  // Instructions on one element: each operand is a word, a half or a byte.
  void read_parts(bool combines) {
    op_.video.merge = part(0);
    op_.video.select_a = part(1);
    op_.video.select_b = part(2);
    const bool merges = op_.video.merge != 0;
    const bool multiplies = op_.opcode == Opcode::vmad;
    if (multiplies ? merges : has_third_source() != (combines || merges) || (combines && merges)) {
      words_.fail(
          "'{}' needs a third source for either a second operation or a selected part of the destination, but not "
          "both");
    }
  }

  // Instructions on 2 halves or 4 bytes: a digit chooses each element, the highest first.
  void read_elements(unsigned elements) {
    op_.video.merge = static_cast<std::uint8_t>((1u << elements) - 1);
    if (!selector(0).empty()) {
      op_.video.merge = 0;
      for (const char c : digits(0, elements, elements)) op_.video.merge |= static_cast<std::uint8_t>(1u << (c - '0'));
    }
    op_.video.select_a = selected(1, 0, elements);
    op_.video.select_b = selected(2, elements, elements);
  }

  // vmad takes the sign of its product from the signs of the factors.
  void read_signs() {
    VideoModifiers& video = op_.video;
    const bool negated = operands_[1].negate || operands_[2].negate || operands_[3].negate;
    video.negate_product = operands_[1].negate != operands_[2].negate;
    video.negate_addend = operands_[3].negate;
    if ((video.negate_product && video.negate_addend) || (video.plus_one && negated)) {
      words_.fail("'{}': only one of the product and the addend may be negated, and neither with .po");
    }
    for (OperandSyntax& source : operands_.subspan(1, 3)) source.negate = false;
  }

 private:
  bool has_third_source() const { return operands_.size() == 4; }

  // Without its dot; empty where none is written.
  std::string_view selector(std::size_t operand) const {
    const std::string_view text = operand < operands_.size() ? operands_[operand].selector : std::string_view();
    return text.empty() ? text : text.substr(1);
  }

  [[noreturn]] void refuse_selector(std::size_t operand) const {
    words_.fail("'{}': '{}' cannot select from operand {}", operands_[operand].selector, operand);
  }

  std::uint8_t part(std::size_t operand) const {
    constexpr std::string_view kParts[] = {"", "b0", "b1", "b2", "b3", "h0", "h1"};
    const auto* found = std::find(std::begin(kParts), std::end(kParts), selector(operand));
    if (found == std::end(kParts)) refuse_selector(operand);
    return static_cast<std::uint8_t>(found - std::begin(kParts));
  }

  // The digits of a selector like b3210, each below `limit`.
  std::string_view digits(std::size_t operand, unsigned elements, unsigned limit) const {
    const std::string_view text = selector(operand);
    if (text.size() < 2 || text[0] != (elements == 2 ? 'h' : 'b')) refuse_selector(operand);
    for (const char c : text.substr(1)) {
      if (c < '0' || c >= static_cast<char>('0' + limit)) refuse_selector(operand);
    }
    return text.substr(1);
  }

  // Four bits per element: which element of the pair {a, b} it takes. Unselected operands take their own, from `first`.
  std::uint16_t selected(std::size_t operand, unsigned first, unsigned elements) const {
    std::string_view text;
    if (!selector(operand).empty()) {
      text = digits(operand, elements, 2 * elements);
      if (text.size() != elements) refuse_selector(operand);
    }
    std::uint16_t out = 0;
    for (unsigned e = 0; e < elements; ++e) {
      const unsigned from = text.empty() ? first + e : static_cast<unsigned>(text[elements - 1 - e] - '0');
      out = static_cast<std::uint16_t>(out | from << (4 * e));
    }
    return out;
  }

  MicroOp& op_;
  std::span<OperandSyntax> operands_;
  const InstructionWords& words_;
};

}  // namespace

void read_video_operands(MicroOp& op, std::span<OperandSyntax> operands, bool combines, const InstructionWords& words) {
  VideoOperands video(op, operands, words);
  const unsigned elements = video_elements(op.opcode);
  if (elements > 1) {
    video.read_elements(elements);
  } else {
    video.read_parts(combines);
  }
  if (op.opcode == Opcode::vmad) video.read_signs();
}

}  // namespace heddle::isa
