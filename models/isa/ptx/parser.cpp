// SPDX-License-Identifier: Apache-2.0
#include "isa/ptx/parser.h"

#include <algorithm>
#include <iterator>

#include "isa/ptx/constant_expression.h"
#include "isa/ptx/declarations.h"
#include "isa/ptx/initialiser.h"
#include "isa/ptx/mnemonics.h"

namespace heddle::isa {
namespace {

class UnitParser {
 public:
  explicit UnitParser(UnitSyntax& unit) : unit_(unit), in_(unit.tokens, unit.name) {}

  void run() {
    while (!in_.at_end()) statement();
    index();
  }

 private:
  void statement() {
    const Token& token = in_.peek();
    if (token.is(';')) {
      in_.take();
      return;
    }
    if (token.kind != TokenKind::dotted) in_.unexpected(token, "a directive");
    in_.take();
    const std::string_view word = token.text.substr(1);
    if (word == "version") return version();
    if (word == "target") return target();
    if (word == "address_size") {
      const std::uint64_t bits = parse_integer(in_);
      if (bits != 32 && bits != 64) in_.fail(token, ".address_size must be 32 or 64, not {}", bits);
      unit_.address_bits = static_cast<unsigned>(bits);
      unit_.states_address_bits = true;
      return;
    }
    if (word == "file") return file();
    if (word == "loc") return skip_location();
    if (word == "section") {
      while (!in_.at_end() && !in_.peek().is('{')) in_.take();
      return skip_braces(in_);
    }
    if (word == "pragma") return skip_statement();
    if (word == "alias") return alias();
    if (word == "entry") return function(token, Linkage::internal, true);
    if (word == "func") return function(token, Linkage::internal, false);
    if (word == "visible") return linked(Linkage::visible);
    if (word == "weak") return linked(Linkage::weak);
    if (word == "extern") return linked(Linkage::external);
    if (word == "common") return linked(Linkage::common);
    variables(token, Linkage::internal);
  }

  void linked(Linkage linkage) {
    const Token& token = in_.expect(TokenKind::dotted, "a declaration");
    if (token.text == ".entry") return function(token, linkage, true);
    if (token.text == ".func") return function(token, linkage, false);
    variables(token, linkage);
  }

  void version() {
    const Token& number = in_.take();
    const std::size_t dot = number.text.find('.');
    std::uint64_t major = 0, minor = 0;
    if (number.kind != TokenKind::float_text || !integer_value(number.text.substr(0, dot), major) ||
        !integer_value(number.text.substr(dot + 1), minor) || major > 99 || minor > 9) {
      in_.fail(number, "'{}' is not a PTX version", number.text);
    }
    unit_.version = static_cast<unsigned>(major * 10 + minor);
  }

  void target() {
    do {
      in_.expect(TokenKind::identifier, "a target");
    } while (in_.accept(','));
  }

  // .file number "name" [, time, size]
  void file() {
    const std::uint64_t number = parse_integer(in_);
    const Token& name = in_.expect(TokenKind::string, "a file name");
    if (number < 0x10000) unit_.files.insert_or_assign(static_cast<std::uint32_t>(number), std::string(name.text));
    while (in_.accept(',')) parse_integer(in_);
  }

  void skip_location() {
    for (unsigned i = 0; i < 3; ++i) parse_integer(in_);
  }

  void skip_statement() {
    while (!in_.at_end() && !in_.accept(';')) in_.take();
  }

  void alias() {
    const Token& name = in_.expect(TokenKind::identifier, "a function name");
    in_.expect(',');
    const Token& aliasee = in_.expect(TokenKind::identifier, "a function name");
    in_.expect(';');
    unit_.aliases.insert_or_assign(name.text, aliasee.text);
  }

  void function(const Token& at, Linkage linkage, bool is_entry) {
    FunctionSyntax out;
    out.linkage = linkage;
    out.is_entry = is_entry;
    while (in_.peek().is(TokenKind::dotted, ".attribute") || in_.peek().is(TokenKind::dotted, ".noreturn")) {
      if (in_.take().text == ".noreturn") {
        out.no_return = true;
      } else {
        in_.expect('(');
        while (!in_.at_end() && !in_.accept(')')) in_.take();
      }
    }
    if (!is_entry && in_.peek().is('(')) out.returns = parse_parameter_list(in_);
    const Token& name = in_.expect(TokenKind::identifier, "a function name");
    out.name = name.text;
    out.line = at.line;
    out.column = at.column;
    if (in_.peek().is('(')) out.parameters = parse_parameter_list(in_);
    directives(out);
    // The semicolon after a declaration is optional.
    const bool declares = in_.accept(';') || in_.at_end() || in_.peek().kind == TokenKind::dotted;
    if (!declares) {
      if (!in_.peek().is('{')) in_.unexpected(in_.peek(), "'{' or ';'");
      out.body_first = in_.position();
      skip_braces(in_);
      out.body_last = in_.position() - 1;
      note_mentions(out);
      body_variables(out);
    }
    unit_.functions.push_back(std::move(out));
  }

  // Directives between a function's parameters and its body.
  void directives(FunctionSyntax& out) {
    while (in_.peek().kind == TokenKind::dotted && !begins_declaration(in_.peek().text)) {
      const Token& token = in_.take();
      if (token.text == ".maxntid" || token.text == ".reqntid") {
        out.required_threads = token.text == ".reqntid";
        std::fill(std::begin(out.max_threads), std::end(out.max_threads), 1u);
        for (unsigned i = 0; i < 3; ++i) {
          out.max_threads[i] = small(token);
          if (!in_.accept(',')) break;
        }
      } else if (token.text == ".minnctapersm") {
        out.min_blocks = small(token);
      } else if (token.text == ".maxnctapersm") {
        small(token);
      } else if (token.text == ".maxnreg") {
        out.max_registers = small(token);
      } else if (token.text == ".noreturn") {
        out.no_return = true;
      } else if (token.text == ".pragma") {
        skip_statement();
      } else if (token.text == ".abi_preserve" || token.text == ".abi_preserve_control") {
        small(token);
      } else if (token.text.find("cluster") != std::string_view::npos) {
        in_.fail(token, "directive '{}' is not supported: {}", token.text, refusal_of("mapa"));
      } else {
        in_.fail(token, "directive '{}' is not supported", token.text);
      }
    }
  }

  static bool begins_declaration(std::string_view text) {
    constexpr std::string_view kWords[] = {".visible", ".weak",  ".extern",  ".common", ".entry", ".func",
                                           ".global",  ".const", ".shared",  ".local",  ".tex",   ".file",
                                           ".section", ".alias", ".version", ".target", ".loc"};
    return std::find(std::begin(kWords), std::end(kWords), text) != std::end(kWords);
  }

  // Global and constant variables declared in a body have module lifetime. They are read here, under names that cannot
  // occur in PTX text.
  void body_variables(const FunctionSyntax& function) {
    const std::size_t after = in_.position();
    for (std::size_t i = function.body_first + 1; i < function.body_last; ++i) {
      const Token& token = unit_.tokens[i];
      const bool begins = unit_.tokens[i - 1].is(';') || unit_.tokens[i - 1].is('{') || unit_.tokens[i - 1].is('}') ||
                          unit_.tokens[i - 1].is(':');
      const bool names_space = token.is(TokenKind::dotted, ".global") || token.is(TokenKind::dotted, ".const") ||
                               token.is(TokenKind::dotted, ".tex");
      if (!begins || !names_space) continue;
      in_.seek(i + 1);
      const std::size_t first = unit_.variables.size();
      variables(token, Linkage::internal);
      for (std::size_t v = first; v < unit_.variables.size(); ++v) {
        VariableSyntax& variable = unit_.variables[v];
        variable.variable.name = std::string(function.name) + "." + variable.variable.name + "@" +
                                 std::to_string(variable.line) + ":" + std::to_string(variable.column);
        unit_.body_variables.emplace(variable.declared_at, static_cast<std::uint32_t>(v));
      }
      i = in_.position() - 1;
    }
    in_.seek(after);
  }

  std::uint32_t small(const Token& directive) {
    const std::uint64_t value = parse_integer(in_);
    if (value > 0x7fffffff) in_.fail(directive, "{} of '{}' is out of range", value, directive.text);
    return static_cast<std::uint32_t>(value);
  }

  // Functions whose address a body takes may be called indirectly.
  void note_mentions(const FunctionSyntax& function) {
    bool takes_addresses = false, first = true;
    for (std::size_t i = function.body_first + 1; i < function.body_last; ++i) {
      const Token& token = unit_.tokens[i];
      if (token.is(';') || token.is('{') || token.is('}')) {
        // The braces of a vector operand do not end a statement, but no function address follows them either.
        first = true;
        takes_addresses = false;
      } else if (token.kind == TokenKind::identifier) {
        if (first && !token.text.starts_with('%')) {
          takes_addresses = token.text == "mov" || token.text == "cvta" || token.text == "st" || token.text == "selp";
          first = i + 1 < function.body_last && unit_.tokens[i + 1].is(':');
        } else if (takes_addresses && !token.text.starts_with('%')) {
          unit_.mentioned.push_back(token.text);
        }
      }
    }
  }

  void variables(const Token& space, Linkage linkage) {
    VariableSyntax prototype;
    prototype.linkage = linkage;
    const std::string_view word = space.text.substr(1);
    if (word == "global") {
      prototype.variable.space = Space::global;
    } else if (word == "const") {
      prototype.variable.space = Space::constant;
      if (in_.accept('[')) {  // constant bank of old compilers: .const[2]
        parse_integer(in_);
        in_.expect(']');
      }
    } else if (word == "shared") {
      prototype.variable.space = Space::shared;
    } else if (word == "tex") {
      prototype.variable.space = Space::texture;
    } else if (word == "local") {
      in_.fail(space, "local variables outside a function are not supported");
    } else {
      in_.fail(space, "directive '{}' is not supported", space.text);
    }
    const DeclaredType type = parse_declared_type(in_);
    if (type.type == DataType::pred) in_.fail(space, "a variable cannot have type .pred");
    do {
      unit_.variables.push_back(variable(type, prototype));
    } while (in_.accept(','));
    in_.expect(';');
  }

  VariableSyntax variable(const DeclaredType& type, VariableSyntax out) {
    out.declared_at = in_.position();
    const Declarator declarator = parse_declarator(in_);
    out.line = declarator.line;
    out.column = declarator.column;
    Variable& v = out.variable;
    v.name = std::string(declarator.name);
    v.alignment = std::max(1u, type.alignment);
    v.managed = type.managed;
    v.external = out.linkage == Linkage::external;
    if (type.type == DataType::none || v.space == Space::texture) {
      v.space = type.opaque == "samplerref" ? Space::none : Space::texture;
      v.size = v.alignment = 8;
      if (in_.accept('=')) skip_braces(in_);
      return out;
    }
    v.size = byte_size(in_, type, declarator);
    out.element_bytes = std::uint64_t{std::max(1u, size_of(type.type))} * type.elements;
    if (in_.peek().is('=')) {
      const Token& at = in_.take();
      if (v.space == Space::shared) in_.fail(at, "shared variable '{}' cannot have an initialiser", v.name);
      parse_initialiser(in_, type, declarator, v);
    }
    return out;
  }

  // A definition takes precedence over declarations of the same name.
  void index() {
    for (std::uint32_t i = 0; i < unit_.functions.size(); ++i) {
      const FunctionSyntax& function = unit_.functions[i];
      const auto [found, added] = unit_.function_index.emplace(function.name, i);
      if (added || !function.has_body()) continue;
      if (unit_.functions[found->second].has_body()) {
        fail_at(unit_.name, function.line, function.column, "function '{}' is defined twice", function.name);
      }
      found->second = i;
    }
    for (std::uint32_t i = 0; i < unit_.variables.size(); ++i) {
      const VariableSyntax& variable = unit_.variables[i];
      const auto [found, added] = unit_.variable_index.emplace(variable.variable.name, i);
      if (added || variable.variable.external) continue;
      if (!unit_.variables[found->second].variable.external) {
        fail_at(unit_.name, variable.line, variable.column, "variable '{}' is defined twice", variable.variable.name);
      }
      found->second = i;
    }
  }

  UnitSyntax& unit_;
  TokenStream in_;
};

}  // namespace

std::unique_ptr<const UnitSyntax> parse_unit(std::string_view text, std::string name) {
  auto unit = std::make_unique<UnitSyntax>();
  unit->name = std::move(name);
  unit->text = std::string(text);
  unit->tokens = tokenize(unit->text);
  UnitParser(*unit).run();
  return unit;
}

}  // namespace heddle::isa
