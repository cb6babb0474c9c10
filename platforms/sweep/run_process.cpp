// SPDX-License-Identifier: Apache-2.0
#include "sweep/run_process.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "core/error.h"

namespace heddle::sweep {
namespace {

[[noreturn]] void give_up(const char* what) {
  const std::string message = fmt::format("heddle sweep: error: {}: {}\n", what, std::strerror(errno));
  [[maybe_unused]] const auto written = ::write(2, message.data(), message.size());
  ::_exit(127);
}

void redirect(const char* file, int flags, int descriptor) {
  const int opened = ::open(file, flags, 0666);
  if (opened < 0 || ::dup2(opened, descriptor) < 0) give_up(file);
  if (opened != descriptor) ::close(opened);
}

/// Runs in the child. Does not return.
[[noreturn]] void become(const ProcessRequest& request, pid_t parent, const std::vector<char*>& words) {
  ::setpgid(0, 0);
  // A killed sweep must not leave runs behind that would collide with the next one.
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(127);
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  for (const int one : {SIGINT, SIGTERM, SIGCHLD, SIGPIPE}) ::signal(one, SIG_DFL);
  redirect(request.err.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 2);
  redirect(request.out.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 1);
  redirect("/dev/null", O_RDONLY, 0);
  if (::chdir(request.folder.c_str()) != 0) give_up(request.folder.c_str());
  for (const std::string& variable : request.unset) ::unsetenv(variable.c_str());
  if (request.inherited >= 0) ::fcntl(request.inherited, F_SETFD, 0);
  ::execv(words[0], words.data());
  give_up(words[0]);
}

double seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
}

}  // namespace

RunProcess::RunProcess(const ProcessRequest& request) : started_(Clock::now()) {
  std::vector<char*> words;
  words.reserve(request.command.size() + 1);
  for (const std::string& word : request.command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  const pid_t parent = ::getpid();
  pid_ = ::fork();
  if (pid_ < 0) fail(ExitCode::io, "cannot start a process: {}; use fewer --jobs", std::strerror(errno));
  if (pid_ == 0) become(request, parent, words);
  ::setpgid(pid_, pid_);  // also in the parent, so that the group exists before the first signal to it
  if (request.limit.count() > 0) deadline_ = started_ + std::chrono::duration_cast<Clock::duration>(request.limit);
}

void RunProcess::enforce(Clock::time_point now) {
  if (!deadline_ || now < *deadline_) return;
  if (terminated_) {
    kill();
  } else {
    timed_out_ = true;
    stop(now);
  }
}

void RunProcess::stop(Clock::time_point now) {
  ::kill(-pid_, SIGTERM);
  terminated_ = true;
  deadline_ = now + kGrace;
}

void RunProcess::kill() {
  ::kill(-pid_, SIGKILL);
  deadline_.reset();
}

std::optional<ProcessEnd> RunProcess::poll() {
  siginfo_t state{};
  if (::waitid(P_PID, static_cast<id_t>(pid_), &state, WEXITED | WNOHANG | WNOWAIT) != 0 || state.si_pid == 0)
    return {};
  // Until it is waited for, its number cannot be reused for another group.
  ::kill(-pid_, SIGKILL);
  int status = 0;
  rusage used{};
  ::wait4(pid_, &status, 0, &used);
  ProcessEnd end;
  end.timed_out = timed_out_;
  end.wall_seconds = std::chrono::duration<double>(Clock::now() - started_).count();
  end.user_seconds = seconds(used.ru_utime);
  end.peak_memory_bytes = static_cast<std::uint64_t>(used.ru_maxrss) * 1024;
  if (WIFSIGNALED(status)) {
    end.signal = WTERMSIG(status);
  } else {
    end.exit_status = WEXITSTATUS(status);
  }
  return end;
}

}  // namespace heddle::sweep
