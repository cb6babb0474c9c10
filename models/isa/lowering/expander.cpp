// SPDX-License-Identifier: Apache-2.0
#include "isa/lowering/expander.h"

#include <algorithm>
#include <array>
#include <limits>

#include "isa/classify.h"
#include "isa/ptx/declarations.h"
#include "isa/ptx/operand_types.h"
#include "isa/ptx/special_registers.h"

namespace heddle::isa {
namespace {

using Kind = OperandSyntax::Kind;

constexpr std::size_t kMaxOps = 400'000;
constexpr std::size_t kMaxTextLength = 200;

bool is_memory(Opcode opcode) {
  return opcode == Opcode::ld || opcode == Opcode::st || opcode == Opcode::atom || opcode == Opcode::red ||
         opcode == Opcode::prefetch || opcode == Opcode::cond_acc || opcode == Opcode::mbarrier;
}

std::string one_line(std::string_view text) {
  std::string out;
  for (const char c : text.substr(0, kMaxTextLength)) {
    const bool blank = c == ' ' || c == '\t' || c == '\n' || c == '\r';
    if (!blank) {
      out += c;
    } else if (!out.empty() && out.back() != ' ') {
      out += ' ';
    }
  }
  return out;
}

}  // namespace

Ir Expander::expand(std::uint32_t function) {
  const FunctionEntry& entry = symbols_.functions()[function];
  const FunctionSyntax& syntax = *entry.syntax;
  kernel_.name = entry.name;
  kernel_.ptx_name = entry.unit->name;
  kernel_.files.assign(1, std::string());
  kernel_.parameters = layout_parameters(syntax.parameters, kernel_.parameter_bytes);
  kernel_.static_shared_bytes = graph_.shared().bytes;
  kernel_.shared_variables = graph_.shared().variables;
  std::copy(std::begin(syntax.max_threads), std::end(syntax.max_threads), std::begin(kernel_.max_threads));
  kernel_.required_threads = syntax.required_threads;
  kernel_.min_blocks = syntax.min_blocks;
  kernel_.max_registers = syntax.max_registers;
  Frame frame = make_frame(function, true);
  if (std::any_of(syntax.parameters.begin(), syntax.parameters.end(),
                  [](const LocalVariable& p) { return p.in_register; })) {
    fail(frame, syntax, "kernel '{}' has a parameter in a register", entry.name);
  }
  expand_body(frame);
  MicroOp exit;
  exit.opcode = Opcode::exit_;
  classify(exit);
  if (!ir_.ops.empty()) {
    exit.ptx_line = ir_.ops.back().ptx_line;
    exit.text = ir_.ops.back().text;
  } else {
    kernel_.texts.emplace_back("exit");
  }
  ir_.push(exit);
  for (std::size_t i = 0; i < subroutines_.size(); ++i) expand_subroutine(i);
  parameters_.resolve(ir_, kernel_.local_bytes);
  return std::move(ir_);
}

Expander::Frame Expander::make_frame(std::uint32_t function, bool is_kernel) {
  Frame frame;
  frame.function = function;
  frame.entry = &symbols_.functions()[function];
  frame.body = &graph_.body(function);
  frame.is_kernel = is_kernel;
  frame.registers.resize(frame.body->registers.size());
  for (std::size_t i = 0; i < frame.registers.size(); ++i) {
    frame.registers[i] = ir_.add_register(frame.body->registers[i].storage, owner_);
  }
  place_variables(frame);
  frame.first_label = static_cast<std::uint32_t>(ir_.labels.size());
  for (std::size_t i = 0; i < frame.body->labels.size(); ++i) ir_.add_label();
  frame.return_label = ir_.add_label();
  return frame;
}

void Expander::place_variables(Frame& frame) {
  const Body& body = *frame.body;
  frame.places.resize(body.variables.size());
  std::size_t formal = 0;
  for (std::uint32_t i = 0; i < body.variables.size(); ++i) {
    const LocalVariable& variable = body.variables[i];
    if (variable.space == Space::param) {
      frame.places[i] = frame.is_kernel && variable.formal ? kernel_.parameters[formal++].offset
                        : variable.in_register             ? 0
                                                           : parameters_.add(variable, owner_);
    } else if (variable.space == Space::local) {
      const std::uint64_t at =
          (std::uint64_t{local_base_} + variable.alignment - 1) / variable.alignment * variable.alignment;
      if (at + variable.size > 0x2000'0000)
        fail(frame, *frame.entry->syntax, "local variables take more than 2^29 bytes");
      frame.places[i] = at;
      local_base_ = static_cast<std::uint32_t>(at + variable.size);
    } else {
      const auto found = graph_.shared().body_offsets.find({frame.function, i});
      frame.places[i] = found == graph_.shared().body_offsets.end() ? 0 : found->second;
    }
  }
  note_local_bytes();
}

void Expander::note_local_bytes() {
  std::uint32_t& limit = owner_ == 0 ? kernel_.local_bytes : ir_.subroutines[owner_ - 1].local_bytes;
  limit = std::max(limit, local_base_);
}

void Expander::expand_body(Frame& frame) {
  const Body& body = *frame.body;
  std::size_t label = 0;  // labels are in text order
  for (std::size_t i = 0; i < body.instructions.size(); ++i) {
    for (; label < body.labels.size() && body.labels[label] == i; ++label) {
      ir_.bind(frame.first_label + static_cast<std::uint32_t>(label));
    }
    expand_instruction(frame, body.instructions[i]);
    if (ir_.ops.size() > kMaxOps) {
      fail(frame, body.instructions[i], "kernel '{}' exceeds {} instructions when its calls are inlined", kernel_.name,
           kMaxOps);
    }
  }
  for (; label < body.labels.size(); ++label) ir_.bind(frame.first_label + static_cast<std::uint32_t>(label));
  ir_.bind(frame.return_label);
}

std::uint32_t Expander::text_of(const Frame&, const InstructionSyntax& syntax) {
  const auto [found, added] = texts_.emplace(&syntax, static_cast<std::uint32_t>(kernel_.texts.size()));
  if (added) kernel_.texts.push_back(one_line(syntax.text));
  return found->second;
}

std::uint16_t Expander::file_of(const Frame& frame, std::uint16_t number) {
  const auto& files = frame.entry->unit->files;
  const auto name = files.find(number);
  if (name == files.end()) return 0;
  const auto [found, added] =
      files_.emplace(std::pair(frame.entry->unit_index, number), static_cast<std::uint16_t>(kernel_.files.size()));
  if (added) kernel_.files.push_back(name->second);
  return found->second;
}

std::uint16_t Expander::inlined_of(const Frame& frame, SourcePosition position) {
  if (position.line == 0) return 0;
  const SourcePlace place{file_of(frame, position.file), position.line};
  const std::size_t next = kernel_.inlined.size();
  if (place.file == 0 || next > std::numeric_limits<std::uint16_t>::max()) return 0;
  const auto [found, added] = inlined_.emplace(place, static_cast<std::uint16_t>(next));
  if (added) kernel_.inlined.push_back(place);
  return found->second;
}

MicroOp Expander::start(Frame& frame, const InstructionSyntax& syntax) {
  MicroOp op = syntax.op;
  if (syntax.guarded) {
    op.guard = body_register(frame, syntax.guard);
    op.guard.negate = syntax.guard.negate;
  }
  op.ptx_line = syntax.line;
  op.source_line = syntax.source.line;
  op.source_file = file_of(frame, syntax.source.file);
  op.inlined = inlined_of(frame, syntax.inlined);
  op.text = text_of(frame, syntax);
  return op;
}

void Expander::expand_instruction(Frame& frame, const InstructionSyntax& syntax) {
  if (syntax.op.opcode == Opcode::call) return call(frame, syntax);
  MicroOp op = start(frame, syntax);
  switch (op.opcode) {
    case Opcode::bra:
      op.target = frame.first_label + syntax.label;
      ir_.push(op);
      return;
    case Opcode::brx: {
      op.target_list = static_cast<std::uint32_t>(ir_.target_lists.size());
      ir_.target_lists.emplace_back();
      for (const std::uint32_t label : frame.body->target_lists[syntax.targets]) {
        ir_.target_lists.back().push_back(frame.first_label + label);
      }
      op.sources[op.source_count++] =
          source(frame, op, frame.body->operands[syntax.first_operand], DataType::u32, false);
      ir_.push(op);
      return;
    }
    case Opcode::ret:
      op.opcode = frame.is_kernel ? Opcode::exit_ : Opcode::bra;
      op.target = frame.return_label;
      classify(op);
      ir_.push(op);
      return;
    case Opcode::mov:
      return move(frame, syntax, op);
    case Opcode::tex:
    case Opcode::tld4:
      return texture(frame, syntax, op);
    case Opcode::txq:
    case Opcode::suq:
      return query(frame, syntax, op);
    case Opcode::suld:
    case Opcode::sust:
    case Opcode::sured:
      return surface(frame, syntax, op);
    case Opcode::async_copy:
      return copy_async(frame, syntax, op);
    case Opcode::applypriority:
    case Opcode::discard:
    case Opcode::griddepcontrol:
      return;  // no effect on results or on any modelled hardware
    case Opcode::createpolicy: {
      const OperandSyntax& to = frame.body->operands[syntax.first_operand];
      op.opcode = Opcode::mov;
      op.destinations[op.destination_count++] = destination(frame, to, op.type, false);
      op.sources[op.source_count++] = ir_.constants.add(DataType::b64, 0);
      classify(op);
      ir_.push(op);
      return;
    }
    case Opcode::bar:
      return barrier(frame, syntax, op);
    case Opcode::bar_partner:  // its literal has no meaning
      ir_.push(op);
      return;
    default:
      break;
  }
  if (is_memory(op.opcode)) return memory(frame, syntax, op);
  plain(frame, syntax, op);
}

void Expander::add_carry(MicroOp& op) {
  const bool reads = op.opcode == Opcode::addc || op.opcode == Opcode::subc || op.opcode == Opcode::madc;
  if (!reads && !op.carry_out) return;
  if (carry_ == Ir::kUnbound) carry_ = ir_.add_register(DataType::pred, 0);
  if (reads) op.sources[op.source_count++] = ir_.reg(carry_);
  if (op.carry_out) op.destinations[op.destination_count++] = ir_.reg(carry_);
}

void Expander::plain(Frame& frame, const InstructionSyntax& syntax, MicroOp op) {
  const bool wider = allows_wider_registers(op.opcode);
  bool has_table = false;  // lop3: its fourth operand is a constant
  for (std::uint32_t i = 0; i < syntax.operand_count; ++i) {
    const OperandSyntax& operand = frame.body->operands[syntax.first_operand + i];
    if (i < syntax.destinations || operand.paired) {
      const DataType type = destination_type(op, op.destination_count);
      op.destinations[op.destination_count++] = destination(frame, operand, type, wider);
      continue;
    }
    if (op.opcode == Opcode::lop3 && op.source_count == 3 && !has_table) {
      if (operand.kind != Kind::integer || operand.value > 0xff) {
        fail(frame, operand, "the look-up table of lop3 must be a constant from 0 to 255");
      }
      op.immediate_table = static_cast<std::uint8_t>(operand.value);
      has_table = true;
      continue;
    }
    DataType type = source_type(op, op.source_count);
    if (op.opcode == Opcode::isspacep && operand.kind == Kind::reg &&
        frame.body->registers[operand.index].storage == DataType::b32) {
      type = DataType::b32;
    }
    op.sources[op.source_count] = source(frame, op, operand, type, wider);
    ++op.source_count;
  }
  add_carry(op);
  ir_.push(op);
}

// mov: a copy, a special register, an address, or packing and unpacking.
void Expander::move(Frame& frame, const InstructionSyntax& syntax, MicroOp op) {
  const OperandSyntax& to = frame.body->operands[syntax.first_operand];
  const OperandSyntax& from = frame.body->operands[syntax.first_operand + 1];
  if (op.vector_width > 1) return move_vector(frame, syntax, op);
  if (to.kind != Kind::vector && from.kind != Kind::vector) {
    op.destinations[op.destination_count++] = destination(frame, to, op.type, false);
    if (from.kind == Kind::special) {
      op.opcode = Opcode::special;
      op.special = static_cast<SpecialRegister>(from.index);
    } else {
      op.sources[op.source_count++] = source(frame, op, from, op.type, false);
    }
    ir_.push(op);
    return;
  }
  const bool packs = from.kind == Kind::vector;
  const OperandSyntax& parts = packs ? from : to;
  const OperandSyntax& whole = packs ? to : from;
  const unsigned bytes = size_of(op.type);
  if (whole.kind == Kind::vector || (parts.count != 2 && parts.count != 4) || bytes < parts.count) {
    fail(frame, to, "'mov.{}' cannot have these vectors as operands", name_of(op.type));
  }
  const DataType part = bytes / parts.count == 4   ? DataType::b32
                        : bytes / parts.count == 2 ? DataType::b16
                                                   : DataType::b8;
  if (packs) {
    op.destinations[op.destination_count++] = destination(frame, whole, op.type, false);
  } else {
    op.sources[op.source_count++] = source(frame, op, whole, op.type, false);
  }
  for (std::uint32_t i = 0; i < parts.count; ++i) {
    const OperandSyntax& element = frame.body->operands[parts.first + i];
    if (packs) {
      op.sources[op.source_count++] = source(frame, op, element, part, part == DataType::b8);
    } else {
      op.destinations[op.destination_count++] = destination(frame, element, part, part == DataType::b8);
    }
  }
  ir_.push(op);
}

// mov.v4 a, b: element by element; through temporaries where a write would clobber an element not read yet.
void Expander::move_vector(Frame& frame, const InstructionSyntax& syntax, const MicroOp& op) {
  const OperandSyntax& to = frame.body->operands[syntax.first_operand];
  const OperandSyntax& from = frame.body->operands[syntax.first_operand + 1];
  if (to.kind != Kind::vector || from.kind != Kind::vector || to.count != op.vector_width ||
      from.count < op.vector_width) {
    fail(frame, to, "'mov.v{}' needs vectors of {} elements as operands", op.vector_width, op.vector_width);
  }
  const OperandSyntax *results = &frame.body->operands[to.first], *values = &frame.body->operands[from.first];
  bool overlaps = false;
  for (unsigned i = 0; i < op.vector_width; ++i) {
    for (unsigned j = i + 1; j < op.vector_width; ++j) {
      overlaps = overlaps ||
                 (results[i].kind == Kind::reg && values[j].kind == Kind::reg && results[i].index == values[j].index);
    }
  }
  std::array<Operand, 4> sources;
  for (unsigned i = 0; i < op.vector_width; ++i) {
    sources[i] = source(frame, op, values[i], op.type, true);
    if (!overlaps) continue;
    const Operand copy = ir_.reg(ir_.add_register(sources[i].type, owner_));
    push_move(op, copy, sources[i]);
    sources[i] = copy;
  }
  for (unsigned i = 0; i < op.vector_width; ++i) {
    const Operand result = destination(frame, results[i], op.type, false);
    if (!result.present()) continue;
    MicroOp each = op;
    each.vector_width = 1;
    each.type = result.type;
    each.destinations[each.destination_count++] = result;
    each.sources[each.source_count++] = sources[i];
    ir_.push(each);
  }
}

// ld d, [a]   st [a], b   atom d, [a], b, c   red [a], b   prefetch [a]   cond_acc d, [a], p, b, mask
void Expander::memory(Frame& frame, const InstructionSyntax& syntax, MicroOp op) {
  const unsigned total = op.vector_width, bytes = size_of(op.type) * total;
  if (bytes <= 16 && total <= 4) return access(frame, syntax, op, 0, total);
  if (bytes > 32 || (op.opcode != Opcode::ld && op.opcode != Opcode::st)) {
    fail(frame, syntax, "a vector access of {} bytes is not supported: the maximum is 32", bytes);
  }
  // Split in two halves; the first goes last if it overwrites the address.
  const std::vector<OperandSyntax>& operands = frame.body->operands;
  const OperandSyntax &to = operands[syntax.first_operand], &from = operands[syntax.first_operand + 1];
  bool turned = false;
  if (op.opcode == Opcode::ld && to.kind == Kind::vector && from.kind == Kind::address && from.count == 1) {
    const OperandSyntax& base = operands[from.first];
    for (unsigned i = 0; i < std::min(to.count, total / 2); ++i) {
      const OperandSyntax& element = operands[to.first + i];
      turned = turned || (base.kind == Kind::reg && element.kind == Kind::reg && element.index == base.index);
    }
  }
  op.vector_width = static_cast<std::uint8_t>(total / 2);
  access(frame, syntax, op, turned ? total / 2 : 0, total);
  access(frame, syntax, op, turned ? 0 : total / 2, total);
}

void Expander::access(Frame& frame, const InstructionSyntax& syntax, MicroOp op, unsigned first, unsigned total) {
  const OperandSyntax* operand = &frame.body->operands[syntax.first_operand];
  const OperandSyntax* const end = operand + syntax.operand_count;
  const bool wider = allows_wider_registers(op.opcode);
  const auto elements = [&](const OperandSyntax& vector, auto&& each) {
    const bool is_vector = vector.kind == Kind::vector;
    if ((is_vector ? vector.count : 1) != total) {
      fail(frame, vector, "the operand has {} elements, the instruction {}", is_vector ? vector.count : 1, total);
    }
    for (unsigned i = 0; i < op.vector_width; ++i)
      each(is_vector ? frame.body->operands[vector.first + first + i] : vector);
  };
  if (syntax.destinations != 0) {
    elements(*operand++, [&](const OperandSyntax& element) {
      const DataType type = destination_type(op, op.destination_count);
      op.destinations[op.destination_count++] = destination(frame, element, type, wider);
    });
  }
  if (operand == end || operand->kind != Kind::address) fail(frame, syntax, "expected an address in [ ]");
  CallParameters::Id parameter = 0;
  std::uint64_t offset = 0;
  const bool has_address = set_address(frame, *operand++, op, parameter, offset);
  const std::uint64_t skipped = std::uint64_t{first} * size_of(op.type);
  op.address_offset += static_cast<std::int64_t>(skipped);
  offset += skipped;
  if (op.opcode == Opcode::mbarrier && op.space != Space::shared && op.space != Space::generic) {
    fail(frame, syntax, "an mbarrier object must be in shared memory");
  }
  op.source_count = 1;
  while (operand != end) {
    elements(*operand++, [&](const OperandSyntax& element) {
      op.sources[op.source_count] = source(frame, op, element, source_type(op, op.source_count), wider);
      ++op.source_count;
    });
  }
  if (!has_address) {
    if (offset + std::uint64_t{size_of(op.type)} * op.vector_width > parameters_.size(parameter)) {
      fail(frame, syntax, "access beyond the end of the parameter");
    }
    parameters_.access(ir_, parameter, offset);
  }
  ir_.push(op);
}

// cp.async.ca.shared.global [to], [from], bytes {, bytes read | ignore-source predicate}
void Expander::copy_async(Frame& frame, const InstructionSyntax& syntax, MicroOp op) {
  const OperandSyntax* operand = &frame.body->operands[syntax.first_operand];
  if (operand[0].kind != Kind::address || operand[1].kind != Kind::address) {
    fail(frame, syntax, "cp.async takes two addresses in [ ]");
  }
  if (operand[2].kind != Kind::integer || (operand[2].value != 4 && operand[2].value != 8 && operand[2].value != 16) ||
      (op.cache_op == CacheOp::cg && operand[2].value != 16)) {
    fail(frame, operand[2], "cp.async copies 4, 8 or 16 bytes with .ca and 16 with .cg");
  }
  op.vector_width = static_cast<std::uint8_t>(operand[2].value / 4);
  CallParameters::Id parameter = 0;
  std::uint64_t offset = 0;
  MicroOp target = op;
  target.space = Space::shared;
  if (!set_address(frame, operand[0], target, parameter, offset) ||
      !set_address(frame, operand[1], op, parameter, offset)) {
    fail(frame, syntax, "cp.async copies from global to shared memory");
  }
  op.target_offset = target.address_offset;
  op.sources[1] = target.sources[0];
  if (!op.sources[1].present()) {
    op.sources[1] = ir_.constants.add(DataType::b64, static_cast<std::uint64_t>(target.address_offset));
    op.target_offset = 0;
  }
  op.source_count = 2;
  if (syntax.operand_count > 3) {
    const OperandSyntax& read = operand[3];
    const bool ignores = read.kind == Kind::reg && frame.body->registers[read.index].storage == DataType::pred;
    op.sources[op.source_count++] = source(frame, op, read, ignores ? DataType::pred : DataType::b32, false);
  }
  ir_.push(op);
}

// bar.sync a[, b]   bar.red.popc.u32 d, a[, b], p
void Expander::barrier(Frame& frame, const InstructionSyntax& syntax, MicroOp op) {
  const OperandSyntax* operand = &frame.body->operands[syntax.first_operand];
  std::uint32_t left = syntax.operand_count;
  if (syntax.destinations != 0) {
    op.destinations[op.destination_count++] = destination(frame, *operand++, op.type, false);
    --left;
  }
  const bool has_count = left == (syntax.destinations != 0 ? 3u : 2u);
  op.sources[op.source_count++] = source(frame, op, *operand++, DataType::u32, false);
  if (has_count || syntax.destinations != 0) ++op.source_count;
  if (has_count) op.sources[1] = source(frame, op, *operand++, DataType::u32, false);
  if (syntax.destinations != 0) op.sources[op.source_count++] = source(frame, op, *operand, DataType::pred, false);
  ir_.push(op);
}

}  // namespace heddle::isa
