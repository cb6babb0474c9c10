// SPDX-License-Identifier: Apache-2.0
#include "cc/runner.h"

#include <fmt/core.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <vector>

#include "core/error.h"

namespace heddle::cc {

namespace {

// Ignores interrupts during its lifetime; commands started meanwhile get the default behaviour back.
class InterruptsGoToCommand {
 public:
  InterruptsGoToCommand() {
    struct sigaction ignore = {};
    ignore.sa_handler = SIG_IGN;
    sigaction(SIGINT, &ignore, &interrupt_);
    sigaction(SIGQUIT, &ignore, &quit_);
    posix_spawnattr_init(&attributes_);
    sigset_t defaults;
    sigemptyset(&defaults);
    if (interrupt_.sa_handler != SIG_IGN) sigaddset(&defaults, SIGINT);
    if (quit_.sa_handler != SIG_IGN) sigaddset(&defaults, SIGQUIT);
    posix_spawnattr_setsigdefault(&attributes_, &defaults);
    posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETSIGDEF);
  }
  ~InterruptsGoToCommand() {
    posix_spawnattr_destroy(&attributes_);
    sigaction(SIGINT, &interrupt_, nullptr);
    sigaction(SIGQUIT, &quit_, nullptr);
  }
  InterruptsGoToCommand(const InterruptsGoToCommand&) = delete;
  InterruptsGoToCommand& operator=(const InterruptsGoToCommand&) = delete;

  posix_spawnattr_t* attributes() { return &attributes_; }

 private:
  struct sigaction interrupt_ = {};
  struct sigaction quit_ = {};
  posix_spawnattr_t attributes_;
};

}  // namespace

int Runner::run(const Command& command, const Command& shown) const {
  if (verbose_) {
    fmt::print(stderr, "#$ {}\n", shell_text(shown));
    std::fflush(stderr);
  }
  if (dry_run_) return 0;
  std::vector<char*> arguments;
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  InterruptsGoToCommand guard;
  pid_t process = 0;
  const int error = posix_spawnp(&process, arguments[0], nullptr, guard.attributes(), arguments.data(), environ);
  if (error != 0) fail(ExitCode::configuration, "{}: cannot be started: {}", command.front(), std::strerror(error));
  int status = 0;
  while (waitpid(process, &status, 0) < 0) {
    if (errno != EINTR) fail(ExitCode::io, "{}: cannot wait for it: {}", command.front(), std::strerror(errno));
  }
  if (WIFSIGNALED(status)) return 128 + WTERMSIG(status);
  return WEXITSTATUS(status);
}

WorkFolder::WorkFolder(const std::string& kept) : temporary_(kept.empty()) {
  if (!temporary_) {
    std::error_code error;
    path_ = kept;
    std::filesystem::create_directories(path_, error);
    if (error) fail(ExitCode::io, "{}: cannot create the folder: {}", kept, error.message());
    return;
  }
  const char* parent = getenv("TMPDIR");
  std::string name = std::string(parent == nullptr || *parent == '\0' ? "/tmp" : parent) + "/heddle-cc-XXXXXX";
  if (mkdtemp(name.data()) == nullptr) {
    fail(ExitCode::io, "{}: cannot create a temporary folder: {}; set TMPDIR to a writable folder", name,
         std::strerror(errno));
  }
  path_ = name;
}

WorkFolder::~WorkFolder() {
  std::error_code error;
  if (temporary_) std::filesystem::remove_all(path_, error);
}

}  // namespace heddle::cc
