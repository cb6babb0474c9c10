// SPDX-License-Identifier: Apache-2.0
#include "core/file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "core/error.h"

namespace heddle {

void write_file_atomically(const std::filesystem::path& file, std::string_view text) {
  std::error_code ignored;
  if (file.has_parent_path()) std::filesystem::create_directories(file.parent_path(), ignored);
  const std::string temporary = fmt::format("{}.{}.partial", file.string(), ::getpid());
  const auto give_up = [&](int error) {
    ::unlink(temporary.c_str());
    fail(ExitCode::kIo, "{}: cannot be written: {}{}", file.string(), std::strerror(error),
         error == ENOSPC ? "; make room or choose another folder" : "");
  };
  const int descriptor = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (descriptor < 0) give_up(errno);
  std::string_view rest = text;
  while (!rest.empty()) {
    const ssize_t written = ::write(descriptor, rest.data(), rest.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) {
      const int error = errno;
      ::close(descriptor);
      give_up(error);
    }
    rest.remove_prefix(static_cast<std::size_t>(written));
  }
  // A full disk may show only when the data is flushed.
  int error = ::fsync(descriptor) != 0 && errno != EINVAL && errno != EROFS ? errno : 0;
  if (::close(descriptor) != 0 && error == 0) error = errno;
  if (error != 0) give_up(error);
  if (::rename(temporary.c_str(), file.c_str()) != 0) give_up(errno);
}

}  // namespace heddle
