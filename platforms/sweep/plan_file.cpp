// SPDX-License-Identifier: Apache-2.0
// The plan as a file: read by workflow tools, and by single runs to avoid resolving all others.
#include <fmt/format.h>

#include "core/digest.h"
#include "core/error.h"
#include "core/json.h"
#include "sweep/plan.h"

namespace heddle::sweep {
namespace {

constexpr std::uint64_t kPlanSchemaVersion = 1;

/// Digest of everything that determines the points and their order.
std::string points_digest(const Study& study, const std::vector<Point>& points) {
  std::string text;
  for (const Point& point : points) text += describe(study, point) + "\n";
  return sha256(text);
}

void write_words(const char* key, const std::vector<std::string>& words, JsonWriter& out) {
  out.key(key).begin_array(true);
  for (const std::string& word : words) out.value(word);
  out.end_array();
}

}  // namespace

std::string plan_json(const Plan& plan, const std::filesystem::path& folder, const std::vector<std::string>* states) {
  const Study& study = plan.study();
  JsonWriter out;
  out.begin_object().member("schema_version", kPlanSchemaVersion).member("study", study.name);
  out.member("file", study.file.string()).member("folder", folder.string());
  out.member("retries", study.retries);
  out.member("points_sha256", points_digest(study, plan.points()));
  out.key("points").begin_array();
  std::size_t run = 0;
  for (std::size_t i = 0; i < plan.points().size(); ++i) {
    const Point& point = plan.points()[i];
    const Requests& requests = plan.program(i).requests;
    out.begin_object(true).member("key", plan.keys()[i]);
    out.member("program", shown_value(study, point, "program"));
    out.member("machine", shown_value(study, point, "machine"));
    out.key("parameters").begin_object(true);
    for (const Setting& setting : point.settings) out.key(setting.path).raw(setting.value.json);
    out.end_object();
    if (requests.memory_gib != 0) out.member("memory_gib", requests.memory_gib);
    if (requests.minutes != 0) out.member("minutes", requests.minutes);
    // Of points that share a run, only the first has state and command.
    if (states != nullptr && run < plan.runs().size() && plan.runs()[run].point == i) {
      out.member("state", (*states)[run++]);
      write_words("command",
                  {plan.model().program.string(), "sweep", study.file.string(), "-o", folder.string(), "--only",
                   plan.keys()[i]},
                  out);
    }
    out.end_object();
  }
  out.end_array().end_object();
  return out.text();
}

std::unique_ptr<Plan> known_plan(const Study& study, const Model& model, const std::filesystem::path& points_json) {
  std::error_code error;
  if (!std::filesystem::exists(points_json, error)) return nullptr;
  try {
    const JsonNode root = read_json(points_json);
    const JsonNode* version = root.find("schema_version");
    const JsonNode* digest = root.find("points_sha256");
    const JsonNode* list = root.find("points");
    if (version == nullptr || version->natural != kPlanSchemaVersion || digest == nullptr || list == nullptr)
      return nullptr;
    if (digest->text != points_digest(study, expand(study))) return nullptr;
    std::vector<std::string> keys;
    for (const JsonNode& point : list->elements) {
      const JsonNode* key = point.find("key");
      if (key == nullptr || key->text.size() != kKeyDigits) return nullptr;
      keys.push_back(key->text);
    }
    return std::make_unique<Plan>(study, model, std::move(keys));
  } catch (const Error&) {
    return nullptr;  // a damaged file is rewritten
  }
}

}  // namespace heddle::sweep
