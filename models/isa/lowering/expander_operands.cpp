// SPDX-License-Identifier: Apache-2.0
#include <bit>

#include "isa/classify.h"
#include "isa/lowering/expander.h"
#include "isa/ptx/declarations.h"
#include "isa/ptx/special_registers.h"

namespace heddle::isa {
namespace {

using Kind = OperandSyntax::Kind;

unsigned bits_of(DataType storage) { return storage == DataType::pred ? 1 : 8 * size_of(storage); }

std::string_view space_name(Space space) {
  constexpr std::string_view kNames[] = {"none", "generic", "global", "shared", "local", "const", "param", "texture"};
  return kNames[static_cast<std::size_t>(space)];
}

}  // namespace

Operand Expander::body_register(Frame& frame, const OperandSyntax& operand) {
  return ir_.reg(frame.registers[operand.index]);
}

Operand Expander::destination(Frame& frame, const OperandSyntax& operand, DataType type, bool wider) {
  if (operand.kind == Kind::sink) return {};
  if (operand.kind != Kind::reg) fail(frame, operand, "a result must go to a register or '_'");
  const Operand out = body_register(frame, operand);
  const DataType wanted = storage_of(type);
  const bool fits = out.type == wanted || (wider && wanted != DataType::pred && size_of(out.type) >= size_of(type));
  if (!fits || operand.negate) {
    fail(frame, operand, "register '{}' of {} bits cannot take a result of type .{}", operand.name, bits_of(out.type),
         name_of(type));
  }
  return out;
}

Operand Expander::source(Frame& frame, const MicroOp& op, const OperandSyntax& operand, DataType type, bool wider) {
  const DataType wanted = storage_of(type);
  Operand out;
  switch (operand.kind) {
    case Kind::reg:
      out = body_register(frame, operand);
      break;
    case Kind::special:
      out = special_in_register(op, static_cast<SpecialRegister>(operand.index));
      break;
    case Kind::integer:
    case Kind::floating:
      out = immediate(frame, operand, type);
      break;
    case Kind::variable:
    case Kind::symbol: {
      if (wanted != DataType::b32 && wanted != DataType::b64) {
        fail(frame, operand, "the address of '{}' does not fit type .{}", operand.name, name_of(type));
      }
      const Address address = address_of(frame, operand);
      out = ir_.constants.add(wanted, address.value);
      if (address.in_frame) out = frame_address(op, address.value, wanted);
      break;
    }
    default:
      fail(frame, operand, "expected a register, an immediate or a name");
  }
  // Older programs read special registers with a narrower type.
  wider = wider || operand.kind == Kind::special;
  const bool fits = out.type == wanted || (wider && wanted != DataType::pred && out.type != DataType::pred &&
                                           size_of(out.type) >= size_of(type));
  if (!fits) {
    fail(frame, operand, "operand '{}' of {} bits cannot be used as type .{}", operand.name, bits_of(out.type),
         name_of(type));
  }
  if (operand.negate) {
    if (wanted != DataType::pred) fail(frame, operand, "'!' can only be applied to a predicate");
    out.negate = true;
  }
  return out;
}

Operand Expander::immediate(Frame& frame, const OperandSyntax& operand, DataType type) {
  const DataType storage = storage_of(type);
  if (operand.kind == Kind::integer) {
    if (is_float(type)) fail(frame, operand, "an integer cannot be used as type .{}", name_of(type));
    return ir_.constants.add(storage, operand.value);
  }
  const double value = operand.single ? std::bit_cast<float>(static_cast<std::uint32_t>(operand.value))
                                      : std::bit_cast<double>(operand.value);
  switch (type) {
    case DataType::f32:
      return ir_.constants.add(
          storage, operand.single ? operand.value : std::bit_cast<std::uint32_t>(static_cast<float>(value)));
    case DataType::f64:
      return ir_.constants.add(storage, std::bit_cast<std::uint64_t>(value));
    case DataType::b32:
      if (operand.single) return ir_.constants.add(storage, operand.value);
      break;
    case DataType::b64:
      if (!operand.single) return ir_.constants.add(storage, operand.value);
      break;
    default:
      break;
  }
  fail(frame, operand, "a floating-point constant cannot be used as type .{}", name_of(type));
}

Operand Expander::special_in_register(const MicroOp& op, SpecialRegister special) {
  const Operand out = ir_.reg(ir_.add_register(storage_of(special), owner_));
  MicroOp read = derived(op, Opcode::special);
  read.special = special;
  read.type = out.type == DataType::b64 ? DataType::u64 : DataType::u32;
  read.destinations[read.destination_count++] = out;
  classify(read);
  ir_.push(read);
  return out;
}

Operand Expander::frame_address(const MicroOp& op, std::uint64_t offset, DataType wanted) {
  MicroOp sum = derived(op, Opcode::add);
  sum.type = DataType::u64;
  sum.destinations[sum.destination_count++] = ir_.reg(ir_.add_register(DataType::b64, owner_));
  sum.sources[0] = ir_.stack_base();
  sum.sources[1] = ir_.constants.add(DataType::b64, offset);
  sum.source_count = 2;
  classify(sum);
  ir_.push(sum);
  if (wanted == DataType::b64) return sum.destinations[0];
  MicroOp cut = sum;
  cut.opcode = Opcode::cvt;
  cut.type = DataType::u32;
  cut.source_type = DataType::u64;
  cut.destinations[0] = ir_.reg(ir_.add_register(DataType::b32, owner_));
  cut.sources[0] = sum.destinations[0];
  cut.sources[1] = {};
  cut.source_count = 1;
  classify(cut);
  ir_.push(cut);
  return cut.destinations[0];
}

Expander::Address Expander::address_of(Frame& frame, const OperandSyntax& operand) {
  if (operand.kind == Kind::variable) {
    const LocalVariable& variable = frame.body->variables[operand.index];
    const std::uint64_t place = frame.places[operand.index];
    if (variable.space != Space::param) {
      return {variable.space, place + operand.value, variable.space == Space::local && owner_ != 0};
    }
    if (frame.is_kernel && variable.formal) return {Space::param, place + operand.value};
    const std::uint64_t offset = parameters_.place(static_cast<CallParameters::Id>(place), local_base_);
    note_local_bytes();
    return {Space::local, offset + operand.value, owner_ != 0};
  }
  const Symbol symbol = symbols_.find(frame.entry->unit_index, operand.name);
  switch (symbol.kind) {
    case Symbol::Kind::function:
      return {Space::none, SymbolTable::address_of(symbol.index) + operand.value};
    case Symbol::Kind::shared:
      return {Space::shared, graph_.shared().module_offsets.at(symbol.index) + operand.value};
    case Symbol::Kind::variable: {
      const Variable& variable = symbols_.variables()[symbol.index];
      if (variable.external) {
        fail(frame, operand, "variable '{}' is declared but not defined in any module", operand.name);
      }
      if (variable.space == Space::none)
        fail(frame, operand, "'{}' is a separate sampler, which is not supported", operand.name);
      return {variable.space, resolver_.address(variable) + operand.value};
    }
    case Symbol::Kind::none:
      break;
  }
  fail(frame, operand, "'{}' is not defined", operand.name);
}

bool Expander::set_address(Frame& frame, const OperandSyntax& operand, MicroOp& op, CallParameters::Id& parameter,
                           std::uint64_t& offset) {
  if (operand.count == 0) {
    op.absolute_address = true;
    op.address_offset = static_cast<std::int64_t>(operand.value);
    return true;
  }
  const OperandSyntax& base = frame.body->operands[operand.first];
  if (base.kind == Kind::reg || base.kind == Kind::special) {
    op.sources[0] = base.kind == Kind::reg ? body_register(frame, base)
                                           : special_in_register(op, static_cast<SpecialRegister>(base.index));
    if (op.sources[0].type != DataType::b32 && op.sources[0].type != DataType::b64) {
      fail(frame, base, "register '{}' of {} bits cannot be an address", base.name, bits_of(op.sources[0].type));
    }
    op.address_offset = static_cast<std::int64_t>(operand.value);
    // Parameters of a function whose address is in a register are in local memory (address_of puts them there).
    if (op.space == Space::param && !frame.is_kernel) op.space = Space::local;
    return true;
  }
  if (base.kind == Kind::variable && frame.body->variables[base.index].space == Space::param &&
      !(frame.is_kernel && frame.body->variables[base.index].formal)) {
    if (op.space != Space::param || (op.opcode != Opcode::ld && op.opcode != Opcode::st)) {
      fail(frame, base, "'{}' is a parameter: it can only be accessed with ld.param and st.param", base.name);
    }
    parameter = static_cast<CallParameters::Id>(frame.places[base.index]);
    offset = base.value;
    return false;
  }
  const Address address = address_of(frame, base);
  if (op.space == Space::generic) op.space = address.space;
  if (op.space != address.space) {
    fail(frame, base, "'{}' is in state space .{}, not .{}", base.name, space_name(address.space),
         space_name(op.space));
  }
  if (address.space == Space::param && op.opcode != Opcode::ld) {
    fail(frame, base, "parameter '{}' of a kernel can only be loaded", base.name);
  }
  op.absolute_address = !address.in_frame;
  if (address.in_frame) op.sources[0] = ir_.stack_base();
  op.address_offset = static_cast<std::int64_t>(address.value);
  return true;
}

}  // namespace heddle::isa
