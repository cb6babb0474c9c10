// SPDX-License-Identifier: Apache-2.0
// One seed of random_kernels: its kernels on one machine, and the comparison with functional mode.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "machine_generator.h"

namespace heddle::random {

inline constexpr unsigned kKernelsPerSeed = 2;

struct TrialOptions {
  unsigned size = 30;
  std::uint64_t max_cycles = 60'000'000;  ///< of a kernel: nothing that ends takes as many
  unsigned threads = 1;                   ///< of the host
  std::uint32_t registers = 0;            ///< a thread may have on the timed machine; 0: any number
  std::filesystem::path keep = std::filesystem::temp_directory_path();
  bool every = false;                 ///< machines, instead of a random one
  std::string machine;                ///< instead of a random one
  std::vector<std::string> settings;  ///< in addition
};

enum class TrialEnd : int { same = 0, different = 1, refused = 2 };

/// Runs the kernels of a seed, and reports a difference; on several threads if the options say so. Once per process.
TrialEnd run_trial(const TrialOptions& options, std::uint64_t seed, const GeneratedMachine& machine);

std::uint64_t kernel_seed(std::uint64_t seed, unsigned number);
/// Options of `heddle run` for the machine.
std::string command_of(const GeneratedMachine& machine);
/// The command that runs the trial again.
std::string again(const TrialOptions& options, std::uint64_t seed, const GeneratedMachine& machine);

}  // namespace heddle::random
