// SPDX-License-Identifier: Apache-2.0
// What every workload shares: its command line, its random numbers, its device arrays, and the line it ends with.
//
// Any CUDA compiler of C++14 or later takes this header; it knows nothing of the machine the program runs on.
#pragma once
#include <cuda_runtime.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace workload {

// Exit statuses: 0 the result is right, 1 it is wrong or CUDA reported an error, 2 the command line is wrong.
constexpr int kExitPass = 0;
constexpr int kExitFail = 1;
constexpr int kExitUsage = 2;

// Ends the program when a CUDA call failed, naming the call and the error.
inline void check_cuda(cudaError_t status, const char* call, const char* file, int line) {
  if (status == cudaSuccess) return;
  std::fprintf(stderr, "%s:%d: %s: %s (%s)\n", file, line, call, cudaGetErrorString(status), cudaGetErrorName(status));
  std::exit(kExitFail);
}
#define CHECK_CUDA(call) workload::check_cuda((call), #call, __FILE__, __LINE__)
// After a launch: errors of the launch itself, then those of the kernel.
#define CHECK_LAUNCH()                   \
  do {                                   \
    CHECK_CUDA(cudaGetLastError());      \
    CHECK_CUDA(cudaDeviceSynchronize()); \
  } while (0)

// Removes `--name VALUE` (also `--name=VALUE`) from the command line and gives its value; `otherwise` when it is not
// there. `name` comes with its dashes. Called before parse_size, which takes nothing but its own.
inline std::string take_option(int& argc, char** argv, const std::string& name, const std::string& otherwise) {
  std::string value = otherwise;
  int kept = 1;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument == name && i + 1 < argc) {
      value = argv[++i];
    } else if (argument.compare(0, name.size() + 1, name + "=") == 0) {
      value = argument.substr(name.size() + 1);
    } else {
      argv[kept++] = argv[i];
    }
  }
  argc = kept;
  return value;
}

// The same for a value that is one of `choices`; gives its place among them. Anything else ends the program with
// kExitUsage.
inline std::size_t take_choice(int& argc, char** argv, const std::string& name,
                               const std::vector<std::string>& choices) {
  const std::string value = take_option(argc, argv, name, choices.front());
  std::string legal;
  for (std::size_t i = 0; i < choices.size(); ++i) {
    if (choices[i] == value) return i;
    legal += (i == 0 ? "" : ", ") + choices[i];
  }
  std::fprintf(stderr, "%s: %s takes one of %s, not '%s'\n", argv[0], name.c_str(), legal.c_str(), value.c_str());
  std::exit(kExitUsage);
}

// The same for a whole number from `least` to `most`. Anything else ends the program with kExitUsage.
inline long take_number(int& argc, char** argv, const std::string& name, long otherwise, long least, long most) {
  const std::string text = take_option(argc, argv, name, std::to_string(otherwise));
  char* end = nullptr;
  const long value = std::strtol(text.c_str(), &end, 10);
  if (!text.empty() && *end == '\0' && value >= least && value <= most) return value;
  std::fprintf(stderr, "%s: %s takes a number from %ld to %ld, not '%s'\n", argv[0], name.c_str(), least, most,
               text.c_str());
  std::exit(kExitUsage);
}

// What the names small, medium and large mean to a program, and the numbers it accepts. The unit is the program's own.
struct Sizes {
  long small, medium, large;
  long least, most;
};

// Reads `--size small|medium|large|NUMBER` (also `--size=...`); without it, small. Anything else ends the program with
// kExitUsage and a line on standard error.
inline long parse_size(int argc, char** argv, const Sizes& sizes) {
  std::string text = "small";
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument == "--size" && i + 1 < argc) {
      text = argv[++i];
    } else if (argument.compare(0, 7, "--size=") == 0) {
      text = argument.substr(7);
    } else {
      std::fprintf(stderr, "usage: %s [--size small|medium|large|NUMBER]   (small %ld, medium %ld, large %ld)\n",
                   argv[0], sizes.small, sizes.medium, sizes.large);
      std::exit(argument == "--help" ? kExitPass : kExitUsage);
    }
  }
  if (text == "small") return sizes.small;
  if (text == "medium") return sizes.medium;
  if (text == "large") return sizes.large;
  char* end = nullptr;
  const long value = std::strtol(text.c_str(), &end, 10);
  if (text.empty() || *end != '\0' || value < sizes.least || value > sizes.most) {
    std::fprintf(stderr, "%s: --size takes small, medium, large or a number from %ld to %ld, not '%s'\n", argv[0],
                 sizes.least, sizes.most, text.c_str());
    std::exit(kExitUsage);
  }
  return value;
}

// A linear congruential generator modulo 2^32; the low 8 bits, whose period is short, are dropped.
class Random {
 public:
  explicit Random(std::uint32_t seed) : state_(seed) {}
  // Uniform in [0, 2^24).
  std::uint32_t next() {
    state_ = state_ * 1664525u + 1013904223u;
    return state_ >> 8;
  }
  // Uniform in [0, bound), for bounds far below 2^24.
  std::uint32_t below(std::uint32_t bound) { return next() % bound; }
  // Uniform in [low, high).
  float between(float low, float high) { return low + (high - low) * (static_cast<float>(next()) / 16777216.0f); }

 private:
  std::uint32_t state_;
};

// An array in device memory, freed with its owner.
template <class T>
class DeviceArray {
 public:
  // Holds `count` elements whose bytes are all zero.
  explicit DeviceArray(std::size_t count) : count_(count) {
    void* address = nullptr;
    CHECK_CUDA(cudaMalloc(&address, bytes()));
    CHECK_CUDA(cudaMemset(address, 0, bytes()));
    data_ = static_cast<T*>(address);
  }
  explicit DeviceArray(const std::vector<T>& values) : DeviceArray(values.size()) { upload(values); }
  DeviceArray(const DeviceArray&) = delete;
  DeviceArray& operator=(const DeviceArray&) = delete;
  ~DeviceArray() { cudaFree(data_); }

  T* get() const { return data_; }
  // `values` has as many elements as the array.
  void upload(const std::vector<T>& values) {
    CHECK_CUDA(cudaMemcpy(data_, values.data(), bytes(), cudaMemcpyHostToDevice));
  }
  std::vector<T> download() const {
    std::vector<T> values(count_);
    CHECK_CUDA(cudaMemcpy(values.data(), data_, bytes(), cudaMemcpyDeviceToHost));
    return values;
  }

 private:
  std::size_t bytes() const { return count_ * sizeof(T); }
  std::size_t count_;
  T* data_ = nullptr;
};

inline unsigned blocks_for(long items, long block) { return static_cast<unsigned>((items + block - 1) / block); }

// Compares results with their references and ends the program: create one, `expect...` each result, return `finish()`.
class Report {
 public:
  explicit Report(const char* name) : name_(name) {}

  // Every element equal to its reference, bit for bit.
  template <class T>
  void expect_equal(const char* what, const std::vector<T>& result, const std::vector<T>& reference) {
    compare(what, result, reference, [](const T& a, const T& b) { return std::memcmp(&a, &b, sizeof(T)) == 0; });
  }
  // Every element within `relative` of its reference, or within `absolute` of it. NaN is never near.
  template <class T>
  void expect_near(const char* what, const std::vector<T>& result, const std::vector<T>& reference, double relative,
                   double absolute) {
    compare(what, result, reference, [=](const T& a, const T& b) {
      const double distance = std::fabs(static_cast<double>(a) - static_cast<double>(b));
      return distance <= absolute || distance <= relative * std::fabs(static_cast<double>(b));
    });
  }
  // A property that is no comparison with a reference.
  void expect_true(const char* what, bool holds) {
    if (!holds) complain(what, 0);
  }
  // Counts result bytes that are part of the digest and were judged by expect_true.
  template <class T>
  void add(const std::vector<T>& result) {
    items_ += result.size();
    digest(result.data(), result.size() * sizeof(T));
  }

  // Prints `NAME PASS|FAIL items=N digest=HEX`, the digest being the 64-bit FNV-1a hash of all result bytes, and gives
  // the exit status.
  int finish() const {
    std::printf("%s %s items=%zu digest=%016llx\n", name_, wrong_ == 0 ? "PASS" : "FAIL", items_,
                static_cast<unsigned long long>(digest_));
    return wrong_ == 0 ? kExitPass : kExitFail;
  }

 private:
  template <class T, class Equal>
  void compare(const char* what, const std::vector<T>& result, const std::vector<T>& reference, Equal equal) {
    add(result);
    if (result.size() != reference.size()) return complain(what, 0);
    for (std::size_t i = 0; i < result.size(); ++i)
      if (!equal(result[i], reference[i])) complain(what, i);
  }
  void complain(const char* what, std::size_t index) {
    constexpr std::size_t kShown = 5;
    if (wrong_++ < kShown) std::fprintf(stderr, "%s: %s is wrong at item %zu\n", name_, what, index);
  }
  void digest(const void* data, std::size_t size) {
    const unsigned char* bytes = static_cast<const unsigned char*>(data);
    for (std::size_t i = 0; i < size; ++i) digest_ = (digest_ ^ bytes[i]) * 0x100000001b3ull;
  }

  const char* name_;
  std::size_t items_ = 0;
  std::size_t wrong_ = 0;
  std::uint64_t digest_ = 0xcbf29ce484222325ull;
};

}  // namespace workload
