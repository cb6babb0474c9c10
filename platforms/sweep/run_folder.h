// SPDX-License-Identifier: Apache-2.0
// The folder of a run: what lies in it, when it counts as finished, who works on it.
//
//   machine.json  point.json   before the run: the resolved machine; what runs
//   run.json  run.csv          by the run, whole or not at all
//   stdout.txt  stderr.txt     what it printed
//   files/                     for files that options or arguments name by {folder}
//   status.json                after the run, last, whole or not at all: without it there was no run; it knows run.json
//                              by its digest, so that a run whose result was spoilt counts as none
//   lock                       locked while the run is under way
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace heddle::sweep {

/// How a run ended.
enum class RunState {
  kNone,      ///< it did not: never started, interrupted, or under way
  kFinished,  ///< by itself, with status 0
  kLimit,     ///< at --max-cycles or --max-instructions, which the study asked for
  kFailed,
};
const char* name_of(RunState state);

struct RunStatus {
  RunState state = RunState::kNone;
  int exit_status = 0;  ///< when signal is 0
  int signal = 0;       ///< that ended it
  std::string reason;   ///< of a failure, in words; of kNone, why what is there does not count
  double wall_seconds = 0, user_seconds = 0;
  std::uint64_t peak_memory_bytes = 0;
  unsigned attempts = 0;
};

/// A lock that the process and what inherits its descriptor hold until all are gone.
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
  /// As status.json has it; kNone unless that is whole, of this key and, for a run that did not fail, run.json is what
  /// the run left.
  RunStatus status() const;
  /// Why run.json is no result; empty: it is one.
  std::string why_no_results() const;
  /// Writes status.json, with the digest of run.json when the run did not fail. Throws Error(kIo).
  void write_status(const RunStatus& status) const;
  /// Takes the lock without waiting; not held: somebody else has it. Creates the folder. Throws Error(kIo).
  FolderLock try_lock() const;
  /// Removes what an earlier attempt left, status.json first. Under the lock only.
  void clear() const;
  /// The last lines of stderr.txt that are not empty, at most `count`, each cut to 200 characters.
  std::vector<std::string> last_errors(std::size_t count) const;

 private:
  std::filesystem::path path_;
  std::string key_;
};

}  // namespace heddle::sweep
