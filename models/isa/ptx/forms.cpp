// SPDX-License-Identifier: Apache-2.0
// Source of the rows: the "PTX ISA" manual, chapter "Instruction Set", syntax blocks. Where older versions of the
// language allowed a modifier to be left out (`.approx`, `.rn`), it is optional here.
#include "isa/ptx/forms.h"

#include <array>

#include "isa/ptx/modifiers/modifiers.h"

namespace heddle::isa {
namespace {

using enum DataType;

template <typename... Types>
constexpr std::uint32_t set_of(Types... types) {
  return (0u | ... | (1u << static_cast<unsigned>(types)));
}

constexpr std::uint32_t kInts32 = set_of(u32, s32);
constexpr std::uint32_t kInts = set_of(u16, s16, u32, s32, u64, s64);
constexpr std::uint32_t kInts3264 = set_of(u32, s32, u64, s64);
constexpr std::uint32_t kSigned = set_of(s16, s32, s64);
constexpr std::uint32_t kBits = set_of(b16, b32, b64);
constexpr std::uint32_t kBits3264 = set_of(b32, b64);
constexpr std::uint32_t kHalf = set_of(f16, f16x2);
constexpr std::uint32_t kBrain = set_of(bf16, bf16x2);
constexpr std::uint32_t kF32 = set_of(f32), kF64 = set_of(f64), kB32 = set_of(b32);
constexpr std::uint32_t kScalars = kBits | kInts | kF32 | kF64;
constexpr std::uint32_t kMemory = kScalars | set_of(b8, u8, s8);
constexpr std::uint32_t kPairs16 = set_of(u16x2, s16x2);
constexpr std::uint32_t kSmallFloats = set_of(e4m3x2, e5m2x2);
constexpr std::uint32_t kCounted = kBits | set_of(b8);
constexpr std::uint32_t kConverted = kInts | set_of(u8, s8, f16, bf16, f32, f64);

constexpr std::uint64_t kArithmetic = kRounding | kFlush | kSaturate;
constexpr std::uint64_t kOrder = kMemoryOrder | kScope | kHint | kCacheHint;
constexpr std::uint32_t kLoHi = set_of(MulMode::lo, MulMode::hi);
constexpr std::uint32_t kHi = set_of(MulMode::hi), kWide = set_of(MulMode::wide);
constexpr std::uint32_t kAnd = set_of(AtomOp::and_, AtomOp::or_, AtomOp::xor_);
constexpr std::uint32_t kArrives = set_of(MbarrierMode::arrive, MbarrierMode::arrive_drop);
constexpr std::uint32_t kArrivesExpecting = set_of(MbarrierMode::arrive_expect_tx, MbarrierMode::arrive_drop_expect_tx);
constexpr std::uint32_t kCounts = set_of(MbarrierMode::expect_tx, MbarrierMode::complete_tx);
constexpr std::uint32_t kWaits = set_of(MbarrierMode::test_wait, MbarrierMode::try_wait);
constexpr std::uint32_t kCopiesArrive = set_of(MbarrierMode::copies_arrive, MbarrierMode::copies_arrive_noinc);
constexpr std::uint32_t kMinMax = set_of(AtomOp::min, AtomOp::max);
constexpr std::uint32_t kAllGeometries = ~0u;  // the mode of tex, which has no keyword of its own
constexpr std::uint32_t kFlat =
    set_of(TextureGeometry::d1, TextureGeometry::d2, TextureGeometry::d3, TextureGeometry::a1d, TextureGeometry::a2d);
constexpr std::uint32_t kExtents = set_of(TextureQuery::width, TextureQuery::height, TextureQuery::depth);
constexpr std::uint32_t kSurfaceQueries = kExtents | set_of(TextureQuery::array_size, TextureQuery::channel_data_type,
                                                            TextureQuery::channel_order, TextureQuery::memory_layout);
constexpr std::uint32_t kTexels = set_of(u32, s32, f32);
constexpr std::uint32_t kBallot = set_of(VoteMode::ballot);
constexpr std::uint32_t kVotes = set_of(VoteMode::all, VoteMode::any, VoteMode::uni);

constexpr auto kForms = std::to_array<Form>({
    // opcode, types, source types, required, optional, modes, destinations, sources
    {Opcode::abs_, kSigned | kF64, 0, 0, 0, 0, 1, 1, 1, 1},
    {Opcode::abs_, kF32 | kHalf, 0, 0, kFlush, 0, 1, 1, 1, 1},
    {Opcode::abs_, kBrain, 0, 0, 0, 0, 1, 1, 1, 1},
    {Opcode::activemask, kB32, 0, 0, 0, 0, 1, 1, 0, 0},
    {Opcode::add, kInts, 0, 0, 0, 0, 1, 1, 2, 2},
    {Opcode::add, set_of(s32), 0, kSaturate, 0, 0, 1, 1, 2, 2},
    {Opcode::add, kInts3264, 0, kCarryOut, 0, 0, 1, 1, 2, 2},
    {Opcode::add, kF32 | kHalf, 0, 0, kArithmetic, 0, 1, 1, 2, 2},
    {Opcode::add, kF64 | kBrain, 0, 0, kRounding, 0, 1, 1, 2, 2},
    {Opcode::add, kPairs16, 0, 0, 0, 0, 1, 1, 2, 2},
    {Opcode::addc, kInts3264, 0, 0, kCarryOut, 0, 1, 1, 2, 2},
    {Opcode::and_, kBits | set_of(pred), 0, 0, 0, 0, 1, 1, 2, 2},
    {Opcode::applypriority, 0, 0, kHint, kSpace, 0, 0, 0, 2, 2},
    {Opcode::async_commit, 0, 0, 0, 0, 0, 0, 0, 0, 0},
    {Opcode::async_copy, 0, 0, kToShared | kSpace | kCacheOp, kHint | kCacheHint, 0, 0, 0, 3, 4},
    {Opcode::async_wait, 0, 0, 0, 0, 0, 0, 0, 1, 1},
    {Opcode::async_wait, 0, 0, kUniform, 0, 0, 0, 0, 0, 0},
    {Opcode::atom, kBits3264, 0, kMode, kSpace | kOrder, kAnd, 1, 1, 2, 2},
    {Opcode::atom, kBits3264 | kInts32 | kF32, 0, kMode, kSpace | kOrder, set_of(AtomOp::exch), 1, 1, 2, 2},
    {Opcode::atom, kBits | kInts3264, 0, kMode, kSpace | kOrder, set_of(AtomOp::cas), 1, 1, 3, 3},
    {Opcode::atom, kInts3264 | kF32 | kF64 | kHalf | kBrain, 0, kMode, kSpace | kOrder, set_of(AtomOp::add), 1, 1, 2,
     2},
    {Opcode::atom, set_of(u32), 0, kMode, kSpace | kOrder, set_of(AtomOp::inc, AtomOp::dec), 1, 1, 2, 2},
    {Opcode::atom, kInts3264, 0, kMode, kSpace | kOrder, kMinMax, 1, 1, 2, 2},
    {Opcode::bar, 0, 0, kMode, kHint | kScope, set_of(BarMode::sync), 0, 0, 1, 2},
    {Opcode::bar, 0, 0, kMode, kHint | kScope, set_of(BarMode::arrive), 0, 0, 2, 2},
    {Opcode::bar, set_of(u32), 0, kMode, kHint | kScope, set_of(BarMode::red_popc), 1, 1, 2, 3},
    {Opcode::bar, set_of(pred), 0, kMode, kHint | kScope, set_of(BarMode::red_and, BarMode::red_or), 1, 1, 2, 3},
    {Opcode::bar_partner, 0, 0, 0, 0, 0, 0, 0, 1, 1},
    {Opcode::bar_warp, 0, 0, kSync, 0, 0, 0, 0, 1, 1},
    {Opcode::bfe, kInts3264, 0, 0, 0, 0, 1, 1, 3, 3},
    {Opcode::bfi, kBits3264, 0, 0, 0, 0, 1, 1, 4, 4},
    {Opcode::bfind, kInts3264, 0, 0, kShiftAmount, 0, 1, 1, 1, 1},
    {Opcode::bmsk, kB32, 0, kShiftWrap, 0, 0, 1, 1, 2, 2},
    {Opcode::bra, 0, 0, 0, kUniform, 0, 0, 0, 1, 1},
    {Opcode::brev, kBits3264, 0, 0, 0, 0, 1, 1, 1, 1},
    {Opcode::brkpt, 0, 0, 0, 0, 0, 0, 0, 0, 0},
    {Opcode::brx, 0, 0, kMode, kUniform, 1, 0, 0, 2, 2},
    {Opcode::call, 0, 0, 0, kUniform, 0, 0, 0, 0, 0},
    {Opcode::clz, kBits3264, 0, 0, 0, 0, 1, 1, 1, 1},
    {Opcode::cnot, kBits, 0, 0, 0, 0, 1, 1, 1, 1},
    {Opcode::cond_acc, kCounted, 0, 0, kSpace, 0, 1, 1, 3, 3},
    {Opcode::cond_acc, kCounted, 0, kSync, kSpace, 0, 1, 1, 4, 4},
    {Opcode::copysign_, kF32 | kF64, 0, 0, 0, 0, 1, 1, 2, 2},
    {Opcode::cos_, kF32, 0, 0, kApproximate | kFlush, 0, 1, 1, 1, 1},
    {Opcode::createpolicy, set_of(b64), 0, kHint, kSpace, 0, 1, 1, 0, 3},
    {Opcode::cvt, kConverted, kConverted, 0, kRounding | kIntegerRounding | kFlush | kSaturate, 0, 1, 1, 1, 1},
    {Opcode::cvt, set_of(f16, bf16), kF32, kRounding, kRelu | kFinite, 0, 1, 1, 1, 1},
    {Opcode::cvt, set_of(f16x2, bf16x2), kF32, kRounding, kRelu | kFinite, 0, 1, 1, 2, 2},
    {Opcode::cvt, set_of(tf32), kF32, kRounding, kRelu | kFinite, 0, 1, 1, 1, 1},
    {Opcode::cvt, set_of(tf32), kF32, kRoundAway, kRelu | kFinite, 0, 1, 1, 1, 1},
    {Opcode::cvt, kSmallFloats, kF32, kRounding | kFinite, kRelu, 0, 1, 1, 2, 2},
    {Opcode::cvt, kSmallFloats, set_of(f16x2), kRounding | kFinite, kRelu, 0, 1, 1, 1, 1},
    {Opcode::cvt, set_of(f16x2), kSmallFloats, kRounding, kRelu, 0, 1, 1, 1, 1},
    {Opcode::cvt_pack, set_of(u16, s16), set_of(s32), kSaturate, 0, 0, 1, 1, 2, 2},
    {Opcode::cvt_pack, set_of(u8, s8), set_of(s32), kSaturate, kPackBits, 0, 1, 1, 3, 3},
    {Opcode::cvta, set_of(u32, u64), 0, kSpace, kTo, 0, 1, 1, 1, 1},
    {Opcode::discard, 0, 0, kHint, kSpace, 0, 0, 0, 2, 2},
    {Opcode::div_, kInts, 0, 0, 0, 0, 1, 1, 2, 2},
    {Opcode::div_, kF32, 0, 0, kApproximate | kFlush, 0, 1, 1, 2, 2},
    {Opcode::div_, kF32, 0, kFullRange, kFlush, 0, 1, 1, 2, 2},
    {Opcode::div_, kF32, 0, kRounding, kFlush, 0, 1, 1, 2, 2},
    {Opcode::div_, kF64, 0, 0, kRounding, 0, 1, 1, 2, 2},
    {Opcode::dp2a, kInts32, kInts32, kMulMode, 0, kLoHi, 1, 1, 3, 3},
    {Opcode::dp4a, kInts32, kInts32, 0, 0, 0, 1, 1, 3, 3},
    {Opcode::elect, 0, 0, kSync, 0, 0, 1, 2, 1, 1},
    {Opcode::ex2, kF32 | kHalf, 0, 0, kApproximate | kFlush, 0, 1, 1, 1, 1},
    {Opcode::ex2, kBrain, 0, kApproximate | kFlush, 0, 0, 1, 1, 1, 1},
    {Opcode::exit_, 0, 0, 0, 0, 0, 0, 0, 0, 0},
    {Opcode::fence, 0, 0, kScope, kMemoryOrder, 0, 0, 0, 0, 0},
    {Opcode::fence, 0, 0, kProxy, kScope | kMemoryOrder, 0, 0, 0, 0, 0},
    {Opcode::fma_, kF32 | kHalf, 0, kRounding, kFlush | kSaturate, 0, 1, 1, 3, 3},
    {Opcode::fma_, kHalf, 0, kRounding | kRelu, kFlush, 0, 1, 1, 3, 3},
    {Opcode::fma_, kF64 | kBrain, 0, kRounding, 0, 0, 1, 1, 3, 3},
    {Opcode::fma_, kBrain, 0, kRounding | kRelu, 0, 0, 1, 1, 3, 3},
    {Opcode::fns, kB32, 0, 0, 0, 0, 1, 1, 3, 3},
    {Opcode::griddepcontrol, 0, 0, kHint, 0, 0, 0, 0, 0, 0},
    {Opcode::isspacep, 0, 0, kSpace, 0, 0, 1, 1, 1, 1},
    {Opcode::ld, kMemory, 0, 0, kSpace | kCacheOp | kVolatile | kOrder | kVector | kNonCoherent | kRowHint, 0, 1, 1, 1,
     1},
    {Opcode::ld, kMemory, 0, kSpace | kUniform, kVector, 0, 1, 1, 1, 1},
    {Opcode::lg2, kF32, 0, 0, kApproximate | kFlush, 0, 1, 1, 1, 1},
    {Opcode::lop3, kB32, 0, 0, 0, 0, 1, 1, 4, 4},
    {Opcode::lop3, kB32, 0, kBoolOp, 0, 0, 1, 2, 5, 5},
    {Opcode::mad, kInts, 0, kMulMode, 0, kLoHi, 1, 1, 3, 3},
    {Opcode::mad, set_of(u16, s16, u32, s32), 0, kMulMode, 0, kWide, 1, 1, 3, 3},
    {Opcode::mad, set_of(s32), 0, kMulMode | kSaturate, 0, kHi, 1, 1, 3, 3},
    {Opcode::mad, kInts3264, 0, kMulMode | kCarryOut, 0, kLoHi, 1, 1, 3, 3},
    {Opcode::mad, kF32, 0, 0, kArithmetic, 0, 1, 1, 3, 3},
    {Opcode::mad, kF64, 0, 0, kRounding, 0, 1, 1, 3, 3},
    {Opcode::mad24, kInts32, 0, kMulMode, 0, kLoHi, 1, 1, 3, 3},
    {Opcode::mad24, set_of(s32), 0, kMulMode | kSaturate, 0, kHi, 1, 1, 3, 3},
    {Opcode::madc, kInts3264, 0, kMulMode, kCarryOut, kLoHi, 1, 1, 3, 3},
    {Opcode::match, kBits3264, 0, kMode | kSync, 0, set_of(MatchMode::any), 1, 1, 2, 2},
    {Opcode::match, kBits3264, 0, kMode | kSync, 0, set_of(MatchMode::all), 1, 2, 2, 2},
    {Opcode::max_, kInts | kF64, 0, 0, 0, 0, 1, 1, 2, 2},
    {Opcode::max_, kF32 | kHalf, 0, 0, kFlush | kNan, 0, 1, 1, 2, 2},
    {Opcode::max_, kBrain, 0, 0, kNan, 0, 1, 1, 2, 2},
    {Opcode::max_, kPairs16, 0, 0, 0, 0, 1, 1, 2, 2},
    {Opcode::max_, kF32 | kHalf | kBrain, 0, kSignProduct | kMagnitude, kFlush | kNan, 0, 1, 1, 2, 2},
    {Opcode::mbarrier, set_of(b64), 0, kMode, kSpace, set_of(MbarrierMode::init), 0, 0, 2, 2},
    {Opcode::mbarrier, set_of(b64), 0, kMode, kSpace, set_of(MbarrierMode::inval), 0, 0, 1, 1},
    {Opcode::mbarrier, 0, 0, kMode, kSpace | kMemoryOrder | kScope, kCounts, 0, 0, 2, 2},
    {Opcode::mbarrier, set_of(b64), 0, kMode, kSpace | kMemoryOrder | kScope, kCounts, 0, 0, 2, 2},
    {Opcode::mbarrier, set_of(b64), 0, kMode, kSpace | kMemoryOrder | kScope | kNoComplete, kArrives, 1, 1, 1, 2},
    {Opcode::mbarrier, set_of(b64), 0, kMode, kSpace | kMemoryOrder | kScope, kArrivesExpecting, 1, 1, 2, 2},
    {Opcode::mbarrier, set_of(b64), 0, kMode, kSpace | kMemoryOrder | kScope | kParity, kWaits, 1, 1, 2, 3},
    {Opcode::mbarrier, set_of(b64), 0, kMode, kSpace, kCopiesArrive, 0, 0, 1, 1},
    {Opcode::min_, kInts | kF64, 0, 0, 0, 0, 1, 1, 2, 2},
    {Opcode::min_, kF32 | kHalf, 0, 0, kFlush | kNan, 0, 1, 1, 2, 2},
    {Opcode::min_, kBrain, 0, 0, kNan, 0, 1, 1, 2, 2},
    {Opcode::min_, kPairs16, 0, 0, 0, 0, 1, 1, 2, 2},
    {Opcode::min_, kF32 | kHalf | kBrain, 0, kSignProduct | kMagnitude, kFlush | kNan, 0, 1, 1, 2, 2},
    {Opcode::mov, kScalars | set_of(pred, f16, f16x2, bf16, bf16x2), 0, 0, 0, 0, 1, 1, 1, 1},
    {Opcode::mov, kScalars, 0, kVector, 0, 0, 1, 1, 1, 1},
    {Opcode::mul, kInts, 0, kMulMode, 0, kLoHi, 1, 1, 2, 2},
    {Opcode::mul, set_of(u16, s16, u32, s32), 0, kMulMode, 0, kWide, 1, 1, 2, 2},
    {Opcode::mul, kF32 | kHalf, 0, 0, kArithmetic, 0, 1, 1, 2, 2},
    {Opcode::mul, kF64 | kBrain, 0, 0, kRounding, 0, 1, 1, 2, 2},
    {Opcode::mul24, kInts32, 0, kMulMode, 0, kLoHi, 1, 1, 2, 2},
    {Opcode::nanosleep, set_of(u32), 0, 0, 0, 0, 0, 0, 1, 1},
    {Opcode::neg, kSigned | kF64 | kBrain, 0, 0, 0, 0, 1, 1, 1, 1},
    {Opcode::neg, kF32 | kHalf, 0, 0, kFlush, 0, 1, 1, 1, 1},
    {Opcode::not_, kBits | set_of(pred), 0, 0, 0, 0, 1, 1, 1, 1},
    {Opcode::or_, kBits | set_of(pred), 0, 0, 0, 0, 1, 1, 2, 2},
    {Opcode::pending_count, set_of(b64), 0, 0, 0, 0, 1, 1, 1, 1},
    {Opcode::pmevent, 0, 0, 0, 0, 0, 0, 0, 1, 1},
    {Opcode::popc, kBits3264, 0, 0, 0, 0, 1, 1, 1, 1},
    {Opcode::prefetch, 0, 0, 0, kSpace, 0, 0, 0, 1, 1},
    {Opcode::prmt, kB32, 0, 0, 0, 0, 1, 1, 3, 3},
    {Opcode::prmt, kB32, 0, kMode, 0, ~0u, 1, 1, 3, 3},
    {Opcode::rcp, kF32, 0, 0, kApproximate | kRounding | kFlush, 0, 1, 1, 1, 1},
    {Opcode::rcp, kF64, 0, 0, kRounding, 0, 1, 1, 1, 1},
    {Opcode::rcp, kF64, 0, kApproximate | kFlush, 0, 0, 1, 1, 1, 1},
    {Opcode::red, kBits3264, 0, kMode, kSpace | kOrder, kAnd, 0, 0, 2, 2},
    {Opcode::red, kInts3264 | kF32 | kF64 | kHalf | kBrain, 0, kMode, kSpace | kOrder, set_of(AtomOp::add), 0, 0, 2, 2},
    {Opcode::red, set_of(u32), 0, kMode, kSpace | kOrder, set_of(AtomOp::inc, AtomOp::dec), 0, 0, 2, 2},
    {Opcode::red, kInts3264, 0, kMode, kSpace | kOrder, kMinMax, 0, 0, 2, 2},
    {Opcode::redux, kInts32, 0, kMode | kSync, 0, kMinMax | set_of(AtomOp::add), 1, 1, 2, 2},
    {Opcode::redux, kB32, 0, kMode | kSync, 0, kAnd, 1, 1, 2, 2},
    {Opcode::redux, kF32, 0, kMode | kSync, kMagnitude | kNan, kMinMax, 1, 1, 2, 2},
    {Opcode::rem_, kInts, 0, 0, 0, 0, 1, 1, 2, 2},
    {Opcode::ret, 0, 0, 0, kUniform, 0, 0, 0, 0, 0},
    {Opcode::rsqrt, kF32 | kF64, 0, 0, kApproximate | kFlush, 0, 1, 1, 1, 1},
    {Opcode::sad, kInts, 0, 0, 0, 0, 1, 1, 3, 3},
    {Opcode::selp, kScalars | set_of(f16, f16x2, bf16, bf16x2), 0, 0, 0, 0, 1, 1, 3, 3},
    {Opcode::set, kInts32 | kF32 | set_of(f16, bf16, u16, s16), kScalars | set_of(f16, bf16), kCompare, kFlush, 0, 1, 1,
     2, 2},
    {Opcode::set, set_of(f16x2, u32, s32), set_of(f16x2), kCompare, kFlush, 0, 1, 1, 2, 2},
    {Opcode::set, set_of(bf16x2, u32, s32), set_of(bf16x2), kCompare, 0, 0, 1, 1, 2, 2},
    {Opcode::set, kInts32 | kF32 | set_of(f16, bf16, u16, s16), kScalars | set_of(f16, bf16), kCompare | kBoolOp,
     kFlush, 0, 1, 1, 3, 3},
    {Opcode::set, set_of(f16x2, u32, s32), set_of(f16x2), kCompare | kBoolOp, kFlush, 0, 1, 1, 3, 3},
    {Opcode::set, set_of(bf16x2, u32, s32), set_of(bf16x2), kCompare | kBoolOp, 0, 0, 1, 1, 3, 3},
    {Opcode::setp, kScalars | set_of(f16, bf16), 0, kCompare, kFlush, 0, 1, 2, 2, 2},
    {Opcode::setp, kScalars | set_of(f16, bf16), 0, kCompare | kBoolOp, kFlush, 0, 1, 2, 3, 3},
    {Opcode::setp, set_of(f16x2, bf16x2), 0, kCompare, kFlush, 0, 1, 2, 2, 2},
    {Opcode::setp, set_of(f16x2, bf16x2), 0, kCompare | kBoolOp, kFlush, 0, 1, 2, 3, 3},
    {Opcode::shf, kB32, 0, kDirection | kShiftWrap, 0, 0, 1, 1, 3, 3},
    {Opcode::shfl, kB32, 0, kMode, 0, ~0u, 1, 2, 3, 3},
    {Opcode::shfl, kB32, 0, kMode | kSync, 0, ~0u, 1, 2, 4, 4},
    {Opcode::shl, kBits, 0, 0, 0, 0, 1, 1, 2, 2},
    {Opcode::shr, kBits | kInts, 0, 0, 0, 0, 1, 1, 2, 2},
    {Opcode::sin_, kF32, 0, 0, kApproximate | kFlush, 0, 1, 1, 1, 1},
    {Opcode::slct, kScalars, set_of(s32), 0, 0, 0, 1, 1, 3, 3},
    {Opcode::slct, kScalars, kF32, 0, kFlush, 0, 1, 1, 3, 3},
    {Opcode::sqrt_, kF32, 0, 0, kApproximate | kRounding | kFlush, 0, 1, 1, 1, 1},
    {Opcode::sqrt_, kF64, 0, 0, kRounding, 0, 1, 1, 1, 1},
    {Opcode::st, kMemory, 0, 0, kSpace | kCacheOp | kVolatile | kOrder | kVector, 0, 0, 0, 2, 2},
    {Opcode::sub, kInts, 0, 0, 0, 0, 1, 1, 2, 2},
    {Opcode::sub, set_of(s32), 0, kSaturate, 0, 0, 1, 1, 2, 2},
    {Opcode::sub, kInts3264, 0, kCarryOut, 0, 0, 1, 1, 2, 2},
    {Opcode::sub, kF32 | kHalf, 0, 0, kArithmetic, 0, 1, 1, 2, 2},
    {Opcode::sub, kF64 | kBrain, 0, 0, kRounding, 0, 1, 1, 2, 2},
    {Opcode::subc, kInts3264, 0, 0, kCarryOut, 0, 1, 1, 2, 2},
    {Opcode::suld, set_of(b8, b16, b32, b64), 0, kGeometry | kBytes, kVector | kCacheOp | kBound, 0, 1, 1, 1, 1},
    {Opcode::suq, kB32, 0, kMode, 0, kSurfaceQueries, 1, 1, 1, 1},
    {Opcode::sured, set_of(u32, s32, u64, s64), 0, kMode | kGeometry | kBytes, kBound, set_of(AtomOp::add) | kMinMax, 0,
     0, 2, 2},
    {Opcode::sured, kB32, 0, kMode | kGeometry | kBytes, kBound, set_of(AtomOp::and_, AtomOp::or_), 0, 0, 2, 2},
    {Opcode::sust, set_of(b8, b16, b32, b64), 0, kGeometry | kBytes, kVector | kCacheOp | kBound, 0, 0, 0, 2, 2},
    {Opcode::sust, kB32, 0, kGeometry | kFormatted, kVector | kCacheOp | kBound, 0, 0, 0, 2, 2},
    {Opcode::szext, kInts32, 0, kShiftWrap, 0, 0, 1, 1, 2, 2},
    {Opcode::tanh_, kF32 | kHalf | kBrain, 0, kApproximate, 0, 0, 1, 1, 1, 1},
    {Opcode::testp, kF32 | kF64, 0, kMode, 0, ~0u, 1, 1, 1, 1},
    {Opcode::tex, kTexels, set_of(s32), kGeometry | kVector, kBaseLevel, kFlat, 1, 1, 1, 1},
    {Opcode::tex, kTexels, kF32, kGeometry | kVector, kBaseLevel, kAllGeometries, 1, 1, 1, 1},
    {Opcode::tex, kTexels, kF32, kGeometry | kVector | kLevel, 0, kAllGeometries, 1, 1, 2, 2},
    {Opcode::tex, kTexels, kF32, kGeometry | kVector | kGradient, 0, kAllGeometries, 1, 1, 3, 3},
    {Opcode::tld4, kTexels, kF32, kMode | kGeometry | kVector, 0, ~0u, 1, 1, 1, 1},
    {Opcode::trap, 0, 0, 0, 0, 0, 0, 0, 0, 0},
    {Opcode::tree_traverse, set_of(u32, u64), 0, 0, 0, 0, 1, 1, 3, 3},
    {Opcode::tree_traverse, set_of(u32, u64), 0, kSync, 0, 0, 1, 1, 4, 4},
    {Opcode::txq, kB32, 0, kMode, 0, ~set_of(TextureQuery::memory_layout), 1, 1, 1, 1},
    {Opcode::txq, kB32, 0, kMode | kLevel, 0, kExtents, 1, 1, 2, 2},
    {Opcode::vabsdiff, kInts32, kInts32, 0, kSaturate, 0, 1, 1, 2, 3},
    {Opcode::vabsdiff, kInts32, kInts32, kSecond, kSaturate, 0, 1, 1, 3, 3},
    {Opcode::vabsdiff2, kInts32, kInts32, 0, kSaturate, 0, 1, 1, 3, 3},
    {Opcode::vabsdiff2, kInts32, kInts32, kSecond, 0, 0, 1, 1, 3, 3},
    {Opcode::vabsdiff4, kInts32, kInts32, 0, kSaturate, 0, 1, 1, 3, 3},
    {Opcode::vabsdiff4, kInts32, kInts32, kSecond, 0, 0, 1, 1, 3, 3},
    {Opcode::vadd, kInts32, kInts32, 0, kSaturate, 0, 1, 1, 2, 3},
    {Opcode::vadd, kInts32, kInts32, kSecond, kSaturate, 0, 1, 1, 3, 3},
    {Opcode::vadd2, kInts32, kInts32, 0, kSaturate, 0, 1, 1, 3, 3},
    {Opcode::vadd2, kInts32, kInts32, kSecond, 0, 0, 1, 1, 3, 3},
    {Opcode::vadd4, kInts32, kInts32, 0, kSaturate, 0, 1, 1, 3, 3},
    {Opcode::vadd4, kInts32, kInts32, kSecond, 0, 0, 1, 1, 3, 3},
    {Opcode::vavrg2, kInts32, kInts32, 0, kSaturate, 0, 1, 1, 3, 3},
    {Opcode::vavrg2, kInts32, kInts32, kSecond, 0, 0, 1, 1, 3, 3},
    {Opcode::vavrg4, kInts32, kInts32, 0, kSaturate, 0, 1, 1, 3, 3},
    {Opcode::vavrg4, kInts32, kInts32, kSecond, 0, 0, 1, 1, 3, 3},
    {Opcode::vmad, kInts32, kInts32, 0, kSaturate | kScale | kPlusOne, 0, 1, 1, 3, 3},
    {Opcode::vmax, kInts32, kInts32, 0, kSaturate, 0, 1, 1, 2, 3},
    {Opcode::vmax, kInts32, kInts32, kSecond, kSaturate, 0, 1, 1, 3, 3},
    {Opcode::vmax2, kInts32, kInts32, 0, kSaturate, 0, 1, 1, 3, 3},
    {Opcode::vmax2, kInts32, kInts32, kSecond, 0, 0, 1, 1, 3, 3},
    {Opcode::vmax4, kInts32, kInts32, 0, kSaturate, 0, 1, 1, 3, 3},
    {Opcode::vmax4, kInts32, kInts32, kSecond, 0, 0, 1, 1, 3, 3},
    {Opcode::vmin, kInts32, kInts32, 0, kSaturate, 0, 1, 1, 2, 3},
    {Opcode::vmin, kInts32, kInts32, kSecond, kSaturate, 0, 1, 1, 3, 3},
    {Opcode::vmin2, kInts32, kInts32, 0, kSaturate, 0, 1, 1, 3, 3},
    {Opcode::vmin2, kInts32, kInts32, kSecond, 0, 0, 1, 1, 3, 3},
    {Opcode::vmin4, kInts32, kInts32, 0, kSaturate, 0, 1, 1, 3, 3},
    {Opcode::vmin4, kInts32, kInts32, kSecond, 0, 0, 1, 1, 3, 3},
    {Opcode::vote, set_of(pred), 0, kMode, 0, kVotes, 1, 1, 1, 1},
    {Opcode::vote, set_of(pred), 0, kMode | kSync, 0, kVotes, 1, 1, 2, 2},
    {Opcode::vote, kB32, 0, kMode, 0, kBallot, 1, 1, 1, 1},
    {Opcode::vote, kB32, 0, kMode | kSync, 0, kBallot, 1, 1, 2, 2},
    {Opcode::vset, kInts32, kInts32, kCompare, 0, 0, 1, 1, 2, 3},
    {Opcode::vset, kInts32, kInts32, kCompare | kSecond, 0, 0, 1, 1, 3, 3},
    {Opcode::vset2, kInts32, kInts32, kCompare, kSecond, 0, 1, 1, 3, 3},
    {Opcode::vset4, kInts32, kInts32, kCompare, kSecond, 0, 1, 1, 3, 3},
    {Opcode::vshl, kInts32, kInts32, kShiftWrap, kSaturate, 0, 1, 1, 2, 3},
    {Opcode::vshl, kInts32, kInts32, kShiftWrap | kSecond, kSaturate, 0, 1, 1, 3, 3},
    {Opcode::vshr, kInts32, kInts32, kShiftWrap, kSaturate, 0, 1, 1, 2, 3},
    {Opcode::vshr, kInts32, kInts32, kShiftWrap | kSecond, kSaturate, 0, 1, 1, 3, 3},
    {Opcode::vsub, kInts32, kInts32, 0, kSaturate, 0, 1, 1, 2, 3},
    {Opcode::vsub, kInts32, kInts32, kSecond, kSaturate, 0, 1, 1, 3, 3},
    {Opcode::vsub2, kInts32, kInts32, 0, kSaturate, 0, 1, 1, 3, 3},
    {Opcode::vsub2, kInts32, kInts32, kSecond, 0, 0, 1, 1, 3, 3},
    {Opcode::vsub4, kInts32, kInts32, 0, kSaturate, 0, 1, 1, 3, 3},
    {Opcode::vsub4, kInts32, kInts32, kSecond, 0, 0, 1, 1, 3, 3},
    {Opcode::xor_, kBits | set_of(pred), 0, 0, 0, 0, 1, 1, 2, 2},
});

// First row of each opcode; rows are sorted by opcode in enumeration order.
constexpr auto kFirstRow = [] {
  std::array<std::uint16_t, static_cast<std::size_t>(Opcode::count) + 1> first{};
  std::size_t row = 0;
  for (std::size_t opcode = 0; opcode < first.size(); ++opcode) {
    while (row < kForms.size() && static_cast<std::size_t>(kForms[row].opcode) < opcode) ++row;
    first[opcode] = static_cast<std::uint16_t>(row);
  }
  return first;
}();
static_assert([] {
  for (std::size_t i = 1; i < kForms.size(); ++i) {
    if (kForms[i].opcode < kForms[i - 1].opcode) return false;
  }
  return true;
}());

bool in_set(std::uint32_t set, DataType type) {
  return type == none ? set == 0 : ((set >> static_cast<unsigned>(type)) & 1) != 0;
}

}  // namespace

std::span<const Form> all_forms() { return kForms; }

const Form* find_form(const MicroOp& op, std::uint64_t features) {
  const auto index = static_cast<std::size_t>(op.opcode);
  for (std::size_t i = kFirstRow[index]; i < kFirstRow[index + 1]; ++i) {
    const Form& form = kForms[i];
    if (!in_set(form.types, op.type) || !in_set(form.source_types, op.source_type)) continue;
    if ((features & form.required) != form.required || (features & ~(form.required | form.optional)) != 0) continue;
    if (form.modes != 0 && ((form.modes >> mode_of(op)) & 1) == 0) continue;
    return &form;
  }
  return nullptr;
}

}  // namespace heddle::isa
