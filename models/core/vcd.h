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
#include "core/probe.h"
#include "core/structure.h"
#include "core/trace_file.h"
#include "core/windows.h"

namespace heddle {

struct WaveformRequest {
  std::filesystem::path file;        ///< .vcd, .vcd.gz or .fst; the save file lies beside it with the ending .gtkw
  std::string signals = "*";         ///< patterns of full signal names: "sm0.*,mc*.bank*"
  std::string except;                ///< patterns of those that are left out all the same
  const Windows* windows = nullptr;  ///< outlives the writer; null: everything
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
  /// Ends the open window, completes the file and writes the save file. failed: by an error, before which something may
  /// have been asked for. Throws Error(kIo).
  void close(bool failed = false);

  std::size_t signals() const { return signals_.size(); }
  /// Text of the dump, before it is compressed.
  std::uint64_t bytes() const { return file_.bytes(); }
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
    std::uint64_t begin = 0, end = 0;  ///< picoseconds; end excluded
  };
  /// What was recorded from some moment on, beginning with all values.
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
  /// The window that holds this time or is the next; empty when there is none.
  Window window_at(std::uint64_t picoseconds);
  /// While only what comes before an error is kept: begins a piece of it now and then, and drops old ones.
  void renew_pieces(std::uint64_t picoseconds);
  void stop_at_cap();
  void open_window();
  void close_window(std::uint64_t picoseconds);
  void clear_pulses(std::uint64_t before);
  void write_time(std::uint64_t picoseconds);
  void write_value(Recorded& recorded, bool always);
  void write_undefined(const Recorded& recorded);
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
  Window window_;  ///< the present or next one, while no window comes or moves
  std::uint64_t generation_ = 0;
  bool in_window_ = false, opened_ = false, capped_ = false, attached_ = false;
  static constexpr std::size_t kPieces = 8;  ///< into which the time before an error is cut
  bool keeps_pieces_ = false;
  std::deque<Piece> pieces_;
  std::uint64_t piece_picoseconds_ = 0, first_picoseconds_ = 0;
  std::vector<Recorded> signals_;
  std::map<std::string, Domain, std::less<>> domains_;
  /// Copies by original: the file may be completed while the process ends, after static tables have gone.
  std::map<const TextTable*, std::unique_ptr<const TextTable>> texts_;
  std::string line_;                        ///< being put together
  std::uint64_t time_ = ~std::uint64_t{0};  ///< the time written last
};

/// Text of a GTKWave save file for these signals, and its translation tables as files beside it.
void write_gtkwave_save(const std::filesystem::path& save_file, const std::filesystem::path& vcd,
                        const std::vector<VcdWriter::Signal>& signals, std::uint64_t first_picoseconds);

}  // namespace heddle
