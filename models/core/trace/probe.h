// SPDX-License-Identifier: Apache-2.0
// Probes: signals that a module declares once and waveform recorders read. When off, sampled state costs nothing and a
// pulse costs one bit test. When on, probes only read the model, so tracing changes no cycle.
//
// clang-format off
//   ProbeGroup probe_{probes, "sm0.issue", domain.name()};
//   probe_.add_wide("ready", 96, "contexts that could issue", [this](std::uint64_t* words) { ... });
//   probe_.add("occupancy", 6, "valid entries", &occupancy_);             // unsigned integer of any size, or bool
//   probe_.add("state", 3, "state of the context", &state_, &kStateText);  // text table for GTKWave
//   probe_.add_planes({"warp0", "warp1"}, 4, "state", [this](std::uint64_t* planes) { ... });  // in one call
//   issued_pc_ = probe_.pulse("issued_pc", 32, "PC of the instruction issued in this cycle");
//   ...
//   if (probe_.on()) probe_.fire(issued_pc_, pc);                         // in cycle(): valid for this cycle only
// clang-format on
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace heddle {

class Probes;

/// Names of enumeration values: element i names value i.
using TextTable = std::vector<std::string>;

/// Default display format of a signal in a viewer. count: of the bits that are set.
enum class Radix : std::uint8_t { hexadecimal, decimal, binary, text, count };

struct ProbeSignal {
  std::string name;  ///< relative to the group
  std::string sentence;
  unsigned width = 1;  ///< bits
  Radix radix = Radix::hexadecimal;
  const TextTable* text = nullptr;
  std::function<void(std::uint64_t* words)> read;  ///< fills (width + 63) / 64 words; empty for pulses
  bool pulse = false;
  /// Signals that `read` reads, from this one on, as planes if there are several; 0: that of an earlier signal does.
  std::size_t together = 1;
  bool planes = false;                 ///< see ProbeGroup::add_planes()
  bool by_time = false;                ///< see ProbeGroup::changes_by_time()
  std::function<bool()> may_change{};  ///< of one that changes by time: whether it can do so at present; empty: always

  /// Words that `read` fills.
  std::size_t words() const { return planes ? width * plane_words() : (width + 63) / 64; }
  std::size_t plane_words() const { return (together + 63) / 64; }
};

/// The signals of one module.
class ProbeGroup {
 public:
  using SignalId = std::size_t;

  /// path: dotted instance name; domain: ClockDomain::name() of the clock whose cycles the module counts.
  ProbeGroup(Probes& probes, std::string path, std::string domain);
  ~ProbeGroup();
  ProbeGroup(const ProbeGroup&) = delete;
  ProbeGroup& operator=(const ProbeGroup&) = delete;

  /// A signal read from a member: bool, an unsigned integer or an enumeration. `text`, if given, must outlive the
  /// group.
  template <typename T>
  SignalId add(const std::string& name, unsigned width, const std::string& sentence, const T* member,
               const TextTable* text = nullptr) {
    static_assert(std::is_integral_v<T> || std::is_enum_v<T>);
    return add_reader(
        name, width, sentence, [member](std::uint64_t* words) { words[0] = static_cast<std::uint64_t>(*member); },
        text);
  }
  /// A signal computed on recording by a function that returns an integer.
  template <typename Read>
  requires std::is_invocable_v<Read> SignalId add(const std::string& name, unsigned width, const std::string& sentence,
                                                  Read read, const TextTable* text = nullptr) {
    return add_reader(
        name, width, sentence, [read](std::uint64_t* words) { words[0] = static_cast<std::uint64_t>(read()); }, text);
  }
  /// A signal that may be wider than 64 bits, or a set: the function fills (width + 63) / 64 words, lowest first.
  SignalId add_wide(std::string name, unsigned width, std::string sentence, std::function<void(std::uint64_t*)> read) {
    const SignalId signal = add_reader(std::move(name), width, std::move(sentence), std::move(read), nullptr);
    if (width > 1) show(signal, Radix::hexadecimal);
    return signal;
  }
  /// Signals of up to 64 bits that are computed together, as planes: the function fills (names + 63) / 64 words with
  /// bit 0 of each signal, then as many with bit 1, ... Many signals are then compared at once. Returns the first.
  SignalId add_planes(const std::vector<std::string>& names, unsigned width, const std::string& sentence,
                      std::function<void(std::uint64_t*)> read, const TextTable* text = nullptr);
  /// A value valid only in the cycle in which it is fired; undefined (x) in others. Width: 1 .. 64 bits.
  SignalId pulse(std::string name, unsigned width, std::string sentence, const TextTable* text = nullptr);
  /// Sets the display format of a signal; the default is decimal (binary for one bit, hexadecimal for add_wide(), text
  /// with a table).
  void show(SignalId signal, Radix radix) { signals_[signal].radix = radix; }
  /// The signal (and those read together with it) may change in a cycle in which its module is neither called nor has a
  /// call pending: it depends on the cycle, something from outside of the SM changes it, or it shows an input to which
  /// more may come while the module waits for something else. Recorders do not read others then.
  /// may: whether it can change at present; the answer changes only in cycles in which a module of the SM is called.
  void changes_by_time(SignalId signal, std::function<bool()> may = {}) {
    signals_[signal].by_time = true;
    signals_[signal].may_change = std::move(may);
  }

  /// Whether this group is being recorded.
  bool on() const { return on_; }
  /// Call only when on().
  void fire(SignalId signal, std::uint64_t value) {
    pulses_[signal] = value;
    fired_[signal / 64] |= std::uint64_t{1} << (signal % 64);
    if (any_fired_) return;
    any_fired_ = true;
    fired_groups_->push_back(this);
  }
  /// Whether any pulse has been fired in this cycle.
  bool any_fired() const { return any_fired_; }

  const std::string& path() const { return path_; }
  const std::string& domain() const { return domain_; }
  const std::vector<ProbeSignal>& signals() const { return signals_; }

 private:
  friend class Probes;
  SignalId add_reader(std::string name, unsigned width, std::string sentence, std::function<void(std::uint64_t*)> read,
                      const TextTable* text);

  Probes& probes_;
  std::string path_, domain_;
  std::vector<ProbeSignal> signals_;
  std::vector<std::uint64_t> pulses_;
  std::vector<std::uint64_t> fired_;        ///< a bit for each signal
  std::vector<ProbeGroup*>* fired_groups_;  ///< those of its domain
  bool on_ = false, any_fired_ = false;
};

/// One cycle of a clock domain.
struct ProbeCycle {
  std::string_view domain;
  std::uint64_t cycle = 0;
  std::uint64_t picoseconds = 0;       ///< time of its edge; never goes back
  std::uint64_t next_picoseconds = 0;  ///< time of the domain's next edge
};

/// A recorder of signals.
class ProbeListener {
 public:
  virtual ~ProbeListener() = default;
  /// Called at the end of a cycle, before pulses are cleared.
  virtual void sample(const ProbeCycle& cycle) = 0;
};

/// Every probe of a machine.
class Probes {
 public:
  Probes() = default;
  Probes(const Probes&) = delete;
  Probes& operator=(const Probes&) = delete;

  /// In natural order of paths, whatever the order of construction.
  std::vector<ProbeGroup*> groups() const;
  /// Only one listener at a time; null detaches.
  void attach(ProbeListener* listener) { listener_ = listener; }
  bool attached() const { return listener_ != nullptr; }
  /// Turns a group on or off; called by the listener.
  static void enable(ProbeGroup& group, bool on) { group.on_ = on; }
  /// The pulse's value in this cycle, when it fired.
  static bool fired(const ProbeGroup& group, ProbeGroup::SignalId signal, std::uint64_t& value) {
    value = group.pulses_[signal];
    return (group.fired_[signal / 64] >> (signal % 64) & 1) != 0;
  }
  /// Called by each domain at the end of every cycle in which a module ran.
  void sample(const ProbeCycle& cycle) {
    if (listener_ != nullptr) sample_now(cycle);
  }

 private:
  friend class ProbeGroup;
  void sample_now(const ProbeCycle& cycle);
  std::vector<ProbeGroup*> list_;
  /// By domain: the groups of which a pulse has been fired in this cycle.
  std::map<std::string, std::vector<ProbeGroup*>, std::less<>> fired_;
  ProbeListener* listener_ = nullptr;
};

}  // namespace heddle
