// SPDX-License-Identifier: Apache-2.0
#include "memory/locality/l1_trace_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <iterator>

#include "core/error.h"
#include "core/excerpt.h"
#include "core/json.h"

namespace heddle::memory {
namespace {

constexpr std::string_view kFirstLine = "heddle-l1-trace 1";
constexpr std::uint64_t kMost32 = 0xffff'ffff;

// One letter each, by TracedKind and TracedOutcome.
constexpr std::string_view kKinds = "LPSTAB";
constexpr std::string_view kOutcomes = "-oxgm";
// In words, by IndexHash and StoreEffect.
constexpr std::array<const char*, 3> kIndices = {"none", "xor", "fermi"};
constexpr std::array<const char*, 2> kOrders = {"greedy", "round_robin"};
constexpr std::array<const char*, 3> kEffects = {"invalidates", "updates", "allocates"};

template <std::size_t N, typename Enumeration>
const char* word_of(const std::array<const char*, N>& words, Enumeration value) {
  return words[static_cast<std::size_t>(value)];
}

/// The object written, without the end of line behind it.
std::string_view line_of(const JsonWriter& out) {
  const std::string_view text = out.text();
  return text.substr(0, text.find_last_not_of('\n') + 1);
}

void write_source(JsonWriter& out, const TracedSource& source) {
  if (source.file >= 0) out.member("file", source.file).member("line", source.line);
}

/// Members of a JSON object of a trace.
class Members {
 public:
  Members(const JsonNode& node, std::string where) : node_(node), where_(std::move(where)) {
    if (node.kind != JsonNode::Kind::object) fail(ExitCode::configuration, "{}: not an object", where_);
  }
  std::uint64_t number(const char* name, std::uint64_t most = kMost32) const {
    const JsonNode& found = member(name);
    if (found.kind != JsonNode::Kind::unsigned_ || found.natural > most)
      fail(ExitCode::configuration, "{}: '{}' is {}; legal: 0 to {}", where_, name, found.brief(), most);
    return found.natural;
  }
  std::uint32_t small(const char* name) const { return static_cast<std::uint32_t>(number(name)); }
  double real(const char* name) const {
    const JsonNode& found = member(name);
    if (found.kind != JsonNode::Kind::real && found.kind != JsonNode::Kind::unsigned_)
      fail(ExitCode::configuration, "{}: '{}' is {}, not a number", where_, name, found.brief());
    return found.real;
  }
  const std::string& text(const char* name) const { return member(name).text; }
  const std::vector<JsonNode>& list(const char* name) const { return member(name).elements; }
  /// -1 where the member is absent.
  std::int32_t index(const char* name, std::size_t count) const {
    if (node_.find(name) == nullptr) return -1;
    if (count == 0) fail(ExitCode::configuration, "{}: '{}' names nothing", where_, name);
    return static_cast<std::int32_t>(number(name, count - 1));
  }
  template <typename Enumeration, std::size_t N>
  Enumeration one_of(const char* name, const std::array<const char*, N>& words) const {
    for (std::size_t i = 0; i < words.size(); ++i) {
      if (text(name) == words[i]) return static_cast<Enumeration>(i);
    }
    fail(ExitCode::configuration, "{}: '{}' is '{}'; legal: {}", where_, name, excerpt(text(name)),
         fmt::join(words, ", "));
  }
  TracedSource source(std::size_t files) const {
    const std::int32_t file = index("file", files);
    return file < 0 ? TracedSource{} : TracedSource{file, small("line")};
  }

 private:
  const JsonNode& member(const char* name) const {
    const JsonNode* const found = node_.find(name);
    if (found == nullptr) fail(ExitCode::configuration, "{}: '{}' is missing", where_, name);
    return *found;
  }
  const JsonNode& node_;
  std::string where_;
};

/// Removes `keyword` and a blank from the front of a line.
bool takes(std::string_view& line, std::string_view keyword) {
  if (line.size() <= keyword.size() || line.substr(0, keyword.size()) != keyword || line[keyword.size()] != ' ')
    return false;
  line.remove_prefix(keyword.size() + 1);
  return true;
}

}  // namespace

L1TraceWriter::L1TraceWriter(const std::filesystem::path& file, std::uint64_t most_bytes, const TracedMachine& machine)
    : file_(file, most_bytes) {
  const TracedCache& cache = machine.cache;
  JsonWriter out;
  out.begin_object(true).member("name", machine.name).member("schedulers", machine.schedulers);
  out.member("memory_queue", machine.memory_queue).member("order", word_of(kOrders, machine.order));
  out.member("sets", cache.sets).member("ways", cache.ways);
  out.member("line_bytes", cache.line_bytes).member("miss_entries", cache.miss_entries);
  out.member("index", word_of(kIndices, cache.index));
  out.member("global_store", word_of(kEffects, cache.global_store));
  out.member("local_store", word_of(kEffects, cache.local_store)).end_object();
  file_.put(fmt::format("{}\nmachine {}\n", kFirstLine, line_of(out)));
}

std::size_t L1TraceWriter::number_of(const TracedKernel& kernel) {
  const auto found = std::find(kernels_.begin(), kernels_.end(), &kernel);
  const auto number = static_cast<std::size_t>(found - kernels_.begin());
  if (found == kernels_.end()) {
    write_kernel(kernel);
    kernels_.push_back(&kernel);
  }
  return number;
}

void L1TraceWriter::write_kernel(const TracedKernel& kernel) {
  JsonWriter out;
  out.begin_object(true).member("name", kernel.name).key("files").begin_array(true);
  for (const std::string& file : kernel.files) out.value(file);
  out.end_array().key("loops").begin_array(true);
  for (const TracedLoop& loop : kernel.loops) {
    out.begin_object(true).member("pc", loop.pc).member("depth", loop.depth);
    if (loop.parent >= 0) out.member("parent", loop.parent);
    write_source(out, loop.source);
    out.end_object();
  }
  out.end_array().key("places").begin_array(true);
  for (const TracedPlace& place : kernel.places) {
    out.begin_object(true).member("pc", place.pc).member("ptx_line", place.ptx_line).member("text", place.text);
    if (place.loop >= 0) out.member("loop", place.loop);
    write_source(out, place.source);
    out.end_object();
  }
  out.end_array().end_object();
  file_.put(fmt::format("kernel {}\n", line_of(out)));
}

void L1TraceWriter::launch(const TracedKernel& kernel, const TracedLaunch& launch) {
  if (full()) return;
  const std::size_t number = number_of(kernel);
  JsonWriter out;
  out.begin_object(true).member("launch", launch.launch).member("kernel", number);
  out.member("truncated", launch.truncated).member("warp_instructions", launch.warp_instructions);
  out.member("thread_instructions", launch.thread_instructions).member("cycles", launch.cycles);
  out.member("hit_cycles", launch.times.hit).member("miss_cycles", launch.times.miss);
  out.member("issue_spacing", launch.times.issue_spacing).member("sms", launch.sms.size()).end_object();
  file_.put(fmt::format("launch {}\n", line_of(out)));
  for (const TracedSm& sm : launch.sms) write_sm(sm);
}

void L1TraceWriter::write_sm(const TracedSm& sm) {
  fmt::memory_buffer text;
  const auto to = std::back_inserter(text);
  const auto put = [&] {
    file_.put(std::string_view(text.data(), text.size()));
    text.clear();
  };
  fmt::format_to(to, "sm {} {} {}\n", sm.sm, sm.warps.size(), sm.accesses.size());
  for (const TracedWarp& warp : sm.warps) fmt::format_to(to, "{} {} {}\n", warp.block, warp.slot, warp.warp);
  for (const TracedAccess& one : sm.accesses) {
    fmt::format_to(to, "{}{} {:x} {} {} {} {} {:x} {:x} {} {} {}\n", kKinds[static_cast<std::size_t>(one.kind)],
                   kOutcomes[static_cast<std::size_t>(one.outcome)], one.address, one.warp, one.place, one.trip,
                   one.instruction, one.lanes, one.sectors, one.instructions, one.active, one.outstanding);
    if (text.size() > 1U << 16) put();
  }
  put();
}

void L1TraceWriter::close() {
  file_.put("end\n");
  file_.close();
}

L1TraceReader::L1TraceReader(const std::filesystem::path& file) : in_(file) {
  std::string_view first;
  if (!in_.next(first) || first != kFirstLine) {
    fail(ExitCode::configuration,
         "{}: not an L1 trace: its first line is '{}'; `heddle run --l1-trace FILE` writes one", in_.name(),
         excerpt(first));
  }
  std::string_view json = line();
  if (!takes(json, "machine")) wrong("expected the machine");
  read_machine(json);
}

void L1TraceReader::wrong(const std::string& what) const {
  fail(ExitCode::configuration, "{}:{}: {}", in_.name(), in_.number(), what);
}

std::string_view L1TraceReader::line() {
  std::string_view line;
  if (!in_.next(line)) {
    fail(ExitCode::configuration,
         "{}:{}: the trace is cut off: the run that wrote it did not end, or the file was not copied completely",
         in_.name(), in_.number());
  }
  return line;
}

std::string_view L1TraceReader::field(const char* name) {
  const std::size_t end = std::min(rest_.find(' '), rest_.size());
  if (end == 0) wrong(fmt::format("{} is missing", name));
  const std::string_view found = rest_.substr(0, end);
  rest_.remove_prefix(std::min(end + 1, rest_.size()));
  return found;
}

std::uint64_t L1TraceReader::number(const char* name, std::uint64_t most, int base) {
  const std::string_view digits = field(name);
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, base);
  if (error != std::errc() || end != digits.data() + digits.size() || value > most) {
    wrong(fmt::format("{} is '{}'; expected a {} number of at most {}", name, excerpt(digits),
                      base == 16 ? "hexadecimal" : "decimal", most));
  }
  return value;
}

void L1TraceReader::read_machine(std::string_view json) {
  const std::string where = fmt::format("{}:{}", in_.name(), in_.number());
  const JsonNode node = parse_json(json, where);
  const Members members(node, where);
  machine_.name = members.text("name");
  machine_.schedulers = static_cast<unsigned>(members.number("schedulers", 64));
  machine_.memory_queue = members.small("memory_queue");
  if (machine_.schedulers == 0 || machine_.memory_queue == 0) wrong("'schedulers' and 'memory_queue' are at least 1");
  machine_.order = members.one_of<TracedOrder>("order", kOrders);
  TracedCache& cache = machine_.cache;
  cache.sets = members.small("sets");
  cache.ways = members.small("ways");
  cache.line_bytes = members.small("line_bytes");
  cache.miss_entries = members.small("miss_entries");
  if ((cache.sets == 0) != (cache.ways == 0)) wrong("'sets' and 'ways' are both 0, or neither is");
  if (cache.line_bytes < 16 || cache.line_bytes > 512 || (cache.line_bytes & (cache.line_bytes - 1)) != 0)
    wrong(fmt::format("'line_bytes' is {}; legal: a power of two from 16 to 512", cache.line_bytes));
  cache.index = members.one_of<IndexHash>("index", kIndices);
  cache.global_store = members.one_of<StoreEffect>("global_store", kEffects);
  cache.local_store = members.one_of<StoreEffect>("local_store", kEffects);
}

void L1TraceReader::read_kernel(std::string_view json) {
  const std::string where = fmt::format("{}:{}", in_.name(), in_.number());
  const JsonNode node = parse_json(json, where);
  const Members members(node, where);
  TracedKernel kernel;
  kernel.name = members.text("name");
  for (const JsonNode& one : members.list("files")) kernel.files.push_back(one.text);
  for (const JsonNode& one : members.list("loops")) {
    const Members loop(one, where);
    // A loop comes after those around it.
    kernel.loops.push_back({loop.small("pc"), loop.index("parent", kernel.loops.size()), loop.small("depth"),
                            loop.source(kernel.files.size())});
  }
  for (const JsonNode& one : members.list("places")) {
    const Members place(one, where);
    kernel.places.push_back({place.small("pc"), place.small("ptx_line"), place.index("loop", kernel.loops.size()),
                             place.source(kernel.files.size()), place.text("text")});
  }
  kernels_.push_back(std::move(kernel));
}

bool L1TraceReader::next(TracedLaunch& launch) {
  while (true) {
    std::string_view text = line();
    if (takes(text, "kernel")) {
      read_kernel(text);
    } else if (takes(text, "launch")) {
      read_launch(text, launch);
      return true;
    } else if (text == "end") {
      return false;
    } else {
      wrong(fmt::format("expected a kernel, a launch or the end, not '{}'", excerpt(text)));
    }
  }
}

void L1TraceReader::read_launch(std::string_view json, TracedLaunch& launch) {
  const std::string where = fmt::format("{}:{}", in_.name(), in_.number());
  const JsonNode node = parse_json(json, where);
  const Members members(node, where);
  constexpr std::uint64_t kMost = ~std::uint64_t{0};
  launch = {};
  launch.launch = members.number("launch", kMost);
  const std::int32_t kernel = members.index("kernel", kernels_.size());
  if (kernel < 0) wrong("'kernel' is missing");
  launch.kernel = static_cast<std::uint32_t>(kernel);
  launch.warp_instructions = members.number("warp_instructions", kMost);
  launch.thread_instructions = members.number("thread_instructions", kMost);
  launch.cycles = members.number("cycles", kMost);
  launch.times = {members.real("hit_cycles"), members.real("miss_cycles"), members.real("issue_spacing")};
  const JsonNode* const truncated = node.find("truncated");
  launch.truncated = truncated != nullptr && truncated->boolean;
  for (std::uint64_t left = members.number("sms"); left != 0; --left) read_sm(launch);
}

void L1TraceReader::read_sm(TracedLaunch& launch) {
  rest_ = line();
  if (!takes(rest_, "sm")) wrong("expected an SM");
  TracedSm& sm = launch.sms.emplace_back();
  sm.sm = static_cast<unsigned>(number("the number of the SM", 0xffff));
  const std::uint64_t warps = number("the number of warps", kMost32),
                      accesses = number("the number of accesses", kMost32);
  for (std::uint64_t i = 0; i < warps; ++i) {
    rest_ = line();
    TracedWarp& warp = sm.warps.emplace_back();
    warp.block = static_cast<std::uint32_t>(number("the block", kMost32));
    warp.slot = static_cast<std::uint16_t>(number("the block's slot", 0xffff));
    warp.warp = static_cast<std::uint16_t>(number("the warp", 0xffff));
    if (i != 0 && warp.block < sm.warps[i - 1].block) wrong("the blocks of an SM are not in order");
  }
  const TracedKernel& kernel = kernels_[launch.kernel];
  for (std::uint64_t i = 0; i < accesses; ++i) {
    rest_ = line();
    sm.accesses.push_back(access(kernel, sm));
  }
}

TracedAccess L1TraceReader::access(const TracedKernel& kernel, const TracedSm& sm) {
  const std::string_view what = field("the kind of access");
  const std::size_t kind = kKinds.find(what.front());
  const std::size_t outcome = what.size() == 2 ? kOutcomes.find(what[1]) : std::string_view::npos;
  if (kind == std::string_view::npos || outcome == std::string_view::npos) {
    wrong(fmt::format("an access is '{}'; expected one of {} and one of {}", excerpt(what), kKinds, kOutcomes));
  }
  TracedAccess access;
  access.kind = static_cast<TracedKind>(kind);
  access.outcome = static_cast<TracedOutcome>(outcome);
  access.address = number("the address", ~std::uint64_t{0}, 16);
  access.warp = static_cast<std::uint32_t>(number("the warp", kMost32));
  access.place = static_cast<std::uint32_t>(number("the instruction", kMost32));
  access.trip = static_cast<std::uint32_t>(number("the trip", kMost32));
  access.instruction = static_cast<std::uint32_t>(number("the number of the instruction", kMost32));
  access.lanes = static_cast<std::uint32_t>(number("the threads", kMost32, 16));
  access.sectors = static_cast<std::uint32_t>(number("the sectors", kMost32, 16));
  access.instructions = static_cast<std::uint32_t>(number("the instructions before", kMost32));
  access.active = static_cast<std::uint16_t>(number("the active threads", 0xffff));
  access.outstanding = static_cast<std::uint8_t>(number("the outstanding loads", 0xff));
  if (access.warp >= sm.warps.size()) wrong(fmt::format("warp {} of {}", access.warp, sm.warps.size()));
  if (access.kind != TracedKind::barrier && access.place >= kernel.places.size())
    wrong(fmt::format("instruction {} of {}", access.place, kernel.places.size()));
  return access;
}

}  // namespace heddle::memory
