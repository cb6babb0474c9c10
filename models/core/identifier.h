// SPDX-License-Identifier: Apache-2.0
// Numbers that name a thing: context, machine warp, block slot, issue slot, SM. Each kind is a type of its own, so that
// one cannot be passed for another; all serve as an index.
#pragma once

#include <cassert>
#include <compare>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>

namespace heddle {

/// An identifier of the kind that Tag names. Made explicitly from an integer that fits; 0 by default. Converts to
/// std::size_t, as which it indexes, compares with integers and takes part in arithmetic, but neither converts to nor
/// compares with an identifier of another kind.
template <typename Tag>
class Identifier {
 public:
  using Number = std::uint16_t;

  constexpr Identifier() = default;
  template <std::integral Integer>
  constexpr explicit Identifier(Integer number) : number_(static_cast<Number>(number)) {
    assert(static_cast<Integer>(number_) == number);
  }
  constexpr operator std::size_t() const { return number_; }
  /// For messages, files, and identifiers of another kind that go by the same number.
  constexpr Number number() const { return number_; }

  constexpr Identifier& operator++() {
    ++number_;
    return *this;
  }
  constexpr auto operator<=>(const Identifier&) const = default;
  /// For fmt, which formats the number.
  friend constexpr Number format_as(Identifier identifier) { return identifier.number_; }

 private:
  Number number_ = 0;
};

template <typename A, typename B>
requires(!std::same_as<A, B>) bool operator==(Identifier<A>, Identifier<B>) = delete;
template <typename A, typename B>
requires(!std::same_as<A, B>) std::strong_ordering operator<=>(Identifier<A>, Identifier<B>) = delete;

/// Number of an SM in the machine, counted over all classes of SMs: 0 .. number of SMs - 1.
using SmId = Identifier<struct SmIdTag>;

// -- within an SM
/// A context, which is what a scheduler picks: one program counter and a set of threads. 0 .. ContextSet::kBits - 1, or
/// kNoContext.
using ContextId = Identifier<struct ContextIdTag>;
inline constexpr ContextId kNoContext{0xffff};
/// A machine warp, the unit of hazards, waiting threads and line ownership. On machines with one context per warp it
/// goes by the number of its context. 0 .. number of contexts - 1.
using WarpId = Identifier<struct WarpIdTag>;
/// The place of a resident block: 0 .. ResidencyParameters::blocks - 1.
using BlockSlot = Identifier<struct BlockSlotTag>;
/// An issue slot of a cycle: 0 .. SmParameters::schedulers - 1.
using IssueSlot = Identifier<struct IssueSlotTag>;

}  // namespace heddle

template <typename Tag>
struct std::hash<heddle::Identifier<Tag>> {
  std::size_t operator()(heddle::Identifier<Tag> identifier) const noexcept { return identifier; }
};
