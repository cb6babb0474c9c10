// SPDX-License-Identifier: Apache-2.0
// The front end's output for one PTX module. Immutable once loaded and shared by every launch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "isa/micro_op.h"

namespace heddle::isa {

/// Order of a kernel's basic blocks. thread_frontier: every branch precedes the point where its ways meet, as far as
/// the control flow allows. text: that of the PTX, as a machine would run it that executes a binary unchanged. Source:
/// docs/sources/branch-and-warp-interweaving.md, 2.0 and 5.
enum class CodeOrder : std::uint8_t { thread_frontier, text };

/// A basic block, in code order. Instructions first .. last inclusive.
struct BasicBlock {
  std::uint32_t first = 0, last = 0;
  std::vector<std::uint32_t> successors, predecessors;  ///< block indices
  std::uint32_t immediate_post_dominator = 0;           ///< block index; the block count for the exit
  std::uint32_t immediate_dominator = 0;                ///< block index; own index for the entry
  std::uint32_t loop = 0;                               ///< innermost loop + 1; 0 is none
};

/// A natural loop. Irreducible regions are not loops; their blocks are marked by Kernel::irreducible.
struct Loop {
  std::uint32_t header = 0;  ///< block index
  std::uint32_t parent = 0;  ///< enclosing loop + 1; 0 is none
  std::uint32_t depth = 1;
  std::vector<std::uint32_t> blocks;  ///< ascending
};

/// A place where threads that took different ways meet again, and the last instruction that all of them have executed.
struct SyncPoint {
  std::uint32_t pc = 0;             ///< first instruction of the immediate post-dominator of a branch
  std::uint32_t divergence_pc = 0;  ///< last instruction of that block's immediate dominator; below `pc`
  bool operator==(const SyncPoint&) const = default;
};

struct Parameter {
  std::string name;
  std::uint32_t offset = 0, size = 0, alignment = 1;  ///< bytes in the parameter block
  DataType type = DataType::b8;                       ///< element type; `size` covers all elements
};

/// A variable of the block's shared memory, for messages.
struct SharedVariable {
  std::string name;
  std::uint32_t offset = 0;
  std::uint64_t size = 0;  ///< bytes; 0: dynamic, sized by the launch
};

/// A place in the source program.
struct SourcePlace {
  std::uint16_t file = 0;  ///< index into Kernel::files; 0 is none
  std::uint32_t line = 0;
  bool operator<(const SourcePlace& other) const { return file != other.file ? file < other.file : line < other.line; }
};

struct Kernel {
  std::string name;
  std::vector<MicroOp> ops;  ///< index = program counter
  std::vector<BasicBlock> blocks;
  std::vector<Loop> loops;
  bool irreducible = false;
  std::vector<SyncPoint> sync_points;                    ///< ascending by pc
  std::vector<std::vector<std::uint32_t>> target_lists;  ///< program counters of indirect branches
  std::vector<Parameter> parameters;
  std::uint32_t parameter_bytes = 0;
  std::vector<SharedVariable> shared_variables;
  std::uint32_t static_shared_bytes = 0;  ///< without dynamic shared memory
  std::uint32_t local_bytes = 0;          ///< a thread's local memory
  std::uint32_t registers = 0;            ///< allocated 32-bit registers per thread
  std::uint32_t spilled_values = 0;       ///< values kept in local memory because of a register limit
  std::uint32_t spilled_bytes = 0;        ///< spill slots' share of local_bytes
  std::uint32_t named_registers = 0;      ///< registers as PTX names them
  std::uint32_t predicates = 0;
  std::uint32_t named_predicates = 0;        ///< predicates as PTX names them
  std::uint32_t frame_bytes = 0;             ///< of an ISA warp: registers, then predicates
  std::uint32_t predicate_offset = 0;        ///< frame offset of predicate 0; predicate i at + 4 i
  std::uint32_t max_threads[3] = {0, 0, 0};  ///< .maxntid or .reqntid; 0 is unset
  bool required_threads = false;             ///< .reqntid
  std::uint32_t min_blocks = 0, max_registers = 0;
  bool uses_collectives = false;     ///< vote, shuffle, match, warp barrier: needs rendezvous of an ISA warp
  std::vector<std::byte> constants;  ///< replicated immediates, 64-byte aligned entries
  std::vector<std::string> files, texts;
  std::vector<SourcePlace> inlined{1};  ///< places in inlined functions; the first is none
  std::vector<std::string> notes;       ///< warnings to print once, such as an unmet register limit
  std::string ptx_name;                 ///< the module's name in messages

  const std::string& text(const MicroOp& op) const { return texts[op.text]; }
};

/// A module-scope variable, or a shared variable's place in the block's window.
struct Variable {
  std::string name;
  Space space = Space::global;
  std::uint64_t size = 0;
  std::uint32_t alignment = 1;
  std::vector<std::byte> initial;  ///< zero-filled beyond its end
  struct Relocation {
    std::uint64_t offset;  ///< in `initial`
    std::string symbol;    ///< address stored there
    std::int64_t addend;
    bool generic;             ///< generic(symbol)
    std::uint32_t bytes = 8;  ///< width of the stored address
  };
  std::vector<Relocation> relocations;
  bool external = false, managed = false;
};

}  // namespace heddle::isa
