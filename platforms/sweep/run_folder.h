// SPDX-License-Identifier: Apache-2.0
// The folder of a run: its files, its status, and its lock.
//
//   machine.json  point.json   before the run: the resolved machine; what runs
//   run.json  run.csv          by the run, complete or absent
//   stdout.txt  stderr.txt     output of the run
//   files/                     for files that options or arguments name by {folder}
//   status.json                after the run, last, complete or absent: without it there was no run; it contains the
//                              digest of run.json, so that a run with a damaged result does not count
//   lock                       locked during the run
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace heddle::sweep {

/// How a run ended.
enum class RunState {
  none,      ///< not ended: never started, interrupted, or in progress
  finished,  ///< normally, with status 0
  limit,     ///< at --max-cycles or --max-instructions, as requested by the study
  failed,
};
const char* name_of(RunState state);

struct RunStatus {
  RunState state = RunState::none;
  int exit_status = 0;  ///< when signal is 0
  int signal = 0;       ///< terminating signal
  std::string reason;   ///< reason of a failure; for kNone, why existing results do not count
  double wall_seconds = 0, user_seconds = 0;
  std::uint64_t peak_memory_bytes = 0;
  unsigned attempts = 0;
};

/// A lock held until the process and all processes that inherit its descriptor have exited.
class FolderLock {
 public:
  explicit FolderLock(int descriptor = -1) : descriptor_(descriptor) {}
  ~FolderLock();
  FolderLock(FolderLock&& other) noexcept;
  FolderLock& operator=(FolderLock&& other) noexcept;
  bool held() const { return descriptor_ >= 0; }
  int descriptor() const { return descriptor_; }

 private:
  int descriptor_;
};

class RunFolder {
 public:
  RunFolder(const std::filesystem::path& results, const std::string& key) : path_(results / "runs" / key), key_(key) {}

  const std::filesystem::path& path() const { return path_; }
  const std::string& key() const { return key_; }
  /// The status from status.json; kNone unless that is complete, has this key and, for a run that did not fail,
  /// run.json is unchanged.
  RunStatus status() const;
  /// Why run.json is not a valid result; empty if it is.
  std::string why_no_results() const;
  /// Writes status.json, with the digest of run.json when the run did not fail. Throws Error(kIo).
  void write_status(const RunStatus& status) const;
  /// Tries to take the lock without waiting; the result is not held if another process has it. Creates the folder.
  /// Throws Error(kIo).
  FolderLock try_lock() const;
  /// Removes the files of an earlier attempt, status.json first. Requires the lock.
  void clear() const;
  /// The last non-empty lines of stderr.txt, at most `count`, each truncated to 200 characters.
  std::vector<std::string> last_errors(std::size_t count) const;

 private:
  std::filesystem::path path_;
  std::string key_;
};

}  // namespace heddle::sweep
