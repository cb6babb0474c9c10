// SPDX-License-Identifier: Apache-2.0
#include "core/statistics/run_details_json.h"

#include <filesystem>
#include <fstream>
#include <initializer_list>

namespace heddle {
namespace {

void write_named(JsonWriter& out, const char* key, const std::vector<RunProfile::Named>& all) {
  out.key(key).begin_array();
  for (const RunProfile::Named& one : all) {
    out.begin_object(true).member("name", one.name).member("unit", one.unit).member("sentence", one.sentence);
    out.end_object();
  }
  out.end_array();
}

/// Writes the non-zero numbers by name.
void write_numbers(JsonWriter& out, const char* key, const std::vector<RunProfile::Named>& names,
                   const std::vector<std::uint64_t>& numbers) {
  out.key(key).begin_object(true);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (numbers[i] != 0) out.member(names[i].name, numbers[i]);
  }
  out.end_object();
}

void write_columns(JsonWriter& out, std::initializer_list<const char*> names) {
  out.key("columns").begin_array(true);
  for (const char* name : names) out.value(name);
  out.end_array();
}

void write_row(JsonWriter& out, std::initializer_list<std::uint64_t> numbers) {
  out.begin_array(true);
  for (const std::uint64_t number : numbers) out.value(number);
  out.end_array();
}

}  // namespace

void write_source_file(JsonWriter& out, const std::string& path) {
  out.begin_object().member("path", path).key("lines").begin_array();
  std::error_code ignored;
  // The file name comes from the program and may be anything.
  std::ifstream in;
  if (std::filesystem::is_regular_file(path, ignored)) in.open(path);
  for (std::string line; std::getline(in, line);) out.value(line);
  out.end_array().end_object();
}

void write_profile(JsonWriter& out, const RunProfile& profile) {
  out.begin_object();
  write_named(out, "counts", profile.counts);
  write_named(out, "causes", profile.causes);
  out.key("files").begin_array();
  for (const std::string& path : profile.files) write_source_file(out, path);
  out.end_array().key("kernels").begin_array();
  for (const RunProfile::Kernel& kernel : profile.kernels) {
    out.begin_object().member("name", kernel.name).key("instructions").begin_array();
    for (const RunProfile::Instruction& one : kernel.instructions) {
      out.begin_object(true).member("pc", one.pc).member("ptx_line", one.ptx_line).member("text", one.text);
      out.member("file", one.file).member("line", one.line);
      if (!one.role.empty()) out.member("role", one.role);
      write_numbers(out, "counts", profile.counts, one.counts);
      write_numbers(out, "stalls", profile.causes, one.stalls);
      out.end_object();
    }
    out.end_array().end_object();
  }
  out.end_array().end_object();
}

void write_spans(JsonWriter& out, const RunSpans& spans) {
  out.begin_object().member("truncated", spans.truncated);
  out.key("blocks").begin_object();
  write_columns(out, {"sm", "slot", "launch", "block", "first_cycle", "last_cycle"});
  out.key("rows").begin_array();
  for (const RunSpans::Block& one : spans.blocks)
    write_row(out, {one.sm, one.slot, one.launch, one.block, one.first, one.last});
  out.end_array().end_object();
  out.key("warps").begin_object();
  write_columns(out, {"sm", "warp", "block_slot", "launch", "block", "first_cycle", "last_cycle", "instructions"});
  out.key("rows").begin_array();
  for (const RunSpans::Warp& one : spans.warps) {
    write_row(out, {one.sm, one.context, one.block_slot, one.launch, one.block, one.first, one.last, one.instructions});
  }
  out.end_array().end_object().end_object();
}

}  // namespace heddle
