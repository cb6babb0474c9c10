// SPDX-License-Identifier: Apache-2.0
#include "core/vcd.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <utility>

#include "core/error.h"
#include "core/names.h"

namespace heddle {
namespace {

constexpr std::size_t kBufferBytes = std::size_t{1} << 20;

/// Short printable identifiers: base 94 from '!'.
std::string identifier(std::size_t number) {
  std::string code;
  do {
    code += static_cast<char>('!' + number % 94);
    number /= 94;
  } while (number != 0);
  return code;
}

/// Names in a VCD have no spaces, and brackets would be read as a range.
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

std::uint64_t parse_cycle(std::string_view text, std::uint64_t when_empty, std::string_view all) {
  if (text.empty()) return when_empty;
  std::uint64_t cycle = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), cycle);
  if (error != std::errc{} || end != text.data() + text.size()) {
    fail(ExitCode::kUsage, "window '{}': '{}' is no cycle; write first:last, as in 1000:2000", all, text);
  }
  return cycle;
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (true) {
    const auto at = text.find(separator);
    parts.push_back(text.substr(0, at));
    if (at == std::string_view::npos) return parts;
    text.remove_prefix(at + 1);
  }
}

}  // namespace

std::vector<CycleWindow> parse_windows(std::string_view text) {
  std::vector<CycleWindow> windows;
  for (const auto part : split(text, ',')) {
    const auto colon = part.find(':');
    if (colon == std::string_view::npos) {
      fail(ExitCode::kUsage, "window '{}': write first:last, as in 1000:2000", part);
    }
    const CycleWindow window{parse_cycle(part.substr(0, colon), 0, part),
                             parse_cycle(part.substr(colon + 1), ~std::uint64_t{0}, part)};
    if (window.last < window.first) fail(ExitCode::kUsage, "window '{}' ends before it starts", part);
    windows.push_back(window);
  }
  std::sort(windows.begin(), windows.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  for (std::size_t i = 1; i < windows.size(); ++i) {
    if (windows[i].first <= windows[i - 1].last) fail(ExitCode::kUsage, "windows '{}' overlap; write them apart", text);
  }
  return windows;
}

VcdWriter::VcdWriter(Probes& probes, const Structures& structures, WaveformRequest request,
                     const std::function<std::uint64_t(std::uint64_t)>& picoseconds_of)
    : probes_(probes), request_(std::move(request)) {
  if (request_.windows.empty()) request_.windows.push_back({});
  for (const auto& window : request_.windows) {
    const bool endless = window.last == ~std::uint64_t{0};
    windows_.push_back({picoseconds_of(window.first), endless ? ~std::uint64_t{0} : picoseconds_of(window.last + 1)});
  }
  choose_signals(structures);
  file_ = std::fopen(request_.file.c_str(), "wb");
  if (file_ == nullptr) fail(ExitCode::kIo, "{}: cannot be written: {}", request_.file.string(), std::strerror(errno));
  write_header();
  probes_.attach(this);
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
      if (!glob_match(request_.signals, group->path() + "." + signal.name)) continue;
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
        if (declared.bits > 64 || !glob_match(request_.signals, scope + "." + declared.name)) continue;
        Recorded recorded;
        recorded.signal = {scope,         declared.name,
                           declared.bits, declared.bits == 1 ? Radix::kBinary : Radix::kHexadecimal,
                           nullptr,       false};
        recorded.read = [structure, entry, field](std::uint64_t* words) {
          words[0] = structure->reader()(entry, field);
        };
        add(structure->domain(), std::move(recorded));
      }
    }
  }
  if (signals_.empty()) {
    const auto groups = probes_.groups();
    fail(ExitCode::kUsage, "no signal matches '{}'; {}", request_.signals,
         groups.empty()
             ? std::string("this machine declares none")
             : fmt::format("modules with signals are '{}' and {} more", groups.front()->path(), groups.size() - 1));
  }
  for (auto& [name, domain] : domains_) {
    Recorded cycle;
    cycle.signal = {"clock", cycle_counter(name), 64, Radix::kDecimal, nullptr, false};
    domain.cycle_signal = signals_.size();
    signals_.push_back(std::move(cycle));
  }
  // One scope is opened once: all its signals together, scopes in natural order of their paths.
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

void VcdWriter::sample(const ProbeCycle& cycle) {
  if (capped_ || file_ == nullptr) return;
  // 1. Windows that ended before this edge.
  clear_pulses(cycle.picoseconds);
  while (window_ < windows_.size() && windows_[window_].end <= cycle.picoseconds) {
    if (in_window_) close_window(windows_[window_].end);
    ++window_;
  }
  if (window_ == windows_.size() || cycle.picoseconds < windows_[window_].begin) return;
  // 2. The values of this domain.
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
  // 3. What changed.
  write_time(cycle.picoseconds);
  if (!in_window_) {
    open_window();
  } else {
    for (const std::size_t index : domain.signals) write_value(signals_[index], false);
    write_value(count, false);
  }
  if (bytes_ + buffer_.size() > request_.most_bytes) {
    put(fmt::format("$comment size cap of {} bytes reached $end\n", request_.most_bytes));
    capped_ = true;
    for (ProbeGroup* group : probes_.groups()) Probes::enable(*group, false);
  }
}

void VcdWriter::open_window() {
  put(window_ == 0 ? "$dumpvars\n" : "$dumpon\n");
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

/// Ends the pulses of domains whose next edge came before `before` without a sample.
void VcdWriter::clear_pulses(std::uint64_t before) {
  while (in_window_) {
    Domain* first = nullptr;
    for (auto& entry : domains_) {
      Domain& domain = entry.second;
      if (domain.pulsed && domain.clear_at < before && (first == nullptr || domain.clear_at < first->clear_at))
        first = &domain;
    }
    if (first == nullptr || first->clear_at >= windows_[window_].end) return;
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

void VcdWriter::write_value(Recorded& recorded, bool always) {
  if (!always && recorded.defined == recorded.last_defined && (!recorded.defined || recorded.value == recorded.last))
    return;
  recorded.last_defined = recorded.defined;
  recorded.last = recorded.value;
  if (!recorded.defined) {
    write_undefined(recorded);
    return;
  }
  const unsigned width = recorded.signal.width;
  const auto bit = [&](unsigned i) { return static_cast<char>('0' + ((recorded.value[i / 64] >> (i % 64)) & 1)); };
  if (width == 1) {
    buffer_ += bit(0);
  } else {
    // Leading zeros may be left out: a reader extends with zero.
    unsigned top = width - 1;
    while (top > 0 && bit(top) == '0') --top;
    buffer_ += 'b';
    for (unsigned i = top + 1; i-- > 0;) buffer_ += bit(i);
    buffer_ += ' ';
  }
  buffer_ += recorded.code;
  put("\n");
}

void VcdWriter::write_undefined(const Recorded& recorded) {
  buffer_ += recorded.signal.width == 1 ? "x" : "bx ";
  buffer_ += recorded.code;
  put("\n");
}

void VcdWriter::put(std::string_view text) {
  buffer_ += text;
  if (buffer_.size() >= kBufferBytes) flush();
}

void VcdWriter::flush() {
  if (file_ == nullptr) return;
  const std::size_t written = std::fwrite(buffer_.data(), 1, buffer_.size(), file_);
  const int error = errno;
  bytes_ += written;
  const bool complete = written == buffer_.size();
  buffer_.clear();
  if (complete) return;
  probes_.attach(nullptr);
  std::fclose(std::exchange(file_, nullptr));
  fail(ExitCode::kIo, "{}: the waveform could not be written: {}; it ends at {} ps", request_.file.string(),
       std::strerror(error), time_);
}

void VcdWriter::close() {
  if (file_ == nullptr) return;
  probes_.attach(nullptr);
  for (ProbeGroup* group : probes_.groups()) Probes::enable(*group, false);
  if (in_window_ && !capped_) {
    clear_pulses(~std::uint64_t{0});
    // The last cycle stays visible for its length.
    std::uint64_t end = time_;
    for (const auto& entry : domains_) end = std::max(end, entry.second.clear_at);
    close_window(std::min(end, windows_[window_].end));
  }
  flush();
  const bool closed = std::fclose(std::exchange(file_, nullptr)) == 0;
  if (!closed)
    fail(ExitCode::kIo, "{}: the waveform could not be completed: {}", request_.file.string(), std::strerror(errno));
  std::vector<Signal> signals;
  for (const auto& recorded : signals_) signals.push_back(recorded.signal);
  write_gtkwave_save(std::filesystem::path(request_.file).replace_extension(".gtkw"), request_.file, signals,
                     windows_.front().begin);
}

}  // namespace heddle
