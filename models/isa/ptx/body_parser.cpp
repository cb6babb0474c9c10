// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "isa/ptx/constant_expression.h"
#include "isa/ptx/declarations.h"
#include "isa/ptx/defaults.h"
#include "isa/ptx/forms.h"
#include "isa/ptx/mnemonics.h"
#include "isa/ptx/modifiers/modifiers.h"
#include "isa/ptx/parser.h"
#include "isa/ptx/scopes.h"
#include "isa/ptx/special_registers.h"

namespace heddle::isa {
namespace {

using Kind = OperandSyntax::Kind;

class BodyParser {
 public:
  BodyParser(const UnitSyntax& unit, const FunctionSyntax& function)
      : unit_(unit),
        in_(std::span(unit.tokens).subspan(0, function.body_last + 1), unit.name),
        end_(function.body_last),
        scopes_(body_) {
    in_.seek(function.body_first + 1);
    for (const auto* list : {&function.returns, &function.parameters}) {
      for (const LocalVariable& formal : *list) declare_formal(formal);
    }
  }

  Body run() {
    while (in_.position() < end_) statement();
    if (scopes_.current() != 0) in_.fail(in_.peek(), "'{{' is not closed");
    bind_branches();
    return std::move(body_);
  }

 private:
  // Bounds the recursion: PTX text could nest operands without limit.
  struct Nesting {
    explicit Nesting(BodyParser& parser) : depth(parser.depth_) {
      if (++depth > 4) parser.in_.fail(parser.in_.peek(), "operand nested too deeply");
    }
    ~Nesting() { --depth; }
    unsigned& depth;
  };

  // A branch whose label may be defined later.
  struct Pending {
    const Token* label;
    Scopes::Id scope;
    std::uint32_t instruction;  // kNone for a target list
    std::uint32_t list = InstructionSyntax::kNone;
  };

  void declare_formal(const LocalVariable& formal) {
    const auto index = static_cast<std::uint32_t>(body_.variables.size());
    body_.variables.push_back(formal);
    ScopeEntry entry{ScopeEntry::Kind::variable, index};
    if (formal.in_register) {
      entry = {ScopeEntry::Kind::reg, scopes_.add_register(formal.name, storage_of(formal.type), 1)};
    }
    body_.formal_registers.push_back(formal.in_register ? entry.index : Body::kUnbound);
    if (!formal.name.empty() && formal.name != "_") scopes_.declare(formal.name, entry);
  }

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
      instruction();
    }
  }

  // -- declarations

  void directive() {
    const Token& token = in_.take();
    const std::string_view word = token.text.substr(1);
    if (word == "reg") return registers();
    if (word == "loc") return location();
    if (word == "pragma") {
      while (in_.position() < end_ && !in_.accept(';')) in_.take();
      return;
    }
    if (word == "local") return variables(Space::local);
    if (word == "shared") return variables(Space::shared);
    if (word == "param") return variables(Space::param);
    if (word == "global" || word == "const" || word == "tex") return module_variables();
    in_.fail(token, "directive '{}' is not supported in a function body", token.text);
  }

  // Module-lifetime variables visible only in this body; the unit's parser has already read them.
  void module_variables() {
    while (in_.position() < end_ && !in_.peek().is(';')) {
      if (const auto found = unit_.body_variables.find(in_.position()); found != unit_.body_variables.end()) {
        const Token& name = in_.peek();
        const ScopeEntry entry{ScopeEntry::Kind::module_variable, found->second};
        if (!scopes_.declare(name.text, entry)) in_.fail(name, "'{}' is declared twice", name.text);
      }
      in_.take();
    }
    in_.expect(';');
  }

  void registers() {
    const Token& at = in_.peek();
    const DeclaredType type = parse_declared_type(in_);
    const DataType storage = storage_of(type.type);
    if (storage == DataType::none) in_.fail(at, "a register cannot have type '{}'", at.text);
    do {
      const Token& name = in_.expect(TokenKind::identifier, "a register name");
      if (in_.accept('<')) {
        scopes_.declare_range(name.text, register_count(), storage, type.elements);
        in_.expect('>');
        continue;
      }
      const auto kind = type.elements > 1 ? ScopeEntry::Kind::vector_register : ScopeEntry::Kind::reg;
      const ScopeEntry entry{kind, scopes_.add_register(name.text, storage, type.elements), type.elements};
      if (!scopes_.declare(name.text, entry)) in_.fail(name, "'{}' is declared twice", name.text);
    } while (in_.accept(','));
    in_.expect(';');
  }

  // The count in %r<15>. A literal only: in an expression, `>` would be an operator.
  std::uint64_t register_count() {
    const Token& at = in_.expect(TokenKind::integer, "a number of registers");
    std::uint64_t count = 0;
    if (!integer_value(at.text, count)) in_.fail(at, "'{}' is not a number of registers", at.text);
    return count;
  }

  void variables(Space space) {
    const DeclaredType type = parse_declared_type(in_);
    do {
      const Declarator declarator = parse_declarator(in_);
      LocalVariable variable;
      variable.name = declarator.name;
      variable.space = space;
      variable.type = type.type;
      variable.alignment = std::max(1u, type.alignment);
      variable.size = type.type == DataType::none ? 8 : byte_size(in_, type, declarator);
      const ScopeEntry entry{ScopeEntry::Kind::variable, static_cast<std::uint32_t>(body_.variables.size())};
      body_.variables.push_back(variable);
      if (!scopes_.declare(declarator.name, entry)) {
        fail_at(in_.name(), declarator.line, declarator.column, "'{}' is declared twice", declarator.name);
      }
    } while (in_.accept(','));
    in_.expect(';');
  }

  // .loc file line column [, function_name label [+ n], inlined_at file line column]
  void location() {
    const std::uint64_t file = parse_integer(in_), line = parse_integer(in_);
    parse_integer(in_);
    source_file_ = file < 0x10000 ? static_cast<std::uint16_t>(file) : std::uint16_t{0};
    source_line_ = static_cast<std::uint32_t>(line);
    while (in_.accept(',')) {
      const Token& word = in_.expect(TokenKind::identifier, "'function_name' or 'inlined_at'");
      if (word.text == "function_name") {
        in_.expect(TokenKind::identifier, "a label");
        if (in_.accept('+')) parse_integer(in_);
      } else {
        for (unsigned i = 0; i < 3; ++i) parse_integer(in_);
      }
    }
  }

  void label() {
    const Token& name = in_.take();
    in_.expect(':');
    if (in_.accept_dotted(".branchtargets")) return branch_targets(name);
    if (in_.accept_dotted(".calltargets")) return call_targets(name);
    if (in_.accept_dotted(".callprototype")) return call_prototype(name);
    const ScopeEntry entry{ScopeEntry::Kind::label, static_cast<std::uint32_t>(body_.labels.size())};
    body_.labels.push_back(static_cast<std::uint32_t>(body_.instructions.size()));
    if (!scopes_.declare(name.text, entry)) in_.fail(name, "label '{}' is defined twice", name.text);
  }

  void branch_targets(const Token& name) {
    const auto list = static_cast<std::uint32_t>(body_.target_lists.size());
    body_.target_lists.emplace_back();
    branch_target_names_.insert_or_assign(name.text, list);
    do {
      const Token& target = in_.expect(TokenKind::identifier, "a label");
      pending_.push_back({&target, scopes_.current(), InstructionSyntax::kNone, list});
    } while (in_.accept(','));
    in_.expect(';');
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

  // -- instructions

  void instruction() {
    InstructionSyntax out;
    const Token& start = in_.peek();
    out.line = start.line;
    out.column = start.column;
    out.source_line = source_line_;
    out.source_file = source_file_;
    if (in_.accept('@')) {
      out.guarded = true;
      const bool negate = in_.accept('!');
      out.guard = operand();
      out.guard.negate = negate;
      if (out.guard.kind != Kind::reg || body_.registers[out.guard.index].storage != DataType::pred) {
        in_.fail(start, "a guard must be a predicate register");
      }
    }
    const Token& mnemonic = in_.expect(TokenKind::identifier, "an instruction");
    Mnemonic known;
    if (!find_mnemonic(read_operation(mnemonic), known)) fail_unknown(mnemonic);
    out.op.opcode = known.opcode;
    takes_parts_ = is_video(known.opcode);
    std::uint64_t features = known.features;
    if (operation_ == "cp.async.mbarrier.arrive") out.op.mbarrier_mode = MbarrierMode::copies_arrive;
    modifiers(mnemonic, out.op, features);
    operands(out);
    if ((features & kCacheHint) != 0) drop_cache_policy(out, mnemonic);
    const Token& last = in_.peek();
    in_.expect(';');
    out.text = std::string_view(start.text.data(), static_cast<std::size_t>(last.text.data() - start.text.data()));
    check(out, mnemonic, features);
    complete(out.op, features);
    body_.instructions.push_back(out);
  }

  // The operation name, which may have several words: "heddle.cond_acc", "cp.async.wait_group".
  const std::string& read_operation(const Token& mnemonic) {
    operation_ = mnemonic.text;
    while (in_.peek().kind == TokenKind::dotted && operation_.size() < 60) {
      const std::string longer = operation_ + std::string(in_.peek().text);
      if (!begins_mnemonic(longer)) break;
      operation_ = longer;
      in_.take();
    }
    if (!refusal_of(operation_).empty()) fail_unknown(mnemonic);
    return operation_;
  }

  // The message gives the full name of an unknown operation: "wmma.load.a.sync".
  [[noreturn]] void fail_unknown(const Token& mnemonic) {
    std::string words(operation_.substr(0, 60));
    for (unsigned i = 0; i < 8 && in_.peek(i).kind == TokenKind::dotted; ++i) words += in_.peek(i).text;
    const std::string_view instead = refusal_of(operation_);
    in_.fail(mnemonic, "instruction '{}' is not supported{}{}", words.substr(0, 200), instead.empty() ? "" : ": ",
             instead);
  }

  // .L2::cache_hint has no effect: the L2 follows its configured replacement policy.
  void drop_cache_policy(InstructionSyntax& out, const Token& mnemonic) {
    if (out.operand_count == 0) in_.fail(mnemonic, "'{}': the cache policy is missing", spelled());
    --out.operand_count;
  }

  void modifiers(const Token& mnemonic, MicroOp& op, std::uint64_t& features) {
    words_.clear();
    while (in_.peek().kind == TokenKind::dotted) {
      const Token& word = in_.take();
      words_.push_back(word.text);
      // A constant bank of old compilers, .const[2]: all constants share one space here.
      if (word.text == ".const" && in_.peek().is('[') && in_.peek(2).is(']') && in_.peek(3).kind == TokenKind::dotted) {
        in_.seek(in_.position() + 3);
      }
    }
    const std::string_view unknown = apply_modifiers(words_, op, features);
    if (unknown.find("cluster") != std::string_view::npos) {
      in_.fail(mnemonic, "'{}': modifier '{}' is not supported: {}", spelled(), unknown, refusal_of("mapa"));
    }
    if (!unknown.empty()) in_.fail(mnemonic, "'{}': modifier '{}' is not supported", spelled(), unknown);
  }

  std::string spelled() const {
    std::string out(operation_);
    for (const auto word : words_) out += word;
    return out.substr(0, 200);
  }

  void operands(InstructionSyntax& out) {
    switch (out.op.opcode) {
      case Opcode::bra: {
        const Token& target = in_.expect(TokenKind::identifier, "a label");
        pending_.push_back({&target, scopes_.current(), static_cast<std::uint32_t>(body_.instructions.size())});
        out.label = 0;
        return;
      }
      case Opcode::call:
        return call(out);
      case Opcode::brx: {
        const OperandSyntax index = operand();
        out.first_operand = static_cast<std::uint32_t>(body_.operands.size());
        out.operand_count = 1;
        body_.operands.push_back(index);
        in_.expect(',');
        return brx_targets(out);
      }
      default:
        break;
    }
    std::vector<OperandSyntax> list;
    if (!in_.peek().is(';')) {
      list.push_back(operand());
      for (;;) {
        const bool pair = in_.peek().is('|');
        if (!pair && !in_.peek().is(',')) break;
        in_.take();
        list.push_back(operand());
        list.back().paired = pair;
      }
    }
    for (OperandSyntax& each : list) {
      // ld.global.u32 r, a[1]: the element syntax also denotes an address.
      if (!each.element || !accesses_memory(out.op.opcode)) continue;
      OperandSyntax whole = each;
      whole.kind = Kind::address;
      whole.value = 0;
      whole.first = static_cast<std::uint32_t>(body_.operands.size());
      whole.count = 1;
      body_.operands.push_back(each);
      each = whole;
    }
    out.first_operand = static_cast<std::uint32_t>(body_.operands.size());
    out.operand_count = static_cast<std::uint32_t>(list.size());
    body_.operands.insert(body_.operands.end(), list.begin(), list.end());
  }

  static bool accesses_memory(Opcode opcode) {
    return opcode == Opcode::ld || opcode == Opcode::st || opcode == Opcode::atom || opcode == Opcode::red ||
           opcode == Opcode::prefetch;
  }

  void brx_targets(InstructionSyntax& out) {
    const Token& name = in_.expect(TokenKind::identifier, "a list of branch targets");
    pending_lists_.emplace_back(&name, static_cast<std::uint32_t>(body_.instructions.size()));
    out.targets = 0;
  }

  // call [(returns),] callee [, (arguments)] [, prototype];
  void call(InstructionSyntax& out) {
    CallSyntax syntax;
    if (in_.peek().is('(')) {
      syntax.returns = call_operands();
      in_.expect(',');
    }
    syntax.callee = operand();
    while (in_.accept(',')) {
      if (in_.peek().is('(')) {
        syntax.arguments = call_operands();
      } else {
        syntax.prototype = in_.expect(TokenKind::identifier, "a prototype").text;
      }
    }
    out.call = static_cast<std::uint32_t>(body_.calls.size());
    body_.calls.push_back(std::move(syntax));
  }

  std::vector<OperandSyntax> call_operands() {
    std::vector<OperandSyntax> out;
    in_.expect('(');
    while (!in_.peek().is(')')) {
      out.push_back(operand());
      if (!in_.accept(',')) break;
    }
    in_.expect(')');
    return out;
  }

  // -- operands

  OperandSyntax operand() {
    const Nesting nesting(*this);
    const Token& token = in_.peek();
    OperandSyntax out;
    out.line = token.line;
    out.column = token.column;
    if (token.is('[')) return address(out);
    if (token.is('{')) return vector(out);
    if (token.is('!') && in_.peek(1).kind == TokenKind::identifier) {
      in_.take();
      out = operand();
      out.negate = !out.negate;
      return out;
    }
    if (token.is('-') && in_.peek(1).kind == TokenKind::identifier) {
      const ScopeEntry* entry = scopes_.find(in_.peek(1).text);
      if (entry != nullptr && entry->kind == ScopeEntry::Kind::reg) {
        if (operation_ != "vmad") in_.fail(token, "'{}' does not accept a negated register", operation_.substr(0, 60));
        in_.take();
        out = operand();
        out.negate = !out.negate;
        return out;
      }
    }
    if (token.kind == TokenKind::identifier) {
      if (token.text == "_") {
        in_.take();
        return out;
      }
      if (const ScopeEntry* entry = scopes_.find(token.text)) {
        in_.take();
        return named(out, token, *entry);
      }
      if (token.text[0] == '%') return special(out, token);
    }
    return constant(out, true);
  }

  OperandSyntax named(OperandSyntax out, const Token& token, const ScopeEntry& entry) {
    out.name = token.text;
    out.index = entry.index;
    switch (entry.kind) {
      case ScopeEntry::Kind::reg:
        out.kind = Kind::reg;
        if (takes_parts_ && in_.peek().kind == TokenKind::dotted) out.selector = in_.take().text;
        return out;
      case ScopeEntry::Kind::variable: {
        out.kind = Kind::variable;
        const LocalVariable& variable = body_.variables[entry.index];
        element_of(out, std::max(1u, size_of(variable.type)));
        out.value += offset();
        return out;
      }
      case ScopeEntry::Kind::module_variable: {
        const VariableSyntax& variable = unit_.variables[entry.index];
        out.kind = Kind::symbol;
        out.name = variable.variable.name;
        out.index = 0;
        element_of(out, variable.element_bytes);
        out.value += offset();
        return out;
      }
      case ScopeEntry::Kind::label:
        in_.fail(token, "label '{}' cannot be an operand here", token.text);
      case ScopeEntry::Kind::vector_register:
        break;
    }
    if (in_.peek().kind == TokenKind::dotted) {
      const Token& component = in_.take();
      const std::size_t place =
          component.text.size() == 2 ? std::string_view("xyzwrgba").find(component.text[1]) : std::string_view::npos;
      if (place == std::string_view::npos || place % 4 >= entry.elements) {
        in_.fail(component, "'{}' has no element '{}'", token.text, component.text);
      }
      out.kind = Kind::reg;
      out.index += static_cast<std::uint32_t>(place % 4);
      return out;
    }
    OperandSyntax element = out;
    element.kind = Kind::reg;
    out.kind = Kind::vector;
    out.count = entry.elements;
    out.first = static_cast<std::uint32_t>(body_.operands.size());
    for (std::uint32_t i = 0; i < entry.elements; ++i) {
      body_.operands.push_back(element);
      ++element.index;
    }
    return out;
  }

  // name[constant]: the address of an element in older programs.
  void element_of(OperandSyntax& out, std::uint64_t element_bytes) {
    if (!in_.peek().is('[')) return;
    in_.take();
    out.value = parse_integer(in_) * element_bytes;
    in_.expect(']');
    out.element = true;
  }

  OperandSyntax special(OperandSyntax out, const Token& token) {
    in_.take();
    std::string_view component;
    if (in_.peek().kind == TokenKind::dotted) component = in_.take().text.substr(1);
    SpecialRegister found{};
    if (component.empty() && find_special_register(token.text, "x", found)) {
      // All components at once: mov.v4.u32 v, %tid.
      OperandSyntax element = out;
      element.kind = Kind::special;
      out.kind = Kind::vector;
      out.name = token.text;
      out.count = 4;
      out.first = static_cast<std::uint32_t>(body_.operands.size());
      for (const std::string_view part : {"x", "y", "z", "w"}) {
        find_special_register(token.text, part, found);
        element.index = static_cast<std::uint32_t>(found);
        body_.operands.push_back(element);
      }
      return out;
    }
    if (!find_special_register(token.text, component, found)) {
      in_.fail(token, "'{}{}{}' is neither declared nor a supported special register", token.text,
               component.empty() ? "" : ".", component);
    }
    out.kind = Kind::special;
    out.index = static_cast<std::uint32_t>(found);
    return out;
  }

  // + constant or - constant after a name.
  std::uint64_t offset() {
    // The sign is part of the expression: a - 1 + 2.
    return in_.peek().is('+') || in_.peek().is('-') ? parse_integer(in_) : 0;
  }

  OperandSyntax constant(OperandSyntax out, bool symbols) {
    const Token& at = in_.peek();
    const ConstantValue value = parse_constant(in_, symbols);
    out.value = value.integer;
    switch (value.kind) {
      case ConstantValue::Kind::integer:
        out.kind = Kind::integer;
        break;
      case ConstantValue::Kind::floating:
        out.kind = Kind::floating;
        out.single = value.single;
        break;
      case ConstantValue::Kind::symbol:
        if (value.generic) in_.fail(at, "'generic()' is not supported in an instruction");
        out.kind = Kind::symbol;
        out.name = value.symbol;
        if (in_.peek().is('[')) {
          const auto found = unit_.variable_index.find(value.symbol);
          const std::uint64_t before = out.value;
          element_of(out, found == unit_.variable_index.end() ? 1 : unit_.variables[found->second].element_bytes);
          out.value += before + offset();
        }
        break;
    }
    return out;
  }

  OperandSyntax vector(OperandSyntax out) {
    const Token& open = in_.expect('{');
    std::vector<OperandSyntax> elements;
    do {
      elements.push_back(operand());
      if (elements.back().kind == Kind::vector || elements.back().kind == Kind::address) {
        in_.fail(open, "a vector cannot contain vectors or addresses");
      }
      if (elements.size() > 8) in_.fail(open, "a vector cannot have more than 8 elements");
    } while (in_.accept(','));
    in_.expect('}');
    out.kind = Kind::vector;
    out.first = static_cast<std::uint32_t>(body_.operands.size());
    out.count = static_cast<std::uint32_t>(elements.size());
    body_.operands.insert(body_.operands.end(), elements.begin(), elements.end());
    return out;
  }

  // [register + constant], [name + constant], [constant], [handle, {coordinates}]
  OperandSyntax address(OperandSyntax out) {
    in_.expect('[');
    OperandSyntax base = operand();
    if (base.kind == Kind::address || base.kind == Kind::vector || base.kind == Kind::floating ||
        base.kind == Kind::sink) {
      fail_at(in_.name(), base.line, base.column, "this cannot be an address");
    }
    if (base.kind == Kind::reg || base.kind == Kind::special) out.value = offset();
    if (in_.accept(',')) {
      const OperandSyntax coordinates = operand();
      if (in_.peek().is(',')) in_.fail(in_.peek(), "separate texture and sampler operands are not supported");
      in_.expect(']');
      std::vector<OperandSyntax> parts{base};
      if (coordinates.kind == Kind::vector) {
        for (std::uint32_t i = 0; i < coordinates.count; ++i) parts.push_back(body_.operands[coordinates.first + i]);
      } else {
        parts.push_back(coordinates);
      }
      out.kind = Kind::texture;
      out.first = static_cast<std::uint32_t>(body_.operands.size());
      out.count = static_cast<std::uint32_t>(parts.size());
      body_.operands.insert(body_.operands.end(), parts.begin(), parts.end());
      return out;
    }
    in_.expect(']');
    out.kind = Kind::address;
    if (base.kind == Kind::integer) {
      out.value = base.value;
      return out;
    }
    out.first = static_cast<std::uint32_t>(body_.operands.size());
    out.count = 1;
    body_.operands.push_back(base);
    return out;
  }

  // -- legality

  void check(InstructionSyntax& out, const Token& mnemonic, std::uint64_t features) {
    const Form* form = find_form(out.op, features);
    if (form == nullptr) in_.fail(mnemonic, "'{}' is not a legal combination of types and modifiers", spelled());
    out.destinations = form->destinations_min;
    if (out.op.opcode == Opcode::cvt) check_conversion(out.op, mnemonic, features);
    check_third_type(out.op, mnemonic);
    check_rounding(out.op, mnemonic);
    check_comparison(out.op, mnemonic);
    check_space(out.op, mnemonic);
    if (out.op.opcode == Opcode::bra || out.op.opcode == Opcode::call || out.op.opcode == Opcode::brx) return;
    std::uint32_t pairs = 0;
    for (std::uint32_t i = 0; i < out.operand_count; ++i) {
      const OperandSyntax& operand = body_.operands[out.first_operand + i];
      if (operand.paired && (i != 1 || form->destinations_max < 2)) {
        in_.fail(mnemonic, "'{}' has no second destination", spelled());
      }
      pairs += operand.paired ? 1 : 0;
    }
    const std::uint32_t single = out.operand_count - pairs;
    const std::uint32_t destinations = form->destinations_min;
    if (single < destinations + form->sources_min || single > destinations + form->sources_max) {
      in_.fail(mnemonic, "'{}' has {} operands", spelled(), out.operand_count);
    }
    if (is_video(out.op.opcode)) {
      video_operands(out, mnemonic, (features & kSecond) != 0);
      return;
    }
  }

  // 16-bit arithmetic only rounds to nearest, and conversions to the smallest formats have few modes.
  void check_rounding(const MicroOp& op, const Token& mnemonic) {
    const bool half = op.type == DataType::f16 || op.type == DataType::f16x2 || op.type == DataType::bf16 ||
                      op.type == DataType::bf16x2;
    const bool arithmetic =
        op.opcode == Opcode::add || op.opcode == Opcode::sub || op.opcode == Opcode::mul || op.opcode == Opcode::fma_;
    const auto small = [](DataType type) { return type == DataType::e4m3x2 || type == DataType::e5m2x2; };
    const bool converts = op.opcode == Opcode::cvt;
    const bool nearest = op.rounding == Rounding::none || op.rounding == Rounding::rn;
    const bool fine = ((half && arithmetic) || (converts && (small(op.type) || small(op.source_type)))) ? nearest
                      : converts && op.type == DataType::tf32
                          ? nearest || op.rounding == Rounding::rz || op.rounding == Rounding::rna
                          : true;
    if (!fine) in_.fail(mnemonic, "'{}' is not a legal combination of types and modifiers", spelled());
  }

  // NaN-aware comparisons require floating point; the explicitly unsigned ones require integers.
  void check_comparison(const MicroOp& op, const Token& mnemonic) {
    if (op.compare == Compare::none) return;
    const DataType type = op.opcode == Opcode::setp ? op.type : op.source_type;
    const bool ordered = op.compare <= Compare::ge;
    const bool names_unsigned = op.compare >= Compare::lo && op.compare <= Compare::hs;
    const bool fine = ordered || (is_video(op.opcode) ? false : is_float(type) ? !names_unsigned : names_unsigned);
    if (!fine) in_.fail(mnemonic, "'{}' is not a legal combination of types and modifiers", spelled());
  }

  // Third-type rules, for which the table of forms has no column.
  void check_third_type(const MicroOp& op, const Token& mnemonic) {
    bool fine = true;
    if (op.opcode == Opcode::vset || op.opcode == Opcode::vset2 || op.opcode == Opcode::vset4) {
      fine = op.third_type == DataType::none;
    } else if (op.opcode == Opcode::vshl || op.opcode == Opcode::vshr) {
      fine = op.third_type == DataType::u32;
    } else if (is_video(op.opcode)) {
      fine = op.third_type == DataType::u32 || op.third_type == DataType::s32;
    } else if (op.opcode == Opcode::cvt_pack) {
      fine = op.third_type == (size_of(op.type) == 1 ? DataType::b32 : DataType::none);
    }
    if (!fine) in_.fail(mnemonic, "'{}' is not a legal combination of types and modifiers", spelled());
  }

  // Sub-word selectors and negations of a video instruction, from its operands d, a, b, c.
  void video_operands(InstructionSyntax& out, const Token& mnemonic, bool combines) {
    MicroOp& op = out.op;
    VideoModifiers& video = op.video;
    OperandSyntax* operand = &body_.operands[out.first_operand];
    const bool has_third = out.operand_count == 4;
    const unsigned elements = video_elements(op.opcode);
    const auto selector = [&](unsigned i) {
      std::string_view text = operand[i].selector;
      return i < out.operand_count && !text.empty() ? text.substr(1) : std::string_view();
    };
    const auto bad = [&](unsigned i) {
      in_.fail(mnemonic, "'{}': '{}' cannot select from operand {}", spelled(), operand[i].selector, i);
    };
    if (has_third && !operand[3].selector.empty()) bad(3);
    if (elements > 1) {
      const char letter = elements == 2 ? 'h' : 'b';
      const auto digits = [&](unsigned i, unsigned limit) {
        const std::string_view text = selector(i);
        if (text.size() < 2 || text[0] != letter) bad(i);
        for (const char c : text.substr(1)) {
          if (c < '0' || c >= static_cast<char>('0' + limit)) bad(i);
        }
        return text.substr(1);
      };
      video.merge = static_cast<std::uint8_t>((1u << elements) - 1);
      if (!selector(0).empty()) {
        video.merge = 0;
        for (const char c : digits(0, elements)) video.merge |= static_cast<std::uint8_t>(1u << (c - '0'));
      }
      const auto selected = [&](unsigned i, unsigned first) {
        std::uint16_t out_of = 0;
        std::string_view text = selector(i);
        if (!text.empty()) text = digits(i, 2 * elements);
        if (!text.empty() && text.size() != elements) bad(i);
        for (unsigned e = 0; e < elements; ++e) {
          const unsigned from = text.empty() ? first + e : static_cast<unsigned>(text[elements - 1 - e] - '0');
          out_of = static_cast<std::uint16_t>(out_of | from << (4 * e));
        }
        return out_of;
      };
      video.select_a = selected(1, 0);
      video.select_b = selected(2, elements);
    } else {
      const auto part = [&](unsigned i) {
        const std::string_view text = selector(i);
        constexpr std::string_view kParts[] = {"", "b0", "b1", "b2", "b3", "h0", "h1"};
        const auto* found = std::find(std::begin(kParts), std::end(kParts), text);
        if (found == std::end(kParts)) bad(i);
        return static_cast<std::uint8_t>(found - std::begin(kParts));
      };
      video.merge = part(0);
      video.select_a = part(1);
      video.select_b = part(2);
      const bool multiplies = op.opcode == Opcode::vmad;
      if (multiplies ? video.merge != 0
                     : has_third != (combines || video.merge != 0) || (combines && video.merge != 0)) {
        in_.fail(mnemonic,
                 "'{}' needs a third source for either a second operation or a selected part of the destination, but "
                 "not both",
                 spelled());
      }
    }
    if (op.opcode != Opcode::vmad) return;
    video.negate_product = operand[1].negate != operand[2].negate;
    video.negate_addend = operand[3].negate;
    if ((video.negate_product && video.negate_addend) ||
        (video.plus_one && (operand[1].negate || operand[2].negate || operand[3].negate))) {
      in_.fail(mnemonic, "'{}': only one of the product and the addend may be negated, and neither with .po",
               spelled());
    }
    for (unsigned i = 1; i < 4; ++i) operand[i].negate = false;
  }

  void check_conversion(const MicroOp& op, const Token& mnemonic, std::uint64_t features) {
    const bool to_float = is_float(op.type), from_float = is_float(op.source_type);
    if (op.relu || op.finite || op.rounding == Rounding::rna) return;
    const bool fine = (features & kIntegerRounding) == 0 ? (features & kRounding) == 0 || to_float
                                                         : from_float && (!to_float || op.type == op.source_type);
    if (!fine) in_.fail(mnemonic, "'{}' is not a legal combination of types and modifiers", spelled());
  }

  // An omitted space is generic.
  void check_space(const MicroOp& op, const Token& mnemonic) {
    if (op.opcode != Opcode::cond_acc && !allows_space(op))
      in_.fail(mnemonic, "'{}' does not allow that state space", spelled());
    if (op.opcode == Opcode::cvta && op.space == Space::param && op.type == DataType::u32) {
      in_.fail(mnemonic, "'{}' is not supported: generic addresses of parameters are 64 bits wide; use ld.param",
               spelled());
    }
    const bool device = op.space == Space::none || op.space == Space::generic || op.space == Space::global;
    if (op.row_hint && !device)
      in_.fail(mnemonic, "'{}': a row hint is only allowed on loads from global memory", spelled());
    if (op.opcode == Opcode::cond_acc && !device && op.space != Space::shared) {
      in_.fail(mnemonic, "'{}' can only write shared or global memory", spelled());
    }
  }

  void bind_branches() {
    for (const auto& [name, instruction] : pending_lists_) {
      const auto found = branch_target_names_.find(name->text);
      if (found == branch_target_names_.end()) in_.fail(*name, "there is no .branchtargets '{}'", name->text);
      body_.instructions[instruction].targets = found->second;
    }
    for (const Pending& pending : pending_) {
      const ScopeEntry* entry = scopes_.find(pending.label->text, pending.scope);
      if (entry == nullptr || entry->kind != ScopeEntry::Kind::label) {
        in_.fail(*pending.label, "there is no label '{}'", pending.label->text);
      }
      if (pending.list != InstructionSyntax::kNone) {
        body_.target_lists[pending.list].push_back(entry->index);
      } else {
        body_.instructions[pending.instruction].label = entry->index;
      }
    }
  }

  const UnitSyntax& unit_;
  TokenStream in_;
  std::size_t end_;
  Body body_;
  Scopes scopes_;
  std::string operation_;                ///< of the current instruction
  std::vector<std::string_view> words_;  ///< its modifiers
  std::vector<Pending> pending_;
  std::vector<std::pair<const Token*, std::uint32_t>> pending_lists_;  ///< brx: name of its target list, instruction
  std::unordered_map<std::string_view, std::uint32_t> branch_target_names_;
  std::uint16_t source_file_ = 0;
  std::uint32_t source_line_ = 0;
  unsigned depth_ = 0;
  bool takes_parts_ = false;  ///< the current instruction allows sub-word selectors
};

}  // namespace

Body parse_body(const UnitSyntax& unit, const FunctionSyntax& function) { return BodyParser(unit, function).run(); }

}  // namespace heddle::isa
