// SPDX-License-Identifier: Apache-2.0
#include "isa/lowering/call_parameters.h"

#include <algorithm>

#include "isa/ptx/declarations.h"
#include "isa/ptx/modifiers.h"

namespace heddle::isa {
namespace {

std::uint64_t piece_bytes(const MicroOp& op) { return size_of(op.type); }

DataType unsigned_type(std::uint64_t bytes) {
  return bytes == 8 ? DataType::u64 : bytes == 4 ? DataType::u32 : bytes == 2 ? DataType::u16 : DataType::u8;
}

// A move or conversion that stands where the access `like` stood.
MicroOp derived(const MicroOp& like, Opcode opcode, DataType type, DataType source_type, Operand to, Operand from) {
  MicroOp op;
  op.opcode = opcode;
  op.type = type;
  op.source_type = source_type;
  op.guard = like.guard;
  op.destinations[0] = to;
  op.destination_count = 1;
  op.sources[0] = from;
  op.source_count = 1;
  op.ptx_line = like.ptx_line;
  op.source_line = like.source_line;
  op.source_file = like.source_file;
  op.text = like.text;
  classify(op);
  return op;
}

}  // namespace

CallParameters::Id CallParameters::add(const LocalVariable& variable) {
  const auto id = static_cast<Id>(parameters_.size());
  parameters_.push_back({id, variable.size, kNoPlace, variable.alignment});
  return id;
}

CallParameters::Id CallParameters::root(Id parameter) {
  while (parameters_[parameter].parent != parameter) {
    parameters_[parameter].parent = parameters_[parameters_[parameter].parent].parent;
    parameter = parameters_[parameter].parent;
  }
  return parameter;
}

bool CallParameters::unite(Id a, Id b) {
  a = root(a);
  b = root(b);
  if (a == b) return true;
  Parameter &to = parameters_[a], &from = parameters_[b];
  if (to.place != kNoPlace && from.place != kNoPlace) return false;
  if (to.place == kNoPlace) to.place = from.place;
  to.size = std::max(to.size, from.size);
  to.alignment = std::max(to.alignment, from.alignment);
  from.parent = a;
  return true;
}

std::uint64_t CallParameters::place(Id parameter, std::uint32_t& local_bytes) {
  Parameter& p = parameters_[root(parameter)];
  if (p.place == kNoPlace) {
    const std::uint32_t alignment = std::max(8u, p.alignment);
    p.place = (local_bytes + alignment - 1) / alignment * alignment;
    local_bytes = static_cast<std::uint32_t>(p.place + p.size);
  }
  return p.place;
}

std::vector<CallParameters::Slots> CallParameters::find_slots(Ir& ir) {
  std::vector<Slots> by_root(parameters_.size());
  for (Id id = 0; id < parameters_.size(); ++id) {
    if (root(id) == id) by_root[id].in_memory = parameters_[id].place != kNoPlace;
  }
  const auto each_piece = [&](bool stores, auto&& visit) {
    for (const Access& access : accesses_) {
      const MicroOp& op = ir.ops[access.op];
      if ((op.opcode == Opcode::st) != stores) continue;
      Slots& slots = by_root[root(access.parameter)];
      for (unsigned i = 0; i < op.vector_width; ++i) visit(slots, access.offset + i * piece_bytes(op), piece_bytes(op));
    }
  };
  each_piece(true, [&](Slots& s, std::uint64_t offset, std::uint64_t bytes) {
    s.slots.push_back({offset, static_cast<std::uint32_t>(bytes), 0});
  });
  for (Slots& s : by_root) {
    const auto key = [](const Slot& slot) { return std::pair(slot.offset, slot.bytes); };
    std::sort(s.slots.begin(), s.slots.end(), [&](const Slot& a, const Slot& b) { return key(a) < key(b); });
    s.slots.erase(
        std::unique(s.slots.begin(), s.slots.end(), [&](const Slot& a, const Slot& b) { return key(a) == key(b); }),
        s.slots.end());
    for (std::size_t i = 1; i < s.slots.size(); ++i) {
      if (s.slots[i - 1].offset + s.slots[i - 1].bytes > s.slots[i].offset) s.in_memory = true;
    }
  }
  // A load must find what it wants within one piece, or nothing at all.
  each_piece(false, [](Slots& s, std::uint64_t offset, std::uint64_t bytes) {
    const auto after = std::lower_bound(s.slots.begin(), s.slots.end(), offset + bytes,
                                        [](const Slot& slot, std::uint64_t end) { return slot.offset < end; });
    if (after == s.slots.begin()) return;
    const Slot& last = *(after - 1);
    const bool apart = last.offset + last.bytes <= offset;
    const bool within = last.offset <= offset && offset + bytes <= last.offset + last.bytes;
    if (!apart && !within) s.in_memory = true;
  });
  for (Slots& s : by_root) {
    if (s.in_memory) continue;
    for (Slot& slot : s.slots) slot.reg = ir.add_register(storage_of(unsigned_type(slot.bytes)));
  }
  return by_root;
}

void CallParameters::resolve(Ir& ir, std::uint32_t& local_bytes) {
  if (accesses_.empty()) return;
  const std::vector<Slots> slots = find_slots(ir);
  Ir out;
  out.registers = std::move(ir.registers);
  out.constants = std::move(ir.constants);
  out.target_lists = std::move(ir.target_lists);
  out.ops.reserve(ir.ops.size());
  std::vector<std::uint32_t> moved(ir.ops.size() + 1);
  std::size_t next = 0;
  for (std::uint32_t i = 0; i < ir.ops.size(); ++i) {
    moved[i] = static_cast<std::uint32_t>(out.ops.size());
    if (next == accesses_.size() || accesses_[next].op != i) {
      out.push(ir.ops[i], ir.foldable[i]);
      continue;
    }
    const Access& access = accesses_[next++];
    const Id id = root(access.parameter);
    if (slots[id].in_memory) {
      MicroOp op = ir.ops[i];
      op.space = Space::local;
      op.absolute_address = true;
      op.address_offset = static_cast<std::int64_t>(place(id, local_bytes) + access.offset);
      out.push(op);
    } else {
      rewrite(out, ir.ops[i], access.offset, slots[id]);
    }
  }
  moved[ir.ops.size()] = static_cast<std::uint32_t>(out.ops.size());
  out.labels = std::move(ir.labels);
  for (std::uint32_t& label : out.labels) {
    if (label != Ir::kUnbound) label = moved[label];
  }
  accesses_.clear();
  ir = std::move(out);
}

void CallParameters::rewrite(Ir& out, const MicroOp& op, std::uint64_t offset, const Slots& slots) {
  for (unsigned i = 0; i < op.vector_width; ++i) {
    const std::uint64_t at = offset + i * piece_bytes(op);
    if (op.opcode == Opcode::st) {
      const auto slot = std::lower_bound(slots.slots.begin(), slots.slots.end(), at,
                                         [](const Slot& s, std::uint64_t o) { return s.offset < o; });
      store_piece(out, op, op.sources[1 + i], *slot);
    } else if (op.destinations[i].present()) {
      load_piece(out, op, op.destinations[i], at, slots);
    }
  }
}

void CallParameters::store_piece(Ir& out, const MicroOp& op, const Operand& value, const Slot& slot) {
  const Operand to = out.reg(slot.reg);
  if (value.base == Operand::Base::constants || (value.type == to.type && slot.bytes > 1)) {
    out.push(derived(op, Opcode::mov, to.type, DataType::none, to, value), true);
  } else {
    const DataType from = unsigned_type(slot.bytes);
    out.push(derived(op, Opcode::cvt, unsigned_type(std::max(2u, slot.bytes)), from, to, value));
  }
}

void CallParameters::load_piece(Ir& out, const MicroOp& op, const Operand& destination, std::uint64_t offset,
                                const Slots& slots) {
  const auto after = std::upper_bound(slots.slots.begin(), slots.slots.end(), offset,
                                      [](std::uint64_t o, const Slot& s) { return o < s.offset; });
  const Slot* slot = after == slots.slots.begin() ? nullptr : &*(after - 1);
  if (slot == nullptr || offset >= slot->offset + slot->bytes) {
    // Nobody stores there: any value will do.
    const Operand zero = out.constants.add(destination.type, 0);
    out.push(derived(op, Opcode::mov, destination.type, DataType::none, destination, zero), true);
    return;
  }
  Operand from = out.reg(slot->reg);
  if (offset != slot->offset) {
    const Operand shifted = out.reg(out.add_register(from.type));
    MicroOp shift = derived(op, Opcode::shr, unsigned_type(slot->bytes), DataType::none, shifted, from);
    shift.sources[1] = out.constants.add(DataType::b32, 8 * (offset - slot->offset));
    shift.source_count = 2;
    classify(shift);
    out.push(shift);
    from = shifted;
  }
  const std::uint64_t bytes = piece_bytes(op);
  if (destination.type == from.type && bytes == slot->bytes && bytes > 1) {
    out.push(derived(op, Opcode::mov, from.type, DataType::none, destination, from), true);
    return;
  }
  const bool sign = is_signed(op.type) && !is_float(op.type);
  const auto as_signed = [&](DataType type) {
    if (!sign) return type;
    return type == DataType::u64   ? DataType::s64
           : type == DataType::u32 ? DataType::s32
           : type == DataType::u16 ? DataType::s16
                                   : DataType::s8;
  };
  out.push(derived(op, Opcode::cvt, as_signed(unsigned_type(size_of(destination.type))),
                   as_signed(unsigned_type(bytes)), destination, from));
}

}  // namespace heddle::isa
