// SPDX-License-Identifier: Apache-2.0
#include "sweep/run_folder.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <utility>

#include "core/digest.h"
#include "core/error.h"
#include "core/file.h"
#include "core/json.h"
#include "core/statistics/run_json.h"

namespace heddle::sweep {

namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t kSchemaVersion = 1;
constexpr const char* kDigest = "run_json_sha256";

struct NamedState {
  RunState state;
  const char* name;
};
constexpr NamedState kStates[] = {{RunState::none, "missing"},
                                  {RunState::finished, "finished"},
                                  {RunState::limit, "limit"},
                                  {RunState::failed, "failed"}};

double number(const JsonNode& node, const char* key) {
  const JsonNode* found = node.find(key);
  return found != nullptr ? found->real : 0;
}

std::string text(const JsonNode& node, const char* key) {
  const JsonNode* found = node.find(key);
  return found != nullptr ? found->text : std::string();
}

}  // namespace

const char* name_of(RunState state) {
  for (const NamedState& one : kStates) {
    if (one.state == state) return one.name;
  }
  return "missing";
}

FolderLock::~FolderLock() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

FolderLock::FolderLock(FolderLock&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}

FolderLock& FolderLock::operator=(FolderLock&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  return *this;
}

std::string RunFolder::why_no_results() const {
  try {
    read_run(path_ / "run.json");
    return {};
  } catch (const Error& error) {
    return error.what();
  }
}

RunStatus RunFolder::status() const {
  std::error_code error;
  if (!fs::exists(path_ / "status.json", error)) return {};
  const auto spoilt = [](std::string why) {
    RunStatus none;
    none.reason = std::move(why);
    return none;
  };
  try {
    const JsonNode root = read_json(path_ / "status.json");
    if (text(root, "key") != key_ || number(root, "schema_version") != kSchemaVersion) return {};
    RunStatus status;
    for (const NamedState& one : kStates) {
      if (text(root, "state") == one.name) status.state = one.state;
    }
    status.exit_status = static_cast<int>(number(root, "exit_status"));
    status.signal = static_cast<int>(number(root, "signal"));
    status.reason = text(root, "reason");
    status.wall_seconds = number(root, "wall_seconds");
    status.user_seconds = number(root, "user_seconds");
    status.peak_memory_bytes = static_cast<std::uint64_t>(number(root, "peak_memory_bytes"));
    status.attempts = static_cast<unsigned>(number(root, "attempts"));
    if (status.state == RunState::failed || status.state == RunState::none) return status;
    const std::string digest = text(root, kDigest);
    if (digest.empty()) {
      if (std::string why = why_no_results(); !why.empty()) return spoilt(std::move(why));
    } else if (sha256(read_file(path_ / "run.json")) != digest) {
      return spoilt(fmt::format("{}: was changed after the run", (path_ / "run.json").string()));
    }
    return status;
  } catch (const Error& problem) {
    return spoilt(problem.what());  // removed in the meantime or damaged: treat as not written
  }
}

void RunFolder::write_status(const RunStatus& status) const {
  JsonWriter out;
  out.begin_object().member("schema_version", kSchemaVersion).member("key", key_);
  out.member("state", name_of(status.state));
  if (status.signal != 0) {
    out.member("signal", status.signal);
  } else {
    out.member("exit_status", status.exit_status);
  }
  if (!status.reason.empty()) out.member("reason", status.reason);
  out.member("wall_seconds", status.wall_seconds).member("user_seconds", status.user_seconds);
  out.member("peak_memory_bytes", status.peak_memory_bytes).member("attempts", status.attempts);
  if (status.state == RunState::finished || status.state == RunState::limit)
    out.member(kDigest, sha256(read_file(path_ / "run.json")));
  out.end_object();
  write_file_atomically(path_ / "status.json", out.text());
}

FolderLock RunFolder::try_lock() const {
  std::error_code error;
  fs::create_directories(path_, error);
  const fs::path file = path_ / "lock";
  const int descriptor = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (descriptor < 0) fail(ExitCode::io, "{}: cannot be opened: {}", file.string(), std::strerror(errno));
  FolderLock lock(descriptor);
  if (::flock(descriptor, LOCK_EX | LOCK_NB) == 0) return lock;
  if (errno != EWOULDBLOCK)
    fail(ExitCode::io, "{}: cannot be locked: {}; the results folder must be on a file system with locks",
         file.string(), std::strerror(errno));
  return FolderLock();
}

void RunFolder::clear() const {
  std::error_code error;
  fs::remove_all(path_ / "status.json", error);
  for (const auto& entry : fs::directory_iterator(path_, error)) {
    if (entry.path().filename() != "lock") fs::remove_all(entry.path(), error);
  }
}

std::vector<std::string> RunFolder::last_errors(std::size_t count) const {
  std::ifstream in(path_ / "stderr.txt", std::ios::binary);
  // Read only the end: a program may have printed for hours.
  constexpr std::streamoff kPart = 16384;
  in.seekg(0, std::ios::end);
  in.seekg(std::max<std::streamoff>(0, in.tellg() - kPart));
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) {
    if (line.find_first_not_of(" \t\r") != std::string::npos) lines.push_back(line.substr(0, 200));
  }
  if (lines.size() > count) lines.erase(lines.begin(), lines.end() - static_cast<std::ptrdiff_t>(count));
  return lines;
}

}  // namespace heddle::sweep
