// SPDX-License-Identifier: Apache-2.0
// Waveforms: a value change dump (IEEE 1364-2005, 18) of chosen signals in chosen windows of cycles, with a GTKWave
// save file that groups, colours and translates them.
#pragma once

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/probe.h"
#include "core/structure.h"

namespace heddle {

/// Cycles first .. last of the core clock, both included.
struct CycleWindow {
  std::uint64_t first = 0;
  std::uint64_t last = ~std::uint64_t{0};
};
/// "1000:2000", "5000:" (to the end), ":100", several with commas. Throws Error(kUsage) when malformed or when windows
/// overlap; the result is in order of time.
std::vector<CycleWindow> parse_windows(std::string_view text);

struct WaveformRequest {
  std::filesystem::path file;        ///< the .vcd; the save file lies beside it with the ending .gtkw
  std::string signals = "*";         ///< patterns of full signal names: "sm0.*,mc*.bank*"
  std::vector<CycleWindow> windows;  ///< empty: everything
  std::uint64_t most_bytes = std::uint64_t{1} << 30;
};

/// Writes the waveform. Construct after elaboration; destroy, or close(), before the machine goes.
class VcdWriter final : public ProbeListener {
 public:
  /// picoseconds_of: time of an edge of the core clock. Throws Error(kUsage) when no signal matches, Error(kIo) when
  /// the file cannot be written.
  VcdWriter(Probes& probes, const Structures& structures, WaveformRequest request,
            const std::function<std::uint64_t(std::uint64_t cycle)>& picoseconds_of);
  ~VcdWriter() override;
  VcdWriter(const VcdWriter&) = delete;
  VcdWriter& operator=(const VcdWriter&) = delete;

  void sample(const ProbeCycle& cycle) override;
  /// Ends the open window, completes the file and writes the save file. Throws Error(kIo).
  void close();

  std::size_t signals() const { return signals_.size(); }
  std::uint64_t bytes() const { return bytes_; }
  /// Whether recording stopped at the size cap.
  bool capped() const { return capped_; }

  /// A recorded signal, for the save file.
  struct Signal {
    std::string scope;  ///< dotted path of its scope
    std::string name;
    unsigned width;
    Radix radix;
    const TextTable* text;
    bool pulse;
  };

 private:
  struct Recorded {
    Signal signal;
    std::string code;
    const ProbeGroup* group = nullptr;  ///< pulses
    ProbeGroup::SignalId id = 0;
    std::function<void(std::uint64_t*)> read;  ///< sampled signals
    std::vector<std::uint64_t> value, last;
    bool defined = false, last_defined = false;
  };
  struct Domain {
    std::vector<std::size_t> signals;  ///< indices
    std::size_t cycle_signal = 0;      ///< counts the domain's cycles
    std::uint64_t clear_at = 0;        ///< when its pulses end
    bool pulsed = false;
  };
  struct Window {
    std::uint64_t begin, end;  ///< picoseconds; end excluded
  };

  void choose_signals(const Structures& structures);
  void add(std::string_view domain, Recorded recorded);
  const TextTable* kept(const TextTable* text);
  void write_header();
  void open_window();
  void close_window(std::uint64_t picoseconds);
  void clear_pulses(std::uint64_t before);
  void write_time(std::uint64_t picoseconds);
  void write_value(Recorded& recorded, bool always);
  void write_undefined(const Recorded& recorded);
  void put(std::string_view text);
  void flush();

  Probes& probes_;
  WaveformRequest request_;
  std::vector<Window> windows_;
  std::size_t window_ = 0;  ///< the present or next one
  bool in_window_ = false, capped_ = false;
  std::vector<Recorded> signals_;
  std::map<std::string, Domain, std::less<>> domains_;
  /// Copies by original: the file may be completed while the process ends, after static tables have gone.
  std::map<const TextTable*, std::unique_ptr<const TextTable>> texts_;
  std::FILE* file_ = nullptr;
  std::string buffer_;
  std::uint64_t bytes_ = 0;
  std::uint64_t time_ = ~std::uint64_t{0};  ///< the time written last
};

/// Text of a GTKWave save file for these signals, and its translation tables as files beside it.
void write_gtkwave_save(const std::filesystem::path& save_file, const std::filesystem::path& vcd,
                        const std::vector<VcdWriter::Signal>& signals, std::uint64_t first_picoseconds);

}  // namespace heddle
