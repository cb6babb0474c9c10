// SPDX-License-Identifier: Apache-2.0
#include "runtime/results.h"

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "runtime/device.h"
#include "runtime/messages.h"
#include "runtime/modules.h"

namespace heddle::runtime {
namespace {

namespace fs = std::filesystem;

constexpr int kSchemaVersion = 1;

nlohmann::ordered_json triple(const Dim3& value) { return {value.x, value.y, value.z}; }

nlohmann::ordered_json launch_json(const LaunchRecord& launch) {
  const gpu::LaunchReport& report = launch.report;
  nlohmann::ordered_json json = {{"launch", launch.id},
                                 {"kernel", launch.kernel},
                                 {"grid", triple(launch.grid)},
                                 {"block", triple(launch.block)},
                                 {"dynamic_shared_bytes", launch.dynamic_shared_bytes},
                                 {"stream", launch.stream},
                                 {"complete", launch.complete},
                                 {"timed", report.timed},
                                 {"thread_instructions", report.thread_instructions},
                                 {"warp_instructions", report.warp_instructions}};
  if (report.timed) json["cycles"] = report.cycles;
  json["start_seconds"] = report.start_seconds;
  json["end_seconds"] = report.end_seconds;
  return json;
}

/// Writes beside the target and renames, so that a reader never sees half a file.
void write_file(const fs::path& path, const std::string& text) {
  const fs::path draft = path.string() + ".part";
  {
    std::ofstream file(draft, std::ios::binary);
    file << text;
    file.close();
    if (!file) {
      std::error_code ignored;
      fs::remove(draft, ignored);
      fail(ExitCode::kIo, "cannot write {}: is the disk full, or the folder read-only?", path.string());
    }
  }
  fs::rename(draft, path);
}

}  // namespace

void write_results(const Device& device, const ModuleTable&, bool complete) {
  const fs::path folder = device.options().output;
  if (folder.empty()) return;
  nlohmann::ordered_json json = {{"schema_version", kSchemaVersion}, {"complete", complete}};
  json["launches"] = nlohmann::ordered_json::array();
  for (const LaunchRecord& launch : device.launches()) json["launches"].push_back(launch_json(launch));
  json["regions"] = nlohmann::ordered_json::array();
  for (const Region& region : device.regions()) {
    json["regions"].push_back({{"name", region.name}, {"first_launch", region.first}, {"last_launch", region.last}});
  }
  if (const std::string configuration = device.configuration(); !configuration.empty()) {
    json["configuration"] = nlohmann::ordered_json::parse(configuration);
  }
  try {
    fs::create_directories(folder);
    write_file(folder / "run.json", json.dump(2) + "\n");
  } catch (const std::exception& error) {
    say_error(error.what());
  }
}

}  // namespace heddle::runtime
