// SPDX-License-Identifier: Apache-2.0
#include "compare/run_facts.h"

#include <fmt/format.h>

#include <string_view>

#include "core/statistics/run_json.h"

namespace heddle::compare {
namespace {

constexpr std::string_view kSlots = "issue.slots.";

/// The member at a path of keys; null when there is none.
const JsonNode* at(const JsonNode& node, std::initializer_list<std::string_view> keys) {
  const JsonNode* here = &node;
  for (const std::string_view key : keys) {
    if (here == nullptr || here->kind != JsonNode::Kind::object) return nullptr;
    here = here->find(key);
  }
  return here;
}

std::string text_of(const JsonNode* node) {
  return node != nullptr && node->kind == JsonNode::Kind::text ? node->text : std::string();
}

std::uint64_t count_of(const JsonNode* node) {
  return node != nullptr && node->kind == JsonNode::Kind::unsigned_ ? node->natural : 0;
}

bool is_true(const JsonNode* node) { return node != nullptr && node->kind == JsonNode::Kind::bool_ && node->boolean; }

std::string scalar_text(const JsonNode& node) {
  return node.kind == JsonNode::Kind::text ? json_quote(node.text) : node.brief();
}

/// Collects the leaves of a configuration. A value with an origin is an object with a member `value`.
void add_leaves(const JsonNode& node, const std::string& path, std::map<std::string, std::string>& leaves) {
  if (node.kind == JsonNode::Kind::object) {
    if (const JsonNode* value = node.find("value")) return add_leaves(*value, path, leaves);
    for (const JsonMember& member : node.members)
      add_leaves(member.node, path.empty() ? member.name : path + "." + member.name, leaves);
    return;
  }
  if (node.kind != JsonNode::Kind::array) {
    leaves[path] = scalar_text(node);
    return;
  }
  bool scalars = true;
  for (const JsonNode& element : node.elements) {
    scalars = scalars && element.kind != JsonNode::Kind::object && element.kind != JsonNode::Kind::array;
  }
  if (!scalars) {
    for (std::size_t i = 0; i < node.elements.size(); ++i)
      add_leaves(node.elements[i], fmt::format("{}.{}", path, i), leaves);
    return;
  }
  std::string text;
  for (const JsonNode& element : node.elements) text += (text.empty() ? "" : ", ") + scalar_text(element);
  leaves[path] = "[" + text + "]";
}

/// Sums the account over every class of SMs. classes: a `statistics.classes`.
SlotCharges slots_of(const JsonNode* classes) {
  SlotCharges slots;
  if (classes == nullptr) return slots;
  for (const JsonMember& one : classes->members) {
    for (const JsonMember& statistic : one.node.members) {
      const std::string_view name = statistic.name;
      if (!name.starts_with(kSlots) || name == "issue.slots.cycles") continue;
      slots[std::string(name.substr(kSlots.size()))] += count_of(&statistic.node);
    }
  }
  return slots;
}

/// Causes in declaration order, with their meanings.
std::vector<Cause> causes_of(const JsonNode& run) {
  std::vector<Cause> causes;
  const JsonNode* classes = at(run, {"declarations", "classes"});
  if (classes == nullptr) return causes;
  for (const JsonMember& one : classes->members) {
    for (const JsonMember& statistic : one.node.members) {
      const std::string_view name = statistic.name;
      if (!name.starts_with(kSlots) || name == "issue.slots.cycles") continue;
      std::string sentence = text_of(at(statistic.node, {"sentence"}));
      constexpr std::string_view kPrefix = "issue slots: ", kIssuing = "issue slots that issued: ";
      const bool says_so = sentence.starts_with(kIssuing);
      if (says_so || sentence.starts_with(kPrefix)) sentence.erase(0, says_so ? kIssuing.size() : kPrefix.size());
      const std::string cause(name.substr(kSlots.size()));
      const bool issues = says_so || cause == "issued";  // which results of earlier versions do not say
      bool known = false;
      for (const Cause& before : causes) known = known || before.name == cause;
      if (!known) causes.push_back({cause, sentence, issues});
    }
  }
  return causes;
}

/// The caches of every class: a module that counts read hits, misses and merges.
std::vector<HitRate> caches_of(const JsonNode& run) {
  constexpr std::string_view kHits = ".read_hits";
  std::vector<HitRate> caches;
  const JsonNode* classes = at(run, {"statistics", "classes"});
  if (classes == nullptr) return caches;
  for (const JsonMember& one : classes->members) {
    for (const JsonMember& statistic : one.node.members) {
      const std::string_view name = statistic.name;
      if (!name.ends_with(kHits)) continue;
      const std::string cache(name.substr(0, name.size() - kHits.size()));
      const std::uint64_t hits = count_of(&statistic.node);
      const std::uint64_t others =
          count_of(one.node.find(cache + ".read_misses")) + count_of(one.node.find(cache + ".read_merges"));
      caches.push_back({cache == "cache" ? one.name : one.name + " " + cache, hits + others, hits});
    }
  }
  return caches;
}

std::string extents(const JsonNode* list) {
  std::string text;
  if (list == nullptr) return text;
  for (const JsonNode& one : list->elements) text += (text.empty() ? "" : ",") + one.brief();
  return "(" + text + ")";
}

KernelFacts kernel_facts(const JsonNode& kernel) {
  KernelFacts facts;
  facts.name = text_of(kernel.find("name"));
  facts.launch = fmt::format("{} {} {}", facts.name, extents(kernel.find("grid")), extents(kernel.find("block")));
  facts.timed = is_true(kernel.find("timed"));
  facts.cycles = count_of(kernel.find("cycles"));
  facts.slots = slots_of(at(kernel, {"statistics", "classes"}));
  return facts;
}

void add_identity(const JsonNode& run, RunFacts& facts) {
  const auto add = [&](std::string name, std::string value) {
    if (!value.empty()) facts.identity.emplace_back(std::move(name), std::move(value));
  };
  add("version of Heddle", text_of(at(run, {"identity", "heddle"})));
  add("commit of Heddle", text_of(at(run, {"identity", "commit"})));
  add("program", text_of(at(run, {"identity", "program"})));
  std::string arguments;
  if (const JsonNode* list = at(run, {"identity", "arguments"})) {
    for (const JsonNode& word : list->elements) arguments += (arguments.empty() ? "" : " ") + text_of(&word);
  }
  facts.identity.emplace_back("arguments", arguments);
  add("SHA-256 of the program", text_of(at(run, {"identity", "program_sha256"})));
  if (const JsonNode* list = at(run, {"identity", "ptx"})) {
    for (const JsonNode& ptx : list->elements)
      add("SHA-256 of " + text_of(ptx.find("name")), text_of(ptx.find("sha256")));
  }
}

void add_totals(const JsonNode& run, RunFacts& facts) {
  const auto add = [&](const char* name, const char* unit, const char* sentence, double value, bool whole) {
    facts.totals.push_back({name, unit, sentence, value, whole});
  };
  std::uint64_t timed = 0, thread_instructions = 0, warp_instructions = 0;
  if (const JsonNode* kernels = run.find("kernels")) {
    for (const JsonNode& kernel : kernels->elements) {
      timed += is_true(kernel.find("timed")) ? 1 : 0;
      thread_instructions += count_of(kernel.find("thread_instructions"));
      warp_instructions += count_of(kernel.find("warp_instructions"));
    }
    add("launches", "launches", "kernels launched", static_cast<double>(kernels->elements.size()), true);
    add("timed launches", "launches", "kernels that were timed", static_cast<double>(timed), true);
    add("thread-instructions", "thread-instructions", "instructions of threads, all launches",
        static_cast<double>(thread_instructions), true);
    add("warp instructions", "instructions", "instructions of warps, all launches",
        static_cast<double>(warp_instructions), true);
  }
  facts.timed = timed != 0;
  if (!facts.timed) return;
  facts.cycles = count_of(at(run, {"run", "cycles"}));
  add("cycles", "cycles", "cycles of the core clock, timed launches", static_cast<double>(facts.cycles), true);
  if (facts.cycles != 0)
    add("issue slots a cycle", "slots", "of all SMs together",
        static_cast<double>(sum_of(facts.slots)) / static_cast<double>(facts.cycles), false);
  if (const JsonNode* seconds = at(run, {"run", "simulated_seconds"}))
    add("simulated time", "us", "time of the machine", seconds->real * 1e6, false);
  if (const JsonNode* machine = at(run, {"statistics", "machine"})) {
    for (const JsonMember& derived : machine->members) {
      const JsonNode* declared = at(run, {"declarations", "machine", derived.name});
      facts.totals.push_back({derived.name, declared != nullptr ? text_of(declared->find("unit")) : "",
                              declared != nullptr ? text_of(declared->find("sentence")) : "", derived.node.real,
                              false});
    }
  }
}

}  // namespace

std::uint64_t sum_of(const SlotCharges& slots) {
  std::uint64_t sum = 0;
  for (const auto& [cause, count] : slots) sum += count;
  return sum;
}

RunFacts run_facts(const JsonNode& run, const std::string& file) {
  RunFacts facts;
  facts.file = file;
  facts.machine = text_of(at(run, {"identity", "machine"}));
  const JsonNode* complete = run.find("complete");
  facts.complete = complete == nullptr || is_true(complete);
  facts.why_incomplete = text_of(run.find("why_incomplete"));
  add_identity(run, facts);
  if (const JsonNode* configuration = run.find("configuration")) {
    for (const JsonMember& member : configuration->members) {
      // Name and description are not part of the machine.
      if (member.name != "name" && member.name != "description")
        add_leaves(member.node, member.name, facts.configuration);
    }
  }
  const JsonNode* clock = at(run, {"configuration", "gpu", "clocks", "core"});
  if (clock != nullptr && clock->kind == JsonNode::Kind::object) clock = clock->find("value");
  facts.core_kilohertz = count_of(clock);
  facts.causes = causes_of(run);
  facts.slots = slots_of(at(run, {"statistics", "classes"}));
  facts.caches = caches_of(run);
  add_totals(run, facts);
  if (const JsonNode* kernels = run.find("kernels")) {
    for (const JsonNode& kernel : kernels->elements) facts.kernels.push_back(kernel_facts(kernel));
  }
  return facts;
}

RunFacts read_run_facts(const std::filesystem::path& file) { return run_facts(read_run(file), file.string()); }

}  // namespace heddle::compare
