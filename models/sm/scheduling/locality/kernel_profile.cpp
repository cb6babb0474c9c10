// SPDX-License-Identifier: Apache-2.0
#include "sm/scheduling/locality/kernel_profile.h"

#include <fmt/core.h>

#include <algorithm>
#include <limits>
#include <mutex>
#include <set>
#include <utility>

#include "core/error.h"
#include "core/file.h"
#include "core/json.h"
#include "core/names.h"
#include "isa/analysis/loop_extents.h"
#include "isa/image.h"

namespace heddle::sm {
namespace {

constexpr std::uint64_t kFormat = 1;

/// Reads members of JSON objects; names file and line in what it refuses.
class Reader {
 public:
  explicit Reader(std::string origin) : origin_(std::move(origin)) {}

  template <typename... Args>
  [[noreturn]] void refuse(const JsonNode& node, fmt::format_string<Args...> format, Args&&... args) const {
    fail(ExitCode::configuration, "{}:{}: {}", origin_, node.line, fmt::format(format, std::forward<Args>(args)...));
  }
  void object(const JsonNode& node, const char* what, std::initializer_list<const char*> known) const {
    if (node.kind != JsonNode::Kind::object) refuse(node, "{} is an object, not {}", what, node.brief());
    const std::vector<std::string> names(known.begin(), known.end());
    for (const JsonMember& member : node.members) {
      if (std::find(names.begin(), names.end(), member.name) != names.end()) continue;
      refuse(member.node, "{} has no member '{}'{}", what, member.name, nearest_hint(member.name, names));
    }
  }
  const JsonNode& member(const JsonNode& node, const char* what, const char* name) const {
    const JsonNode* const found = node.find(name);
    if (found == nullptr) refuse(node, "{} needs a member '{}'", what, name);
    return *found;
  }
  std::uint32_t number(const JsonNode& node, const char* name) const {
    if (node.kind != JsonNode::Kind::unsigned_ || node.natural > std::numeric_limits<std::uint32_t>::max())
      refuse(node, "'{}' is a number from 0 to 4294967295, not {}", name, node.brief());
    return static_cast<std::uint32_t>(node.natural);
  }
  bool flag(const JsonNode& node, const char* name) const {
    if (node.kind != JsonNode::Kind::bool_) refuse(node, "'{}' is true or false, not {}", name, node.brief());
    return node.boolean;
  }
  const std::vector<JsonNode>& list(const JsonNode& node, const char* name) const {
    if (node.kind != JsonNode::Kind::array) refuse(node, "'{}' is a list, not {}", name, node.brief());
    return node.elements;
  }
  std::uint32_t source_line(const JsonNode& node) const {
    const JsonNode* const line = node.find("source_line");
    return line == nullptr ? 0 : number(*line, "source_line");
  }

  KernelProfile kernel(const JsonNode& node) const {
    constexpr const char* kWhat = "a kernel";
    object(node, kWhat, {"kernel", "warp_limit", "loops"});
    KernelProfile out;
    const JsonNode& name = member(node, kWhat, "kernel");
    if (name.kind != JsonNode::Kind::text) refuse(name, "'kernel' is a name, not {}", name.brief());
    out.kernel = name.text;
    if (const JsonNode* const limit = node.find("warp_limit"); limit != nullptr) {
      out.warp_limit = number(*limit, "warp_limit");
      if (out.warp_limit == 0u) refuse(*limit, "'warp_limit' is 1 or more");
    }
    for (const JsonNode& element : list(member(node, kWhat, "loops"), "loops")) {
      out.loops.push_back(loop(element));
      const auto same = [&](const LoopProfile& other) { return other.pc == out.loops.back().pc; };
      if (std::any_of(out.loops.begin(), out.loops.end() - 1, same))
        refuse(element, "the loop at PC {} is listed twice", out.loops.back().pc);
    }
    std::sort(out.loops.begin(), out.loops.end(), [](const auto& a, const auto& b) { return a.pc < b.pc; });
    return out;
  }

 private:
  LoopProfile loop(const JsonNode& node) const {
    constexpr const char* kWhat = "a loop";
    object(node, kWhat, {"pc", "source_line", "locality", "loads"});
    LoopProfile out;
    out.pc = number(member(node, kWhat, "pc"), "pc");
    out.source_line = source_line(node);
    out.locality = flag(member(node, kWhat, "locality"), "locality");
    for (const JsonNode& element : list(member(node, kWhat, "loads"), "loads")) {
      out.loads.push_back(load(element));
      const auto same = [&](const LoadProfile& other) { return other.pc == out.loads.back().pc; };
      if (std::any_of(out.loads.begin(), out.loads.end() - 1, same))
        refuse(element, "the load at PC {} is listed twice", out.loads.back().pc);
    }
    std::sort(out.loads.begin(), out.loads.end(), [](const auto& a, const auto& b) { return a.pc < b.pc; });
    return out;
  }
  LoadProfile load(const JsonNode& node) const {
    constexpr const char* kWhat = "a load";
    object(node, kWhat, {"pc", "source_line", "divergent", "repetition"});
    return {number(member(node, kWhat, "pc"), "pc"), source_line(node),
            flag(member(node, kWhat, "divergent"), "divergent"),
            number(member(node, kWhat, "repetition"), "repetition")};
  }

  std::string origin_;
};

/// Every SM asks for the profile of a kernel; one warning is enough.
bool first_time(const std::string& origin, const std::string& kernel) {
  static std::mutex mutex;
  static std::set<std::pair<std::string, std::string>> said;
  const std::lock_guard<std::mutex> lock(mutex);
  return said.emplace(origin, kernel).second;
}

}  // namespace

const LoopProfile* KernelProfile::find(std::uint32_t loop_pc) const {
  const auto found = std::find_if(loops.begin(), loops.end(), [&](const LoopProfile& l) { return l.pc == loop_pc; });
  return found == loops.end() ? nullptr : &*found;
}

KernelProfiles KernelProfiles::parse(std::string_view text, const std::string& origin) {
  const JsonNode root = parse_json(text, origin);
  const Reader reader(origin);
  constexpr const char* kWhat = "a profile of loops";
  reader.object(root, kWhat, {"format", "kernels"});
  const JsonNode& format = reader.member(root, kWhat, "format");
  if (reader.number(format, "format") != kFormat)
    reader.refuse(format, "format {} is not known; this version reads format {}", format.natural, kFormat);
  KernelProfiles out;
  out.origin_ = origin;
  for (const JsonNode& element : reader.list(reader.member(root, kWhat, "kernels"), "kernels")) {
    KernelProfile kernel = reader.kernel(element);
    const auto same = [&](const KernelProfile& other) { return other.kernel == kernel.kernel; };
    if (std::any_of(out.kernels_.begin(), out.kernels_.end(), same))
      reader.refuse(element, "kernel '{}' is listed twice", kernel.kernel);
    out.kernels_.push_back(std::move(kernel));
  }
  return out;
}

std::shared_ptr<const KernelProfiles> KernelProfiles::read(const std::filesystem::path& file) {
  return std::make_shared<const KernelProfiles>(parse(read_file(file), file.string()));
}

const KernelProfile* KernelProfiles::find(const isa::Kernel& kernel) const {
  const auto found = std::find_if(kernels_.begin(), kernels_.end(),
                                  [&](const auto& profile) { return profile.kernel == kernel.name; });
  if (found != kernels_.end()) {
    match(*found, kernel);
    return &*found;
  }
  if (first_time(origin_, kernel.name)) {
    fmt::print(stderr, "heddle: warning: {} has no profile of kernel '{}': it runs as without one\n", origin_,
               kernel.name);
  }
  return nullptr;
}

void KernelProfiles::match(const KernelProfile& profile, const isa::Kernel& kernel) const {
  const isa::LoopExtents loops(kernel);
  const auto refuse = [&](const std::string& what) {
    fail(ExitCode::configuration,
         "{}: kernel '{}' has no {}: the profile is of another version of the program, or of a machine with another "
         "register limit. Write it again with `heddle profile-loops`.",
         origin_, kernel.name, what);
  };
  for (const LoopProfile& loop : profile.loops) {
    const isa::LoopExtent* const extent = loops.begins_at(loop.pc);
    if (extent == nullptr) refuse(fmt::format("loop that begins at PC {} (line {})", loop.pc, loop.source_line));
    for (const LoadProfile& load : loop.loads) {
      if (load.pc < kernel.ops.size() && kernel.ops[load.pc].opcode == isa::Opcode::ld &&
          loops.innermost(load.pc) == extent)
        continue;
      refuse(fmt::format("load at PC {} (line {}) in the loop at PC {}", load.pc, load.source_line, loop.pc));
    }
  }
}

std::string KernelProfiles::text() const {
  JsonWriter out;
  out.begin_object().member("format", kFormat).key("kernels").begin_array();
  for (const KernelProfile& kernel : kernels_) {
    out.begin_object().member("kernel", kernel.kernel);
    if (kernel.warp_limit) out.member("warp_limit", *kernel.warp_limit);
    out.key("loops").begin_array();
    for (const LoopProfile& loop : kernel.loops) {
      out.begin_object().member("pc", loop.pc).member("source_line", loop.source_line);
      out.member("locality", loop.locality).key("loads").begin_array();
      for (const LoadProfile& load : loop.loads) {
        out.begin_object(true).member("pc", load.pc).member("source_line", load.source_line);
        out.member("divergent", load.divergent).member("repetition", load.repetition).end_object();
      }
      out.end_array().end_object();
    }
    out.end_array().end_object();
  }
  out.end_array().end_object();
  return out.text() + "\n";
}

}  // namespace heddle::sm
