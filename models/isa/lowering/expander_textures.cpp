// SPDX-License-Identifier: Apache-2.0
// Textures and surfaces. A fetch is one operation. A surface access is two: the texture unit computes the address, and
// an ordinary global load, store or reduction accesses it, visible to caches, checks and counters.
#include <array>

#include "isa/classify.h"
#include "isa/lowering/expander.h"

namespace heddle::isa {
namespace {

using Kind = OperandSyntax::Kind;

constexpr unsigned kMaxTexelBytes = 16;

DataType bits_type(unsigned bytes) {
  return bytes == 1 ? DataType::b8 : bytes == 2 ? DataType::b16 : bytes == 4 ? DataType::b32 : DataType::b64;
}

}  // namespace

void Expander::add_vector(Frame& frame, const OperandSyntax& vector, MicroOp& op, unsigned count, DataType type) {
  const bool is_vector = vector.kind == Kind::vector;
  const unsigned written = is_vector ? vector.count : 1;
  if (written != count && !(count == 3 && written == 4)) {
    fail(frame, vector, "{} gradient components for a texture of {} dimensions", written, count);
  }
  for (unsigned i = 0; i < count; ++i) {
    const OperandSyntax& element = is_vector ? frame.body->operands[vector.first + i] : vector;
    op.sources[op.source_count] = source(frame, op, element, type, false);
    ++op.source_count;
  }
}

void Expander::add_coordinates(Frame& frame, const OperandSyntax& place, MicroOp& op, DataType type) {
  if (place.kind != Kind::texture) fail(frame, place, "expected [texture or surface, {{coordinates}}]");
  const OperandSyntax* part = &frame.body->operands[place.first];
  op.sources[op.source_count++] = source(frame, op, part[0], DataType::b64, false);
  const unsigned layer = has_layers(op.texture.geometry) ? 1 : 0;
  const unsigned count = dimensions_of(op.texture.geometry) + layer;
  // Three coordinates are written as a vector of four with the last unused.
  const unsigned written = place.count - 1;
  if (written != count && !(count == 3 && written == 4)) {
    fail(frame, place, "{} coordinates for a texture of {} dimensions{}", written, count - layer,
         layer != 0 ? " and layers" : "");
  }
  for (unsigned i = 0; i < count; ++i) {
    op.sources[op.source_count] = source(frame, op, part[1 + i], i < layer ? DataType::u32 : type, false);
    ++op.source_count;
  }
}

// tex.2d.v4.f32.f32 {d...}, [t, {c...}]   tex.level ..., level   tex.grad ..., {dx...}, {dy...}   tld4.r ...
void Expander::texture(Frame& frame, const InstructionSyntax& syntax, MicroOp op) {
  const OperandSyntax* operand = &frame.body->operands[syntax.first_operand];
  if (operand[0].kind != Kind::vector || operand[0].count != 4) {
    fail(frame, operand[0], "{} takes four destinations", name_of(op.opcode));
  }
  if (op.opcode == Opcode::tld4) {
    op.texture.action = TextureAction::gather;
    const TextureGeometry geometry = op.texture.geometry;
    if (geometry == TextureGeometry::d1 || geometry == TextureGeometry::d3 || geometry == TextureGeometry::a1d) {
      fail(frame, syntax, "tld4 supports only two-dimensional textures and cubes");
    }
    op.opcode = Opcode::tex;
  }
  for (unsigned i = 0; i < 4; ++i) {
    op.destinations[op.destination_count++] =
        destination(frame, frame.body->operands[operand[0].first + i], op.type, false);
  }
  add_coordinates(frame, operand[1], op, op.source_type);
  const unsigned dimensions = dimensions_of(op.texture.geometry);
  if (op.texture.lod == TextureLod::level) {
    op.sources[op.source_count] = source(frame, op, operand[2], DataType::f32, false);
    ++op.source_count;
  } else if (op.texture.lod == TextureLod::gradient) {
    add_vector(frame, operand[2], op, dimensions, DataType::f32);
    add_vector(frame, operand[3], op, dimensions, DataType::f32);
  }
  ir_.push(op);
}

// txq.width.b32 d, [t]   txq.level.width.b32 d, [t], level   suq.width.b32 d, [s]
void Expander::query(Frame& frame, const InstructionSyntax& syntax, MicroOp op) {
  const OperandSyntax* operand = &frame.body->operands[syntax.first_operand];
  op.opcode = Opcode::tex;
  op.texture.action = TextureAction::query;
  op.destinations[op.destination_count++] = destination(frame, operand[0], op.type, false);
  if (operand[1].kind != Kind::address || operand[1].count != 1 || operand[1].value != 0) {
    fail(frame, operand[1], "expected [texture or surface]");
  }
  op.sources[op.source_count++] = source(frame, op, frame.body->operands[operand[1].first], DataType::b64, false);
  if (op.texture.lod == TextureLod::level) {
    op.sources[op.source_count++] = source(frame, op, operand[2], DataType::u32, false);
  }
  ir_.push(op);
}

MicroOp Expander::surface_address(Frame& frame, const InstructionSyntax& syntax, const MicroOp& op, Operand valid) {
  MicroOp address = derived(op, Opcode::tex);
  address.guard = op.guard;
  address.texture = op.texture;
  address.texture.action = TextureAction::address;
  address.type = DataType::b64;
  address.source_type = DataType::s32;
  address.destinations[address.destination_count++] = ir_.reg(ir_.add_register(DataType::b64, owner_));
  if (valid.present()) address.destinations[address.destination_count++] = valid;
  const std::uint32_t place = syntax.first_operand + (op.opcode == Opcode::suld ? 1 : 0);
  add_coordinates(frame, frame.body->operands[place], address, DataType::s32);
  classify(address);
  return address;
}

// suld.b.2d.v2.b32.trap {d...}, [s, {c...}]   sust.b.2d.b32.zero [s, {c...}], {b...}   sured.b.add.2d.u32.clamp [s,
// {c...}], b
void Expander::surface(Frame& frame, const InstructionSyntax& syntax, const MicroOp& op) {
  if (op.texture.formatted) return formatted_store(frame, syntax, op);
  const bool reads = op.opcode == Opcode::suld;
  MicroOp access = derived(op, reads ? Opcode::ld : op.opcode == Opcode::sust ? Opcode::st : Opcode::red);
  access.guard = op.guard;
  access.space = Space::global;
  access.type = op.type;
  access.vector_width = op.vector_width;
  access.atom_op = op.atom_op;
  // L1 caches are not coherent, so surfaces are cached in the shared L2 only.
  access.cache_op = op.opcode == Opcode::sured ? CacheOp::none : CacheOp::cg;
  classify(access);
  const unsigned bytes = size_of(op.type) * op.vector_width;
  if (bytes > kMaxTexelBytes)
    fail(frame, syntax, "a surface access of {} bytes is not supported: the maximum is 16", bytes);
  MicroOp place = op;
  place.texture.access_bytes = static_cast<std::uint8_t>(bytes);
  const Operand none = ir_.constants.add(DataType::pred, 0);
  Operand valid;
  if (op.texture.bound == SurfaceBound::zero) {
    // Inactive threads have no valid address either.
    valid = ir_.reg(ir_.add_register(DataType::pred, owner_));
    if (op.guard.present()) push_move(op, valid, none);
    access.guard = valid;
  }
  const MicroOp address = surface_address(frame, syntax, place, valid);
  access.sources[access.source_count++] = address.destinations[0];

  const OperandSyntax& data = frame.body->operands[syntax.first_operand + (reads ? 0 : 1)];
  const bool is_vector = data.kind == Kind::vector;
  if ((is_vector ? data.count : 1) != op.vector_width) {
    fail(frame, data, "{} elements where the instruction says {}", is_vector ? data.count : 1, op.vector_width);
  }
  for (unsigned i = 0; i < op.vector_width; ++i) {
    const OperandSyntax& element = is_vector ? frame.body->operands[data.first + i] : data;
    if (reads) {
      access.destinations[access.destination_count++] = destination(frame, element, op.type, true);
    } else {
      access.sources[access.source_count] = source(frame, op, element, op.type, true);
      ++access.source_count;
    }
  }
  ir_.push(address);
  if (reads && valid.present()) {
    for (unsigned i = 0; i < access.destination_count; ++i) {
      const Operand& to = access.destinations[i];
      if (!to.present()) continue;
      MicroOp zero = derived(op, Opcode::mov);
      zero.guard = op.guard;
      zero.type = to.type;
      zero.destinations[zero.destination_count++] = to;
      zero.sources[zero.source_count++] = ir_.constants.add(to.type, 0);
      classify(zero);
      ir_.push(zero);
    }
  }
  ir_.push(access);
}

// sust.p.2d.v4.b32.trap [s, {c...}], {r, g, b, a}: the texture unit packs a texel, whose size depends on the surface.
// Emits one store per size, of which only the matching one takes effect.
void Expander::formatted_store(Frame& frame, const InstructionSyntax& syntax, const MicroOp& op) {
  MicroOp pack = derived(op, Opcode::tex);
  pack.guard = op.guard;
  pack.texture = op.texture;
  pack.texture.action = TextureAction::pack;
  pack.type = DataType::b32;
  const OperandSyntax& place = frame.body->operands[syntax.first_operand];
  if (place.kind != Kind::texture) fail(frame, place, "expected [surface, {{coordinates}}]");
  pack.sources[pack.source_count++] = source(frame, op, frame.body->operands[place.first], DataType::b64, false);
  const OperandSyntax& data = frame.body->operands[syntax.first_operand + 1];
  const bool is_vector = data.kind == Kind::vector;
  if ((is_vector ? data.count : 1) != op.vector_width) {
    fail(frame, data, "{} elements where the instruction says {}", is_vector ? data.count : 1, op.vector_width);
  }
  for (unsigned i = 0; i < op.vector_width; ++i) {
    pack.sources[pack.source_count] =
        source(frame, op, is_vector ? frame.body->operands[data.first + i] : data, DataType::b32, false);
    ++pack.source_count;
  }
  for (unsigned i = 0; i < 4; ++i)
    pack.destinations[pack.destination_count++] = ir_.reg(ir_.add_register(DataType::b32, owner_));
  classify(pack);
  ir_.push(pack);
  for (unsigned bytes = 1; bytes <= kMaxTexelBytes; bytes *= 2) {
    const Operand valid = ir_.reg(ir_.add_register(DataType::pred, owner_));
    if (op.guard.present()) push_move(op, valid, ir_.constants.add(DataType::pred, 0));
    MicroOp sized = op;
    sized.texture.access_bytes = static_cast<std::uint8_t>(bytes);
    sized.texture.by_size = true;
    const MicroOp address = surface_address(frame, syntax, sized, valid);
    ir_.push(address);
    MicroOp store = derived(op, Opcode::st);
    store.guard = valid;
    store.space = Space::global;
    store.cache_op = CacheOp::cg;
    store.vector_width = static_cast<std::uint8_t>(bytes <= 4 ? 1 : bytes / 4);
    store.type = bits_type(bytes <= 4 ? bytes : 4);
    store.sources[store.source_count++] = address.destinations[0];
    for (unsigned i = 0; i < store.vector_width; ++i) store.sources[store.source_count++] = pack.destinations[i];
    classify(store);
    ir_.push(store);
  }
}

}  // namespace heddle::isa
