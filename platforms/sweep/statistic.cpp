// SPDX-License-Identifier: Apache-2.0
#include "sweep/statistic.h"

#include <string_view>

namespace heddle::sweep {
namespace {

const JsonNode* inside(const JsonNode* node, std::string_view key) {
  return node != nullptr && node->kind == JsonNode::Kind::object ? node->find(key) : nullptr;
}

std::string number(const JsonNode* node) {
  if (node == nullptr) return {};
  const bool is_number = node->kind == JsonNode::Kind::unsigned_ || node->kind == JsonNode::Kind::signed_ ||
                         node->kind == JsonNode::Kind::real;
  return is_number ? node->brief() : std::string();
}

/// A counter, or a bucket of a histogram as "name[bucket]".
std::string of_owner(const JsonNode* owner, std::string_view name) {
  if (std::string found = number(inside(owner, name)); !found.empty()) return found;
  const auto bracket = name.find('[');
  if (bracket == std::string_view::npos || !name.ends_with(']')) return {};
  return number(inside(inside(owner, name.substr(0, bracket)), name.substr(bracket + 1, name.size() - bracket - 2)));
}

/// Sum over the launches; empty if any lacks it.
std::string of_launches(const JsonNode& run, std::string_view name) {
  const JsonNode* kernels = run.find("kernels");
  if (kernels == nullptr) return {};
  if (name == "launches") return std::to_string(kernels->elements.size());
  std::uint64_t sum = 0;
  for (const JsonNode& kernel : kernels->elements) {
    const JsonNode* count = kernel.find(name);
    if (count == nullptr) return {};
    sum += count->natural;
  }
  return std::to_string(sum);
}

constexpr std::string_view kOfRun[] = {"cycles", "simulated_seconds"};
constexpr std::string_view kOfLaunches[] = {"launches", "thread_instructions", "warp_instructions"};

}  // namespace

std::string statistic(const JsonNode& run, const std::string& name) {
  for (const std::string_view one : kOfRun) {
    if (name == one) return number(inside(run.find("run"), name));
  }
  for (const std::string_view one : kOfLaunches) {
    if (name == one) return of_launches(run, name);
  }
  const JsonNode* statistics = run.find("statistics");
  if (std::string found = number(inside(inside(statistics, "machine"), name)); !found.empty()) return found;
  const std::string_view all = name;
  for (std::size_t dot = all.find('.'); dot != std::string_view::npos; dot = all.find('.', dot + 1)) {
    for (const char* const kind : {"classes", "instances"}) {
      const JsonNode* owner = inside(inside(statistics, kind), all.substr(0, dot));
      if (std::string found = of_owner(owner, all.substr(dot + 1)); !found.empty()) return found;
    }
  }
  return {};
}

std::vector<std::string> statistic_names(const JsonNode& run) {
  std::vector<std::string> names(std::begin(kOfRun), std::end(kOfRun));
  names.insert(names.end(), std::begin(kOfLaunches), std::end(kOfLaunches));
  const JsonNode* statistics = run.find("statistics");
  if (const JsonNode* machine = inside(statistics, "machine")) {
    for (const JsonMember& one : machine->members) names.push_back(one.name);
  }
  if (const JsonNode* classes = inside(statistics, "classes")) {
    for (const JsonMember& owner : classes->members) {
      for (const JsonMember& one : owner.node.members) {
        if (one.node.kind == JsonNode::Kind::object) {
          for (const JsonMember& bucket : one.node.members)
            names.push_back(owner.name + "." + one.name + "[" + bucket.name + "]");
        } else {
          names.push_back(owner.name + "." + one.name);
        }
      }
    }
  }
  return names;
}

}  // namespace heddle::sweep
