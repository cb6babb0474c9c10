// SPDX-License-Identifier: Apache-2.0
// Reads a pipeline log as its viewer does, and fails on anything the viewer would not draw.
#pragma once

#include <gtest/gtest.h>

#include <charconv>
#include <cstdint>
#include <map>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace heddle::test {

struct KanataStage {
  unsigned lane;
  std::string name;
  std::uint64_t begin, end;  ///< end excluded
};

struct KanataLine {
  std::uint64_t thread = 0, begin = 0, end = 0;
  std::string label, detail;
  bool ended = false, flushed = false;
  std::vector<KanataStage> stages;
  std::vector<std::uint64_t> producers;
};

/// The fields of a row, parts of it: logs have millions of rows, for which a stream each takes too long.
inline std::vector<std::string_view> split_tabs(std::string_view row) {
  std::vector<std::string_view> fields;
  for (std::size_t tab; (tab = row.find('\t')) != std::string_view::npos; row.remove_prefix(tab + 1))
    fields.push_back(row.substr(0, tab));
  fields.push_back(row);
  return fields;
}

inline std::int64_t number_in(std::string_view field) {
  std::int64_t number = 0;
  const auto read = std::from_chars(field.data(), field.data() + field.size(), number);
  if (read.ec != std::errc() || read.ptr != field.data() + field.size())
    ADD_FAILURE() << "'" << field << "' is no number";
  return number;
}

/// Lines in order of the file.
inline std::vector<KanataLine> read_kanata(const std::string& text) {
  std::vector<KanataLine> lines;
  std::map<std::pair<std::size_t, unsigned>, KanataStage> open;
  std::uint64_t cycle = 0;
  std::istringstream in(text);
  std::string row;
  std::getline(in, row);
  EXPECT_EQ(row, "Kanata\t0004");
  const auto end_stage = [&](std::size_t line, unsigned lane) {
    const auto found = open.find({line, lane});
    if (found == open.end()) return;
    found->second.end = cycle;
    lines[line].stages.push_back(found->second);
    open.erase(found);
  };
  while (std::getline(in, row)) {
    const auto fields = split_tabs(row);
    const std::string_view what = fields.at(0);
    if (what == "C=") {
      EXPECT_TRUE(lines.empty()) << "the start comes first";
      cycle = number_in(fields.at(1));
      continue;
    }
    if (what == "C") {
      const std::int64_t later = number_in(fields.at(1));
      EXPECT_GT(later, 0) << "time goes on";
      cycle += later;
      continue;
    }
    const std::size_t line = number_in(fields.at(1));
    if (what == "I") {
      EXPECT_EQ(line, lines.size()) << "lines are numbered in order";
      lines.emplace_back();
      lines.back().thread = number_in(fields.at(3));
      lines.back().begin = cycle;
      continue;
    }
    if (line >= lines.size() || lines[line].ended) {
      ADD_FAILURE() << "'" << row << "' is of no line that is alive";
      continue;
    }
    KanataLine& of = lines[line];
    if (what == "L") {
      (fields.at(2) == "0" ? of.label : of.detail) += fields.size() > 3 ? fields[3] : std::string_view();
    } else if (what == "S") {
      const auto lane = static_cast<unsigned>(number_in(fields.at(2)));
      end_stage(line, lane);
      open[{line, lane}] = {lane, std::string(fields.at(3)), cycle, cycle};
    } else if (what == "E") {
      end_stage(line, static_cast<unsigned>(number_in(fields.at(2))));
    } else if (what == "R") {
      end_stage(line, 0);
      end_stage(line, 1);
      of.end = cycle;
      of.ended = true;
      of.flushed = fields.at(3) == "1";
    } else if (what == "W") {
      const std::size_t producer = number_in(fields.at(2));
      EXPECT_LT(producer, lines.size());
      of.producers.push_back(producer);
    } else {
      ADD_FAILURE() << "'" << row << "' is nothing the viewer knows";
    }
  }
  for (const KanataLine& line : lines) EXPECT_TRUE(line.ended) << "every line ends: " << line.label;
  return lines;
}

}  // namespace heddle::test
