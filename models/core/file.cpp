// SPDX-License-Identifier: Apache-2.0
#include "core/file.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <new>
#include <stdexcept>
#include <string>
#include <utility>

#include "core/error.h"

namespace heddle {
namespace {

namespace fs = std::filesystem;

constexpr int kPatienceMilliseconds = 2000;         ///< before a wait for a pipe is reported
constexpr std::size_t kMostOfDevice = 64ull << 20;  ///< limit for a device, as /dev/zero never ends
constexpr std::size_t kPiece = std::size_t{1} << 20;

/// Owns a descriptor.
class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int operator*() const { return number_; }
  int release() { return std::exchange(number_, -1); }

 private:
  int number_;
};

/// Ignores SIGPIPE, so that a pipe without a reader is a write error instead of killing the process.
class PipesMayBreak {
 public:
  PipesMayBreak() : before_(std::signal(SIGPIPE, SIG_IGN)) {}
  ~PipesMayBreak() { std::signal(SIGPIPE, before_); }
  PipesMayBreak(const PipesMayBreak&) = delete;
  PipesMayBreak& operator=(const PipesMayBreak&) = delete;

 private:
  void (*before_)(int);
};

[[noreturn]] void cannot_read(const fs::path& file, const std::string& why) {
  fail(ExitCode::io, "{}: cannot be read: {}", file.string(), why);
}

[[noreturn]] void cannot_write(const fs::path& file, int error) {
  fail(ExitCode::io, "{}: cannot be written: {}{}", file.string(), std::strerror(error),
       error == ENOSPC ? "; make room or choose another folder" : "");
}

void set_blocking(int descriptor) { ::fcntl(descriptor, F_SETFL, ::fcntl(descriptor, F_GETFL) & ~O_NONBLOCK); }

/// Returns when the pipe has data or its writer has closed it; reports a longer wait.
void wait_for_writer(int descriptor, const fs::path& file) {
  pollfd wanted{descriptor, POLLIN, 0};
  if (::poll(&wanted, 1, kPatienceMilliseconds) != 0) return;
  fmt::print(stderr, "heddle: waiting for data from pipe {}\n", file.string());
  std::fflush(stderr);
  while (::poll(&wanted, 1, -1) < 0 && errno == EINTR) {
  }
}

std::string read_all(int descriptor, const fs::path& file, const struct stat& facts, std::size_t most) {
  std::string text;
  if (S_ISREG(facts.st_mode) && facts.st_size > 0) text.reserve(static_cast<std::size_t>(facts.st_size) + 1);
  while (true) {
    const std::size_t size = text.size();
    if (size == text.capacity()) text.reserve(std::max(2 * size, kPiece));
    text.resize(std::min(text.capacity(), size + kPiece));
    const ssize_t got = ::read(descriptor, text.data() + size, text.size() - size);
    text.resize(size + static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
    if (got == 0) return text;
    if (got < 0 && errno != EINTR) cannot_read(file, std::strerror(errno));
    if (text.size() > most) cannot_read(file, "it is an endless device; name a file");
  }
}

/// Writes everything; returns 0 or the error number.
int write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(descriptor, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return 0;
}

/// Links to open files of processes, which cannot be resolved by name: /dev/stdout, /proc/self/fd/1.
bool names_open_file(const fs::path& link) {
  std::error_code ignored;
  const fs::path folder = fs::canonical(link.has_parent_path() ? link.parent_path() : ".", ignored);
  return folder == "/dev" || folder.string().rfind("/proc/", 0) == 0;
}

struct Target {
  fs::path file;         ///< links resolved
  bool through = false;  ///< write directly, do not replace
  bool pipe = false;
  int own = -1;  ///< the process's own descriptor for it, or -1
};

/// This process's descriptor behind a link like /dev/stdout; -1: none. Writing through a duplicate of it keeps the
/// order with printed output; reopening the file would start at offset 0.
int own_descriptor(fs::path link) {
  std::error_code ignored;
  if (link.parent_path() == "/dev") link = fs::read_symlink(link, ignored);
  if (fs::canonical(link.parent_path(), ignored) != fmt::format("/proc/{}/fd", ::getpid())) return -1;
  const std::string name = link.filename().string();
  const bool number = !name.empty() && name.size() < 6 && name.find_first_not_of("0123456789") == std::string::npos;
  return number ? std::stoi(name) : -1;
}

Target target_of(const fs::path& file) {
  constexpr int kMostLinks = 40;
  Target target{file};
  std::error_code ignored;
  for (int i = 0; i < kMostLinks && fs::is_symlink(target.file, ignored); ++i) {
    if (names_open_file(target.file)) {
      target.through = true;
      target.own = own_descriptor(target.file);
      return target;
    }
    const fs::path next = fs::read_symlink(target.file, ignored);
    target.file = next.is_absolute() ? next : target.file.parent_path() / next;
  }
  struct stat facts {};
  if (::stat(target.file.c_str(), &facts) != 0) return target;
  if (S_ISDIR(facts.st_mode)) fail(ExitCode::io, "{}: cannot be written: it is a folder", file.string());
  target.through = !S_ISREG(facts.st_mode);
  target.pipe = S_ISFIFO(facts.st_mode);
  return target;
}

int open_through(const Target& target) {
  constexpr int kFlags = O_WRONLY | O_APPEND | O_CLOEXEC;
  if (target.own >= 0) {
    std::fflush(nullptr);
    return ::fcntl(target.own, F_DUPFD_CLOEXEC, 0);
  }
  if (!target.pipe) return ::open(target.file.c_str(), kFlags);
  // Without O_NONBLOCK, opening a pipe that has no reader blocks.
  const int descriptor = ::open(target.file.c_str(), kFlags | O_NONBLOCK);
  if (descriptor >= 0) {
    set_blocking(descriptor);
    return descriptor;
  }
  if (errno != ENXIO) return -1;
  fmt::print(stderr, "heddle: waiting for a reader of pipe {}\n", target.file.string());
  std::fflush(stderr);
  return ::open(target.file.c_str(), kFlags);
}

void write_through(const Target& target, std::string_view text) {
  const Descriptor descriptor(open_through(target));
  if (*descriptor < 0) cannot_write(target.file, errno);
  const PipesMayBreak pipes;
  if (const int error = write_all(*descriptor, text); error != 0) cannot_write(target.file, error);
}

}  // namespace

std::string read_file(const fs::path& file) {
  // Opening a pipe must not block.
  const Descriptor descriptor(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (*descriptor < 0) cannot_read(file, std::strerror(errno));
  struct stat facts {};
  if (::fstat(*descriptor, &facts) != 0) cannot_read(file, std::strerror(errno));
  if (S_ISDIR(facts.st_mode)) cannot_read(file, "it is a folder");
  if (S_ISFIFO(facts.st_mode)) wait_for_writer(*descriptor, file);
  set_blocking(*descriptor);
  const bool ends = S_ISREG(facts.st_mode) || S_ISFIFO(facts.st_mode) || ::isatty(*descriptor) == 1;
  try {
    return read_all(*descriptor, file, facts, ends ? std::string().max_size() : kMostOfDevice);
  } catch (const std::bad_alloc&) {
    cannot_read(file, fmt::format("its {} bytes do not fit into memory", facts.st_size));
  } catch (const std::length_error&) {
    cannot_read(file, fmt::format("its {} bytes do not fit into memory", facts.st_size));
  }
}

bool is_written_through(const fs::path& file) { return target_of(file).through; }

fs::path written_file(const fs::path& file) { return target_of(file).file; }

void create_folder_of(const fs::path& file) {
  std::error_code ignored;
  if (file.has_parent_path()) fs::create_directories(file.parent_path(), ignored);
}

int open_for_writing(const fs::path& file) {
  const Target target = target_of(file);
  const int descriptor = target.through ? open_through(target)
                                        : ::open(target.file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (descriptor < 0) cannot_write(file, errno);
  return descriptor;
}

void write_file(const fs::path& file, std::string_view text) {
  Descriptor descriptor(open_for_writing(file));
  const PipesMayBreak pipes;
  int error = write_all(*descriptor, text);
  if (::close(descriptor.release()) != 0 && error == 0) error = errno;
  if (error != 0) cannot_write(file, error);
}

void write_file_atomically(const fs::path& named, std::string_view text) {
  create_folder_of(named);
  const Target target = target_of(named);
  if (target.through) return write_through(target, text);
  const fs::path& file = target.file;
  create_folder_of(file);
  const std::string temporary = fmt::format("{}.{}.partial", file.string(), ::getpid());
  const auto give_up = [&](int error) {
    ::unlink(temporary.c_str());
    cannot_write(named, error);
  };
  Descriptor descriptor(::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
  if (*descriptor < 0) give_up(errno);
  if (const int error = write_all(*descriptor, text); error != 0) give_up(error);
  // A full disk may only be reported on flush.
  int error = ::fsync(*descriptor) != 0 && errno != EINVAL && errno != EROFS ? errno : 0;
  if (::close(descriptor.release()) != 0 && error == 0) error = errno;
  if (error != 0) give_up(error);
  if (::rename(temporary.c_str(), file.c_str()) != 0) give_up(errno);
}

}  // namespace heddle
