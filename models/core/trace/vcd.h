// SPDX-License-Identifier: Apache-2.0
// Waveforms: a value change dump (IEEE 1364-2005, 18) of chosen signals in chosen windows of cycles, with a GTKWave
// save file that groups, colours and translates them.
#pragma once

#include <cstdint>
#include <deque>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/names.h"
#include "core/statistics/windows.h"
#include "core/trace/probe.h"
#include "core/trace/structure.h"
#include "core/trace/trace_file.h"
#include "core/trace/waveform_view.h"

namespace heddle {

struct WaveformRequest {
  std::filesystem::path file;        ///< .vcd, .vcd.gz or .fst; the save file is next to it, with extension .gtkw
  std::string signals = "*";         ///< patterns of full signal names: "sm0.*,mc*.bank*"
  std::string except;                ///< patterns of signals to exclude
  const Windows* windows = nullptr;  ///< must outlive the writer; null: everything
  std::uint64_t most_bytes = std::uint64_t{1} << 30;
  std::function<WaveformPlace(std::string_view scope)> place_of = {};  ///< groups of the save file; empty: by scope
};

/// Writes the waveform. Construct after elaboration; destroy or close() before the machine is destroyed.
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
  /// Names the beginning of a core cycle for the viewer, if the cycle is recorded. Cycles never go back; the viewer has
  /// a limited number of names.
  void mark(Cycle cycle, std::string name);
  /// Ends the open window, completes the file and writes the save file. failed: the run ended with an error, so the
  /// cycles requested before an error are kept. Throws Error(kIo).
  void close(bool failed = false);

  std::size_t signals() const { return signals_.size(); }
  /// Size of the uncompressed dump.
  std::uint64_t bytes() const { return file_.bytes(); }
  /// False once it is closed, or given up because it could not be written.
  bool is_open() const { return file_.is_open(); }
  /// Whether recording stopped at the size cap.
  bool capped() const { return capped_; }

 private:
  struct Recorded {
    WaveformSignal signal;
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
    std::uint64_t clear_at = 0;        ///< time at which its pulses end
    bool pulsed = false;
  };
  struct Window {
    std::uint64_t begin = 0, end = 0;  ///< picoseconds; end exclusive
  };
  /// A section of the recording that starts with a dump of all values.
  struct Piece {
    std::uint64_t begin = 0;
    std::string text;
  };

  bool wanted(const std::string& name) const {
    return glob_match(request_.signals, name) && (request_.except.empty() || !glob_match(request_.except, name));
  }
  void choose_signals(const Structures& structures);
  void add(std::string_view domain, Recorded recorded);
  const TextTable* kept(const TextTable* text);
  void write_header();
  /// The window that contains this time, else the next one; empty when there is none.
  Window window_at(std::uint64_t picoseconds);
  /// When recording only the time before an error: starts pieces periodically and drops old ones.
  void renew_pieces(std::uint64_t picoseconds);
  void stop_at_cap();
  void open_window();
  void close_window(std::uint64_t picoseconds);
  void clear_pulses(std::uint64_t before);
  void write_time(std::uint64_t picoseconds);
  /// Writes values that differ from the last ones written, or all. Returns whether it wrote.
  bool write_value(Recorded& recorded, bool always);
  void write_undefined(const Recorded& recorded);
  void write_save_file(const std::filesystem::path& save_file, bool failed);
  void put(std::string_view text) {
    if (keeps_pieces_) {
      pieces_.back().text += text;
    } else {
      file_.put(text);
    }
  }

  Probes& probes_;
  WaveformRequest request_;
  std::function<std::uint64_t(std::uint64_t)> picoseconds_of_;
  TraceFile file_;
  Window window_;  ///< current or next one; valid until a window is added or moves
  std::uint64_t generation_ = 0;
  bool in_window_ = false, opened_ = false, capped_ = false, attached_ = false;
  static constexpr Cycle kShownCycles = 24;  ///< initially shown by the viewer: values of six digits are readable
  static constexpr std::size_t kPieces = 8;  ///< into which the time before an error is divided
  bool keeps_pieces_ = false;
  std::deque<Piece> pieces_;
  std::uint64_t piece_picoseconds_ = 0;
  WaveformMoments moments_;
  std::vector<Recorded> signals_;
  std::map<std::string, Domain, std::less<>> domains_;
  /// Copies by original, since the file may be completed during process exit, after static tables are destroyed.
  std::map<const TextTable*, std::unique_ptr<const TextTable>> texts_;
  std::string line_;                        ///< line under construction
  std::uint64_t time_ = ~std::uint64_t{0};  ///< last time written
};

}  // namespace heddle
