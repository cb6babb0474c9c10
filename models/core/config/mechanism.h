// SPDX-License-Identifier: Apache-2.0
// Exchangeable mechanisms in a configuration. One line in the mechanism's own file registers it with its name,
// sentence, source and parameters; the key that names it accepts the name, and its parameters appear beside that key
// under it.
//
// clang-format off
//   class OrderPolicy { public: using MakeArguments = void(const SchedulerShape&); ... };      // the interface
//
//   class GreedyThenOldest final : public OrderPolicy {                                         // gto.cpp
//    public:
//     struct Parameters { unsigned age_bits = 8; void describe(ParameterVisitor& v) { ... } };  // optional
//     GreedyThenOldest(const Parameters& parameters, const SchedulerShape& shape);              // without: (shape)
//   };
//   HEDDLE_REGISTER(OrderPolicy, GreedyThenOldest, "gto", "the context that issued last, then the oldest", "a paper, 2.1");
//
//   struct SchedulerParameters { Mechanism<OrderPolicy> order{"gto"}; MechanismList<Veto> vetoes; ... };  // the key
//   order_ = make(parameters.order, shape);                                                     // the module
// clang-format on
//
// Key `order` then accepts "gto", and `gto.age_bits` beside it sets the policy's own parameter. Two keys of one group
// that choose among the same interface share those parameters; give a key a group of its own where they must differ.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "core/config/parameters.h"

namespace heddle {

namespace detail {

/// Parameters of a mechanism, copied with the configuration they belong to.
class SettingsBase : public MechanismSettings {
 public:
  virtual std::unique_ptr<SettingsBase> clone() const = 0;
};

template <typename Parameters>
class SettingsOf final : public SettingsBase {
 public:
  Parameters parameters;
  GroupReference group() override { return GroupReference(parameters); }
  std::unique_ptr<SettingsBase> clone() const override { return std::make_unique<SettingsOf>(*this); }
};

template <typename Interface, typename = void>
struct MakeSignature {
  using type = void();
};
template <typename Interface>
struct MakeSignature<Interface, std::void_t<typename Interface::MakeArguments>> {
  using type = typename Interface::MakeArguments;
};

template <typename Interface, typename Signature = typename MakeSignature<Interface>::type>
struct FactoryOf;
template <typename Interface, typename... Args>
struct FactoryOf<Interface, void(Args...)> {
  using type = std::function<std::unique_ptr<Interface>(const MechanismSettings*, Args...)>;
};

template <typename Interface, typename Signature = typename Interface::TraitsArguments>
struct TraitsFactoryOf;
template <typename Interface, typename... Args>
struct TraitsFactoryOf<Interface, void(Args...)> {
  using type = std::function<typename Interface::Traits(const MechanismSettings*, Args...)>;
};
/// Type::traits, with or without its parameters.
template <typename Interface, typename Type, typename... Args>
typename Interface::Traits traits_with(const MechanismSettings* settings, Args&&... args) {
  if constexpr (requires { typename Type::Parameters; }) {
    const auto& parameters = dynamic_cast<const SettingsOf<typename Type::Parameters>&>(*settings).parameters;
    if constexpr (requires { Type::traits(parameters, args...); }) return Type::traits(parameters, args...);
  }
  if constexpr (requires { Type::traits(args...); }) return Type::traits(args...);
}

/// What is known of a registered mechanism without its interface: enough to configure it.
struct MechanismEntry {
  std::string sentence, source;
  std::function<std::unique_ptr<SettingsBase>()> make_settings;  ///< empty: no parameters
  std::shared_ptr<void> factory;                                 ///< FactoryOf<Interface>::type
  std::shared_ptr<void> traits;                                  ///< TraitsFactoryOf<Interface>::type; null: none
  std::string absent;  ///< why this build has it in name only; empty: it has it
  std::string place;   ///< "file:line" of the registration
};
using MechanismTable = std::map<std::string, MechanismEntry, std::less<>>;

/// Adds a mechanism as its file is loaded. If the name is taken, a message names both places, and the process ends with
/// kConfiguration, or load_plugins() fails with it where the second one is in a plugin.
void add_mechanism(MechanismTable& table, const std::string& name, MechanismEntry entry);

/// Every registered implementation of Interface, by name. Interface may be incomplete.
template <typename Interface>
MechanismTable& mechanism_table() {
  // Never destroyed: a configuration may be written while the process ends.
  static MechanismTable& table = *new MechanismTable;
  return table;
}

template <typename Interface, typename Type>
struct Registration {
  /// place: "file:line" of the registration.
  Registration(const std::string& name, std::string sentence, std::string source, std::string place) {
    using Factory = typename FactoryOf<Interface>::type;
    MechanismEntry entry{std::move(sentence), std::move(source), nullptr, nullptr, nullptr, {}, std::move(place)};
    if constexpr (requires { typename Interface::Traits; }) {
      entry.traits = std::make_shared<typename TraitsFactoryOf<Interface>::type>(
          [](const MechanismSettings* settings, auto&&... args) {
            return traits_with<Interface, Type>(settings, std::forward<decltype(args)>(args)...);
          });
    }
    if constexpr (requires { typename Type::Parameters; }) {
      using Parameters = typename Type::Parameters;
      entry.make_settings = [] { return std::make_unique<SettingsOf<Parameters>>(); };
      entry.factory = std::make_shared<Factory>(
          [](const MechanismSettings* settings, auto&&... args) -> std::unique_ptr<Interface> {
            return std::make_unique<Type>(dynamic_cast<const SettingsOf<Parameters>&>(*settings).parameters,
                                          std::forward<decltype(args)>(args)...);
          });
    } else {
      entry.factory =
          std::make_shared<Factory>([](const MechanismSettings*, auto&&... args) -> std::unique_ptr<Interface> {
            return std::make_unique<Type>(std::forward<decltype(args)>(args)...);
          });
    }
    add_mechanism(mechanism_table<Interface>(), name, std::move(entry));
  }
};

/// A mechanism that this build does not have: its name is known, and refused where it is chosen.
template <typename Interface>
struct Absence {
  Absence(const std::string& name, std::string sentence, std::string source, std::string why, std::string place) {
    MechanismEntry entry{std::move(sentence), std::move(source), nullptr, nullptr, nullptr,
                         std::move(why),      std::move(place)};
    add_mechanism(mechanism_table<Interface>(), name, std::move(entry));
  }
};

/// Names chosen at one key and the settings of every mechanism that may be chosen there.
class MechanismChoice {
 public:
  MechanismChoice(MechanismTable& table, std::vector<std::string> chosen);
  MechanismChoice(const MechanismChoice& other);
  MechanismChoice& operator=(const MechanismChoice& other);
  MechanismChoice(MechanismChoice&&) noexcept;
  MechanismChoice& operator=(MechanismChoice&&) noexcept;
  ~MechanismChoice();

  const std::vector<std::string>& chosen() const { return chosen_; }
  void choose(std::vector<std::string> names) { chosen_ = std::move(names); }
  MechanismTable& table() const { return *table_; }
  /// Settings under `name`; null when it has none. Made with defaults on first use.
  SettingsBase* settings(const std::string& name) const;

 private:
  MechanismTable* table_;
  std::vector<std::string> chosen_;
  mutable std::map<std::string, std::unique_ptr<SettingsBase>> settings_;
};

class MechanismChoiceReference final : public MechanismReference {
 public:
  MechanismChoiceReference(MechanismChoice& choice, bool list) : choice_(choice), list_(list) {}
  bool list() const override { return list_; }
  std::vector<std::string> chosen() const override { return choice_.chosen(); }
  void choose(std::vector<std::string> names) override { choice_.choose(std::move(names)); }
  std::vector<Candidate> candidates() override;

 private:
  MechanismChoice& choice_;
  bool list_;
};

template <typename Interface, typename... Args>
std::unique_ptr<Interface> make_one(const MechanismChoice& choice, const std::string& name, Args&&... args) {
  auto found = choice.table().find(name);
  if (found == choice.table().end() || found->second.factory == nullptr) return nullptr;
  auto& factory = *static_cast<typename FactoryOf<Interface>::type*>(found->second.factory.get());
  return factory(choice.settings(name), std::forward<Args>(args)...);
}

}  // namespace detail

/// A parameter whose value is one implementation of Interface.
template <typename Interface>
class Mechanism {
 public:
  explicit Mechanism(std::string name) : choice_(detail::mechanism_table<Interface>(), {std::move(name)}) {}
  const std::string& name() const { return choice_.chosen().front(); }
  void choose(std::string name) { choice_.choose({std::move(name)}); }
  /// The chosen or another mechanism's own parameters; Type::Parameters of the type registered under `name`.
  template <typename Parameters>
  Parameters& settings(const std::string& name) {
    return dynamic_cast<detail::SettingsOf<Parameters>&>(*choice_.settings(name)).parameters;
  }
  detail::MechanismChoiceReference reference() { return {choice_, false}; }
  const detail::MechanismChoice& choice() const { return choice_; }

 private:
  detail::MechanismChoice choice_;
};

/// A parameter whose value is any number of implementations of Interface, in order.
template <typename Interface>
class MechanismList {
 public:
  MechanismList() : MechanismList(std::vector<std::string>{}) {}
  explicit MechanismList(std::vector<std::string> names)
      : choice_(detail::mechanism_table<Interface>(), std::move(names)) {}
  const std::vector<std::string>& names() const { return choice_.chosen(); }
  void choose(std::vector<std::string> names) { choice_.choose(std::move(names)); }
  template <typename Parameters>
  Parameters& settings(const std::string& name) {
    return dynamic_cast<detail::SettingsOf<Parameters>&>(*choice_.settings(name)).parameters;
  }
  detail::MechanismChoiceReference reference() { return {choice_, true}; }
  const detail::MechanismChoice& choice() const { return choice_; }

 private:
  detail::MechanismChoice choice_;
};

/// The chosen mechanism with its parameters. Null when the name is not registered or the mechanism is absent, which
/// loading a configuration excludes.
template <typename Interface, typename... Args>
std::unique_ptr<Interface> make(const Mechanism<Interface>& mechanism, Args&&... args) {
  return detail::make_one<Interface>(mechanism.choice(), mechanism.name(), std::forward<Args>(args)...);
}
template <typename Interface, typename... Args>
std::vector<std::unique_ptr<Interface>> make(const MechanismList<Interface>& mechanisms, Args&&... args) {
  std::vector<std::unique_ptr<Interface>> made;
  for (const auto& name : mechanisms.names())
    made.push_back(detail::make_one<Interface>(mechanisms.choice(), name, args...));
  return made;
}

/// What the chosen mechanism is, from its parameters and `args` alone: nothing is built. For interfaces with Traits,
/// whose implementations have a static function traits(parameters, args...) or traits(args...). The mechanism is
/// registered and not absent, which loading a configuration ensures.
template <typename Interface, typename... Args>
typename Interface::Traits traits_of(const Mechanism<Interface>& mechanism, Args&&... args) {
  const auto& table = mechanism.choice().table();
  const auto found = table.find(mechanism.name());
  if (found == table.end() || found->second.traits == nullptr)
    throw std::logic_error("no mechanism is registered as " + mechanism.name());
  auto& traits = *static_cast<typename detail::TraitsFactoryOf<Interface>::type*>(found->second.traits.get());
  return traits(mechanism.choice().settings(mechanism.name()), std::forward<Args>(args)...);
}

}  // namespace heddle

#define HEDDLE_TEXT_OF_2(number) #number
#define HEDDLE_TEXT_OF(number) HEDDLE_TEXT_OF_2(number)
/// "file:line" of where the macro that uses it is written.
#define HEDDLE_THIS_PLACE __FILE__ ":" HEDDLE_TEXT_OF(__LINE__)

/// Registers Type as the implementation of Interface called `name`. At namespace scope of the mechanism's own source
/// file.
#define HEDDLE_REGISTER(Interface, Type, name, sentence, source)                            \
  static const ::heddle::detail::Registration<Interface, Type> heddle_registration_##Type { \
    name, sentence, source, HEDDLE_THIS_PLACE                                               \
  }

/// Registers `name` as an implementation of Interface that this build lacks; `why` ends a sentence.
#define HEDDLE_REGISTER_ABSENT(Interface, id, name, sentence, source, why) \
  static const ::heddle::detail::Absence<Interface> heddle_absence_##id {  \
    name, sentence, source, why, HEDDLE_THIS_PLACE                         \
  }
