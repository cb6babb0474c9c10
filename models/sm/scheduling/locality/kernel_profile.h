// SPDX-License-Identifier: Apache-2.0
// Profile of the loops of kernels, taken from one run and used in others: which loops have intra-warp locality, how
// their loads diverge, which loads share a line, and how many warps run best together. `heddle profile-loops` writes
// the file; a person may edit it. Format: docs/mechanisms/divergence-aware-scheduling.md.
// Source: docs/sources/cache-conscious-and-divergence-aware.md, 2.6.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::isa {
struct Kernel;
}

namespace heddle::sm {

/// A load of global or local memory in a loop.
struct LoadProfile {
  std::uint32_t pc = 0;
  std::uint32_t source_line = 0;  ///< 0: unknown
  bool divergent = false;         ///< often accesses more than the two lines of a converged load
  std::uint32_t repetition = 0;   ///< loads of a loop with the same number access the same line in a trip
};

struct LoopProfile {
  std::uint32_t pc = 0;            ///< of its first instruction
  std::uint32_t source_line = 0;   ///< of that instruction; 0: unknown
  bool locality = false;           ///< warps access again what they have accessed before
  std::vector<LoadProfile> loads;  ///< whose innermost loop this is, by PC
};

struct KernelProfile {
  std::string kernel;                  ///< name in the PTX
  std::optional<unsigned> warp_limit;  ///< warps of an SM that run best at a time; 1 or more
  std::vector<LoopProfile> loops;      ///< by PC

  /// The loop with this first instruction; null: none.
  const LoopProfile* find(std::uint32_t loop_pc) const;
};

/// The kernels of one file.
class KernelProfiles {
 public:
  /// Reads a file. Throws Error(kIo) if it cannot be read, Error(kConfiguration) with file and line if it is malformed:
  /// a missing or unknown member, a value out of range, a kernel, loop or load listed twice.
  static std::shared_ptr<const KernelProfiles> read(const std::filesystem::path& file);
  /// The same from text; origin: for messages.
  static KernelProfiles parse(std::string_view text, const std::string& origin);

  KernelProfiles() = default;
  explicit KernelProfiles(std::vector<KernelProfile> kernels) : kernels_(std::move(kernels)) {}

  const std::string& origin() const { return origin_; }
  const std::vector<KernelProfile>& kernels() const { return kernels_; }
  /// The kernel's profile; null, with one warning for each kernel of the process, if the file has none. Throws
  /// Error(kConfiguration) if the profile names a loop or load that the kernel does not have: it was compiled, or
  /// lowered for a machine with other register limits, since.
  const KernelProfile* find(const isa::Kernel& kernel) const;
  /// The file's text.
  std::string text() const;

 private:
  void match(const KernelProfile& profile, const isa::Kernel& kernel) const;

  std::string origin_;
  std::vector<KernelProfile> kernels_;
};

}  // namespace heddle::sm
