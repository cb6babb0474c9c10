// SPDX-License-Identifier: Apache-2.0
#include "core/statistics/run_locality_json.h"

#include "core/statistics/run_details_json.h"

namespace heddle {
namespace {

void write_counts(JsonWriter& out, const LocalityCounts& counts) {
  out.begin_object(true).member("intra_thread", counts.intra_thread).member("inter_thread", counts.inter_thread);
  out.member("inter_warp", counts.inter_warp).member("merges", counts.merges).member("misses", counts.misses);
  out.member("this_trip", counts.this_trip).member("last_trip", counts.last_trip);
  out.member("other_trip", counts.other_trip).end_object();
}

void write_causes(JsonWriter& out, const MissCauses& causes) {
  out.begin_object(true).member("first", causes.first).member("stored", causes.stored).member("lost", causes.lost);
  out.member("too_far", causes.too_far).member("other_warps", causes.other_warps).end_object();
}

void write_limits(JsonWriter& out, const std::vector<RunLocality::Limit>& limits) {
  out.key("limits").begin_array();
  for (const RunLocality::Limit& one : limits) {
    out.begin_object(true).member("warps", one.warps).member("hits", one.hits).member("merges", one.merges);
    out.member("misses", one.misses).member("cycles", one.cycles).end_object();
  }
  out.end_array();
}

void write_place(JsonWriter& out, std::int32_t file, std::uint32_t line) {
  out.member("file", file).member("line", line);
}

void write_kernel(JsonWriter& out, const RunLocality::Kernel& kernel) {
  out.begin_object().member("name", kernel.name).member("launches", kernel.launches);
  out.member("warp_instructions", kernel.warp_instructions).member("thread_instructions", kernel.thread_instructions);
  out.member("cycles", kernel.cycles).member("warps", kernel.warps).member("truncated", kernel.truncated);
  out.key("loads").begin_array();
  for (const RunLocality::Load& load : kernel.loads) {
    out.begin_object(true).member("pc", load.pc).member("ptx_line", load.ptx_line).member("text", load.text);
    out.member("loop", load.loop);
    write_place(out, load.file, load.line);
    write_counts(out.key("counts"), load.counts);
    write_causes(out.key("causes"), load.causes);
    out.key("replays").begin_array(true);
    for (const LocalityCounts& counts : load.replays) write_counts(out, counts);
    out.end_array().end_object();
  }
  out.end_array().key("loops").begin_array();
  for (const RunLocality::Loop& loop : kernel.loops) {
    out.begin_object().member("pc", loop.pc).member("depth", loop.depth).member("parent", loop.parent);
    write_place(out, loop.file, loop.line);
    write_limits(out, loop.limits);
    out.end_object();
  }
  out.end_array();
  write_limits(out, kernel.limits);
  out.end_object();
}

}  // namespace

void write_locality(JsonWriter& out, const RunLocality& locality) {
  out.begin_object().member("machine", locality.machine);
  out.key("cache").begin_object(true).member("bytes", locality.cache_bytes).member("ways", locality.cache_ways);
  out.member("line_bytes", locality.line_bytes).end_object();
  out.key("replays").begin_array();
  for (const RunLocality::Replay& one : locality.replays) {
    out.begin_object(true).member("policy", one.policy).member("bytes", one.bytes).member("ways", one.ways);
    out.member("line_bytes", one.line_bytes).member("index", one.index).end_object();
  }
  out.end_array().key("files").begin_array();
  for (const std::string& path : locality.files) write_source_file(out, path);
  out.end_array().key("kernels").begin_array();
  for (const RunLocality::Kernel& kernel : locality.kernels) write_kernel(out, kernel);
  out.end_array().end_object();
}

}  // namespace heddle
