// SPDX-License-Identifier: Apache-2.0
#include "isa/ptx/modifiers/apply.h"
#include "isa/ptx/modifiers/words.h"

namespace heddle::isa {

bool apply_texture(std::string_view word, MicroOp& op, std::uint64_t& features) {
  switch (op.opcode) {
    case Opcode::tld4:
      if (op.texture.geometry == TextureGeometry::none && look_up(kTexelComponents, word, op.texture.component))
        return note(true, kMode, features);
      [[fallthrough]];
    case Opcode::tex:
      if (op.opcode == Opcode::tex && (word == "level" || word == "grad" || word == "base")) {
        op.texture.lod = word == "level" ? TextureLod::level : word == "grad" ? TextureLod::gradient : TextureLod::base;
        return features |= word == "level" ? kLevel : word == "grad" ? kGradient : kBaseLevel, true;
      }
      if (!look_up(kGeometries, word, op.texture.geometry)) return false;
      return features |= kGeometry, true;
    case Opcode::txq:
      if (word == "level") return op.texture.lod = TextureLod::level, features |= kLevel, true;
      [[fallthrough]];
    case Opcode::suq:
      return note(look_up(kTextureQueries, word, op.texture.query), kMode, features);
    case Opcode::suld:
    case Opcode::sust:
    case Opcode::sured:
      if (word == "b" || word == "p") {
        op.texture.formatted = word == "p";
        return features |= word == "p" ? kFormatted : kBytes, true;
      }
      if (look_up(kGeometries, word, op.texture.geometry)) return features |= kGeometry, true;
      if (look_up(kBounds, word, op.texture.bound)) return features |= kBound, true;
      if (op.opcode == Opcode::sured) return note(look_up(kAtomOps, word, op.atom_op), kMode, features);
      if (look_up(kCacheOps, word, op.cache_op)) return features |= kCacheOp, true;
      if (word != "v2" && word != "v4") return false;
      op.vector_width = static_cast<std::uint8_t>(word[1] - '0');
      return features |= kVector, true;
    default:
      return false;
  }
}

}  // namespace heddle::isa
