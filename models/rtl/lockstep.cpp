// SPDX-License-Identifier: Apache-2.0
#include "rtl/lockstep.h"

#include <algorithm>
#include <filesystem>

#include "core/error.h"
#include "core/output_files.h"
#include "core/statistics/sampling.h"
#include "core/trace/vcd.h"

namespace heddle::rtl {
namespace {

/// "name=0x0123", zero-padded to the width.
std::string text_of(const PortValue& port) {
  std::string digits;
  for (unsigned first = 0; first < port.width; first += 64) {
    const unsigned nibbles = (std::min(64u, port.width - first) + 3) / 4;
    digits = fmt::format("{:0{}x}", port.words[first / 64], nibbles) + digits;
  }
  return fmt::format("{}=0x{}", port.name, digits);
}

std::string text_of(const std::vector<PortValue>& ports) {
  std::string text;
  for (const PortValue& port : ports) text += (text.empty() ? "" : " ") + text_of(port);
  return text;
}

/// Names of the ports that differ.
std::string differing(const ComparedCall& call) {
  std::string names;
  for (std::size_t i = 0; i < call.model.size(); ++i) {
    if (call.model[i].words != call.rtl[i].words) names += (names.empty() ? "" : ", ") + call.model[i].name;
  }
  return names;
}

/// Writes the calls to a waveform of their own, one time step per call.
void write_waveform(const std::filesystem::path& file, const sm::BlockSite& site,
                    const std::vector<ComparedCall>& calls) {
  Probes probes;
  const Structures none;
  std::size_t at = 0;
  const auto show = [&](ProbeGroup& group, std::vector<PortValue> ComparedCall::*side) {
    const auto& ports = calls.front().*side;
    for (std::size_t p = 0; p < ports.size(); ++p) {
      group.add_wide(ports[p].name, ports[p].width, "port", [&, side, p](std::uint64_t* words) {
        const auto& value = (calls[at].*side)[p].words;
        std::copy(value.begin(), value.end(), words);
      });
    }
  };
  ProbeGroup inputs(probes, site.path + ".inputs", site.clock.whole().name());
  ProbeGroup model(probes, site.path + ".model", site.clock.whole().name());
  ProbeGroup rtl(probes, site.path + ".rtl", site.clock.whole().name());
  ProbeGroup both(probes, site.path + ".lockstep", site.clock.whole().name());
  show(inputs, &ComparedCall::inputs);
  show(model, &ComparedCall::model);
  show(rtl, &ComparedCall::rtl);
  both.add("differs", 1, "model and RTL differ", [&] { return differing(calls[at]).empty() ? 0 : 1; });
  WaveformRequest request;
  request.file = file;
  VcdWriter writer(probes, none, request, [&](std::uint64_t cycle) { return picoseconds_of(site.clock, cycle); });
  for (std::size_t first = 0; first < calls.size();) {
    std::size_t end = first;
    while (end < calls.size() && calls[end].cycle == calls[first].cycle) ++end;
    const std::uint64_t from = picoseconds_of(site.clock, calls[first].cycle);
    const std::uint64_t step = (picoseconds_of(site.clock, calls[first].cycle + 1) - from) / (end - first);
    for (at = first; at < end; ++at) {
      const std::uint64_t now = from + step * (at - first);
      probes.sample({site.clock.whole().name(), calls[at].cycle, now, now + step});
    }
    first = end;
  }
  at = calls.size() - 1;
  writer.close();
}

}  // namespace

Counter agreed_calls(const sm::BlockSite& site) {
  const StatisticsGroup group(*site.statistics, "lockstep." + site.name);
  return Counter(group, "agreed", "calls that went to RTL and model, all with equal answers", unit::kCalls);
}

void report_difference(const sm::BlockSite& site, const std::vector<ComparedCall>& calls) {
  const ComparedCall& last = calls.back();
  const std::filesystem::path folder = site.services.results_folder;
  // Known only now, so it must not replace that of an earlier run.
  const std::filesystem::path file = unused_path(folder / (site.path + ".lockstep.vcd"));
  std::string waveform;
  try {
    write_waveform(file, site, calls);
    waveform = fmt::format("a waveform of the last {} calls is in {}", calls.size(), file.string());
  } catch (const std::exception& error) {
    waveform = fmt::format("no waveform: {}", error.what());
  }
  fail(ExitCode::difference,
       "{}: RTL and model differ in cycle {} at {}\n  inputs: {}\n  model:  {}\n  RTL:    {}\n  {}", site.path,
       last.cycle, differing(last), text_of(last.inputs), text_of(last.model), text_of(last.rtl), waveform);
}

}  // namespace heddle::rtl
