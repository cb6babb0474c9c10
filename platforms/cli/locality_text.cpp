// SPDX-License-Identifier: Apache-2.0
#include "cli/locality_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <vector>

#include "cli/run_members.h"
#include "compare/text_table.h"
#include "core/error.h"
#include "core/excerpt.h"
#include "core/names.h"
#include "core/quantity_text.h"

namespace heddle::cli {
namespace {

/// Sums of the members of objects, all natural numbers.
struct Counts {
  std::uint64_t intra_thread = 0, inter_thread = 0, inter_warp = 0, merges = 0, misses = 0;
  std::uint64_t this_trip = 0, last_trip = 0, other_trip = 0;

  void add(const JsonNode* node) {
    if (node == nullptr) return;
    intra_thread += number_of(*node, "intra_thread");
    inter_thread += number_of(*node, "inter_thread");
    inter_warp += number_of(*node, "inter_warp");
    merges += number_of(*node, "merges");
    misses += number_of(*node, "misses");
    this_trip += number_of(*node, "this_trip");
    last_trip += number_of(*node, "last_trip");
    other_trip += number_of(*node, "other_trip");
  }
  std::uint64_t hits() const { return intra_thread + inter_thread + inter_warp; }
  std::uint64_t accesses() const { return hits() + merges + misses; }
};

/// Why loads missed, in the order in which it is told.
struct Cause {
  const char *name, *words;
};
constexpr std::array<Cause, 5> kCauses = {{{"lost", "lost by the warp that had touched the line"},
                                           {"other_warps", "lost since another warp touched the line"},
                                           {"too_far", "touched by the warp too long ago for any cache of this size"},
                                           {"stored", "removed by a store"},
                                           {"first", "first touch of the line"}}};

std::string percent(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? "-" : fmt::format("{:.1f} %", 100.0 * static_cast<double>(part) / static_cast<double>(whole));
}

constexpr std::size_t kWidth = 100;  // of a source line

class LocalityTables {
 public:
  LocalityTables(const JsonNode& locality, const LocalityListing& listing)
      : listing_(listing), files_(locality.find("files")), replays_(elements_of(locality, "replays")) {}

  std::string kernel(const JsonNode& kernel) {
    Counts run;
    for (const JsonNode& load : elements_of(kernel, "loads")) run.add(load.find("counts"));
    std::string text =
        fmt::format("kernel {}: launches {}, warp instructions {}, cycles {}\n", kernel_title(text_of(kernel, "name")),
                    number_of(kernel, "launches"), number_of(kernel, "warp_instructions"), number_of(kernel, "cycles"));
    const JsonNode* const truncated = kernel.find("truncated");
    if (truncated != nullptr && truncated->boolean) text += "  Later accesses of large launches are missing.\n";
    if (run.accesses() == 0) return text + "  It loads nothing through the L1 data cache.\n";
    return text + caches(kernel, run) + causes(kernel, run) + loads(kernel, run) + limits(kernel, run);
  }

 private:
  static std::vector<std::string> cells(const std::string& name, const Counts& counts, std::uint64_t instructions) {
    const std::uint64_t all = counts.accesses();
    return {name,
            std::to_string(all),
            percent(counts.intra_thread, all),
            percent(counts.inter_thread, all),
            percent(counts.inter_warp, all),
            percent(counts.merges, all),
            percent(counts.misses, all),
            instructions == 0 ? "-"
                              : fmt::format("{:.2f}", 1000.0 * static_cast<double>(counts.misses) /
                                                          static_cast<double>(instructions))};
  }

  /// The run and the replays.
  std::string caches(const JsonNode& kernel, const Counts& run) const {
    compare::TextTable table;
    table.row({"", "loads of", "intra-thread", "inter-thread", "inter-warp", "", "", ""});
    table.row({"cache", "lines", "hits", "hits", "hits", "merges", "misses", "MPKI"});
    const std::uint64_t instructions = number_of(kernel, "thread_instructions");
    table.row(cells("the run", run, instructions));
    for (std::size_t r = 0; r < replays_.size(); ++r) {
      Counts counts;
      for (const JsonNode& load : elements_of(kernel, "loads")) {
        const std::vector<JsonNode>& replays = elements_of(load, "replays");
        if (r < replays.size()) counts.add(&replays[r]);
      }
      table.row(cells(replay_name(replays_[r]), counts, instructions));
    }
    return "\n" + table.text();
  }

  static std::string replay_name(const JsonNode& replay) {
    std::string name = text_of(replay, "policy");
    if (number_of(replay, "bytes") != 0) {
      name += fmt::format(" {}, {} ways", size_text(number_of(replay, "bytes")), number_of(replay, "ways"));
      if (text_of(replay, "index") != "none") name += ", " + text_of(replay, "index");
    }
    return name + fmt::format(", {} B lines", number_of(replay, "line_bytes"));
  }

  std::string causes(const JsonNode& kernel, const Counts& run) const {
    std::string text;
    if (run.misses != 0) {
      text += "\n  Why loads missed:\n";
      for (const Cause& cause : kCauses) {
        std::uint64_t misses = 0;
        for (const JsonNode& load : elements_of(kernel, "loads")) {
          const JsonNode* const all = load.find("causes");
          if (all != nullptr) misses += number_of(*all, cause.name);
        }
        if (misses != 0) text += fmt::format("  {:>8}  {}\n", percent(misses, run.misses), cause.words);
      }
    }
    const std::uint64_t in_loops = run.this_trip + run.last_trip + run.other_trip;
    if (in_loops != 0) {
      text += fmt::format(
          "\n  Intra-warp hits of loops, by when the warp had touched the line: this trip {}, the last "
          "trip {}, other {}\n",
          percent(run.this_trip, in_loops), percent(run.last_trip, in_loops), percent(run.other_trip, in_loops));
    }
    return text;
  }

  /// A load, or the loads of a loop.
  static std::string row(const Counts& counts, std::uint64_t lost, const Counts& run, const std::string& name) {
    const std::uint64_t all = counts.accesses();
    return fmt::format("  {:>9}  {:>7}  {:>7}  {:>7}  {:>7}  {:>7}  {:>7}  {}\n", all,
                       share(counts.intra_thread + counts.inter_thread, all), share(counts.inter_warp, all),
                       share(counts.merges, all), share(counts.misses, all), share(counts.misses, run.misses),
                       share(lost, counts.misses), name);
  }
  static std::uint64_t lost(const JsonNode& load) {
    const JsonNode* const why = load.find("causes");
    return why != nullptr ? number_of(*why, "lost") : 0;
  }

  /// The loads of a source line; of an unknown line each by itself.
  struct Line {
    std::string text;
    Counts counts;
    std::uint64_t lost = 0;
    std::vector<const JsonNode*> loads;
  };

  std::vector<Line> lines(const JsonNode& kernel) const {
    std::vector<Line> lines;
    for (const JsonNode& load : elements_of(kernel, "loads")) {
      const std::string text = line_text(load, files_);
      auto found = std::find_if(lines.begin(), lines.end(), [&text](const Line& line) { return line.text == text; });
      if (found == lines.end()) found = lines.insert(lines.end(), Line{text, {}, 0, {}});
      found->counts.add(load.find("counts"));
      found->lost += lost(load);
      found->loads.push_back(&load);
    }
    std::stable_sort(lines.begin(), lines.end(),
                     [](const Line& a, const Line& b) { return a.counts.misses > b.counts.misses; });
    return lines;
  }

  /// Source lines, each with its loads, and loops.
  std::string loads(const JsonNode& kernel, const Counts& run) const {
    std::string text = fmt::format("\n  {:>9}  {:>7}  {:>7}  {:>7}  {:>7}  {:>7}  {:>7}  loads\n", "lines", "own hit",
                                   "other", "merges", "misses", "of all", "lost");
    std::size_t left = 0;
    std::size_t room = listing_.loads == 0 ? std::numeric_limits<std::size_t>::max() : listing_.loads;
    for (const Line& line : lines(kernel)) {
      if (room == 0) {
        left += line.loads.size();
        continue;
      }
      text += row(line.counts, line.lost, run, excerpt(line.text, kWidth));
      std::vector<std::pair<const JsonNode*, Counts>> loads;
      for (const JsonNode* load : line.loads) loads.emplace_back(load, Counts{}).second.add(load->find("counts"));
      std::stable_sort(loads.begin(), loads.end(),
                       [](const auto& a, const auto& b) { return a.second.misses > b.second.misses; });
      for (const auto& [load, counts] : loads) {
        if (room == 0) {
          ++left;
          continue;
        }
        --room;
        // A load without a line has been told already.
        if (line_place(*load, files_).empty()) continue;
        text += row(
            counts, lost(*load), run,
            fmt::format("    pc {:<4} {}{}", number_of(*load, "pc"), text_of(*load, "text"), loop_name(kernel, *load)));
      }
    }
    if (left != 0) text += fmt::format("  and {} more loads\n", left);
    return text + loops(kernel, run);
  }

  /// Every loop with the loads in it and in the loops inside it.
  std::string loops(const JsonNode& kernel, const Counts& run) const {
    const std::vector<JsonNode>& all = elements_of(kernel, "loops");
    std::vector<Counts> counts(all.size());
    std::vector<std::uint64_t> lost_in(all.size());
    const auto outer = [&all](const JsonNode* loop) {
      return loop != nullptr && loop->kind == JsonNode::Kind::unsigned_ && loop->natural < all.size() ? loop->natural
                                                                                                      : all.size();
    };
    for (const JsonNode& load : elements_of(kernel, "loads")) {
      for (std::size_t l = outer(load.find("loop")); l < all.size();) {
        counts[l].add(load.find("counts"));
        lost_in[l] += lost(load);
        const std::size_t around = outer(all[l].find("parent"));
        l = around < l ? around : all.size();
      }
    }
    std::string text;
    for (std::size_t l = 0; l < all.size(); ++l) {
      if (counts[l].accesses() != 0) text += row(counts[l], lost_in[l], run, name_of_loop(all[l]));
    }
    return text;
  }

  std::string loop_name(const JsonNode& kernel, const JsonNode& load) const {
    const JsonNode* const loop = load.find("loop");
    const std::vector<JsonNode>& loops = elements_of(kernel, "loops");
    if (loop == nullptr || loop->kind != JsonNode::Kind::unsigned_ || loop->natural >= loops.size()) return {};
    return "  [" + name_of_loop(loops[loop->natural]) + "]";
  }
  /// A compiler may make several loops of one line, so the program counter is part of the name.
  std::string name_of_loop(const JsonNode& loop) const {
    const std::string place = line_place(loop, files_);
    return fmt::format("loop at {}{}pc {}", place, place.empty() ? "" : ", ", number_of(loop, "pc"));
  }

  std::string limits(const JsonNode& kernel, const Counts& run) const {
    const std::vector<JsonNode>& all = elements_of(kernel, "limits");
    if (all.empty()) return {};
    compare::TextTable table;
    std::vector<std::string> heads{"only the oldest warps issue"}, cycles{"time, without a limit 1"};
    for (std::size_t i = 0; i < all.size(); ++i) {
      heads.push_back(i + 1 == all.size() ? fmt::format("all {}", number_of(all[i], "warps"))
                                          : std::to_string(number_of(all[i], "warps")));
      const std::uint64_t whole = number_of(all.back(), "cycles");
      cycles.push_back(whole == 0 ? "-"
                                  : fmt::format("{:.2f}", static_cast<double>(number_of(all[i], "cycles")) /
                                                              static_cast<double>(whole)));
    }
    table.row(heads);
    table.row(rates("expected hit rate", all));
    for (const JsonNode& loop : elements_of(kernel, "loops")) {
      const std::vector<JsonNode>& of_loop = elements_of(loop, "limits");
      if (std::any_of(of_loop.begin(), of_loop.end(), [](const JsonNode& one) { return accesses(one) != 0; }))
        table.row(rates("  " + name_of_loop(loop), of_loop));
    }
    table.row(cycles);
    return "\n" + table.text() +
           fmt::format("  The run itself hit in {} of the lines; the last column is the model of it.\n",
                       share(run.hits(), run.accesses())) +
           advice(all);
  }

  static std::uint64_t accesses(const JsonNode& limit) {
    return number_of(limit, "hits") + number_of(limit, "merges") + number_of(limit, "misses");
  }
  static double rate(const JsonNode& limit) {
    const std::uint64_t all = accesses(limit);
    return all == 0 ? 0 : static_cast<double>(number_of(limit, "hits")) / static_cast<double>(all);
  }
  static std::vector<std::string> rates(std::string name, const std::vector<JsonNode>& limits) {
    std::vector<std::string> row{std::move(name)};
    for (const JsonNode& limit : limits) row.push_back(share(number_of(limit, "hits"), accesses(limit)));
    return row;
  }

  /// The limit under which the model takes the least time, if that is clearly less than without one.
  static std::string advice(const std::vector<JsonNode>& limits) {
    constexpr double kClearly = 0.95;
    const JsonNode& none = limits.back();
    const auto best = std::min_element(limits.begin(), limits.end(), [](const JsonNode& a, const JsonNode& b) {
      return number_of(a, "cycles") < number_of(b, "cycles");
    });
    const auto cycles = static_cast<double>(number_of(none, "cycles"));
    if (static_cast<double>(number_of(*best, "cycles")) > kClearly * cycles)
      return "\n  No limit of warps would clearly help.\n";
    return fmt::format(
        "\n  Worth a trial: a limit of {} {}, expected hit rate {:.0f} % instead of {:.0f} %:\n  --set "
        "'sm.vetoes=[\"static_limit\"]' --set sm.static_limit.limit={}\n",
        number_of(*best, "warps"), number_of(*best, "warps") == 1 ? "warp" : "warps", 100 * rate(*best),
        100 * rate(none), number_of(*best, "warps"));
  }

  const LocalityListing& listing_;
  const JsonNode* files_;
  const std::vector<JsonNode>& replays_;
};

}  // namespace

std::string locality_text(const JsonNode& locality, const LocalityListing& listing) {
  std::string text, names;
  LocalityTables to(locality, listing);
  for (const JsonNode& kernel : elements_of(locality, "kernels")) {
    const std::string& name = text_of(kernel, "name");
    names += (names.empty() ? "" : ", ") + kernel_title(name);
    if (kernel_match(listing.kernels, name)) text += (text.empty() ? "" : "\n") + to.kernel(kernel);
  }
  if (text.empty()) {
    fail(ExitCode::usage, "no kernel matches '{}'; recorded: {}", listing.kernels, names.empty() ? "none" : names);
  }
  const JsonNode* const cache = locality.find("cache");
  const std::uint64_t bytes = cache != nullptr ? number_of(*cache, "bytes") : 0;
  const std::string size = bytes == 0 ? "unlimited"
                                      : fmt::format("{}, {} ways, {}-byte lines", size_text(bytes),
                                                    number_of(*cache, "ways"), number_of(*cache, "line_bytes"));
  return fmt::format("L1 data caches of {}: {}\n\n", text_of(locality, "machine"), size) + text;
}

std::string run_locality_text(const JsonNode& run, const LocalityListing& listing) {
  const JsonNode* const locality = run.find("locality");
  if (locality == nullptr)
    fail(ExitCode::usage, "the run has no record of locality: run it with --locality, or --inspect, and -o FOLDER");
  return locality_text(*locality, listing);
}

}  // namespace heddle::cli
