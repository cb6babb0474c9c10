// SPDX-License-Identifier: Apache-2.0
#include <optional>
#include <span>
#include <utility>

#include "isa/ptx/body/body_declarations.h"
#include "isa/ptx/body/branch_targets.h"
#include "isa/ptx/body/instruction_parser.h"
#include "isa/ptx/body/scopes.h"
#include "isa/ptx/body/source_places.h"
#include "isa/ptx/constant_expression.h"
#include "isa/ptx/declarations.h"
#include "isa/ptx/parser.h"

namespace heddle::isa {
namespace {

class BodyParser {
 public:
  BodyParser(const UnitSyntax& unit, const FunctionSyntax& function)
      : in_(std::span(unit.tokens).subspan(0, function.body_last + 1), unit.name),
        end_(function.body_last),
        scopes_(body_),
        declarations_(unit, in_, end_, scopes_, body_),
        branches_(in_, scopes_, body_),
        instructions_(unit, in_, scopes_, branches_, body_),
        places_(unit) {
    in_.seek(function.body_first + 1);
    for (const auto* list : {&function.returns, &function.parameters}) {
      for (const LocalVariable& formal : *list) declarations_.declare_formal(formal);
    }
  }

  Body run() {
    while (in_.position() < end_) statement();
    if (scopes_.current() != 0) in_.fail(in_.peek(), "'{{' is not closed");
    branches_.bind();
    return std::move(body_);
  }

 private:
  void statement() {
    const Token& token = in_.peek();
    if (token.is(';')) {
      in_.take();
    } else if (token.is('{')) {
      in_.take();
      scopes_.open();
    } else if (token.is('}')) {
      in_.take();
      if (!scopes_.close()) in_.unexpected(token, "a statement");
    } else if (token.kind == TokenKind::dotted) {
      directive();
    } else if (token.kind == TokenKind::identifier && in_.peek(1).is(':')) {
      label();
    } else {
      instructions_.parse(places_.charged(), places_.inlined());
    }
  }

  void directive() {
    const Token& token = in_.take();
    const std::string_view word = token.text.substr(1);
    if (word == "loc") return location();
    if (word == "pragma") {
      while (in_.position() < end_ && !in_.accept(';')) in_.take();
      return;
    }
    if (!declarations_.read(word)) {
      in_.fail(token, "directive '{}' is not supported in a function body", token.text);
    }
  }

  // .loc file line column [, function_name label [+ n], inlined_at file line column]
  void location() {
    const SourcePlaces::Location here = place();
    std::optional<SourcePlaces::Location> call;
    while (in_.accept(',')) {
      const Token& word = in_.expect(TokenKind::identifier, "'function_name' or 'inlined_at'");
      if (word.text == "function_name") {
        in_.expect(TokenKind::identifier, "a label");
        if (in_.accept('+')) parse_integer(in_);
      } else {
        call = place();
      }
    }
    places_.at(here, call);
  }
  SourcePlaces::Location place() {
    SourcePlaces::Location location;
    location.file = parse_integer(in_);
    location.line = parse_integer(in_);
    location.column = parse_integer(in_);
    return location;
  }

  // A label of an instruction, or the name of a list that a brx or an indirect call uses.
  void label() {
    const Token& name = in_.take();
    in_.expect(':');
    if (in_.accept_dotted(".branchtargets")) return branches_.read_list(name);
    if (in_.accept_dotted(".calltargets")) return call_targets(name);
    if (in_.accept_dotted(".callprototype")) return call_prototype(name);
    const ScopeEntry entry{ScopeEntry::Kind::label, static_cast<std::uint32_t>(body_.labels.size())};
    body_.labels.push_back(static_cast<std::uint32_t>(body_.instructions.size()));
    if (!scopes_.declare(name.text, entry)) in_.fail(name, "label '{}' is defined twice", name.text);
  }

  void call_targets(const Token& name) {
    auto& targets = body_.call_targets[name.text];
    targets.clear();
    do {
      targets.push_back(in_.expect(TokenKind::identifier, "a function name").text);
    } while (in_.accept(','));
    in_.expect(';');
  }

  void call_prototype(const Token& name) {
    Prototype prototype;
    if (in_.peek().is('(')) prototype.returns = parse_parameter_list(in_);
    in_.expect(TokenKind::identifier, "'_'");
    if (in_.peek().is('(')) prototype.parameters = parse_parameter_list(in_);
    while (in_.peek().kind == TokenKind::dotted) {  // .noreturn, .abi_preserve 8: irrelevant to inlined calls
      in_.take();
      if (in_.peek().kind == TokenKind::integer) in_.take();
    }
    in_.expect(';');
    body_.prototypes.insert_or_assign(name.text, std::move(prototype));
  }

  TokenStream in_;
  std::size_t end_;  ///< token of the closing brace
  Body body_;
  Scopes scopes_;
  BodyDeclarations declarations_;
  BranchTargets branches_;
  InstructionParser instructions_;
  SourcePlaces places_;
};

}  // namespace

Body parse_body(const UnitSyntax& unit, const FunctionSyntax& function) { return BodyParser(unit, function).run(); }

}  // namespace heddle::isa
