// SPDX-License-Identifier: Apache-2.0
// Live progress of a run, as a file and as text.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace heddle {

/// A snapshot of a run. Rates cover the time since the previous snapshot.
struct LiveStatus {
  struct Sm {
    std::string name;
    double issued = 0;    ///< share of its issue slots in which an instruction issued, 0 .. 1
    double occupied = 0;  ///< share of its thread slots occupied by blocks, 0 .. 1
  };
  std::string program, machine, kernel;
  std::uint64_t launch = 0;
  std::uint64_t cycles = 0, thread_instructions = 0;  ///< of the launch
  std::uint64_t blocks = 0, blocks_done = 0;          ///< of the launch
  double seconds = 0;                                 ///< elapsed time of the launch on the host
  double cycles_per_second = 0, instructions_per_second = 0, ipc = 0;
  std::vector<Sm> sms;  ///< empty: a functional launch

  /// Estimated seconds until the launch ends, from the blocks finished so far; negative: not known yet.
  double remaining_seconds() const;
};

std::string live_status_json(const LiveStatus& status);
/// Throws Error(kIo) when there is no such file, Error(kConfiguration) when it is not a status file.
LiveStatus read_live_status(const std::filesystem::path& file);
/// Lines of at most `columns` characters (40 or more), the last without a line feed; at most `rows` rows of SMs, 0:
/// all.
std::string live_view(const LiveStatus& status, unsigned columns, unsigned rows = 0);

/// The file's name in the results folder; removed when the run ends.
inline constexpr const char* kLiveStatusFile = "progress.json";

}  // namespace heddle
