// SPDX-License-Identifier: Apache-2.0
#include "isa/ptx/constant_expression.h"

#include <bit>
#include <limits>
#include <string>

namespace heddle::isa {
namespace {

constexpr unsigned kMaxDepth = 100;  // nesting of parentheses and operators; bounds the recursion

using ConstantKind = ConstantValue::Kind;

ConstantValue integer(std::uint64_t value, bool is_unsigned) {
  ConstantValue out;
  out.integer = value;
  out.is_unsigned = is_unsigned;
  return out;
}

ConstantValue floating(double value) {
  ConstantValue out;
  out.kind = ConstantKind::floating;
  out.floating = value;
  out.integer = std::bit_cast<std::uint64_t>(value);
  return out;
}

ConstantValue single(std::uint64_t bits) {
  ConstantValue out = floating(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
  out.integer = bits;
  out.single = true;
  return out;
}

std::uint64_t hex(std::string_view digits) {
  std::uint64_t value = 0;
  integer_value(std::string("0x") + std::string(digits), value);
  return value;
}

struct BinaryOperator {
  std::string_view text;
  unsigned precedence;
};
// Two-character operators first, so that "<<" is not read as "<".
constexpr BinaryOperator kOperators[] = {{"||", 1}, {"&&", 2}, {"==", 6}, {"!=", 6}, {"<=", 7}, {">=", 7},
                                         {"<<", 8}, {">>", 8}, {"|", 3},  {"^", 4},  {"&", 5},  {"<", 7},
                                         {">", 7},  {"+", 9},  {"-", 9},  {"*", 10}, {"/", 10}, {"%", 10}};

class Parser {
 public:
  Parser(TokenStream& in, bool symbols) : in_(in), symbols_(symbols) {}

  ConstantValue conditional() {
    const Nesting nesting(*this);
    ConstantValue condition = binary(1);
    if (!in_.peek().is('?')) return condition;
    const Token& at = in_.take();
    require_integer(condition, at);
    const ConstantValue yes = conditional();
    in_.expect(':');
    const ConstantValue no = conditional();
    return condition.integer != 0 ? yes : no;
  }

 private:
  struct Nesting {
    explicit Nesting(Parser& parser) : depth(parser.depth_) {
      if (++depth > kMaxDepth) parser.in_.fail(parser.in_.peek(), "constant expression nested too deeply");
    }
    ~Nesting() { --depth; }
    unsigned& depth;
  };

  void require_integer(const ConstantValue& value, const Token& at) {
    if (value.kind != ConstantKind::integer) in_.fail(at, "'{}' needs integer operands", at.text);
  }

  // The operator at the cursor, or null.
  const BinaryOperator* next_operator() const {
    const Token& first = in_.peek();
    if (first.kind != TokenKind::symbol) return nullptr;
    const Token& second = in_.peek(1);
    const bool adjacent = second.kind == TokenKind::symbol && first.text.data() + 1 == second.text.data();
    for (const BinaryOperator& op : kOperators) {
      if (op.text[0] != first.text[0]) continue;
      if (op.text.size() == 1 || (adjacent && op.text[1] == second.text[0])) return &op;
    }
    return nullptr;
  }

  ConstantValue binary(unsigned least) {
    const Nesting nesting(*this);
    ConstantValue left = unary();
    for (;;) {
      const BinaryOperator* op = next_operator();
      if (op == nullptr || op->precedence < least) return left;
      const Token& at = in_.take();
      if (op->text.size() == 2) in_.take();
      const ConstantValue right = binary(op->precedence + 1);
      left = combine(left, right, op->text, at);
    }
  }

  ConstantValue combine(ConstantValue left, const ConstantValue& right, std::string_view op, const Token& at) {
    if (left.kind == ConstantKind::symbol && right.kind == ConstantKind::integer && (op == "+" || op == "-")) {
      left.integer += op == "+" ? right.integer : 0 - right.integer;
      return left;
    }
    if (left.kind == ConstantKind::integer && right.kind == ConstantKind::symbol && op == "+") {
      ConstantValue sum = right;
      sum.integer += left.integer;
      return sum;
    }
    if (left.kind == ConstantKind::floating && right.kind == ConstantKind::floating) {
      if (op == "+") return floating(left.floating + right.floating);
      if (op == "-") return floating(left.floating - right.floating);
      if (op == "*") return floating(left.floating * right.floating);
      if (op == "/") return floating(left.floating / right.floating);
    }
    require_integer(left, at);
    require_integer(right, at);
    return integers(left, right, op, at);
  }

  ConstantValue integers(const ConstantValue& left, const ConstantValue& right, std::string_view op, const Token& at) {
    const bool is_unsigned = left.is_unsigned || right.is_unsigned;
    const std::uint64_t a = left.integer, b = right.integer;
    const auto sa = static_cast<std::int64_t>(a), sb = static_cast<std::int64_t>(b);
    const auto truth = [](bool value) { return integer(value ? 1 : 0, false); };
    if (op == "+") return integer(a + b, is_unsigned);
    if (op == "-") return integer(a - b, is_unsigned);
    if (op == "*") return integer(a * b, is_unsigned);
    if (op == "/" || op == "%") {
      if (b == 0) in_.fail(at, "division by zero in a constant expression");
      const bool divide = op == "/";
      if (is_unsigned) return integer(divide ? a / b : a % b, true);
      if (sa == std::numeric_limits<std::int64_t>::min() && sb == -1) return integer(divide ? a : 0, false);
      return integer(static_cast<std::uint64_t>(divide ? sa / sb : sa % sb), false);
    }
    if (op == "<<") return integer(b < 64 ? a << b : 0, left.is_unsigned);
    if (op == ">>") {
      if (left.is_unsigned) return integer(b < 64 ? a >> b : 0, true);
      return integer(static_cast<std::uint64_t>(sa >> (b < 64 ? b : 63)), false);
    }
    if (op == "&") return integer(a & b, is_unsigned);
    if (op == "|") return integer(a | b, is_unsigned);
    if (op == "^") return integer(a ^ b, is_unsigned);
    if (op == "&&") return truth(a != 0 && b != 0);
    if (op == "||") return truth(a != 0 || b != 0);
    if (op == "==") return truth(a == b);
    if (op == "!=") return truth(a != b);
    const bool less = is_unsigned ? a < b : sa < sb;
    if (op == "<") return truth(less);
    if (op == ">=") return truth(!less);
    if (op == "<=") return truth(less || a == b);
    return truth(!less && a != b);
  }

  ConstantValue unary() {
    const Nesting nesting(*this);
    const Token& at = in_.peek();
    if (at.is('(')) return parenthesis();
    if (at.is('+') || at.is('-') || at.is('~') || at.is('!')) {
      in_.take();
      ConstantValue value = unary();
      if (value.kind == ConstantKind::floating && (at.is('-') || at.is('+'))) {
        if (at.is('-')) {
          value.floating = -value.floating;
          value.integer ^= std::uint64_t{1} << (value.single ? 31 : 63);
        }
        return value;
      }
      require_integer(value, at);
      if (at.is('-')) value.integer = 0 - value.integer;
      if (at.is('~')) value.integer = ~value.integer;
      if (at.is('!')) value = integer(value.integer == 0 ? 1 : 0, false);
      return value;
    }
    return leaf();
  }

  // ( expression ), or a cast: (.s64) operand, (.u64) operand.
  ConstantValue parenthesis() {
    in_.expect('(');
    for (const bool is_unsigned : {false, true}) {
      if (!in_.accept_dotted(is_unsigned ? ".u64" : ".s64")) continue;
      in_.expect(')');
      const Token& at = in_.peek();
      ConstantValue value = unary();
      require_integer(value, at);
      value.is_unsigned = is_unsigned;
      return value;
    }
    const ConstantValue value = conditional();
    in_.expect(')');
    return value;
  }

  ConstantValue leaf() {
    const Token& at = in_.peek();
    switch (at.kind) {
      case TokenKind::integer: {
        in_.take();
        std::uint64_t value = 0;
        if (!integer_value(at.text, value)) in_.fail(at, "'{}' does not fit a 64-bit integer", at.text);
        return integer(value, at.text.back() == 'U' || (value >> 63) != 0);
      }
      case TokenKind::float_text:
        in_.take();
        return floating(float_value(at.text));
      case TokenKind::float_hex32:
        in_.take();
        return single(hex(at.text.substr(2)));
      case TokenKind::float_hex64:
        in_.take();
        return floating(std::bit_cast<double>(hex(at.text.substr(2))));
      case TokenKind::identifier:
        break;
      default:
        in_.unexpected(at, "a constant");
    }
    in_.take();
    if (at.text == "WARP_SZ") return integer(32, false);
    if (!symbols_) in_.fail(at, "'{}' is not a constant", at.text);
    ConstantValue value;
    value.kind = ConstantKind::symbol;
    value.symbol = at.text;
    if (at.text == "generic" && in_.accept('(')) {
      value.generic = true;
      value.symbol = in_.expect(TokenKind::identifier, "a name").text;
      in_.expect(')');
    }
    return value;
  }

  TokenStream& in_;
  bool symbols_;
  unsigned depth_ = 0;
};

}  // namespace

ConstantValue parse_constant(TokenStream& in, bool symbols) { return Parser(in, symbols).conditional(); }

std::uint64_t parse_integer(TokenStream& in) {
  const Token& at = in.peek();
  const ConstantValue value = parse_constant(in, false);
  if (value.kind != ConstantKind::integer) in.fail(at, "expected an integer constant");
  return value.integer;
}

}  // namespace heddle::isa
