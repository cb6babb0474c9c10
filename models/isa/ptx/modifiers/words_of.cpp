// SPDX-License-Identifier: Apache-2.0
#include "isa/ptx/modifiers/modifiers.h"
#include "isa/ptx/modifiers/words.h"

namespace heddle::isa {

std::vector<std::string_view> words_of(Opcode opcode, std::uint64_t feature, std::uint32_t modes) {
  std::vector<std::string_view> out;
  switch (feature) {
    case kRounding:
      return all_words(kFloatRoundings);
    case kIntegerRounding:
      return all_words(kIntegerRoundings);
    case kFlush:
      return {"ftz"};
    case kSaturate:
      return {"sat"};
    case kApproximate:
      return {"approx"};
    case kFullRange:
      return {"full"};
    case kCarryOut:
      return {"cc"};
    case kMulMode:
      add_words(kMulModes, modes, out);
      return out;
    case kCompare: {
      out = all_words(kCompares);
      // Video instructions compare integers only: the first six.
      if (is_video(opcode)) out.resize(6);
      return out;
    }
    case kBoolOp:
      return opcode == Opcode::lop3 ? std::vector<std::string_view>{"and", "or"} : all_words(kBoolOps);
    case kSpace: {
      if (opcode == Opcode::async_copy || opcode == Opcode::applypriority || opcode == Opcode::discard)
        return {"global"};
      if (opcode == Opcode::mbarrier) return {"shared", "shared::cta"};
      if (opcode == Opcode::atom || opcode == Opcode::red || opcode == Opcode::cond_acc)
        return {"global", "shared", "shared::cta"};
      if (opcode == Opcode::prefetch) return {"global", "local"};
      if (opcode == Opcode::createpolicy) return {"global"};
      if (opcode == Opcode::st) return {"global", "shared", "shared::cta", "local", "param", "param::func"};
      return all_words(kSpaces);
    }
    case kCacheOp:
      if (opcode == Opcode::async_copy) return {"ca", "cg"};
      if (opcode == Opcode::suld) return {"ca", "cg", "cs", "cv"};
      if (opcode == Opcode::sust) return {"wb", "cg", "cs", "wt"};
      return all_words(kCacheOps);
    case kVolatile:
      return {"volatile"};
    case kMemoryOrder:
      if (opcode == Opcode::fence) return {"sc", "acq_rel", "acquire", "release"};
      return {std::begin(kOrders), std::end(kOrders)};
    case kScope:
      return all_words(kScopes);
    case kVector:
      if (opcode == Opcode::tex || opcode == Opcode::tld4) return {"v4"};
      if (opcode == Opcode::suld || opcode == Opcode::sust) return {"v2", "v4"};
      if (opcode == Opcode::mov) return {"v2", "v4"};
      return {"v2", "v4", "v8"};
    case kSync:
      return {"sync"};
    case kUniform:
      return {"uni"};
    case kNan:
      return {"NaN"};
    case kNonCoherent:
      return {"nc"};
    case kShiftAmount:
      return {"shiftamt"};
    case kTo:
      return {"to"};
    case kShiftWrap:
      return {"wrap", "clamp"};
    case kDirection:
      return {"l", "r"};
    case kMode:
      return mode_words(opcode, modes);
    case kHint:
      if (opcode == Opcode::bar || opcode == Opcode::elect) return {"aligned"};
      if (opcode == Opcode::discard) return {"L2"};
      if (opcode == Opcode::applypriority) return {"L2::evict_normal"};
      if (opcode == Opcode::griddepcontrol) return {"launch_dependents", "wait"};
      if (opcode == Opcode::createpolicy) return {"fractional.L2::evict_last", "range.L2::evict_last"};
      return {std::begin(kHints), std::end(kHints)};
    case kGeometry:
      if (opcode == Opcode::tld4) return {"2d", "a2d", "cube", "acube"};
      if (opcode != Opcode::tex) return {"1d", "2d", "3d", "a1d", "a2d"};
      add_words(kGeometries, modes, out);
      return out;
    case kRowHint:
      return {"rowhint"};
    case kRelu:
      return {"relu"};
    case kFinite:
      return {"satfinite"};
    case kMagnitude:
      return {"abs"};
    case kSignProduct:
      return {"xorsign"};
    case kSecond:
      return video_elements(opcode) > 1 ? std::vector<std::string_view>{"add"} : all_words(kSecondOps);
    case kPlusOne:
      return {"po"};
    case kScale:
      return {"shr7", "shr15"};
    case kParity:
      return {"parity"};
    case kNoComplete:
      return {"noComplete"};
    case kCacheHint:
      return {"L2::cache_hint"};
    case kToShared:
      return {"shared", "shared::cta"};
    case kPackBits:
      return {"u2", "s2", "u4", "s4"};
    case kRoundAway:
      return {"rna"};
    case kProxy:
      return {std::begin(kProxies), std::end(kProxies)};
    case kLevel:
      return {"level"};
    case kGradient:
      return {"grad"};
    case kBaseLevel:
      return {"base"};
    case kBytes:
      return {"b"};
    case kFormatted:
      return {"p"};
    case kBound:
      return all_words(kBounds);
    default:
      return {};
  }
}

bool allows_space(const MicroOp& op) {
  if (op.space == Space::none || op.space == Space::generic) return true;
  for (const std::string_view word : words_of(op.opcode, kSpace)) {
    Space space = Space::none;
    if (look_up(kSpaces, word, space) && space == op.space) return true;
  }
  return false;
}

}  // namespace heddle::isa
