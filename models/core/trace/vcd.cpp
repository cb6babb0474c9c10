// SPDX-License-Identifier: Apache-2.0
#include "core/trace/vcd.h"

#include <algorithm>
#include <utility>

#include "core/error.h"
#include "core/file.h"
#include "core/names.h"

namespace heddle {
namespace {

/// Short printable identifiers: base 94 from '!'.
std::string identifier(std::size_t number) {
  std::string code;
  do {
    code += static_cast<char>('!' + number % 94);
    number /= 94;
  } while (number != 0);
  return code;
}

/// VCD names cannot contain spaces, and brackets would be read as a range.
std::string clean(std::string name) {
  for (char& c : name) {
    if (c <= ' ' || c == '[' || c == ']' || c == '$') c = '_';
  }
  return name;
}

/// Name of the signal that counts a domain's cycles: "core_cycle" for "gpu.core_clock".
std::string cycle_counter(std::string_view domain) {
  domain.remove_prefix(domain.rfind('.') + 1);  // npos + 1 is 0
  constexpr std::string_view kSuffix = "_clock";
  if (domain.size() > kSuffix.size() && domain.substr(domain.size() - kSuffix.size()) == kSuffix) {
    domain.remove_suffix(kSuffix.size());
  }
  return std::string(domain) + "_cycle";
}

/// Cycles before an error to which the recording is limited; 0: it is not.
Cycle kept_before_error(const WaveformRequest& request) {
  return request.windows != nullptr ? request.windows->request().before_error : 0;
}

}  // namespace

VcdWriter::VcdWriter(Probes& probes, const Structures& structures, WaveformRequest request,
                     const std::function<std::uint64_t(std::uint64_t)>& picoseconds_of)
    : probes_(probes),
      request_(std::move(request)),
      picoseconds_of_(picoseconds_of),
      file_(request_.file, 0),
      moments_(picoseconds_of_(kShownCycles), kept_before_error(request_) != 0) {
  choose_signals(structures);
  write_header();
  const Cycle kept = kept_before_error(request_);
  piece_picoseconds_ = picoseconds_of_((kept + kPieces - 1) / kPieces);
  keeps_pieces_ = kept != 0;
  probes_.attach(this);
  attached_ = true;
}

VcdWriter::~VcdWriter() {
  try {
    close();
  } catch (const Error& error) {
    fmt::print(stderr, "heddle: {}\n", error.what());
  }
}

void VcdWriter::choose_signals(const Structures& structures) {
  for (ProbeGroup* group : probes_.groups()) {
    bool any = false;
    for (std::size_t id = 0; id < group->signals().size(); ++id) {
      const ProbeSignal& signal = group->signals()[id];
      if (!wanted(group->path() + "." + signal.name)) continue;
      any = true;
      Recorded recorded;
      recorded.signal = {group->path(), signal.name,       signal.width,
                         signal.radix,  kept(signal.text), signal.read == nullptr};
      recorded.group = group;
      recorded.id = id;
      recorded.read = signal.read;
      add(group->domain(), std::move(recorded));
    }
    Probes::enable(*group, any);
  }
  for (const Structure* structure : structures.all()) {
    if (!structure->traced()) continue;
    for (std::size_t entry = 0; entry < structure->entries(); ++entry) {
      const std::string scope = fmt::format("{}.{}", structure->name(), entry);
      for (std::size_t field = 0; field < structure->fields().size(); ++field) {
        const StructureField& declared = structure->fields()[field];
        if (declared.bits > 64 || !wanted(scope + "." + declared.name)) continue;
        Recorded recorded;
        const Radix radix = declared.bits == 1 ? Radix::binary : declared.mask ? Radix::hexadecimal : Radix::decimal;
        recorded.signal = {scope, declared.name, declared.bits, radix, nullptr, false, true};
        recorded.read = [structure, entry, field](std::uint64_t* words) {
          words[0] = structure->reader()(entry, field);
        };
        add(structure->domain(), std::move(recorded));
      }
    }
  }
  if (signals_.empty()) {
    const auto groups = probes_.groups();
    fail(ExitCode::usage, "no signal matches '{}'; {}", request_.signals,
         groups.empty()
             ? std::string("this machine declares none")
             : fmt::format("modules with signals are '{}' and {} more", groups.front()->path(), groups.size() - 1));
  }
  for (auto& [name, domain] : domains_) {
    Recorded cycle;
    cycle.signal = {"clock", cycle_counter(name), 64, Radix::decimal};
    domain.cycle_signal = signals_.size();
    signals_.push_back(std::move(cycle));
  }
  // Each scope is opened once with all its signals; scopes are in natural order of their paths.
  std::vector<std::size_t> order(signals_.size()), place(signals_.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(), [this](std::size_t a, std::size_t b) {
    return natural_less(signals_[a].signal.scope, signals_[b].signal.scope);
  });
  std::vector<Recorded> sorted;
  for (std::size_t i = 0; i < order.size(); ++i) {
    place[order[i]] = i;
    sorted.push_back(std::move(signals_[order[i]]));
    Recorded& recorded = sorted.back();
    recorded.code = identifier(i);
    recorded.value.resize((recorded.signal.width + 63) / 64);
    recorded.last = recorded.value;
  }
  signals_ = std::move(sorted);
  for (auto& [name, domain] : domains_) {
    for (auto& index : domain.signals) index = place[index];
    domain.cycle_signal = place[domain.cycle_signal];
  }
}

const TextTable* VcdWriter::kept(const TextTable* text) {
  if (text == nullptr) return nullptr;
  auto& copy = texts_[text];
  if (copy == nullptr) copy = std::make_unique<const TextTable>(*text);
  return copy.get();
}

void VcdWriter::add(std::string_view domain, Recorded recorded) {
  auto found = domains_.find(domain);
  if (found == domains_.end()) found = domains_.emplace(std::string(domain), Domain{}).first;
  found->second.signals.push_back(signals_.size());
  signals_.push_back(std::move(recorded));
}

void VcdWriter::write_header() {
  put("$version Heddle $end\n$timescale 1 ps $end\n$scope module machine $end\n");
  std::vector<std::string_view> open;
  for (const auto& recorded : signals_) {
    const auto want = split(recorded.signal.scope, '.');
    std::size_t same = 0;
    while (same < open.size() && same < want.size() && open[same] == want[same]) ++same;
    for (std::size_t i = open.size(); i > same; --i) put("$upscope $end\n");
    for (std::size_t i = same; i < want.size(); ++i)
      put(fmt::format("$scope module {} $end\n", clean(std::string(want[i]))));
    open = want;
    const unsigned width = recorded.signal.width;
    put(fmt::format("$var wire {} {} {}{} $end\n", width, recorded.code, clean(recorded.signal.name),
                    width == 1 ? "" : fmt::format(" [{}:0]", width - 1)));
  }
  for (std::size_t i = 0; i < open.size(); ++i) put("$upscope $end\n");
  put("$upscope $end\n$enddefinitions $end\n");
}

VcdWriter::Window VcdWriter::window_at(std::uint64_t picoseconds) {
  const Windows* const windows = request_.windows;
  if (windows == nullptr) return {0, kNever};
  if (windows->generation() == generation_ && picoseconds < window_.end) return window_;
  generation_ = windows->generation();
  Cycle from = 0;
  window_ = {};
  while (const CycleWindow* const next = windows->from(from)) {
    const Window found{picoseconds_of_(next->first), next->last == kNever ? kNever : picoseconds_of_(next->last + 1)};
    if (found.end > picoseconds) return window_ = found;
    from = next->last + 1;
  }
  return window_;
}

void VcdWriter::renew_pieces(std::uint64_t picoseconds) {
  if (!pieces_.empty() && picoseconds < pieces_.back().begin + piece_picoseconds_) return;
  pieces_.push_back({picoseconds, {}});
  // Keep the first piece while the second alone does not reach back far enough.
  while (pieces_.size() > 1 && pieces_[1].begin + kPieces * piece_picoseconds_ <= picoseconds) pieces_.pop_front();
  time_ = kNever;
  in_window_ = false;  // forces a dump of all values
}

void VcdWriter::sample(const ProbeCycle& cycle) {
  if (capped_ || !attached_) return;
  // 1. Close a window that ended before this edge.
  if (keeps_pieces_) {
    if (pieces_.empty()) renew_pieces(cycle.picoseconds);
    clear_pulses(cycle.picoseconds);
    renew_pieces(cycle.picoseconds);
  } else {
    clear_pulses(cycle.picoseconds);
    if (in_window_) {
      const Window present = window_at(time_);
      if (present.end <= cycle.picoseconds) close_window(present.end);
    }
    const Window window = window_at(cycle.picoseconds);
    if (window.end == 0 || cycle.picoseconds < window.begin) return;
  }
  // 2. Read the values of this domain.
  const auto found = domains_.find(cycle.domain);
  if (found == domains_.end()) return;
  Domain& domain = found->second;
  domain.pulsed = false;
  for (const std::size_t index : domain.signals) {
    Recorded& recorded = signals_[index];
    if (recorded.read) {
      recorded.read(recorded.value.data());
      recorded.defined = true;
    } else {
      recorded.defined = Probes::fired(*recorded.group, recorded.id, recorded.value[0]);
      domain.pulsed = domain.pulsed || recorded.defined;
    }
  }
  Recorded& count = signals_[domain.cycle_signal];
  count.value[0] = cycle.cycle;
  count.defined = true;
  domain.clear_at = cycle.next_picoseconds;
  // 3. Write the changes.
  write_time(cycle.picoseconds);
  std::uint64_t changed = 0;
  if (!in_window_) {
    open_window();
  } else {
    // Entries of structures are left out of the count: there are so many that the launch of a block would always win.
    for (const std::size_t index : domain.signals)
      changed += write_value(signals_[index], false) && !signals_[index].signal.entry ? 1 : 0;
    write_value(count, false);
  }
  moments_.recorded(cycle.picoseconds, cycle.next_picoseconds, changed);
  if (!keeps_pieces_ && file_.bytes() > request_.most_bytes) stop_at_cap();
}

void VcdWriter::stop_at_cap() {
  put(fmt::format("$comment size cap of {} bytes reached $end\n", request_.most_bytes));
  capped_ = true;
  for (ProbeGroup* group : probes_.groups()) Probes::enable(*group, false);
}

void VcdWriter::open_window() {
  if (!std::exchange(opened_, true)) {
    put("$dumpvars\n");
  } else {
    put(keeps_pieces_ ? "$dumpall\n" : "$dumpon\n");
  }
  for (auto& recorded : signals_) write_value(recorded, true);
  put("$end\n");
  in_window_ = true;
}

void VcdWriter::close_window(std::uint64_t picoseconds) {
  write_time(picoseconds);
  put("$dumpoff\n");
  for (auto& recorded : signals_) {
    write_undefined(recorded);
    recorded.last_defined = recorded.defined = false;
  }
  put("$end\n");
  for (auto& entry : domains_) entry.second.pulsed = false;
  in_window_ = false;
}

/// Ends pulses of domains whose next edge lies before `before` and was not sampled.
void VcdWriter::clear_pulses(std::uint64_t before) {
  while (in_window_) {
    Domain* first = nullptr;
    for (auto& entry : domains_) {
      Domain& domain = entry.second;
      if (domain.pulsed && domain.clear_at < before && (first == nullptr || domain.clear_at < first->clear_at))
        first = &domain;
    }
    if (first == nullptr) return;
    if (!keeps_pieces_ && first->clear_at >= window_at(time_).end) return;
    first->pulsed = false;
    write_time(first->clear_at);
    for (const std::size_t index : first->signals) {
      Recorded& recorded = signals_[index];
      if (recorded.read) continue;
      recorded.defined = false;
      write_value(recorded, false);
    }
  }
}

void VcdWriter::write_time(std::uint64_t picoseconds) {
  if (picoseconds == time_) return;
  time_ = picoseconds;
  put(fmt::format("#{}\n", picoseconds));
}

bool VcdWriter::write_value(Recorded& recorded, bool always) {
  if (!always && recorded.defined == recorded.last_defined && (!recorded.defined || recorded.value == recorded.last))
    return false;
  recorded.last_defined = recorded.defined;
  recorded.last = recorded.value;
  if (!recorded.defined) {
    write_undefined(recorded);
    return true;
  }
  const unsigned width = recorded.signal.width;
  std::string& line = line_;
  line.clear();
  const auto bit = [&](unsigned i) { return static_cast<char>('0' + ((recorded.value[i / 64] >> (i % 64)) & 1)); };
  if (width == 1) {
    line += bit(0);
  } else {
    // Leading zeros may be omitted: readers zero-extend.
    unsigned top = width - 1;
    while (top > 0 && bit(top) == '0') --top;
    line += 'b';
    for (unsigned i = top + 1; i-- > 0;) line += bit(i);
    line += ' ';
  }
  line += recorded.code;
  line += '\n';
  put(line);
  return true;
}

void VcdWriter::write_undefined(const Recorded& recorded) {
  put(recorded.signal.width == 1 ? "x" : "bx ");
  put(recorded.code);
  put("\n");
}

void VcdWriter::close(bool failed) {
  if (!std::exchange(attached_, false)) return;
  probes_.attach(nullptr);
  for (ProbeGroup* group : probes_.groups()) Probes::enable(*group, false);
  if (!file_.is_open()) return;  // already abandoned
  if (in_window_ && !capped_) {
    clear_pulses(kNever);
    // Show the last cycle for its full length.
    std::uint64_t end = time_;
    for (const auto& entry : domains_) end = std::max(end, entry.second.clear_at);
    close_window(keeps_pieces_ ? end : std::min(end, window_at(time_).end));
  }
  if (std::exchange(keeps_pieces_, false)) {
    if (!failed) {
      put("$comment the run ended without an error $end\n");
      pieces_.clear();
    }
    for (const Piece& piece : pieces_) put(piece.text);
    if (!pieces_.empty()) moments_.forget_before(pieces_.front().begin);
  }
  file_.close();
  if (const std::filesystem::path save_file = gtkwave_save_file(request_.file); !save_file.empty())
    write_save_file(save_file, failed);
}

void VcdWriter::mark(Cycle cycle, std::string name) {
  if (capped_ || (request_.windows != nullptr && !request_.windows->contains(cycle))) return;
  moments_.mark(picoseconds_of_(cycle), std::move(name));
}

void VcdWriter::write_save_file(const std::filesystem::path& save_file, bool failed) {
  using Shown = WaveformMoments::Shown;
  std::vector<WaveformSignal> signals;
  for (const auto& recorded : signals_) signals.push_back(recorded.signal);
  // Shows what was asked for: the error, or the first match of a trigger; else where most happens.
  const bool triggered = request_.windows != nullptr && !request_.windows->request().triggers.empty();
  const Shown shown = failed && kept_before_error(request_) != 0 ? Shown::end
                      : triggered                                ? Shown::begin
                                                                 : Shown::busiest;
  write_gtkwave_save(save_file, request_.file, signals, request_.place_of, moments_.opening(shown));
}

}  // namespace heddle
