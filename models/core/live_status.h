// SPDX-License-Identifier: Apache-2.0
// How far a run is, for those who watch it: what it shows of itself while it runs, as a file and as text.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace heddle {

/// A moment of a run. Rates are those since the moment before.
struct LiveStatus {
  struct Sm {
    std::string name;
    double issued = 0;    ///< share of its issue slots in which an instruction issued, 0 .. 1
    double occupied = 0;  ///< share of its threads that blocks have taken, 0 .. 1
  };
  std::string program, machine, kernel;
  std::uint64_t launch = 0;
  std::uint64_t cycles = 0, thread_instructions = 0;  ///< of the launch
  std::uint64_t blocks = 0, blocks_done = 0;          ///< of the launch
  double seconds = 0;                                 ///< the launch has taken, on the host's clock
  double cycles_per_second = 0, instructions_per_second = 0, ipc = 0;
  std::vector<Sm> sms;  ///< empty: a functional launch

  /// Seconds until the launch ends, by the blocks that have; negative: not known yet.
  double remaining_seconds() const;
};

std::string live_status_json(const LiveStatus& status);
/// Throws Error(kIo) when there is no such file, Error(kConfiguration) when it is none.
LiveStatus read_live_status(const std::filesystem::path& file);
/// Lines of at most `columns` characters (40 or more), the last without a line feed; at most `rows` of SMs, 0: all.
std::string live_view(const LiveStatus& status, unsigned columns, unsigned rows = 0);

/// The file's name in the folder of results; it goes when the run ends.
inline constexpr const char* kLiveStatusFile = "progress.json";

}  // namespace heddle
