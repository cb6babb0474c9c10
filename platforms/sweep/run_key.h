// SPDX-License-Identifier: Apache-2.0
// The key of a run, derived from everything its result depends on.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace heddle::sweep {

/// Everything a run's result depends on.
struct RunInputs {
  std::string version;                               ///< of the model
  std::string model_sha256;                          ///< of the model's library
  std::map<std::string, std::string> configuration;  ///< resolved: path to value
  std::string program_sha256;
  std::vector<std::string> arguments;         ///< as given in the study
  std::vector<std::string> options;           ///< of `heddle run`
  std::map<std::string, std::string> inputs;  ///< file name in the study, to SHA-256
};

/// 32 hexadecimal digits: the first half of the SHA-256 of all members, each prefixed by its length to make the
/// encoding unambiguous.
std::string run_key(const RunInputs& inputs);
inline constexpr std::size_t kKeyDigits = 32;

/// SHA-256 of files, cached until size, time or inode changes.
class FileDigests {
 public:
  /// Throws Error(kIo) that names the file when it cannot be read.
  const std::string& of(const std::filesystem::path& file);

 private:
  struct Known {
    std::string stamp, sha256;
  };
  std::map<std::string, Known> known_;
};

}  // namespace heddle::sweep
