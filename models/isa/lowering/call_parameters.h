// SPDX-License-Identifier: Apache-2.0
// Parameters that inlined calls pass by value: folded to registers where every access agrees on the pieces, kept in
// local memory where one does not.
#pragma once

#include <cstdint>
#include <vector>

#include "isa/lowering/ir.h"
#include "isa/ptx/syntax.h"

namespace heddle::isa {

/// Actual and formal parameters that a call binds are one and the same parameter here.
class CallParameters {
 public:
  using Id = std::uint32_t;

  /// `owner`: subroutine + 1 whose activations each have one; 0: there is one only.
  Id add(const LocalVariable& variable, std::uint32_t owner);
  std::uint64_t size(Id parameter) const { return parameters_[parameter].size; }
  /// A call passes one as the other. False when both were given places of their own in memory.
  bool unite(Id a, Id b);
  /// The parameter must have an address: its offset in local memory (of an owned one: in its activation's frame), taken
  /// from `local_bytes` the first time.
  std::uint64_t place(Id parameter, std::uint32_t& local_bytes);

  /// The op about to be pushed to `ir` is an access: an ld or st without address whose operands are set. `offset`:
  /// bytes.
  void access(const Ir& ir, Id parameter, std::uint64_t offset) {
    accesses_.push_back({static_cast<std::uint32_t>(ir.ops.size()), parameter, offset, kNoParameter});
  }
  /// The op about to be pushed stands for copying all of one parameter to another, which nothing else stores to.
  void copy(const Ir& ir, Id to, Id from) {
    accesses_.push_back({static_cast<std::uint32_t>(ir.ops.size()), to, 0, from});
  }

  /// Replaces every access by moves (marked as foldable) or by loads and stores of local memory.
  void resolve(Ir& ir, std::uint32_t& local_bytes);

 private:
  static constexpr std::uint64_t kNoPlace = ~std::uint64_t{0};
  static constexpr Id kNoParameter = ~Id{0};
  struct Parameter {
    Id parent;
    std::uint64_t size, place;
    std::uint32_t alignment, owner;
  };
  struct Access {
    std::uint32_t op;
    Id parameter;
    std::uint64_t offset;
    Id copied;  // the source of a copy, or kNoParameter
  };
  // A piece of a parameter that is always stored as a whole.
  struct Slot {
    std::uint64_t offset;
    std::uint32_t bytes;
    std::uint32_t reg;
  };
  struct Slots {
    bool in_memory = false;
    std::vector<Slot> slots;  // ascending by offset, disjoint
  };

  Id root(Id parameter);
  std::vector<Slots> find_slots(Ir& ir);
  void settle(Slots& slots) const;
  void check_loads(const Ir& ir, std::vector<Slots>& by_root);
  MicroOp in_memory(Ir& out, MicroOp op, Id root, std::uint64_t offset, std::uint32_t& local_bytes);
  void rewrite_copy(Ir& out, const MicroOp& like, Id to, Id from, const std::vector<Slots>& slots,
                    std::uint32_t& local_bytes);
  static void rewrite(Ir& out, const MicroOp& op, std::uint64_t offset, const Slots& slots);
  static void store_piece(Ir& out, const MicroOp& op, const Operand& value, const Slot& slot);
  static void load_piece(Ir& out, const MicroOp& op, const Operand& destination, std::uint64_t offset,
                         const Slots& slots);

  std::vector<Parameter> parameters_;
  std::vector<Access> accesses_;  // ascending by op
};

}  // namespace heddle::isa
