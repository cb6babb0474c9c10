// SPDX-License-Identifier: Apache-2.0
#include "runtime/signal_watch.h"

#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

#include "gpu/run_control.h"

namespace heddle::runtime {
namespace {

constexpr int kSignals[] = {SIGINT, SIGTERM};

// Written before the handler is installed, then only read.
int pipe_ends[2] = {-1, -1};  // the handler writes, the watching thread reads; async-signal-safe
pid_t watched_process = 0;
void (*end_run)(int signal) = nullptr;

void end_process(int signal) {
  std::signal(signal, SIG_DFL);
  sigset_t only;
  sigemptyset(&only);
  sigaddset(&only, signal);
  pthread_sigmask(SIG_UNBLOCK, &only, nullptr);
  std::raise(signal);
}

void on_signal(int signal) {
  const int error = errno;
  std::signal(signal, SIG_DFL);
  if (getpid() != watched_process) {
    // A fork()ed child inherits the handler but not the watching thread.
    std::raise(signal);
    return;
  }
  gpu::interrupt_signal.store(signal, std::memory_order_relaxed);
  const auto byte = static_cast<unsigned char>(signal);
  [[maybe_unused]] const ssize_t written = write(pipe_ends[1], &byte, 1);
  errno = error;
}

void* wait_for_signal(void*) {
  unsigned char byte = 0;
  ssize_t got = 0;
  do {
    got = read(pipe_ends[0], &byte, 1);
  } while (got < 0 && errno == EINTR);
  if (got != 1) return nullptr;
  end_run(byte);
  end_process(byte);
  return nullptr;
}

/// Starts a thread with all signals blocked.
bool start_thread() {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pthread_t thread{};
  const bool started = pthread_create(&thread, nullptr, wait_for_signal, nullptr) == 0;
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (started) pthread_detach(thread);
  return started;
}

}  // namespace

void watch_signals(void (*end)(int signal)) {
  if (end_run != nullptr) return;
  end_run = end;
  watched_process = getpid();
  // Not inherited by child programs.
  if (pipe2(pipe_ends, O_CLOEXEC) != 0 || !start_thread()) return;
  for (const int signal : kSignals) {
    struct sigaction now {};
    sigaction(signal, nullptr, &now);
    if ((now.sa_flags & SA_SIGINFO) != 0 || now.sa_handler != SIG_DFL) continue;
    struct sigaction ours {};
    ours.sa_handler = on_signal;
    ours.sa_flags = SA_RESTART;  // blocking calls of the program are restarted
    sigaction(signal, &ours, nullptr);
  }
}

}  // namespace heddle::runtime
