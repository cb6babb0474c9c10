// SPDX-License-Identifier: Apache-2.0
// By-value parameters of inlined calls: promoted to registers when all accesses agree on the same slots, otherwise kept
// in local memory.
#pragma once

#include <cstdint>
#include <vector>

#include "isa/lowering/ir.h"
#include "isa/ptx/syntax.h"

namespace heddle::isa {

/// An actual parameter and the formal it binds to are unified into one parameter.
class CallParameters {
 public:
  using Id = std::uint32_t;

  /// `owner`: subroutine + 1 if each of its activations has a copy; 0: a single copy.
  Id add(const LocalVariable& variable, std::uint32_t owner);
  std::uint64_t size(Id parameter) const { return parameters_[parameter].size; }
  /// Unifies an actual with a formal parameter. False when both already have their own memory.
  bool unite(Id a, Id b);
  /// Forces the parameter into local memory and returns its offset (of an owned one: in its activation's frame),
  /// allocated from `local_bytes` on first use.
  std::uint64_t place(Id parameter, std::uint32_t& local_bytes);

  /// Registers the op about to be pushed to `ir` as an access: an ld or st without address whose operands are set.
  /// `offset` in bytes.
  void access(const Ir& ir, Id parameter, std::uint64_t offset) {
    accesses_.push_back({static_cast<std::uint32_t>(ir.ops.size()), parameter, offset, kNoParameter});
  }
  /// Registers the op about to be pushed as a copy of a whole parameter to another that has no other stores.
  void copy(const Ir& ir, Id to, Id from) {
    accesses_.push_back({static_cast<std::uint32_t>(ir.ops.size()), to, 0, from});
  }

  /// Replaces every access by moves (marked foldable) or by local loads and stores.
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
  // A piece of a parameter that is only ever stored as a whole.
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
  std::vector<Access> accesses_;  // in op order
};

}  // namespace heddle::isa
