// SPDX-License-Identifier: Apache-2.0
// The key of a run: what its result depends on, as one name.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace heddle::sweep {

/// Everything that a run's result follows from.
struct RunInputs {
  std::string version;                               ///< of the model
  std::string model_sha256;                          ///< of the library that holds it
  std::map<std::string, std::string> configuration;  ///< resolved: path to value
  std::string program_sha256;
  std::vector<std::string> arguments;         ///< as the study has them
  std::vector<std::string> options;           ///< of `heddle run`
  std::map<std::string, std::string> inputs;  ///< file as the study names it, to SHA-256
};

/// 32 hexadecimal digits: the first half of the SHA-256 of all members, each with its length, so that no two inputs
/// make one text.
std::string run_key(const RunInputs& inputs);
inline constexpr std::size_t kKeyDigits = 32;

/// SHA-256 of files, each read once until its size, time or place on the disk changes.
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
