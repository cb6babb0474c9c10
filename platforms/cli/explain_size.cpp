// SPDX-License-Identifier: Apache-2.0
// Sizes in bytes, for heddle explain.
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "cli/explanation.h"
#include "common/machine_description.h"
#include "core/quantity_text.h"
#include "core/unit.h"

namespace heddle::cli {
namespace {

constexpr std::uint64_t kBytesOfRegister = 4;

using Values = std::map<std::string, std::string>;

std::optional<std::uint64_t> number(const Values& values, const std::string& path) {
  const auto found = values.find(path);
  std::uint64_t value = 0;
  if (found == values.end() || !parse_natural(found->second, value)) return std::nullopt;
  return value;
}

bool is_off(const Values& values, const std::string& path) {
  const auto found = values.find(path);
  return found != values.end() && found->second == "false";
}

/// Something with a size, and how the size comes about.
struct Sized {
  std::string name, how;
  std::uint64_t bytes;
};

/// Caches and register files, whose sizes are products of parameters.
std::vector<Sized> products(const Values& values) {
  std::vector<Sized> sized;
  for (const auto& [path, text] : values) {
    const std::string group = path.substr(0, path.rfind('.') == std::string::npos ? 0 : path.rfind('.'));
    if (path == group + ".line_bytes") {
      const auto sets = number(values, group + ".sets"), ways = number(values, group + ".ways");
      const auto line = number(values, path);
      if (!sets || !ways || !line || is_off(values, group + ".present")) continue;
      const bool is_l2 = group == "memory.l2";
      if (is_l2 && is_off(values, "memory.has_l2")) continue;
      const std::uint64_t bytes = *sets * *ways * *line;
      const std::string how = fmt::format("{} sets x {} ways x {} bytes", *sets, *ways, *line);
      sized.push_back({short_path(group), how, bytes});
      const std::uint64_t slices =
          number(values, "memory.map.controllers").value_or(1) * number(values, "memory.map.slices").value_or(1);
      if (is_l2 && slices > 1)
        sized.push_back({"memory.l2", fmt::format("{} slices of {}", slices, how), bytes * slices});
    } else if (path.ends_with(".residency.registers")) {
      if (const auto registers = number(values, path))
        sized.push_back(
            {short_path(path), fmt::format("{} registers of 4 bytes", *registers), *registers * kBytesOfRegister});
    }
  }
  return sized;
}

/// A way to give the first-level cache of a machine this size; empty when its sets and lines do not allow it.
std::string l1_hint(std::uint64_t bytes, const MachineValues& machine) {
  const std::string group = "gpu.sm_classes.0.caches.l1d";
  const auto sets = number(machine.values, group + ".sets"), line = number(machine.values, group + ".line_bytes");
  if (!sets || !line || *sets * *line == 0 || bytes % (*sets * *line) != 0) return {};
  const std::uint64_t ways = bytes / (*sets * *line);
  if (ways == 0 || ways > 1024) return {};
  return fmt::format("; on {} an L1 of {} is --set caches.l1d.ways={}", machine.name, size_text(bytes), ways);
}

}  // namespace

std::string explain_size(std::uint64_t bytes, const Catalogue& catalogue, const std::vector<MachineValues>& machines,
                         const ListLimits& limits) {
  std::string text = fmt::format("{} = {} bytes (1 KB = 1 KiB = 1024 bytes)\n", size_text(bytes), bytes);
  // Names and how they come about, with the machines in which they have the size.
  std::vector<std::pair<std::string, std::vector<std::string>>> having;
  const auto add = [&](const std::string& what, const std::string& machine) {
    auto place = std::find_if(having.begin(), having.end(), [&](const auto& one) { return one.first == what; });
    if (place == having.end()) place = having.insert(having.end(), {what, {}});
    if (place->second.empty() || place->second.back() != machine) place->second.push_back(machine);
  };
  std::vector<const ParameterEntry*> sizes;
  for (const ParameterEntry& entry : catalogue.parameters) {
    if (is_size({entry.unit.c_str()})) sizes.push_back(&entry);
  }
  for (const MachineValues& machine : machines) {
    for (const auto& [path, value] : machine.values) {
      if (value != std::to_string(bytes)) continue;
      const std::string shown = short_path(path);
      const auto is_this = [&](const ParameterEntry* entry) { return short_path(entry->path) == shown; };
      if (std::any_of(sizes.begin(), sizes.end(), is_this)) add(shown, machine.name);
    }
    for (const Sized& one : products(machine.values)) {
      if (one.bytes == bytes) add(fmt::format("{} ({})", one.name, one.how), machine.name);
    }
  }
  if (!having.empty()) text += "\nOf this size\n";
  for (const auto& [what, names] : having) {
    const auto shown = static_cast<std::ptrdiff_t>(std::min(names.size(), limits.machines));
    text += fmt::format("  {}: {}", what, fmt::join(names.begin(), names.begin() + shown, ", "));
    if (names.size() > limits.machines)
      text += fmt::format(" and {} more machines (all with --all)", names.size() - limits.machines);
    text += "\n";
  }

  std::vector<std::pair<std::string, std::vector<std::string>>> taking;
  for (const ParameterEntry* entry : sizes) {
    if (!entry->bounds.allows(static_cast<double>(bytes))) continue;
    const std::string path = short_path(entry->path);
    const std::string what = entry->sentence;
    auto place = std::find_if(taking.begin(), taking.end(), [&](const auto& one) { return one.first == what; });
    if (place == taking.end()) place = taking.insert(taking.end(), {what, {}});
    place->second.push_back(path);
  }
  std::size_t width = 0;
  for (const auto& [sentence, paths] : taking) width = std::max(width, paths.front().size());
  if (!taking.empty()) text += "\nParameters that take it\n";
  for (const auto& [sentence, paths] : taking) {
    text += fmt::format("  {:<{}}  {}", paths.front(), width, sentence);
    if (paths.size() > 1) text += fmt::format("; also {}", fmt::join(paths.begin() + 1, paths.end(), ", "));
    text += "\n";
  }
  text += "\nA cache holds sets x ways x line_bytes";
  if (!machines.empty()) text += l1_hint(bytes, machines.front());
  text += ".\n";
  if (!taking.empty()) {
    const std::string path = taking.front().second.front();
    std::string compact = size_text(bytes);
    compact.erase(std::remove(compact.begin(), compact.end(), ' '), compact.end());
    text += fmt::format("Written: --set {}={}, in JSON \"{}\": {} or \"{}\"\n", path, compact, last_part(path), bytes,
                        size_text(bytes));
  }
  return text;
}

}  // namespace heddle::cli
