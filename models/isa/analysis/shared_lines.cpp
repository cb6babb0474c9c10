// SPDX-License-Identifier: Apache-2.0
#include "isa/analysis/shared_lines.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <numeric>
#include <set>
#include <tuple>
#include <utility>

namespace heddle::isa {
namespace {

constexpr std::uint32_t kAtEntry = ~std::uint32_t{0};  ///< in place of the PC of a definition
constexpr unsigned kMostAdditions = 64;

/// A register as it is at a place: its number and the instructions that may have written it last.
struct Base {
  RegisterId reg = kNoRegister;  ///< kNoRegister: the address has none
  std::set<std::uint32_t> definitions;
  auto operator<=>(const Base&) const = default;
};
struct Address {
  Base base;
  std::int64_t displacement = 0;
};

constexpr unsigned kDeepestForm = 16;  ///< operations between an address and the values that it is computed from

/// How a value is computed, as a list of numbers: equal for copies of a computation.
using Form = std::vector<std::uint64_t>;
enum class Term : std::uint64_t { loaded, computed, constant, reg };

bool is_plain_arithmetic(const MicroOp& op) {
  switch (op.opcode) {
    case Opcode::mov:
    case Opcode::cvt:
    case Opcode::cvta:
    case Opcode::add:
    case Opcode::sub:
    case Opcode::mul:
    case Opcode::mad:
    case Opcode::shl:
      return op.destination_count == 1 && !op.guard.present();
    default:
      return false;
  }
}

class BaseAddresses {
 public:
  explicit BaseAddresses(const Kernel& kernel) : kernel_(kernel) {}

  Address of(const MicroOp& op) const {
    Address at{{}, op.address_offset};
    if (op.sources[0].base != Operand::Base::frame) {
      if (op.sources[0].present()) at.displacement += constant(op.sources[0]);
      return at;
    }
    // Reads are listed in the order of the operands.
    at.base = base_at(op.pc, op.named.reads[0]);
    for (unsigned i = 0; i < kMostAdditions && resolve(at); ++i) {
    }
    return at;
  }

  /// How the base is computed from what loads read. groups: of loads, by program counter; those of a group read
  /// different elements of one array.
  Form form(const Base& base, const std::map<std::uint32_t, unsigned>& groups) const {
    Form out;
    add_form(base, groups, kDeepestForm, out);
    return out;
  }

 private:
  void add_form(const Base& base, const std::map<std::uint32_t, unsigned>& groups, unsigned depth, Form& out) const {
    const bool one = base.definitions.size() == 1 && *base.definitions.begin() != kAtEntry;
    const MicroOp* const op = one ? &kernel_.ops[*base.definitions.begin()] : nullptr;
    const auto add = [&out](auto number) { out.push_back(static_cast<std::uint64_t>(number)); };
    if (const auto group = one ? groups.find(op->pc) : groups.end(); group != groups.end() && !op->guard.present()) {
      add(Term::loaded);
      add(group->second);
      // Of a vector load, which element.
      add(std::find(op->named.writes.begin(), op->named.writes.end(), base.reg) - op->named.writes.begin());
    } else if (one && depth > 0 && is_plain_arithmetic(*op)) {
      add(Term::computed);
      for (const auto number : {static_cast<unsigned>(op->opcode), static_cast<unsigned>(op->type),
                                static_cast<unsigned>(op->source_type), static_cast<unsigned>(op->mul_mode)})
        add(number);
      for (unsigned i = 0, read = 0; i < op->source_count; ++i) {
        if (op->sources[i].base == Operand::Base::frame) {
          add_form(base_at(op->pc, op->named.reads[read++]), groups, depth - 1, out);
        } else {
          add(Term::constant);
          add(constant(op->sources[i]));
        }
      }
    } else {
      add(Term::reg);
      add(base.reg);
      add(base.definitions.size());
      for (const std::uint32_t definition : base.definitions) add(definition);
    }
  }

  Base base_at(std::uint32_t pc, RegisterId reg) const {
    Base base{reg, {}};
    std::set<std::uint32_t> seen;  // blocks searched from their end
    search(kernel_.ops[pc].block, pc, base, seen);
    return base;
  }

  /// Adds the definitions that reach the instruction `end` of the block.
  void search(std::uint32_t block, std::uint32_t end, Base& base, std::set<std::uint32_t>& seen) const {
    for (std::uint32_t pc = end; pc-- > kernel_.blocks[block].first;) {
      const MicroOp& op = kernel_.ops[pc];
      const auto writes = op.named.writes.begin();
      if (std::find(writes, writes + op.named.write_count, base.reg) == writes + op.named.write_count) continue;
      base.definitions.insert(pc);
      if (!op.guard.present()) return;
    }
    if (block == 0) base.definitions.insert(kAtEntry);
    for (const std::uint32_t before : kernel_.blocks[block].predecessors) {
      if (seen.insert(before).second) search(before, kernel_.blocks[before].last + 1, base, seen);
    }
  }

  /// Replaces a base that is another register plus a constant. False: it is not.
  bool resolve(Address& at) const {
    if (at.base.definitions.size() != 1 || *at.base.definitions.begin() == kAtEntry) return false;
    const MicroOp& op = kernel_.ops[*at.base.definitions.begin()];
    const bool copies = op.opcode == Opcode::mov || op.opcode == Opcode::cvta;
    if (op.guard.present() || op.destination_count != 1 || (!copies && op.opcode != Opcode::add)) return false;
    const Operand *reg = nullptr, *number = nullptr;
    for (unsigned i = 0; i < op.source_count; ++i) {
      (op.sources[i].base == Operand::Base::frame ? reg : number) = &op.sources[i];
    }
    if (reg == nullptr || op.named.read_count != 1 || op.source_count != (copies ? 1u : 2u)) return false;
    if (number != nullptr) at.displacement += constant(*number);
    if (!copies && number == nullptr) return false;
    at.base = base_at(op.pc, op.named.reads[0]);
    return true;
  }

  std::int64_t constant(const Operand& operand) const {
    const std::byte* const at = kernel_.constants.data() + operand.offset;
    if (operand.type == DataType::b64) {
      std::int64_t value = 0;
      std::memcpy(&value, at, sizeof value);
      return value;
    }
    std::int32_t value = 0;
    std::memcpy(&value, at, sizeof value);
    return value;
  }

  const Kernel& kernel_;
};

/// Of loads by number, those that get the number of others with it: copies of one load of the source, which an unrolled
/// loop has for elements of arrays that loads of one line name. True: some did.
bool join_copies(const Kernel& kernel, const std::vector<std::uint32_t>& loads, const std::vector<Address>& at,
                 const BaseAddresses& addresses, std::vector<std::size_t>& first) {
  std::map<std::uint32_t, unsigned> groups;
  for (std::size_t i = 0; i < loads.size(); ++i) groups[loads[i]] = static_cast<unsigned>(first[i]);
  std::map<std::tuple<std::uint16_t, std::uint32_t, std::uint16_t, Space, DataType, std::int64_t, Form>, std::size_t>
      known;
  for (std::size_t i = 0; i < loads.size(); ++i) {
    const MicroOp& op = kernel.ops[loads[i]];
    if (op.source_line == 0) continue;
    const auto [same, added] = known.try_emplace({op.source_file, op.source_line, op.inlined, op.space, op.type,
                                                  at[i].displacement, addresses.form(at[i].base, groups)},
                                                 first[i]);
    if (added || same->second == first[i]) continue;
    std::replace(first.begin(), first.end(), std::size_t{first[i]}, same->second);
    return true;
  }
  return false;
}

}  // namespace

std::vector<unsigned> loads_by_line(const Kernel& kernel, const std::vector<std::uint32_t>& loads,
                                    unsigned line_bytes) {
  const BaseAddresses addresses(kernel);
  std::vector<Address> at;
  std::map<std::pair<Space, Base>, std::vector<std::pair<std::int64_t, std::size_t>>> by_base;
  for (std::size_t i = 0; i < loads.size(); ++i) {
    const MicroOp& op = kernel.ops[loads[i]];
    at.push_back(addresses.of(op));
    by_base[{op.space, at[i].base}].emplace_back(at[i].displacement, i);
  }
  std::vector<std::size_t> first(loads.size());  // of the loads of its line
  std::iota(first.begin(), first.end(), std::size_t{0});
  for (auto& [base, members] : by_base) {
    std::sort(members.begin(), members.end());
    std::size_t start = 0;
    for (std::size_t i = 1; i < members.size(); ++i) {
      if (members[i].first - members[start].first >= static_cast<std::int64_t>(line_bytes)) start = i;
      first[members[i].second] = members[start].second;
    }
  }
  while (join_copies(kernel, loads, at, addresses, first)) {
  }
  std::vector<unsigned> numbers(loads.size());
  std::map<std::size_t, unsigned> known;
  for (std::size_t i = 0; i < loads.size(); ++i)
    numbers[i] = known.try_emplace(first[i], static_cast<unsigned>(known.size())).first->second;
  return numbers;
}

}  // namespace heddle::isa
