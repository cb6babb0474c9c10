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
#include "core/trace/vcd_signals.h"
#include "core/trace/waveform_view.h"

namespace heddle {

struct WaveformRequest {
  std::filesystem::path file;        ///< .vcd, .vcd.gz or .fst; the save file is next to it, with extension .gtkw
  std::string signals = "*";         ///< patterns of full signal names: "sm0.*,mc*.bank*"
  std::string except;                ///< patterns of signals to exclude
  const Windows* windows = nullptr;  ///< must outlive the writer; null: everything
  std::uint64_t most_bytes = std::uint64_t{1} << 30;
  std::function<WaveformPlace(std::string_view scope)> place_of = {};  ///< groups of the save file; empty: by scope
  std::vector<WaveformPart> parts = {};  ///< whose signals need not be read in every cycle
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

  std::size_t signals() const { return signals_.all().size(); }
  /// Size of the uncompressed dump.
  std::uint64_t bytes() const { return file_.bytes(); }
  /// False once it is closed, or given up because it could not be written.
  bool is_open() const { return file_.is_open(); }
  /// Whether recording stopped at the size cap.
  bool capped() const { return capped_; }

 private:
  struct Window {
    std::uint64_t begin = 0, end = 0;  ///< picoseconds; end exclusive
  };
  /// A section of the recording that starts with a dump of all values.
  struct Piece {
    explicit Piece(std::uint64_t from) : begin(from) {}
    std::uint64_t begin;
    TextBuffer text{std::size_t{1} << 16};
  };

  void write_header();
  void open_scope(std::vector<std::string_view>& open, std::string_view scope);
  /// The window that contains this time, else the next one; empty when there is none.
  Window window_at(std::uint64_t picoseconds);
  /// When recording only the time before an error: starts pieces periodically and drops old ones.
  void renew_pieces(std::uint64_t picoseconds);
  void stop_at_cap();
  void open_window();
  void close_window(std::uint64_t picoseconds);
  void clear_pulses(std::uint64_t before);
  void write_time(std::uint64_t picoseconds);
  void write_value(const VcdSignals::Signal& signal);
  void write_undefined(const VcdSignals::Signal& signal);
  void write_save_file(const std::filesystem::path& save_file, bool failed);
  template <typename... Parts>
  void put(const Parts&... parts) {
    if (keeps_pieces_) {
      (pieces_.back().text.add(parts), ...);
    } else {
      file_.put(parts...);
    }
  }

  /// The same for text that print(place) puts at a place with room for `most` bytes, and returns its end.
  template <typename Print>
  void put_at_most(std::size_t most, Print&& print) {
    if (keeps_pieces_) {
      pieces_.back().text.add_at_most(most, print);
    } else {
      file_.put_at_most(most, print);
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
  VcdSignals signals_;
  std::uint64_t time_ = ~std::uint64_t{0};  ///< last time written
};

}  // namespace heddle
