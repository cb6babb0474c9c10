// SPDX-License-Identifier: Apache-2.0
#include "core/trace/trace_file.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/file.h"

extern char** environ;

namespace heddle {
namespace {

int opened(const std::filesystem::path& path) {
  create_folder_of(path);
  return open_for_writing(path);
}

std::FILE* open_file(const std::filesystem::path& path) {
  std::FILE* const file = ::fdopen(opened(path), "wb");
  if (file == nullptr) fail(ExitCode::io, "{}: cannot be written: {}", path.string(), std::strerror(errno));
  return file;
}

class PlainSink final : public TraceFile::Sink {
 public:
  explicit PlainSink(const std::filesystem::path& path) : file_(open_file(path)) {}
  ~PlainSink() override { close(); }
  bool write(std::string_view text) override { return std::fwrite(text.data(), 1, text.size(), file_) == text.size(); }
  bool close() override { return file_ == nullptr || std::fclose(std::exchange(file_, nullptr)) == 0; }

 private:
  std::FILE* file_;
};

class GzipSink final : public TraceFile::Sink {
 public:
  explicit GzipSink(const std::filesystem::path& path) : file_(gzdopen(opened(path), "wb")) {
    if (file_ == nullptr) fail(ExitCode::io, "{}: cannot be written: {}", path.string(), std::strerror(errno));
  }
  ~GzipSink() override { close(); }
  bool write(std::string_view text) override {
    return text.empty() || gzwrite(file_, text.data(), static_cast<unsigned>(text.size())) != 0;
  }
  bool close() override { return file_ == nullptr || gzclose(std::exchange(file_, nullptr)) == Z_OK; }

 private:
  gzFile file_;
};

class ZstdSink final : public TraceFile::Sink {
 public:
  explicit ZstdSink(const std::filesystem::path& path)
      : plain_(path), context_(ZSTD_createCStream()), out_(ZSTD_CStreamOutSize()) {}
  ~ZstdSink() override { close(); }
  bool write(std::string_view text) override { return compress(text, ZSTD_e_continue); }
  bool close() override {
    if (context_ == nullptr) return true;
    const bool good = compress({}, ZSTD_e_end);
    ZSTD_freeCStream(std::exchange(context_, nullptr));
    return plain_.close() && good;
  }

 private:
  bool compress(std::string_view text, ZSTD_EndDirective how) {
    ZSTD_inBuffer in{text.data(), text.size(), 0};
    while (true) {
      ZSTD_outBuffer out{out_.data(), out_.size(), 0};
      const std::size_t left = ZSTD_compressStream2(context_, &out, &in, how);
      if (ZSTD_isError(left) != 0 || !plain_.write({out_.data(), out.pos})) return false;
      if (how == ZSTD_e_end ? left == 0 : in.pos == in.size) return true;
    }
  }

  PlainSink plain_;
  ZSTD_CStream* context_;
  std::vector<char> out_;
};

/// Runs vcd2fst as a child process that reads the VCD from a pipe.
class FstSink final : public TraceFile::Sink {
 public:
  explicit FstSink(const std::filesystem::path& path) {
    // vcd2fst replaces the file and seeks back to patch its header.
    if (is_written_through(path))
      fail(ExitCode::usage, "{}: FST can only be written to a regular file; name a .vcd", path.string());
    // vcd2fst reports an unwritable path only at the end.
    std::fclose(open_file(path));
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) fail(ExitCode::io, "{}: no pipe: {}", path.string(), std::strerror(errno));
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[0], STDIN_FILENO);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    const std::string to = path.string();
    std::string words[] = {"vcd2fst", "-", to};
    char* arguments[] = {words[0].data(), words[1].data(), words[2].data(), nullptr};
    const int error = posix_spawnp(&process_, "vcd2fst", &actions, nullptr, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    ::close(ends[0]);
    if (error != 0) {
      ::close(ends[1]);
      fail(ExitCode::usage,
           "{}: FST is written by vcd2fst, which cannot be started ({}): install gtkwave, or name a .vcd", to,
           std::strerror(error));
    }
    to_ = fdopen(ends[1], "wb");
  }
  ~FstSink() override { close(); }
  bool write(std::string_view text) override {
    // If vcd2fst dies, the write fails but the run continues.
    const auto before = std::signal(SIGPIPE, SIG_IGN);
    const bool good = std::fwrite(text.data(), 1, text.size(), to_) == text.size();
    std::signal(SIGPIPE, before);
    return good;
  }
  bool close() override {
    if (to_ == nullptr) return true;
    const auto before = std::signal(SIGPIPE, SIG_IGN);
    bool good = std::fclose(std::exchange(to_, nullptr)) == 0;
    std::signal(SIGPIPE, before);
    int status = 0;
    while (waitpid(process_, &status, 0) < 0 && errno == EINTR) {
    }
    return good && WIFEXITED(status) && WEXITSTATUS(status) == 0;
  }

 private:
  std::FILE* to_ = nullptr;
  pid_t process_ = 0;
};

std::unique_ptr<TraceFile::Sink> sink_for(const std::filesystem::path& path) {
  const std::string ending = path.extension().string();
  if (ending == ".gz") return std::make_unique<GzipSink>(path);
  if (ending == ".zst") return std::make_unique<ZstdSink>(path);
  if (ending == ".fst") return std::make_unique<FstSink>(path);
  return std::make_unique<PlainSink>(path);
}

}  // namespace

TraceFile::TraceFile(std::filesystem::path path, std::uint64_t most_bytes)
    : path_(std::move(path)), most_bytes_(most_bytes), sink_(sink_for(path_)) {}

TraceFile::~TraceFile() {
  if (sink_ != nullptr) sink_->write(buffer_.text());
}

void TraceFile::give_up() {
  const int error = errno;
  sink_.reset();
  buffer_.clear();
  fail(ExitCode::io, "{}: could not be written completely: {}", path_.string(), std::strerror(error));
}

void TraceFile::flush() {
  flushed_ += buffer_.size();
  if (sink_ != nullptr && !sink_->write(buffer_.text())) give_up();
  buffer_.clear();
}

void TraceFile::close() {
  flush();
  if (sink_ != nullptr && !sink_->close()) give_up();
  sink_.reset();
}

}  // namespace heddle
