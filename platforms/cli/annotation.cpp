// SPDX-License-Identifier: Apache-2.0
#include "cli/annotation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "cli/run_members.h"
#include "core/error.h"
#include "core/names.h"

namespace heddle::cli {
namespace {

/// Statistics of an instruction or a whole line.
struct Numbers {
  std::map<std::string, std::uint64_t> counts, stalls;

  void add(const JsonNode& instruction) {
    for (const auto& [to, name] : {std::pair{&counts, "counts"}, std::pair{&stalls, "stalls"}}) {
      const JsonNode* const numbers = instruction.find(name);
      if (numbers == nullptr) continue;
      for (const JsonMember& member : numbers->members) (*to)[member.name] += member.node.natural;
    }
  }
  std::uint64_t count(const std::string& name) const {
    const auto found = counts.find(name);
    return found != counts.end() ? found->second : 0;
  }
  std::uint64_t stalled() const {
    std::uint64_t sum = 0;
    for (const auto& [cause, cycles] : stalls) sum += cycles;
    return sum;
  }
};

/// One instruction, or one source line with its instructions.
struct Row {
  std::string text;
  Numbers numbers;
  std::vector<const JsonNode*> instructions;
};

/// The two main causes of waiting.
std::string causes(const Numbers& numbers) {
  std::vector<std::pair<std::uint64_t, std::string>> all;
  for (const auto& [cause, cycles] : numbers.stalls) all.emplace_back(cycles, cause);
  std::sort(all.begin(), all.end(),
            [](const auto& a, const auto& b) { return a.first != b.first ? a.first > b.first : a.second < b.second; });
  std::string text;
  for (std::size_t i = 0; i < std::min<std::size_t>(2, all.size()); ++i)
    text += fmt::format("{}{} {}", i == 0 ? "" : ", ", all[i].second, share(all[i].first, numbers.stalled()));
  return text;
}

std::string head() {
  return fmt::format("{:>9} {:>7} {:>6} {:>10} {:>6} {:>9} {:>6}  {:<34}  {}\n", "issues", "threads", "lanes",
                     "stalled", "share", "requests", "L1 hit", "waits for", "line / pc");
}

std::string line(const Numbers& numbers, std::uint64_t all_stalled, const std::string& text) {
  const std::uint64_t issues = numbers.count("issues"), active = numbers.count("active_lanes");
  const std::uint64_t hits = numbers.count("l1_hits");
  const std::uint64_t looked_up = hits + numbers.count("l1_misses") + numbers.count("l1_merges");
  const std::uint64_t requests = numbers.count("transactions");
  return fmt::format(
      "{:>9} {:>7} {:>6} {:>10} {:>6} {:>9} {:>6}  {:<34}  {}\n", issues != 0 ? std::to_string(issues) : "",
      issues != 0 ? fmt::format("{:.1f}", static_cast<double>(active) / static_cast<double>(issues)) : "",
      share(active, numbers.count("offered_lanes")), numbers.stalled() != 0 ? std::to_string(numbers.stalled()) : "",
      share(numbers.stalled(), all_stalled), requests != 0 ? std::to_string(requests) : "", share(hits, looked_up),
      causes(numbers), text);
}

class Listing {
 public:
  Listing(const JsonNode& profile, const AnnotationRequest& request) : profile_(profile), request_(request) {}

  std::string kernel(const JsonNode& kernel) {
    const JsonNode* const instructions = kernel.find("instructions");
    Numbers all;
    if (instructions != nullptr) {
      for (const JsonNode& one : instructions->elements) all.add(one);
    }
    std::string text = fmt::format("kernel {}: {} instructions issued, {} cycles waited by its warps\n",
                                   text_of(kernel, "name"), all.count("issues"), all.stalled());
    if (instructions == nullptr) return text;
    std::string file = "?";
    text += roles(*instructions);
    text += request_.source ? "" : head();
    std::vector<std::pair<std::string, Row>> rows =
        request_.source ? by_line(*instructions) : by_instruction(*instructions);
    if (request_.hottest != 0) {
      std::stable_sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) {
        return a.second.numbers.stalled() > b.second.numbers.stalled();
      });
      rows.resize(std::min<std::size_t>(rows.size(), request_.hottest));
    }
    for (const auto& [of_file, row] : rows) {
      if (request_.source && of_file != file) text += fmt::format("{}\n{}", file = of_file, head());
      text += line(row.numbers, all.stalled(), row.text);
      if (!request_.source || !request_.instructions) continue;
      for (const JsonNode* one : row.instructions) {
        Numbers numbers;
        numbers.add(*one);
        text += line(numbers, all.stalled(), instruction_text(*one, "      "));
      }
    }
    return text;
  }

 private:
  static std::string instruction_text(const JsonNode& instruction, const char* indent) {
    const std::string role = role_of(instruction);
    return fmt::format("{}pc {:<4}  {}{}", indent, number_of(instruction, "pc"),
                       role.empty() ? role : fmt::format("[{}] ", role), text_of(instruction, "text"));
  }
  static std::string role_of(const JsonNode& instruction) {
    return instruction.find("role") != nullptr ? text_of(instruction, "role") : "";
  }
  /// The program counters of each role, a line a role.
  static std::string roles(const JsonNode& instructions) {
    std::map<std::string, std::set<std::uint64_t>> places;
    for (const JsonNode& one : instructions.elements) {
      if (const std::string role = role_of(one); !role.empty()) places[role].insert(number_of(one, "pc"));
    }
    std::string text;
    for (const auto& [role, pcs] : places)
      text += fmt::format("{} [{}] at pc {}\n", pcs.size(), role, fmt::join(pcs, ", "));
    return text;
  }
  std::vector<std::pair<std::string, Row>> by_instruction(const JsonNode& instructions) const {
    std::vector<std::pair<std::string, Row>> rows;
    for (const JsonNode& one : instructions.elements) {
      Row& row = rows.emplace_back(std::string(), Row{}).second;
      row.text = instruction_text(one, "");
      row.numbers.add(one);
    }
    return rows;
  }
  /// Lines in order of file and number; instructions without a known line come last.
  std::vector<std::pair<std::string, Row>> by_line(const JsonNode& instructions) const {
    std::map<std::pair<std::uint64_t, std::uint64_t>, Row> lines;
    const JsonNode* const files = profile_.find("files");
    const std::uint64_t count = files != nullptr ? files->elements.size() : 0;
    for (const JsonNode& one : instructions.elements) {
      const JsonNode* const file = one.find("file");
      const bool known = file != nullptr && file->kind == JsonNode::Kind::unsigned_ && file->natural < count;
      Row& row = lines[{known ? file->natural : count, known ? number_of(one, "line") : 0}];
      row.numbers.add(one);
      row.instructions.push_back(&one);
    }
    std::vector<std::pair<std::string, Row>> rows;
    for (auto& [place, row] : lines) {
      const auto [file, number] = place;
      if (file == count) {
        row.text = "      without a source line";
        rows.emplace_back("instructions without a source line", std::move(row));
        continue;
      }
      const JsonNode* const texts = files->elements[file].find("lines");
      const bool there = texts != nullptr && number >= 1 && number <= texts->elements.size();
      row.text = fmt::format("{:>5} {}", number, there ? texts->elements[number - 1].text : "");
      rows.emplace_back(text_of(files->elements[file], "path"), std::move(row));
    }
    return rows;
  }

  const JsonNode& profile_;
  const AnnotationRequest& request_;
};

}  // namespace

std::string busiest_lines(const JsonNode& run, unsigned most) {
  const JsonNode* const profile = run.find("profile");
  const JsonNode* const kernels = profile != nullptr ? profile->find("kernels") : nullptr;
  if (kernels == nullptr)
    return "\nThe run has no profile of its lines: run it with --profile, or --inspect, to see where its warps "
           "waited.\n";
  std::map<std::string, Numbers> lines;
  Numbers all;
  for (const JsonNode& kernel : kernels->elements) {
    const JsonNode* const instructions = kernel.find("instructions");
    if (instructions == nullptr) continue;
    for (const JsonNode& one : instructions->elements) {
      lines[line_text(one, profile->find("files"))].add(one);
      all.add(one);
    }
  }
  std::vector<std::pair<std::string, Numbers>> order(lines.begin(), lines.end());
  std::erase_if(order, [](const auto& one) { return one.second.stalled() == 0; });
  std::stable_sort(order.begin(), order.end(),
                   [](const auto& a, const auto& b) { return a.second.stalled() > b.second.stalled(); });
  order.resize(std::min<std::size_t>(order.size(), most));
  std::string text =
      fmt::format("\nWhere warps waited\n  {:>7}  {:>9}  {:<34}  line\n", "of all", "issues", "waits for");
  for (const auto& [place, numbers] : order)
    text += fmt::format("  {:>7}  {:>9}  {:<34}  {}\n", share(numbers.stalled(), all.stalled()),
                        numbers.count("issues"), causes(numbers), place);
  return text;
}

std::string annotate(const JsonNode& run, const AnnotationRequest& request) {
  const JsonNode* const profile = run.find("profile");
  if (profile == nullptr)
    fail(ExitCode::usage, "the run has no profile: run it with --profile, or --inspect, and -o FOLDER");
  const JsonNode* const kernels = profile->find("kernels");
  std::string text, names;
  Listing listing(*profile, request);
  static const std::vector<JsonNode> kNone;
  for (const JsonNode& kernel : kernels != nullptr ? kernels->elements : kNone) {
    const std::string& name = text_of(kernel, "name");
    names += (names.empty() ? "" : ", ") + kernel_title(name);
    if (kernel_match(request.kernels, name)) text += (text.empty() ? "" : "\n") + listing.kernel(kernel);
  }
  if (text.empty())
    fail(ExitCode::usage, "no kernel matches '{}'; the profile has {}", request.kernels,
         names.empty() ? "none" : names);
  return text;
}

}  // namespace heddle::cli
