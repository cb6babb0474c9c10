// SPDX-License-Identifier: Apache-2.0
#include "isa/ptx/initialiser.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "isa/ptx/constant_expression.h"

namespace heddle::isa {
namespace {

constexpr std::uint64_t kMaxInitialBytes = std::uint64_t{1} << 27;

class Initialiser {
 public:
  Initialiser(TokenStream& in, const DeclaredType& type, const Declarator& declarator, Variable& variable)
      : in_(in), type_(type), variable_(variable), element_(std::max(1u, size_of(type.type))) {
    dimensions_ = declarator.dimensions;
    if (type.elements > 1) dimensions_.push_back(type.elements);
    strides_.resize(dimensions_.size());
    std::uint64_t stride = element_;
    for (std::size_t i = dimensions_.size(); i-- > 0;) {
      strides_[i] = stride;
      stride *= std::max<std::uint64_t>(1, dimensions_[i]);
    }
  }

  void run() {
    if (dimensions_.empty()) {
      // A scalar initialiser may be enclosed in braces.
      const bool braces = in_.accept('{');
      value(0);
      if (braces) in_.expect('}');
      return;
    }
    if (in_.peek().kind == TokenKind::string) return characters();
    const std::uint64_t count = level(0, 0);
    if (dimensions_[0] == 0) variable_.size = count * strides_[0];
  }

 private:
  // Parses one brace level; returns the number of elements given.
  std::uint64_t level(std::size_t depth, std::uint64_t offset) {
    in_.expect('{');
    std::uint64_t index = 0, flat = 0;
    const std::uint64_t limit = dimensions_[depth];
    const std::uint64_t scalars = strides_[depth] / element_;
    while (!in_.peek().is('}')) {
      const Token& at = in_.peek();
      if (at.is('{') && depth + 1 < dimensions_.size()) {
        if (flat % scalars != 0) flat += scalars - flat % scalars;
        check(at, flat / scalars, limit);
        level(depth + 1, offset + flat * element_);
        flat += scalars;
      } else {
        check(at, flat / scalars, limit);
        value(offset + flat * element_);
        ++flat;
      }
      if (!in_.accept(',')) break;
    }
    in_.expect('}');
    index = (flat + scalars - 1) / scalars;
    return index;
  }

  void check(const Token& at, std::uint64_t index, std::uint64_t limit) {
    if (limit != 0 && index >= limit) in_.fail(at, "too many initialisers for '{}'", variable_.name);
  }

  void characters() {
    const Token& text = in_.take();
    const std::uint64_t size = text.text.size() + 1;
    if (element_ != 1) in_.fail(text, "a string can only initialise an array of bytes");
    if (dimensions_[0] == 0) variable_.size = size;
    if (size > variable_.size + (dimensions_[0] != 0 ? 1 : 0))
      in_.fail(text, "the string is longer than '{}'", variable_.name);
    for (std::size_t i = 0; i < text.text.size(); ++i) put(text, i, static_cast<unsigned char>(text.text[i]), 1);
  }

  void value(std::uint64_t offset) {
    const Token& at = in_.peek();
    const ConstantValue constant = parse_constant(in_, true);
    switch (constant.kind) {
      case ConstantValue::Kind::integer:
        if (is_float(type_.type))
          in_.fail(at, "an integer cannot initialise a variable of type .{}", name_of(type_.type));
        put(at, offset, constant.integer, element_);
        return;
      case ConstantValue::Kind::floating:
        if (type_.type == DataType::f32) {
          const auto single = static_cast<float>(constant.floating);
          put(at, offset, constant.single ? constant.integer : std::bit_cast<std::uint32_t>(single), 4);
        } else if (type_.type == DataType::f64) {
          put(at, offset, std::bit_cast<std::uint64_t>(constant.floating), 8);
        } else {
          in_.fail(at, "a floating-point value cannot initialise a variable of type .{}", name_of(type_.type));
        }
        return;
      case ConstantValue::Kind::symbol:
        if (element_ < 4)
          in_.fail(at, "the address of '{}' does not fit a type of {} bytes", constant.symbol, element_);
        put(at, offset, 0, element_);
        variable_.relocations.push_back({offset, std::string(constant.symbol),
                                         static_cast<std::int64_t>(constant.integer), constant.generic, element_});
        return;
    }
  }

  void put(const Token& at, std::uint64_t offset, std::uint64_t value, unsigned bytes) {
    if (offset + bytes > kMaxInitialBytes) in_.fail(at, "the initialiser of '{}' is too large", variable_.name);
    if (variable_.initial.size() < offset + bytes) variable_.initial.resize(offset + bytes);
    std::memcpy(variable_.initial.data() + offset, &value, bytes);
  }

  TokenStream& in_;
  const DeclaredType& type_;
  Variable& variable_;
  unsigned element_;
  std::vector<std::uint64_t> dimensions_, strides_;
};

}  // namespace

void parse_initialiser(TokenStream& in, const DeclaredType& type, const Declarator& declarator, Variable& variable) {
  Initialiser(in, type, declarator, variable).run();
}

}  // namespace heddle::isa
