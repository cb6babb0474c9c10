// SPDX-License-Identifier: Apache-2.0
#include "core/output_files.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstring>
#include <utility>

#include "core/error.h"
#include "core/file.h"

namespace heddle {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void cannot_write(const fs::path& file, const std::string& why) {
  fail(ExitCode::io, "{}: cannot be written: {}", file.string(), why);
}

/// Opens and closes a file for writing, with one byte more where it is a temporary one. Returns 0 or the error number.
int try_to_write(const fs::path& file, bool temporary) {
  const int flags = O_WRONLY | O_CLOEXEC | (temporary ? O_CREAT | O_TRUNC : 0);
  const int descriptor = ::open(file.c_str(), flags, 0666);
  if (descriptor < 0) return errno;
  // A full disk may still have room for a name.
  int error = temporary && ::write(descriptor, "x", 1) != 1 ? errno : 0;
  if (::close(descriptor) != 0 && error == 0) error = errno;
  if (temporary) ::unlink(file.c_str());
  return error;
}

/// Writes a temporary file where the file is to be, or in the nearest folder above it that exists: permissions alone do
/// not tell (read-only and special file systems, the superuser).
int try_to_create(const fs::path& file) {
  std::error_code ignored;
  fs::path folder = file.has_parent_path() ? file.parent_path() : ".";
  if (fs::is_directory(folder, ignored))
    return try_to_write(fmt::format("{}.{}.partial", file.string(), ::getpid()), true);
  // A link without a target exists, too: a folder of its name cannot be created.
  while (!fs::exists(fs::symlink_status(folder, ignored)) && folder.has_relative_path()) {
    if (folder.filename().string().size() > NAME_MAX) return ENAMETOOLONG;
    folder = folder.has_parent_path() ? folder.parent_path() : ".";
  }
  return try_to_write(folder / fmt::format("heddle.{}.partial", ::getpid()), true);
}

}  // namespace

void OutputCheck::file(const fs::path& named) const {
  if (named.empty() || is_written_through(named)) return;
  const fs::path file = written_file(named);
  std::error_code ignored;
  if (fs::exists(file, ignored)) {
    if (!replace_)
      fail(ExitCode::io, "{}: exists already; choose another name, or replace it with {}", named.string(), option_);
    if (const int error = try_to_write(file, false); error != 0) cannot_write(named, std::strerror(error));
  }
  if (const int error = try_to_create(file); error != 0) cannot_write(named, std::strerror(error));
}

void OutputCheck::folder(const fs::path& folder, const std::vector<std::string>& files) const {
  if (folder.empty()) return;
  std::error_code ignored;
  if (fs::exists(folder, ignored) && !fs::is_directory(folder, ignored))
    cannot_write(folder, "it is a file, and results need a folder");
  for (const std::string& name : files) {
    if (!replace_ && fs::exists(folder / name, ignored))
      fail(ExitCode::io, "{}: holds the results of an earlier run ({}); choose another folder, or replace them with {}",
           folder.string(), name, option_);
    file(folder / name);
  }
}

fs::path unused_path(const fs::path& path) {
  std::error_code ignored;
  fs::path unused = path;
  for (unsigned number = 2; fs::exists(unused, ignored); ++number) {
    const std::string name = fmt::format("{}-{}{}", path.stem().string(), number, path.extension().string());
    unused = path.parent_path() / name;
  }
  return unused;
}

std::string written_text(const std::vector<WrittenFile>& files) {
  std::string text;
  for (const WrittenFile& file : files)
    text += fmt::format("{}{} ({})", text.empty() ? "wrote " : ", ", file.path.string(), file.what);
  return text;
}

}  // namespace heddle
