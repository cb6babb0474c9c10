// SPDX-License-Identifier: Apache-2.0
// One PTX instruction, fully resolved at load: executing it needs no name lookup, decoding or allocation.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "isa/types.h"

namespace heddle::isa {

struct MicroOp;

/// Sub-word selectors of a video instruction, and the modifiers of vmad.
struct VideoModifiers {
  /// Scalar: 0 the word, 1 to 4 .b0 to .b3, 5 and 6 .h0 and .h1. Pairs and quads: four bits per element, lowest first,
  /// selecting from b:a.
  std::uint16_t select_a = 0, select_b = 0;
  std::uint8_t merge = 0;  ///< scalar: as above, destination within c; pairs and quads: mask of elements written
  std::uint8_t scale = 0;  ///< vmad: 0, 7 or 15
  bool plus_one = false, negate_product = false, negate_addend = false;  ///< vmad
};

/// Modifiers of a texture unit operation.
struct TextureModifiers {
  TextureGeometry geometry = TextureGeometry::none;
  TextureAction action = TextureAction::fetch;
  TextureLod lod = TextureLod::base;
  TextureQuery query = TextureQuery::width;
  SurfaceBound bound = SurfaceBound::trap;  ///< surfaces
  std::uint8_t component = 0;               ///< gather: 0 to 3
  std::uint8_t access_bytes = 0;            ///< address: size of the access
  bool formatted = false;                   ///< surfaces: x in texels, data in components; else x in bytes
  /// address: d1 is true only where a texel has `access_bytes`. A formatted store lowers to one store per texel size.
  bool by_size = false;
};

/// Lanes of a register vector. Functional work runs over aligned words of this many threads (an ISA warp).
inline constexpr unsigned kWordThreads = 32;
/// Bytes of one allocated 32-bit register of an ISA warp: 32 lanes of 4 bytes, contiguous.
inline constexpr unsigned kRegisterUnitBytes = 128;

// Layout of values in the frame. Every register of 32 bits or less (including b8, b16, f16 etc.) has 32 cells of 4
// bytes, one per lane; a 64-bit register has 32 cells of 8 bytes and starts at an even unit; a predicate is one 32-bit
// mask, bit i for lane i. An 8- or 16-bit value occupies the low bytes of its cell. A read uses only the bytes of its
// own type; a write fills the cell, sign-extending s8, s16 and s32 and zero-extending the others. Immediates in the
// constants have the same layout. Operand.type selects 4-byte cells, 8-byte cells or a predicate.

// clang-format off
// Operand order where the PTX syntax does not determine it (destinations -> d, sources -> s):
//   mov, pack     d0; s0..s3, lowest bits first        mov, unpack  d0..d3, lowest bits first (absent: `_`); s0
//   setp          d0 = p, d1 = q (may be absent); s0, s1, s2 = predicate of the bool op
//   set           d0; s0, s1, s2 = predicate of the bool op
//   slct          type = d, source_type = that of s2
//   add.cc sub.cc mad.cc and addc, subc, madc: the condition code is a predicate; carry_out writes it as d1, and addc,
//                 subc, madc read it as their last source
//   dp4a dp2a     type = that of s0, source_type = that of s1; dp2a.lo/.hi in mul_mode; s2 and d0 are s32 or u32
//   cvt           to f16x2 or bf16x2 from two f32: s0 is the upper half, s1 the lower, as in the text
//   vote          d0; s0 = predicate, s1 = member mask when sync_form
//   shfl          d0, d1 = predicate (may be absent); s0, s1 = lane, s2 = clamp and segment, s3 = member mask when sync_form
//   match         d0, d1 = predicate (may be absent); s0, s1 = member mask
//   redux         d0; s0, s1 = member mask; the operation in atom_op
//   ld            d0..d3 (absent: `_`); s0 = address       st  s0 = address, s1.. = data
//   atom, red     d0 (atom only, may be absent); s0 = address, s1 = b, s2 = c
//   cond_acc      d0 = count; s0 = address, s1 = predicate, s2 = data, s3 = member mask when sync_form
//   tree_traverse d0; s0 = base, s1 = predicate, s2 = node size, s3 = member mask when sync_form
//   brx           s0 = index into the target list
//   lop3          d0, d1 = predicate (may be absent); s0, s1, s2; with .and or .or in bool_op: s3 = predicate
//   cvt_pack      d0; s0 the upper element, s1 the lower, s2 the value shifted up (may be absent)
//   video         d0; s0, s1, s2 = the value to merge or combine with (scalar: may be absent)
//   elect         d0 = lane (may be absent), d1 = predicate; s0 = member mask
//   async_copy    s0 = address in global memory, s1 = in shared memory, s2 = bytes read or predicate (may be absent);
//                 vector_width words of b32 are written
//   tex           s0 = handle, then the layer (a1d, a2d, acube), the coordinates, and the level or the gradients in x and
//                 in y; by texture.action: fetch and gather give d0..d3; query d0, s1 = level where one is given; address
//                 d0 = address, d1 = predicate that there is one (may be absent); pack d0..d3 = the texel's bytes, s1.. its
//                 components
//   suld sust sured, tld4, txq, suq are written as tex and ld, st, red
//   async_wait    s0 = committed groups that may still be in flight; absent: none
//   mbarrier      d0 = state or predicate (may be absent); s0 = address; s1, s2 as written: count, bytes, state, parity
// clang-format on

/// Where an operand lives. Offsets are bytes from the base: `frame` is the ISA warp's register frame (registers first,
/// by register then by thread, followed by predicates as 32-bit masks), `constants` is the kernel's pool of immediates,
/// each replicated over 32 lanes (predicates: one mask), so that a lane operation reads both the same way.
struct Operand {
  enum class Base : std::uint8_t { frame = 0, constants = 1, none = 2 };
  std::uint32_t offset = 0;
  Base base = Base::none;
  bool negate = false;  ///< predicate source used inverted (`!%p`); arithmetic negation does not occur in PTX operands
  DataType type = DataType::none;  ///< storage: pred, b16, b32 or b64

  bool present() const { return base != Base::none; }
};

/// Executes the operation for the lanes in `mask` of one ISA warp. bases[0] is the frame, bases[1] the constants.
using LaneFunction = void (*)(const MicroOp& op, std::byte* const* bases, std::uint32_t mask);

/// A register as hazards and banks see it. Predicates are numbered from kFirstPredicate.
using RegisterId = std::uint16_t;
inline constexpr RegisterId kFirstPredicate = 0x8000;
inline constexpr RegisterId kNoRegister = 0xffff;

/// Registers an operation reads and writes, twice: as allocated (32-bit units; a 64-bit value is two) and as PTX names
/// them (virtual). A machine chooses by `sm.hazard_registers`.
struct RegisterUse {
  static constexpr unsigned kMaxReads = 14, kMaxWrites = 8;
  std::array<RegisterId, kMaxReads> reads{};
  std::array<RegisterId, kMaxWrites> writes{};
  std::uint8_t read_count = 0, write_count = 0;
};

/// Operand order and fields by operation: docs/micro-ops.md.
struct alignas(64) MicroOp {
  static constexpr unsigned kMaxDestinations = 4, kMaxSources = 11;

  // -- read on every issue: in three host cache lines, of which the middle one has the further sources
  LaneFunction lane_function = nullptr;  ///< null for memory, control and collective operations
  std::array<Operand, kMaxDestinations> destinations{};
  std::array<Operand, kMaxSources> sources{};  ///< memory operations: [0] is the address; stores: data from [1] on
  std::uint8_t destination_count = 0, source_count = 0;
  Opcode opcode = Opcode::mov;
  DataType type = DataType::none;         ///< instruction type (the destination's, for cvt, set, slct)
  DataType source_type = DataType::none;  ///< cvt, set, slct, tex: the source's type
  DataType third_type = DataType::none;   ///< video instructions: that of b; cvt.pack: that of c
  Unit unit = Unit::alu;
  TimingClass timing_class = TimingClass::int_add;
  Operand guard;          ///< absent: unconditional; `negate` for `@!%p`
  RegisterUse allocated;  ///< for hazards and banks
  /// Branches: whether threads that execute it together go the same way. Memory operations: whether they access one
  /// address. Found by analysis/uniformity.h.
  Uniformity uniformity = Uniformity::none;

  // -- modifiers
  Space space = Space::none;
  Rounding rounding = Rounding::none;
  Compare compare = Compare::none;
  BoolOp bool_op = BoolOp::none;
  MulMode mul_mode = MulMode::none;
  AtomOp atom_op = AtomOp::none;
  ShflMode shfl_mode = ShflMode::none;
  VoteMode vote_mode = VoteMode::none;
  MatchMode match_mode = MatchMode::none;
  BarMode bar_mode = BarMode::none;
  PrmtMode prmt_mode = PrmtMode::none;
  TestpMode testp_mode = TestpMode::none;
  MbarrierMode mbarrier_mode = MbarrierMode::none;
  CacheOp cache_op = CacheOp::none;
  Scope scope = Scope::none;
  SpecialRegister special = SpecialRegister::zero;
  SystemCall system_call = SystemCall::none;
  std::uint8_t vector_width = 1;  ///< 1, 2 or 4 elements of ld, st, tex
  bool saturate = false, flush_to_zero = false, approximate = false, full_range = false;
  bool uniform = false;    ///< `.uni`, as written; see `uniformity`
  bool sync_form = false;  ///< `.sync`: has a member mask; else the active threads of a reconvergence stack
  bool is_volatile = false;
  bool acquires = false, releases = false;
  bool to_space = false;       ///< cvta.to.<space>; else <space> to generic
  bool shift_wrap = false;     ///< shf.wrap; else clamp. shf direction: `right`
  bool right = false;          ///< shf.r
  bool shift_amount = false;   ///< bfind.shiftamt
  bool propagate_nan = false;  ///< min.NaN, max.NaN
  bool relu = false;           ///< fma, cvt: negative results become 0
  bool finite = false;         ///< cvt.satfinite: overflow gives the largest number
  bool magnitude = false;      ///< redux.abs: of the operands
  bool sign_product = false;   ///< min, max .xorsign.abs: the sign is that of the product
  bool by_parity = false;      ///< mbarrier waits: .parity
  bool carry_out = false;      ///< .cc: writes the condition code, which is a register of the frame like any other
  bool non_coherent = false;   ///< ld.nc
  bool row_hint = false;       ///< ld.rowhint: another request to the same DRAM row will follow soon
  std::uint8_t immediate_table = 0;  ///< lop3 look-up table
  std::uint8_t pack_bits = 0;        ///< cvt.pack: width of an element
  VideoModifiers video;
  TextureModifiers texture;
  std::int64_t address_offset = 0;  ///< added to the address of a memory operation, bytes
  std::int64_t target_offset = 0;   ///< async_copy: added to the address it writes
  bool absolute_address = false;    ///< no address register: address_offset is the address

  // -- control flow; program counters are instruction indices in thread-frontier order
  std::uint32_t pc = 0;
  std::uint32_t target = 0;            ///< branch target
  std::uint32_t reconvergence_pc = 0;  ///< a branch's immediate post-dominator; ops.size() when only exit is common
  std::uint32_t target_list = 0;       ///< brx: index into Kernel::target_lists
  std::uint32_t block = 0;             ///< basic block index

  RegisterUse named;  ///< as PTX names the registers

  // -- where it came from
  std::uint32_t ptx_line = 0;
  std::uint32_t source_line = 0;  ///< what is charged: for an instruction of an inlined library function, its call
  std::uint16_t source_file = 0;  ///< index into Kernel::files; 0 is none
  std::uint16_t inlined = 0;      ///< index into Kernel::inlined: the place in the inlined function; 0 is none
  std::uint32_t text = 0;         ///< index into Kernel::texts: the instruction as written, for listings
};

}  // namespace heddle::isa
