// SPDX-License-Identifier: Apache-2.0
#include "isa/lowering/call_parameters.h"

#include <algorithm>

#include "isa/classify.h"
#include "isa/ptx/declarations.h"

namespace heddle::isa {
namespace {

std::uint64_t piece_bytes(const MicroOp& op) { return size_of(op.type); }

DataType unsigned_type(std::uint64_t bytes) {
  return bytes == 8 ? DataType::u64 : bytes == 4 ? DataType::u32 : bytes == 2 ? DataType::u16 : DataType::u8;
}

// A move or conversion that replaces the access `like`.
MicroOp moved(const MicroOp& like, Opcode opcode, DataType type, DataType source_type, Operand to, Operand from) {
  MicroOp op = derived(like, opcode);
  op.type = type;
  op.source_type = source_type;
  op.guard = like.guard;
  op.destinations[0] = to;
  op.destination_count = 1;
  op.sources[0] = from;
  op.source_count = 1;
  classify(op);
  return op;
}

}  // namespace

CallParameters::Id CallParameters::add(const LocalVariable& variable, std::uint32_t owner) {
  const auto id = static_cast<Id>(parameters_.size());
  parameters_.push_back({id, variable.size, kNoPlace, variable.alignment, owner});
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
  to.owner = std::min(to.owner, from.owner);  // subroutine arguments and results cross activations
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

// Sorts slots and removes duplicates; overlapping slots force the parameter into memory.
void CallParameters::settle(Slots& s) const {
  const auto key = [](const Slot& slot) { return std::pair(slot.offset, slot.bytes); };
  std::sort(s.slots.begin(), s.slots.end(), [&](const Slot& a, const Slot& b) { return key(a) < key(b); });
  const auto same = [&](const Slot& a, const Slot& b) { return key(a) == key(b); };
  s.slots.erase(std::unique(s.slots.begin(), s.slots.end(), same), s.slots.end());
  for (std::size_t i = 1; i < s.slots.size(); ++i) {
    if (s.slots[i - 1].offset + s.slots[i - 1].bytes > s.slots[i].offset) s.in_memory = true;
  }
}

// A load must lie within one slot or touch none.
void CallParameters::check_loads(const Ir& ir, std::vector<Slots>& by_root) {
  for (const Access& access : accesses_) {
    const MicroOp& op = ir.ops[access.op];
    if (op.opcode == Opcode::st || access.copied != kNoParameter) continue;
    Slots& s = by_root[root(access.parameter)];
    const std::uint64_t bytes = piece_bytes(op);
    for (unsigned i = 0; i < op.vector_width; ++i) {
      const std::uint64_t offset = access.offset + i * bytes;
      const auto after = std::lower_bound(s.slots.begin(), s.slots.end(), offset + bytes,
                                          [](const Slot& slot, std::uint64_t end) { return slot.offset < end; });
      if (after == s.slots.begin()) continue;
      const Slot& last = *(after - 1);
      const bool apart = last.offset + last.bytes <= offset;
      const bool within = last.offset <= offset && offset + bytes <= last.offset + last.bytes;
      if (!apart && !within) s.in_memory = true;
    }
  }
}

std::vector<CallParameters::Slots> CallParameters::find_slots(Ir& ir) {
  std::vector<Slots> by_root(parameters_.size());
  for (Id id = 0; id < parameters_.size(); ++id) {
    if (root(id) == id) by_root[id].in_memory = parameters_[id].place != kNoPlace;
  }
  for (const Access& access : accesses_) {
    const MicroOp& op = ir.ops[access.op];
    if (op.opcode != Opcode::st || access.copied != kNoParameter) continue;
    for (unsigned i = 0; i < op.vector_width; ++i) {
      by_root[root(access.parameter)].slots.push_back(
          {access.offset + i * piece_bytes(op), static_cast<std::uint32_t>(piece_bytes(op)), 0});
    }
  }
  for (Slots& s : by_root) settle(s);
  check_loads(ir, by_root);
  // A copy inherits the slots of its source; a source in memory is copied in pieces as large as its alignment allows.
  for (const Access& access : accesses_) {
    if (access.copied == kNoParameter) continue;
    const Id from = root(access.copied);
    Slots& to = by_root[root(access.parameter)];
    if (!by_root[from].in_memory) {
      to.slots.insert(to.slots.end(), by_root[from].slots.begin(), by_root[from].slots.end());
    } else {
      std::uint64_t left = parameters_[from].size;
      for (std::uint32_t bytes = std::min(8u, parameters_[from].alignment), at = 0; left != 0;
           at += bytes, left -= bytes) {
        while (bytes > left) bytes /= 2;
        to.slots.push_back({at, bytes, 0});
      }
    }
    settle(to);
  }
  check_loads(ir, by_root);
  for (Id id = 0; id < parameters_.size(); ++id) {
    if (by_root[id].in_memory) continue;
    for (Slot& slot : by_root[id].slots) {
      slot.reg = ir.add_register(storage_of(unsigned_type(slot.bytes)), parameters_[id].owner);
    }
  }
  return by_root;
}

void CallParameters::resolve(Ir& ir, std::uint32_t& local_bytes) {
  if (accesses_.empty()) return;
  const std::vector<Slots> slots = find_slots(ir);
  std::vector<MicroOp> ops = std::move(ir.ops);
  const std::vector<bool> foldable = std::move(ir.foldable);
  ir.ops.clear();
  ir.foldable.clear();
  ir.ops.reserve(ops.size());
  std::vector<std::uint32_t> moved(ops.size() + 1);
  std::size_t next = 0;
  for (std::uint32_t i = 0; i < ops.size(); ++i) {
    moved[i] = static_cast<std::uint32_t>(ir.ops.size());
    if (next == accesses_.size() || accesses_[next].op != i) {
      ir.push(ops[i], foldable[i]);
      continue;
    }
    const Access& access = accesses_[next++];
    const Id id = root(access.parameter);
    if (access.copied != kNoParameter) {
      rewrite_copy(ir, ops[i], id, root(access.copied), slots, local_bytes);
    } else if (slots[id].in_memory) {
      ir.push(in_memory(ir, ops[i], id, access.offset, local_bytes));
    } else {
      rewrite(ir, ops[i], access.offset, slots[id]);
    }
  }
  moved[ops.size()] = static_cast<std::uint32_t>(ir.ops.size());
  for (std::uint32_t& label : ir.labels) {
    if (label != Ir::kUnbound) label = moved[label];
  }
  accesses_.clear();
}

// Rewrites the access to local memory: at a fixed offset, or in the current activation's frame.
MicroOp CallParameters::in_memory(Ir& out, MicroOp op, Id id, std::uint64_t offset, std::uint32_t& local_bytes) {
  const std::uint32_t owner = parameters_[id].owner;
  op.space = Space::local;
  op.address_offset =
      static_cast<std::int64_t>(place(id, owner == 0 ? local_bytes : out.subroutines[owner - 1].local_bytes) + offset);
  op.absolute_address = owner == 0;
  if (owner != 0) op.sources[0] = out.stack_base();
  return op;
}

void CallParameters::rewrite_copy(Ir& out, const MicroOp& like, Id to, Id from, const std::vector<Slots>& slots,
                                  std::uint32_t& local_bytes) {
  for (const Slot& piece : slots[to].slots) {
    const DataType storage = storage_of(unsigned_type(piece.bytes));
    Operand value;
    if (!slots[from].in_memory) {
      const auto& pieces = slots[from].slots;
      const auto source =
          std::find_if(pieces.begin(), pieces.end(), [&](const Slot& s) { return s.offset == piece.offset; });
      value = out.reg(source->reg);
    } else {
      value = slots[to].in_memory ? out.reg(out.add_register(storage, parameters_[to].owner)) : out.reg(piece.reg);
      MicroOp load = moved(like, Opcode::ld, unsigned_type(piece.bytes), DataType::none, value, {});
      out.push(in_memory(out, load, from, piece.offset, local_bytes));
    }
    if (slots[to].in_memory) {
      MicroOp store = moved(like, Opcode::st, unsigned_type(piece.bytes), DataType::none, {}, {});
      store.destination_count = 0;
      store.sources[1] = value;
      store.source_count = 2;
      out.push(in_memory(out, store, to, piece.offset, local_bytes));
    } else if (!slots[from].in_memory) {
      out.push(moved(like, Opcode::mov, storage, DataType::none, out.reg(piece.reg), value), true);
    }
  }
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
    out.push(moved(op, Opcode::mov, to.type, DataType::none, to, value), true);
  } else {
    const DataType from = unsigned_type(slot.bytes);
    out.push(moved(op, Opcode::cvt, unsigned_type(std::max(2u, slot.bytes)), from, to, value));
  }
}

void CallParameters::load_piece(Ir& out, const MicroOp& op, const Operand& destination, std::uint64_t offset,
                                const Slots& slots) {
  const auto after = std::upper_bound(slots.slots.begin(), slots.slots.end(), offset,
                                      [](std::uint64_t o, const Slot& s) { return o < s.offset; });
  const Slot* slot = after == slots.slots.begin() ? nullptr : &*(after - 1);
  if (slot == nullptr || offset >= slot->offset + slot->bytes) {
    // Never stored: any value will do.
    const Operand zero = out.constants.add(destination.type, 0);
    out.push(moved(op, Opcode::mov, destination.type, DataType::none, destination, zero), true);
    return;
  }
  Operand from = out.reg(slot->reg);
  if (offset != slot->offset) {
    const Operand shifted = out.reg(out.add_register(from.type, out.owners[slot->reg]));
    MicroOp shift = moved(op, Opcode::shr, unsigned_type(slot->bytes), DataType::none, shifted, from);
    shift.sources[1] = out.constants.add(DataType::b32, 8 * (offset - slot->offset));
    shift.source_count = 2;
    classify(shift);
    out.push(shift);
    from = shifted;
  }
  const std::uint64_t bytes = piece_bytes(op);
  if (destination.type == from.type && bytes == slot->bytes && bytes > 1) {
    out.push(moved(op, Opcode::mov, from.type, DataType::none, destination, from), true);
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
  out.push(moved(op, Opcode::cvt, as_signed(unsigned_type(size_of(destination.type))), as_signed(unsigned_type(bytes)),
                 destination, from));
}

}  // namespace heddle::isa
