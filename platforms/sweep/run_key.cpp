// SPDX-License-Identifier: Apache-2.0
#include "sweep/run_key.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>

#include "core/digest.h"
#include "core/error.h"
#include "core/file.h"

namespace heddle::sweep {
namespace {

class Material {
 public:
  void add(const std::string& part) { text_ += fmt::format("{}:{}", part.size(), part); }
  void add(const std::vector<std::string>& parts) {
    add(std::to_string(parts.size()));
    for (const std::string& part : parts) add(part);
  }
  void add(const std::map<std::string, std::string>& parts) {
    add(std::to_string(parts.size()));
    for (const auto& [name, value] : parts) {
      add(name);
      add(value);
    }
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_ = "heddle run 1\n";
};

}  // namespace

std::string run_key(const RunInputs& inputs) {
  Material material;
  material.add(inputs.version);
  material.add(inputs.model_sha256);
  material.add(inputs.configuration);
  material.add(inputs.program_sha256);
  material.add(inputs.arguments);
  material.add(inputs.options);
  material.add(inputs.inputs);
  return sha256(material.text()).substr(0, kKeyDigits);
}

const std::string& FileDigests::of(const std::filesystem::path& file) {
  struct stat now {};
  if (::stat(file.c_str(), &now) != 0 || S_ISDIR(now.st_mode))
    fail(ExitCode::io, "{}: cannot be read: {}", file.string(),
         S_ISDIR(now.st_mode) ? "a folder" : std::strerror(errno));
  const std::string stamp =
      fmt::format("{} {} {} {}.{}", now.st_dev, now.st_ino, now.st_size, now.st_mtim.tv_sec, now.st_mtim.tv_nsec);
  Known& known = known_[file.string()];
  if (known.stamp == stamp) return known.sha256;
  known.sha256 = sha256(read_file(file));
  known.stamp = stamp;
  return known.sha256;
}

}  // namespace heddle::sweep
