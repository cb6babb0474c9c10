// SPDX-License-Identifier: Apache-2.0
#include "isa/ptx/body/instruction_parser.h"

#include <string>
#include <utility>

#include "isa/ptx/body/legality.h"
#include "isa/ptx/body/video_operands.h"
#include "isa/ptx/defaults.h"
#include "isa/ptx/mnemonics.h"
#include "isa/ptx/modifiers/modifiers.h"

namespace heddle::isa {
namespace {

bool accesses_memory(Opcode opcode) {
  return opcode == Opcode::ld || opcode == Opcode::st || opcode == Opcode::atom || opcode == Opcode::red ||
         opcode == Opcode::prefetch;
}

bool branches(Opcode opcode) { return opcode == Opcode::bra || opcode == Opcode::brx || opcode == Opcode::call; }

}  // namespace

void InstructionParser::parse(SourcePosition source, SourcePosition inlined) {
  InstructionSyntax out;
  const Token& start = in_.peek();
  out.line = start.line;
  out.column = start.column;
  out.source = source;
  out.inlined = inlined;
  if (in_.accept('@')) read_guard(out);
  std::uint64_t features = read_operation(out.op);
  read_modifiers(out.op, features);
  read_operands(out);
  if ((features & kCacheHint) != 0) drop_cache_policy(out);
  const Token& last = in_.peek();
  in_.expect(';');
  out.text = std::string_view(start.text.data(), static_cast<std::size_t>(last.text.data() - start.text.data()));
  check(out, features);
  complete(out.op, features);
  body_.instructions.push_back(out);
}

void InstructionParser::read_guard(InstructionSyntax& out) {
  out.guarded = true;
  const bool negate = in_.accept('!');
  out.guard = operands_.operand();
  out.guard.negate = negate;
  if (out.guard.kind != OperandSyntax::Kind::reg || body_.registers[out.guard.index].storage != DataType::pred) {
    fail_at(in_.name(), out.line, out.column, "a guard must be a predicate register");
  }
}

// An operation may have several words: "heddle.cond_acc", "cp.async.wait_group". Returns the features it implies.
std::uint64_t InstructionParser::read_operation(MicroOp& op) {
  words_.mnemonic = &in_.expect(TokenKind::identifier, "an instruction");
  std::string& operation = words_.operation;
  operation = words_.mnemonic->text;
  while (in_.peek().kind == TokenKind::dotted && operation.size() < 60) {
    const std::string longer = operation + std::string(in_.peek().text);
    if (!begins_mnemonic(longer)) break;
    operation = longer;
    in_.take();
  }
  Mnemonic known;
  if (!refusal_of(operation).empty() || !find_mnemonic(operation, known)) fail_unknown_operation();
  op.opcode = words_.opcode = known.opcode;
  if (operation == "cp.async.mbarrier.arrive") op.mbarrier_mode = MbarrierMode::copies_arrive;
  return known.features;
}

// The message gives the full name: "wmma.load.a.sync".
void InstructionParser::fail_unknown_operation() {
  const std::string_view instead = refusal_of(words_.operation);
  std::string name = words_.operation.substr(0, 60);
  for (unsigned i = 0; i < 8 && in_.peek(i).kind == TokenKind::dotted; ++i) name += in_.peek(i).text;
  in_.fail(*words_.mnemonic, "instruction '{}' is not supported{}{}", name.substr(0, 200), instead.empty() ? "" : ": ",
           instead);
}

void InstructionParser::read_modifiers(MicroOp& op, std::uint64_t& features) {
  words_.modifiers.clear();
  while (in_.peek().kind == TokenKind::dotted) {
    const Token& word = in_.take();
    words_.modifiers.push_back(word.text);
    // A constant bank of old compilers, .const[2]: all constants share one space here.
    if (word.text == ".const" && in_.peek().is('[') && in_.peek(2).is(']') && in_.peek(3).kind == TokenKind::dotted) {
      in_.seek(in_.position() + 3);
    }
  }
  const std::string_view unknown = apply_modifiers(words_.modifiers, op, features);
  if (unknown.find("cluster") != std::string_view::npos) {
    words_.fail("'{}': modifier '{}' is not supported: {}", unknown, refusal_of("mapa"));
  }
  if (!unknown.empty()) words_.fail("'{}': modifier '{}' is not supported", unknown);
}

void InstructionParser::read_operands(InstructionSyntax& out) {
  switch (out.op.opcode) {
    case Opcode::bra:
      return branches_.read_label();
    case Opcode::call:
      return read_call(out);
    case Opcode::brx:
      set_operands(out, {operands_.operand()});
      in_.expect(',');
      return branches_.read_list_name();
    default:
      break;
  }
  std::vector<OperandSyntax> list;
  if (!in_.peek().is(';')) {
    list.push_back(operands_.operand());
    while (in_.peek().is('|') || in_.peek().is(',')) {
      const bool pair = in_.take().is('|');
      list.push_back(operands_.operand());
      list.back().paired = pair;
    }
  }
  if (accesses_memory(out.op.opcode)) {
    for (OperandSyntax& each : list) {
      if (each.element) operands_.make_address(each);
    }
  }
  set_operands(out, list);
}

// call [(returns),] callee [, (arguments)] [, prototype];
void InstructionParser::read_call(InstructionSyntax& out) {
  CallSyntax call;
  if (in_.peek().is('(')) {
    call.returns = read_call_operands();
    in_.expect(',');
  }
  call.callee = operands_.operand();
  while (in_.accept(',')) {
    if (in_.peek().is('(')) {
      call.arguments = read_call_operands();
    } else {
      call.prototype = in_.expect(TokenKind::identifier, "a prototype").text;
    }
  }
  out.call = static_cast<std::uint32_t>(body_.calls.size());
  body_.calls.push_back(std::move(call));
}

std::vector<OperandSyntax> InstructionParser::read_call_operands() {
  std::vector<OperandSyntax> out;
  in_.expect('(');
  while (!in_.peek().is(')')) {
    out.push_back(operands_.operand());
    if (!in_.accept(',')) break;
  }
  in_.expect(')');
  return out;
}

// .L2::cache_hint has no effect: the L2 follows its configured replacement policy.
void InstructionParser::drop_cache_policy(InstructionSyntax& out) {
  if (out.operand_count == 0) words_.fail("'{}': the cache policy is missing");
  --out.operand_count;
}

void InstructionParser::check(InstructionSyntax& out, std::uint64_t features) {
  const Form& form = legal_form(out.op, features, words_);
  out.destinations = form.destinations_min;
  if (branches(out.op.opcode)) return;
  const auto operands = std::span(body_.operands).subspan(out.first_operand, out.operand_count);
  check_operand_count(operands, form, words_);
  if (out.op.opcode == Opcode::bar_partner) check_partner_barrier(out, operands);
  if (is_video(out.op.opcode)) read_video_operands(out.op, operands, (features & kSecond) != 0, words_);
}

void InstructionParser::check_partner_barrier(const InstructionSyntax& out, std::span<const OperandSyntax> operands) {
  if (out.guarded) {
    words_.fail("'{}' has no guard: warps that would skip it leave their partners waiting; guard what follows instead");
  }
  if (operands[0].kind != OperandSyntax::Kind::integer) words_.fail("the operand of '{}' must be a literal");
}

void InstructionParser::set_operands(InstructionSyntax& out, const std::vector<OperandSyntax>& operands) {
  out.first_operand = static_cast<std::uint32_t>(body_.operands.size());
  out.operand_count = static_cast<std::uint32_t>(operands.size());
  body_.operands.insert(body_.operands.end(), operands.begin(), operands.end());
}

}  // namespace heddle::isa
