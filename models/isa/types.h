// SPDX-License-Identifier: Apache-2.0
// The closed vocabulary of the PTX front end: operation codes, data types and modifiers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace heddle::isa {

/// Classes of operations with a common loop distance and initiation interval. Each is a row of the machine's latency
/// table, `sm.latency.<name>` in the configuration.
// clang-format off
#define HEDDLE_TIMING_CLASSES(X)                                                                                   \
  X(int_add) X(int_max) X(int_mul) X(int_mad) X(int_div) X(shuffle) X(prefix) X(fp32_add) X(fp32_max) X(fp32_mul)   \
  X(fp32_mad) X(fp32_div) X(fp64_add) X(fp64_max) X(fp64_mul) X(fp64_mad) X(fp64_div) X(sfu) X(branch) X(barrier) X(memory)
// clang-format on

enum class TimingClass : std::uint8_t {
#define X(name) name,
  HEDDLE_TIMING_CLASSES(X)
#undef X
      count
};

/// The kind of unit that executes an operation. `control` operations (branch, barrier, exit) need an issue slot only.
enum class Unit : std::uint8_t { alu, sfu, fp64, memory, control, count };

/// Operation codes after parsing. Each row gives the PTX spelling, the unit, and the timing class for integer, 32-bit
/// and 64-bit floating-point types. Using an unlisted operation is an error that names it. X(enumerator, "spelling",
/// unit, class_int, class_f32, class_f64)
#define HEDDLE_OPCODES(X)                                                    \
  X(abs_, "abs", alu, int_max, fp32_max, fp64_max)                           \
  X(activemask, "activemask", alu, int_add, int_add, int_add)                \
  X(add, "add", alu, int_add, fp32_add, fp64_add)                            \
  X(addc, "addc", alu, int_add, int_add, int_add)                            \
  X(and_, "and", alu, int_add, int_add, int_add)                             \
  X(applypriority, "applypriority", control, branch, branch, branch)         \
  X(async_commit, "cp.async.commit_group", control, branch, branch, branch)  \
  X(async_copy, "cp.async", memory, memory, memory, memory)                  \
  X(async_wait, "cp.async.wait", control, branch, branch, branch)            \
  X(atom, "atom", memory, memory, memory, memory)                            \
  X(bar, "bar", control, barrier, barrier, barrier)                          \
  X(bar_partner, "bar.synch_partner", control, barrier, barrier, barrier)    \
  X(bar_warp, "bar.warp", control, barrier, barrier, barrier)                \
  X(bfe, "bfe", alu, int_add, int_add, int_add)                              \
  X(bfi, "bfi", alu, int_add, int_add, int_add)                              \
  X(bfind, "bfind", alu, int_add, int_add, int_add)                          \
  X(bmsk, "bmsk", alu, int_add, int_add, int_add)                            \
  X(bra, "bra", control, branch, branch, branch)                             \
  X(brev, "brev", alu, int_add, int_add, int_add)                            \
  X(brkpt, "brkpt", control, branch, branch, branch)                         \
  X(brx, "brx", control, branch, branch, branch)                             \
  X(call, "call", control, branch, branch, branch)                           \
  X(clz, "clz", alu, int_add, int_add, int_add)                              \
  X(cnot, "cnot", alu, int_add, int_add, int_add)                            \
  X(cond_acc, "heddle.cond_acc", memory, memory, memory, memory)             \
  X(copysign_, "copysign", alu, int_add, fp32_add, fp64_add)                 \
  X(cos_, "cos", sfu, sfu, sfu, sfu)                                         \
  X(createpolicy, "createpolicy", alu, int_add, int_add, int_add)            \
  X(cvt, "cvt", alu, int_add, fp32_add, fp64_add)                            \
  X(cvt_pack, "cvt.pack", alu, int_add, int_add, int_add)                    \
  X(cvta, "cvta", alu, int_add, int_add, int_add)                            \
  X(discard, "discard", control, branch, branch, branch)                     \
  X(div_, "div", sfu, int_div, fp32_div, fp64_div)                           \
  X(dp2a, "dp2a", alu, int_mad, int_mad, int_mad)                            \
  X(dp4a, "dp4a", alu, int_mad, int_mad, int_mad)                            \
  X(elect, "elect", alu, shuffle, shuffle, shuffle)                          \
  X(ex2, "ex2", sfu, sfu, sfu, sfu)                                          \
  X(exit_, "exit", control, branch, branch, branch)                          \
  X(fence, "fence", control, barrier, barrier, barrier)                      \
  X(fma_, "fma", alu, int_mad, fp32_mad, fp64_mad)                           \
  X(fns, "fns", alu, int_add, int_add, int_add)                              \
  X(griddepcontrol, "griddepcontrol", control, branch, branch, branch)       \
  X(isspacep, "isspacep", alu, int_add, int_add, int_add)                    \
  X(ld, "ld", memory, memory, memory, memory)                                \
  X(lg2, "lg2", sfu, sfu, sfu, sfu)                                          \
  X(lop3, "lop3", alu, int_add, int_add, int_add)                            \
  X(mad, "mad", alu, int_mad, fp32_mad, fp64_mad)                            \
  X(mad24, "mad24", alu, int_mad, int_mad, int_mad)                          \
  X(madc, "madc", alu, int_mad, int_mad, int_mad)                            \
  X(match, "match", alu, shuffle, shuffle, shuffle)                          \
  X(max_, "max", alu, int_max, fp32_max, fp64_max)                           \
  X(mbarrier, "mbarrier", memory, memory, memory, memory)                    \
  X(min_, "min", alu, int_max, fp32_max, fp64_max)                           \
  X(mov, "mov", alu, int_add, int_add, int_add)                              \
  X(mul, "mul", alu, int_mul, fp32_mul, fp64_mul)                            \
  X(mul24, "mul24", alu, int_mul, int_mul, int_mul)                          \
  X(nanosleep, "nanosleep", control, barrier, barrier, barrier)              \
  X(neg, "neg", alu, int_add, fp32_add, fp64_add)                            \
  X(not_, "not", alu, int_add, int_add, int_add)                             \
  X(or_, "or", alu, int_add, int_add, int_add)                               \
  X(pending_count, "mbarrier.pending_count", alu, int_add, int_add, int_add) \
  X(pmevent, "pmevent", control, branch, branch, branch)                     \
  X(popc, "popc", alu, int_add, int_add, int_add)                            \
  X(prefetch, "prefetch", memory, memory, memory, memory)                    \
  X(prmt, "prmt", alu, int_add, int_add, int_add)                            \
  X(rcp, "rcp", sfu, sfu, sfu, fp64_div)                                     \
  X(red, "red", memory, memory, memory, memory)                              \
  X(redux, "redux", alu, shuffle, shuffle, shuffle)                          \
  X(rem_, "rem", sfu, int_div, int_div, int_div)                             \
  X(ret, "ret", control, branch, branch, branch)                             \
  X(rsqrt, "rsqrt", sfu, sfu, sfu, fp64_div)                                 \
  X(sad, "sad", alu, int_add, int_add, int_add)                              \
  X(selp, "selp", alu, int_add, int_add, int_add)                            \
  X(set, "set", alu, int_add, fp32_add, fp64_add)                            \
  X(setp, "setp", alu, int_add, fp32_add, fp64_add)                          \
  X(shf, "shf", alu, int_add, int_add, int_add)                              \
  X(shfl, "shfl", alu, shuffle, shuffle, shuffle)                            \
  X(shl, "shl", alu, int_add, int_add, int_add)                              \
  X(shr, "shr", alu, int_add, int_add, int_add)                              \
  X(sin_, "sin", sfu, sfu, sfu, sfu)                                         \
  X(slct, "slct", alu, int_add, fp32_add, fp32_add)                          \
  X(special, "mov", alu, int_add, int_add, int_add)                          \
  X(sqrt_, "sqrt", sfu, sfu, sfu, fp64_div)                                  \
  X(st, "st", memory, memory, memory, memory)                                \
  X(sub, "sub", alu, int_add, fp32_add, fp64_add)                            \
  X(subc, "subc", alu, int_add, int_add, int_add)                            \
  X(suld, "suld", memory, memory, memory, memory)                            \
  X(suq, "suq", memory, memory, memory, memory)                              \
  X(sured, "sured", memory, memory, memory, memory)                          \
  X(sust, "sust", memory, memory, memory, memory)                            \
  X(syscall, "call", control, branch, branch, branch)                        \
  X(szext, "szext", alu, int_add, int_add, int_add)                          \
  X(tanh_, "tanh", sfu, sfu, sfu, sfu)                                       \
  X(testp, "testp", alu, int_add, fp32_add, fp64_add)                        \
  X(tex, "tex", memory, memory, memory, memory)                              \
  X(tld4, "tld4", memory, memory, memory, memory)                            \
  X(trap, "trap", control, branch, branch, branch)                           \
  X(tree_traverse, "heddle.tree_traverse", alu, prefix, prefix, prefix)      \
  X(txq, "txq", memory, memory, memory, memory)                              \
  X(vabsdiff, "vabsdiff", alu, int_add, int_add, int_add)                    \
  X(vabsdiff2, "vabsdiff2", alu, int_add, int_add, int_add)                  \
  X(vabsdiff4, "vabsdiff4", alu, int_add, int_add, int_add)                  \
  X(vadd, "vadd", alu, int_add, int_add, int_add)                            \
  X(vadd2, "vadd2", alu, int_add, int_add, int_add)                          \
  X(vadd4, "vadd4", alu, int_add, int_add, int_add)                          \
  X(vavrg2, "vavrg2", alu, int_add, int_add, int_add)                        \
  X(vavrg4, "vavrg4", alu, int_add, int_add, int_add)                        \
  X(vmad, "vmad", alu, int_mad, int_mad, int_mad)                            \
  X(vmax, "vmax", alu, int_add, int_add, int_add)                            \
  X(vmax2, "vmax2", alu, int_add, int_add, int_add)                          \
  X(vmax4, "vmax4", alu, int_add, int_add, int_add)                          \
  X(vmin, "vmin", alu, int_add, int_add, int_add)                            \
  X(vmin2, "vmin2", alu, int_add, int_add, int_add)                          \
  X(vmin4, "vmin4", alu, int_add, int_add, int_add)                          \
  X(vote, "vote", alu, shuffle, shuffle, shuffle)                            \
  X(vset, "vset", alu, int_add, int_add, int_add)                            \
  X(vset2, "vset2", alu, int_add, int_add, int_add)                          \
  X(vset4, "vset4", alu, int_add, int_add, int_add)                          \
  X(vshl, "vshl", alu, int_add, int_add, int_add)                            \
  X(vshr, "vshr", alu, int_add, int_add, int_add)                            \
  X(vsub, "vsub", alu, int_add, int_add, int_add)                            \
  X(vsub2, "vsub2", alu, int_add, int_add, int_add)                          \
  X(vsub4, "vsub4", alu, int_add, int_add, int_add)                          \
  X(xor_, "xor", alu, int_add, int_add, int_add)

enum class Opcode : std::uint8_t {
#define X(name, ...) name,
  HEDDLE_OPCODES(X)
#undef X
      count
};

// clang-format off
enum class DataType : std::uint8_t {
  none, pred, b8, u8, s8, b16, u16, s16, f16, f16x2, bf16, bf16x2, b32, u32, s32, f32, b64, u64, s64, f64,
  tf32, e4m3x2, e5m2x2, u16x2, s16x2
};
// clang-format on

/// Properties of the types, in the order of DataType.
struct TypeRow {
  std::string_view name;
  std::uint8_t bytes;
  bool floating, is_signed;
};
inline constexpr TypeRow kTypes[] = {
    {"none", 0, false, false},
    {"pred", 0, false, false},
    {"b8", 1, false, false},
    {"u8", 1, false, false},
    {"s8", 1, false, true},
    {"b16", 2, false, false},
    {"u16", 2, false, false},
    {"s16", 2, false, true},
    {"f16", 2, true, true},
    {"f16x2", 4, true, true},
    {"bf16", 2, true, true},
    {"bf16x2", 4, true, true},
    {"b32", 4, false, false},
    {"u32", 4, false, false},
    {"s32", 4, false, true},
    {"f32", 4, true, true},
    {"b64", 8, false, false},
    {"u64", 8, false, false},
    {"s64", 8, false, true},
    {"f64", 8, true, true},
    // Conversion-only formats (tf32: a single whose low 13 bits are ignored), and pairs of integers.
    {"tf32", 4, true, true},
    {"e4m3x2", 2, true, true},
    {"e5m2x2", 2, true, true},
    {"u16x2", 4, false, false},
    {"s16x2", 4, false, true},
};
static_assert(sizeof(kTypes) / sizeof(kTypes[0]) == static_cast<std::size_t>(DataType::s16x2) + 1);

/// Size in bytes: 1 to 8; pred and none are 0. Hot: read on every memory access.
constexpr unsigned size_of(DataType type) { return kTypes[static_cast<std::size_t>(type)].bytes; }
constexpr bool is_float(DataType type) { return kTypes[static_cast<std::size_t>(type)].floating; }
constexpr bool is_signed(DataType type) { return kTypes[static_cast<std::size_t>(type)].is_signed; }
std::string_view name_of(DataType type);
std::string_view name_of(Opcode opcode);
std::string_view name_of(TimingClass timing_class);

/// Elements per word of a video instruction; 1 for scalar ones and all other operations.
constexpr unsigned video_elements(Opcode opcode) {
  switch (opcode) {
    case Opcode::vabsdiff2:
    case Opcode::vadd2:
    case Opcode::vavrg2:
    case Opcode::vmax2:
    case Opcode::vmin2:
    case Opcode::vset2:
    case Opcode::vsub2:
      return 2;
    case Opcode::vabsdiff4:
    case Opcode::vadd4:
    case Opcode::vavrg4:
    case Opcode::vmax4:
    case Opcode::vmin4:
    case Opcode::vset4:
    case Opcode::vsub4:
      return 4;
    default:
      return 1;
  }
}

/// vadd, vsub and the other video instructions: sub-word arithmetic, merged or combined with a third operand.
constexpr bool is_video(Opcode opcode) {
  switch (opcode) {
    case Opcode::vabsdiff:
    case Opcode::vadd:
    case Opcode::vmad:
    case Opcode::vmax:
    case Opcode::vmin:
    case Opcode::vset:
    case Opcode::vshl:
    case Opcode::vshr:
    case Opcode::vsub:
      return true;
    default:
      return video_elements(opcode) > 1;
  }
}

/// Whether a branch or memory operation does the same for all threads of a block that execute it together: not known;
/// only where an access that takes several transactions does not let some threads go ahead; always.
enum class Uniformity : std::uint8_t { none, whole_accesses, always };
enum class Space : std::uint8_t { none, generic, global, shared, local, constant, param, texture };
/// Shape of the texture or surface that coordinates refer to; `a`: an array of layers, whose index comes first.
enum class TextureGeometry : std::uint8_t { none, d1, d2, d3, a1d, a2d, cube, acube };
/// How a fetch selects the mip-map level: level 0, an explicit level, or gradients of the coordinates.
enum class TextureLod : std::uint8_t { base, level, gradient };
/// Action of the texture unit: `address` computes the address of a surface access, `pack` a texel in the surface's
/// format.
enum class TextureAction : std::uint8_t { fetch, gather, query, address, pack };
// clang-format off
enum class TextureQuery : std::uint8_t {
  width, height, depth, array_size, num_mipmap_levels, channel_data_type, channel_order, normalized_coords, num_samples,
  memory_layout, filter_mode, addr_mode_0, addr_mode_1, addr_mode_2, force_unnormalized_coords
};
// clang-format on
/// Out-of-range surface accesses: the kernel faults; the coordinate is clamped; or reads return zero and writes are
/// dropped.
enum class SurfaceBound : std::uint8_t { trap, clamp, zero };
/// Number of coordinates, not counting the layer.
constexpr unsigned dimensions_of(TextureGeometry geometry) {
  constexpr unsigned kDimensions[] = {0, 1, 2, 3, 1, 2, 3, 3};
  return kDimensions[static_cast<unsigned>(geometry)];
}
constexpr bool has_layers(TextureGeometry geometry) {
  return geometry == TextureGeometry::a1d || geometry == TextureGeometry::a2d || geometry == TextureGeometry::acube;
}
constexpr bool is_cube(TextureGeometry geometry) {
  return geometry == TextureGeometry::cube || geometry == TextureGeometry::acube;
}
enum class Rounding : std::uint8_t { none, rn, rz, rm, rp, rna, rni, rzi, rmi, rpi };
// clang-format off
enum class Compare : std::uint8_t {
  none, eq, ne, lt, le, gt, ge, lo, ls, hi, hs, equ, neu, ltu, leu, gtu, geu, num, nan
};
// clang-format on
enum class BoolOp : std::uint8_t { none, and_, or_, xor_ };
enum class MulMode : std::uint8_t { none, lo, hi, wide };
enum class AtomOp : std::uint8_t { none, and_, or_, xor_, exch, cas, add, inc, dec, min, max };
enum class ShflMode : std::uint8_t { none, up, down, bfly, idx };
enum class VoteMode : std::uint8_t { none, all, any, uni, ballot };
enum class MatchMode : std::uint8_t { none, any, all };
enum class BarMode : std::uint8_t { none, sync, arrive, red_popc, red_and, red_or };
enum class PrmtMode : std::uint8_t { none, f4e, b4e, rc8, ecl, ecr, rc16 };
enum class TestpMode : std::uint8_t { none, finite, infinite, number, notanumber, normal, subnormal };
/// Operation on an mbarrier object. copies_arrive: cp.async.mbarrier.arrive; the same with .noinc.
// clang-format off
enum class MbarrierMode : std::uint8_t {
  none, init, inval, expect_tx, complete_tx, arrive, arrive_drop, arrive_expect_tx, arrive_drop_expect_tx, test_wait,
  try_wait, copies_arrive, copies_arrive_noinc
};
// clang-format on
enum class CacheOp : std::uint8_t { none, ca, cg, cs, lu, cv, wb, wt };
enum class Scope : std::uint8_t { none, cta, gpu, sys };

/// Special registers. Vector-valued ones appear as one entry per component, in coordinate order.
// clang-format off
enum class SpecialRegister : std::uint8_t {
  tid_x, tid_y, tid_z, ntid_x, ntid_y, ntid_z, ctaid_x, ctaid_y, ctaid_z, nctaid_x, nctaid_y, nctaid_z,
  laneid, warpid, nwarpid, smid, nsmid, gridid, lanemask_eq, lanemask_le, lanemask_lt, lanemask_ge, lanemask_gt,
  clock, clock_hi, clock64, globaltimer, globaltimer_lo, globaltimer_hi, dynamic_smem_size, total_smem_size, zero
};
// clang-format on

/// Device-side system calls: resolved by the host side, not inlined.
enum class SystemCall : std::uint8_t { none, vprintf, malloc, free, assertfail, region_begin, region_end };

}  // namespace heddle::isa
