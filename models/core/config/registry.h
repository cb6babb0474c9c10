// SPDX-License-Identifier: Apache-2.0
// Mechanisms register themselves in their own file and are selected by name in the configuration. There is no other
// list of them.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace heddle {

/// Factories of all implementations of Interface, by name. Args: constructor arguments.
template <typename Interface, typename... Args>
class Registry {
 public:
  using Factory = std::function<std::unique_ptr<Interface>(Args...)>;

  static Registry& instance() {
    static Registry registry;
    return registry;
  }
  bool add(std::string name, Factory factory) { return factories_.emplace(std::move(name), std::move(factory)).second; }
  /// Null when no implementation has this name. The caller reports the error, since it knows the configuration key.
  std::unique_ptr<Interface> make(std::string_view name, Args... args) const {
    auto found = factories_.find(name);
    return found == factories_.end() ? nullptr : found->second(args...);
  }
  bool has(std::string_view name) const { return factories_.find(name) != factories_.end(); }
  /// Names in alphabetical order, for messages, the schema and the reference pages.
  std::vector<std::string> names() const {
    std::vector<std::string> result;
    for (const auto& entry : factories_) result.push_back(entry.first);
    return result;
  }

 private:
  std::map<std::string, Factory, std::less<>> factories_;
};

}  // namespace heddle
