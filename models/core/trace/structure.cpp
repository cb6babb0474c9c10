// SPDX-License-Identifier: Apache-2.0
#include "core/trace/structure.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "core/error.h"
#include "core/names.h"

namespace heddle {

Structure::Structure(Structures& structures, std::string name, std::string sentence, std::size_t entries,
                     std::vector<StructureField> fields)
    : structures_(structures),
      name_(std::move(name)),
      sentence_(std::move(sentence)),
      entries_(entries),
      fields_(std::move(fields)) {
  if (name_.empty() || sentence_.empty() || fields_.empty()) {
    fail(ExitCode::internal, "structure '{}' needs a name, a sentence and at least one field", name_);
  }
  auto& list = structures_.list_;
  const auto at = std::lower_bound(list.begin(), list.end(), name_,
                                   [](const Structure* s, const auto& n) { return natural_less(s->name(), n); });
  if (at != list.end() && (*at)->name() == name_) fail(ExitCode::internal, "two structures are called '{}'", name_);
  list.insert(at, this);
}

Structure::~Structure() { std::erase(structures_.list_, this); }

void Structure::first_used(std::function<std::size_t()> count) {
  occupied_ = [count](std::size_t entry) { return entry < count(); };
  used_ = std::move(count);
}

std::uint64_t Structure::bits_per_entry() const {
  std::uint64_t bits = 0;
  for (const auto& field : fields_) bits += field.bits;
  return bits;
}

std::vector<const Structure*> Structures::all() const { return list_; }

void Structures::publish(PublishedCost cost) { published_.push_back(std::move(cost)); }

std::uint64_t Structures::bits(const std::string& pattern) const {
  std::uint64_t sum = 0;
  for (const auto* structure : list_) {
    if (!structure->logic() && !structure->view() && glob_match(pattern, structure->name())) sum += structure->bits();
  }
  return sum;
}

std::uint64_t Structures::logic_bits(const std::string& pattern) const {
  std::uint64_t sum = 0;
  for (const auto* structure : list_) {
    if (structure->logic() && glob_match(pattern, structure->name())) sum += structure->bits();
  }
  return sum;
}

std::string Structures::dump(const std::string& pattern) const {
  std::string text;
  for (const auto* structure : list_) {
    if (!structure->reader() || !glob_match(pattern, structure->name())) continue;
    bool first = true;
    for (std::size_t entry = 0; entry < structure->entries(); ++entry) {
      if (!structure->is_occupied(entry)) continue;
      if (first) fmt::format_to(std::back_inserter(text), "{}: {}\n", structure->name(), structure->sentence());
      first = false;
      fmt::format_to(std::back_inserter(text), "  [{}]", entry);
      for (std::size_t field = 0; field < structure->fields().size(); ++field) {
        fmt::format_to(std::back_inserter(text), " {}={:#x}", structure->fields()[field].name,
                       structure->reader()(entry, field));
      }
      text += '\n';
    }
  }
  return text;
}

std::string Structures::occupancy() const {
  struct Line {
    std::string sentence, instances;
    std::size_t more = 0, shown = 0;
  };
  std::vector<std::pair<std::string, Line>> lines;
  for (const auto* structure : list_) {
    if (!structure->counts()) continue;
    std::size_t used = 0;
    for (std::size_t entry = 0; entry < structure->entries(); ++entry) used += structure->is_occupied(entry) ? 1 : 0;
    if (used == 0) continue;
    std::string group = structure->name();
    std::erase_if(group, [](char c) { return c >= '0' && c <= '9'; });
    auto line = std::find_if(lines.begin(), lines.end(), [&](const auto& other) { return other.first == group; });
    if (line == lines.end()) line = lines.insert(lines.end(), {group, {structure->sentence(), "", 0, 0}});
    constexpr std::size_t kMostInstances = 4;
    if (line->second.shown == kMostInstances) {
      ++line->second.more;
      continue;
    }
    line->second.instances += fmt::format("{}{} {} of {}", line->second.shown++ == 0 ? "" : ", ", structure->name(),
                                          used, structure->entries());
  }
  std::string text;
  for (const auto& [group, line] : lines) {
    text += "\n  " + line.instances;
    if (line.more != 0) text += fmt::format(" and {} more", line.more);
    text += ": " + line.sentence;
  }
  return text;
}

}  // namespace heddle
