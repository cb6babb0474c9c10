// SPDX-License-Identifier: Apache-2.0
// Parameter groups. A group is a plain struct next to the mechanism it configures. Its describe() declares every field
// once: name, meaning, unit, legal values, source. Loading, --set, the resolved configuration, the schema, `heddle
// explain` and the reference pages are all visitors of that one declaration (configuration.h). JSON-free, as logic
// includes this header.
//
//   struct CacheParameters {
//     unsigned sets = 32, ways = 4;
//     MissTableParameters misses;
//     void describe(ParameterVisitor& v) {
//       v("sets", sets, "number of sets", unit::kSets, power_of_two(1, 1 << 20));
//       v("ways", ways, "lines per set", unit::kWays, range(1, 64));
//       v("misses", misses, "outstanding misses");
//     }
//     void check(ParameterChecks& c) const {  // optional: constraints between values
//       c.require(sets * ways <= 4096, "sets", "a tag array holds at most 4096 lines");
//     }
//   };
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include "core/unit.h"

namespace heddle {

class ParameterVisitor;

/// One named value of an enumeration or of a string parameter.
struct NamedChoice {
  std::string name;
  std::string sentence;
  std::int64_t value = 0;
};

/// Legal values of a parameter. Numeric bounds are inclusive.
struct Legal {
  enum class Kind { any, range, power_of_two, multiple, one_of, names };
  Kind kind = Kind::any;
  double low = 0, high = 0, step = 1;
  std::vector<double> values;        ///< kOneOf
  std::vector<NamedChoice> choices;  ///< kNames

  bool allows(double value) const;
  bool allows(std::string_view name) const;
  /// For messages: "1 .. 64", "a power of two, 1 .. 64", "one of 4, 8", "buffered, barrel".
  std::string text() const;
};

/// Any value of the parameter's type.
Legal any();
Legal range(double low, double high);
/// At least `low`, no upper bound.
Legal at_least(double low);
Legal power_of_two(double low, double high);
/// Multiples of `step`, low .. high.
Legal multiple_of(double step, double low, double high);
Legal one_of(std::initializer_list<double> values);
/// Legal strings of a std::string parameter.
Legal names(std::initializer_list<std::string_view> names);

/// Values of an enumeration and their names.
template <typename Enum>
struct Choices {
  struct Choice {
    std::string_view name;
    Enum value;
    std::string_view sentence = {};
  };
  std::vector<Choice> list;
};
template <typename Enum>
Choices<Enum> choices(std::initializer_list<typename Choices<Enum>::Choice> list) {
  return {{list.begin(), list.end()}};
}

/// Declaration of a parameter. The views are valid during the visit only.
struct ParameterDeclaration {
  std::string_view name;
  std::string_view sentence;
  Unit unit;
  Legal legal;
  std::string_view source = {};
};

/// A parameter's value during a visit; monostate is an empty optional (`null` in JSON).
using ParameterValue = std::variant<std::monostate, bool, std::int64_t, std::uint64_t, double, std::string>;

/// Read and write access to one scalar member.
class ScalarReference {
 public:
  enum class Type { bool_, signed_, unsigned_, real, text, enum_ };
  virtual ~ScalarReference() = default;
  virtual Type type() const = 0;
  virtual bool optional() const { return false; }
  /// Smallest and largest value of the member's type (numbers).
  virtual double lowest() const { return 0; }
  virtual double highest() const { return 0; }
  virtual ParameterValue get() const = 0;
  /// value: must already be checked against type and Legal.
  virtual void set(const ParameterValue& value) = 0;
};

/// Reports inconsistent values found by a group's check().
class ParameterChecks {
 public:
  virtual ~ParameterChecks() = default;
  /// key: relative to the group. message: what is wrong and how to fix it.
  virtual void require(bool holds, std::string_view key, std::string_view message) = 0;
};

/// Type-erased reference to a group.
class GroupReference {
 public:
  template <typename Group>
  requires(!std::is_same_v<std::remove_const_t<Group>, GroupReference>) explicit GroupReference(Group& group)
      : object_(&group),
        describe_([](void* object, ParameterVisitor& visitor) { static_cast<Group*>(object)->describe(visitor); }),
        check_([](const void* object, ParameterChecks& checks) {
          if constexpr (requires(const Group& g) { g.check(checks); }) static_cast<const Group*>(object)->check(checks);
        }) {}
  void describe(ParameterVisitor& visitor) const { describe_(object_, visitor); }
  void check(ParameterChecks& checks) const { check_(object_, checks); }

 private:
  void* object_;
  void (*describe_)(void*, ParameterVisitor&);
  void (*check_)(const void*, ParameterChecks&);
};

/// A list of scalars or groups.
class ListReference {
 public:
  virtual ~ListReference() = default;
  virtual std::size_t size() const = 0;
  /// Added elements are copies of the first, or defaults when the list is empty.
  virtual void resize(std::size_t count) = 0;
  /// Visits element i, named by its index. i: 0 .. size()-1.
  virtual void visit(std::size_t i, ParameterVisitor& visitor) = 0;
  /// Visits an element with default values under the name "*" (schema, explain).
  virtual void visit_default(ParameterVisitor& visitor) = 0;
};

/// Type-erased parameters of one mechanism (mechanism.h).
class MechanismSettings {
 public:
  virtual ~MechanismSettings() = default;
  virtual GroupReference group() = 0;
};

/// A key that names one mechanism, or an ordered list of them, and the mechanisms' parameters.
class MechanismReference {
 public:
  struct Candidate {
    std::string name, sentence, source;
    MechanismSettings* settings = nullptr;  ///< null: the mechanism has no parameters
    std::string absent;                     ///< why this build lacks it; empty: available
  };
  virtual ~MechanismReference() = default;
  virtual bool list() const = 0;
  virtual std::vector<std::string> chosen() const = 0;
  /// names: must be registered; exactly one unless list().
  virtual void choose(std::vector<std::string> names) = 0;
  /// Every registered mechanism, in alphabetical order. Their parameters form a group next to the key, under the
  /// mechanism's name.
  virtual std::vector<Candidate> candidates() = 0;
};

template <typename T>
concept ParameterGroup = requires(T& group, ParameterVisitor& visitor) {
  group.describe(visitor);
};
template <typename T>
concept MechanismMember = requires(T& member) {
  member.reference();
};

namespace detail {
template <typename T>
inline constexpr bool is_optional = false;
template <typename T>
inline constexpr bool is_optional<std::optional<T>> = true;
template <typename T>
inline constexpr bool is_vector = false;
template <typename T>
inline constexpr bool is_vector<std::vector<T>> = true;
}  // namespace detail

/// Base of visitors of declarations. Groups call operator(); visitors implement the protected functions.
class ParameterVisitor {
 public:
  virtual ~ParameterVisitor() = default;

  /// A scalar (bool, integer, double, std::string, or an optional of one), a group, a std::vector of either, or a
  /// Mechanism.
  template <typename T>
  void operator()(std::string_view name, T& member, std::string_view sentence, Unit unit = {}, const Legal& legal = {},
                  std::string_view source = {});
  /// An enumeration.
  template <typename Enum>
  void operator()(std::string_view name, Enum& member, std::string_view sentence, const Choices<Enum>& choices,
                  std::string_view source = {});
  /// A fixed table: element i of `members` under names[i], for example a latency per timing class. T: scalar or group.
  template <typename T, std::size_t N, typename Names>
  void table(std::string_view name, std::array<T, N>& members, const Names& names, std::string_view sentence,
             Unit unit = {}, const Legal& legal = {}, std::string_view source = {});

 protected:
  virtual void scalar(const ParameterDeclaration& declaration, ScalarReference& value) = 0;
  virtual void group(const ParameterDeclaration& declaration, GroupReference group) = 0;
  virtual void list(const ParameterDeclaration& declaration, ListReference& list) = 0;
  virtual void mechanism(const ParameterDeclaration& declaration, MechanismReference& mechanism) = 0;
};

namespace detail {

template <typename T>
class ScalarOf final : public ScalarReference {
 public:
  explicit ScalarOf(T& member) : member_(member) {}
  Type type() const override { return type_of<Plain>(); }
  bool optional() const override { return is_optional<T>; }
  double lowest() const override {
    if constexpr (std::is_arithmetic_v<Plain>) return static_cast<double>(std::numeric_limits<Plain>::lowest());
    return 0;
  }
  double highest() const override {
    if constexpr (std::is_arithmetic_v<Plain>) return static_cast<double>(std::numeric_limits<Plain>::max());
    return 0;
  }
  ParameterValue get() const override {
    if constexpr (is_optional<T>) {
      return member_ ? wrap(*member_) : ParameterValue{};
    } else {
      return wrap(member_);
    }
  }
  void set(const ParameterValue& value) override {
    if constexpr (is_optional<T>) {
      if (std::holds_alternative<std::monostate>(value)) {
        member_.reset();
        return;
      }
    }
    std::visit(
        [this](const auto& v) {
          using V = std::decay_t<decltype(v)>;
          if constexpr (std::is_same_v<V, std::string> == std::is_same_v<Plain, std::string> &&
                        !std::is_same_v<V, std::monostate>) {
            member_ = static_cast<Plain>(v);
          }
        },
        value);
  }

 private:
  template <typename U>
  struct Strip {
    using type = U;
  };
  template <typename U>
  struct Strip<std::optional<U>> {
    using type = U;
  };
  using Plain = typename Strip<T>::type;
  static_assert(std::is_arithmetic_v<Plain> || std::is_same_v<Plain, std::string>,
                "a parameter is a scalar, a group, a vector of either, or a mechanism");

  template <typename U>
  static constexpr Type type_of() {
    if constexpr (std::is_same_v<U, bool>)
      return Type::bool_;
    else if constexpr (std::is_floating_point_v<U>)
      return Type::real;
    else if constexpr (std::is_integral_v<U>)
      return std::is_signed_v<U> ? Type::signed_ : Type::unsigned_;
    else
      return Type::text;
  }
  static ParameterValue wrap(const Plain& plain) {
    if constexpr (std::is_same_v<Plain, bool> || std::is_same_v<Plain, std::string>)
      return plain;
    else if constexpr (std::is_floating_point_v<Plain>)
      return static_cast<double>(plain);
    else if constexpr (std::is_signed_v<Plain>)
      return static_cast<std::int64_t>(plain);
    else
      return static_cast<std::uint64_t>(plain);
  }
  T& member_;
};

template <typename Enum>
class EnumOf final : public ScalarReference {
 public:
  EnumOf(Enum& member, const Choices<Enum>& choices) : member_(member), choices_(choices) {}
  Type type() const override { return Type::enum_; }
  ParameterValue get() const override {
    for (const auto& choice : choices_.list) {
      if (choice.value == member_) return std::string(choice.name);
    }
    return std::string("?");
  }
  void set(const ParameterValue& value) override {
    for (const auto& choice : choices_.list) {
      if (choice.name == std::get<std::string>(value)) member_ = choice.value;
    }
  }

 private:
  Enum& member_;
  const Choices<Enum>& choices_;
};

template <typename T>
class ListOf final : public ListReference {
 public:
  ListOf(std::vector<T>& members, const ParameterDeclaration& declaration)
      : members_(members), declaration_(declaration) {}
  std::size_t size() const override { return members_.size(); }
  void resize(std::size_t count) override { members_.resize(count, members_.empty() ? T{} : T(members_.front())); }
  void visit(std::size_t i, ParameterVisitor& visitor) override {
    visitor(std::to_string(i), members_[i], declaration_.sentence, declaration_.unit, declaration_.legal,
            declaration_.source);
  }
  void visit_default(ParameterVisitor& visitor) override {
    T element{};
    visitor("*", element, declaration_.sentence, declaration_.unit, declaration_.legal, declaration_.source);
  }

 private:
  std::vector<T>& members_;
  const ParameterDeclaration& declaration_;
};

/// Adapts a table to a group whose fields are the elements.
template <typename T, std::size_t N, typename Names>
struct TableGroup {
  std::array<T, N>& members;
  const Names& names;
  const ParameterDeclaration& declaration;
  void describe(ParameterVisitor& v) {
    for (std::size_t i = 0; i < N; ++i)
      v(names[i], members[i], declaration.sentence, declaration.unit, declaration.legal, declaration.source);
  }
};

}  // namespace detail

template <typename T>
void ParameterVisitor::operator()(std::string_view name, T& member, std::string_view sentence, Unit unit,
                                  const Legal& legal, std::string_view source) {
  const ParameterDeclaration declaration{name, sentence, unit, legal, source};
  if constexpr (ParameterGroup<T>) {
    group(declaration, GroupReference(member));
  } else if constexpr (MechanismMember<T>) {
    auto reference = member.reference();
    mechanism(declaration, reference);
  } else if constexpr (detail::is_vector<T>) {
    detail::ListOf<typename T::value_type> reference(member, declaration);
    list(declaration, reference);
  } else {
    detail::ScalarOf<T> reference(member);
    scalar(declaration, reference);
  }
}

template <typename Enum>
void ParameterVisitor::operator()(std::string_view name, Enum& member, std::string_view sentence,
                                  const Choices<Enum>& choices, std::string_view source) {
  ParameterDeclaration declaration{name, sentence, unit::kNone, {}, source};
  declaration.legal.kind = Legal::Kind::names;
  for (const auto& choice : choices.list)
    declaration.legal.choices.push_back(
        {std::string(choice.name), std::string(choice.sentence), static_cast<std::int64_t>(choice.value)});
  detail::EnumOf<Enum> reference(member, choices);
  scalar(declaration, reference);
}

template <typename T, std::size_t N, typename Names>
void ParameterVisitor::table(std::string_view name, std::array<T, N>& members, const Names& names,
                             std::string_view sentence, Unit unit, const Legal& legal, std::string_view source) {
  const ParameterDeclaration declaration{name, sentence, unit, legal, source};
  detail::TableGroup<T, N, Names> table_group{members, names, declaration};
  group(declaration, GroupReference(table_group));
}

}  // namespace heddle
