// SPDX-License-Identifier: Apache-2.0
// Drives a fuzz target without libFuzzer:
//   TARGET [--rounds N] [--seconds S] [--seed N] [--keep FILE]   mutates the target's texts, until either bound
//   TARGET FILE...                                               tries these files
// A text that crashes the process, throws anything but heddle::Error or takes longer than ten seconds is written to
// FILE (default TARGET-failure.txt), and the exit status is not 0.
#include <fcntl.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>

#include "fuzz.h"
#include "mutator.h"

namespace {

constexpr unsigned kSecondsPerText = 10;

std::string current;       // the text being tried
std::string failure_file;  // receives it on failure

// Uses only async-signal-safe calls.
void write_all(int file, const char* bytes, std::size_t size) {
  while (size > 0) {
    const ssize_t done = ::write(file, bytes, size);
    if (done <= 0) return;
    bytes += done;
    size -= static_cast<std::size_t>(done);
  }
}

extern "C" void keep_text(int signal) {
  const int file = ::open(failure_file.c_str(), O_CREAT | O_WRONLY | O_TRUNC, 0644);
  if (file >= 0) {
    write_all(file, current.data(), current.size());
    ::close(file);
  }
  static constexpr char kMessage[] = "fuzz: failed on this text: ";
  write_all(STDERR_FILENO, kMessage, sizeof kMessage - 1);
  write_all(STDERR_FILENO, failure_file.data(), failure_file.size());
  write_all(STDERR_FILENO, "\n", 1);
  ::signal(signal, SIG_DFL);
  ::raise(signal);
}

void try_one(const std::string& text) {
  current = text;
  ::alarm(kSecondsPerText);
  heddle::fuzz::try_text(current);
  ::alarm(0);
}

}  // namespace

int main(int argc, char** argv) {
  long rounds = 1'000'000'000, seconds = 5;
  std::uint32_t seed = 1;
  std::vector<const char*> files;
  failure_file = std::string(argv[0]) + "-failure.txt";
  for (int i = 1; i < argc; ++i) {
    const auto is = [&](const char* name) { return std::strcmp(argv[i], name) == 0 && i + 1 < argc; };
    if (is("--rounds")) {
      rounds = std::atol(argv[++i]);
    } else if (is("--seconds")) {
      seconds = std::atol(argv[++i]);
    } else if (is("--seed")) {
      seed = static_cast<std::uint32_t>(std::strtoul(argv[++i], nullptr, 10));
    } else if (is("--keep")) {
      failure_file = argv[++i];
    } else {
      files.push_back(argv[i]);
    }
  }
  for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGALRM}) ::signal(signal, keep_text);

  for (const char* file : files) {
    std::ifstream in(file, std::ios::binary);
    try_one(std::string(std::istreambuf_iterator<char>(in), {}));
  }
  if (!files.empty()) {
    std::printf("%zu files, no failure\n", files.size());
    return 0;
  }
  for (const std::string& text : heddle::fuzz::texts()) try_one(text);
  heddle::fuzz::Mutator mutator(heddle::fuzz::texts(), heddle::fuzz::words(), seed);
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(seconds);
  long round = 0;
  for (; round < rounds && std::chrono::steady_clock::now() < end; ++round) try_one(mutator.next());
  std::printf("%ld texts from seed %u, no failure\n", round, seed);
  return 0;
}
