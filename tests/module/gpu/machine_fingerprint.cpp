// SPDX-License-Identifier: Apache-2.0
// Runs a fixed set of kernels on one machine and prints all statistics, a digest of the results and the cycles of each
// launch; with --cuts also where marked regions of kernels begin and end, and the counts at these points. Tests compare
// the output of machines that must behave identically.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstring>
#include <functional>
#include <memory>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "common/command_line.h"
#include "core/config/configuration.h"
#include "core/digest.h"
#include "core/error.h"
#include "core/file.h"
#include "core/statistics/run_details_json.h"
#include "gpu/device_memory.h"
#include "gpu/timing_machine.h"
#include "isa/module.h"
#include "tb/device_port.h"

namespace heddle::gpu {
namespace {

// Divergent loops around gathers and arithmetic for every unit, shared memory with barriers, shuffles, votes, and
// atomics whose results reveal their order.
const char* const kKernels = R"(
.version 6.4
.target sm_70
.address_size 64
.extern .func heddle_region_begin(.param .b64 name);
.extern .func heddle_region_end(.param .b64 name);
.visible .entry mix(.param .u64 in, .param .u64 out, .param .u64 sums)
{
  .reg .pred %p<8>; .reg .b32 %r<32>; .reg .b64 %rd<16>; .reg .f32 %f<8>; .reg .f64 %d<4>;
  .shared .align 4 .b8 box[1024];
  ld.param.u64 %rd1, [in]; ld.param.u64 %rd2, [out]; ld.param.u64 %rd3, [sums];
  mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x;
  mad.lo.s32 %r4, %r2, %r3, %r1;
  and.b32 %r5, %r4, 13;
  mov.u32 %r6, 0;
  mov.u32 %r7, %r4;
  mov.f32 %f1, 0f3F800000;
LOOP:
  setp.ge.u32 %p1, %r6, %r5;
  @%p1 bra DONE;
  mad.lo.u32 %r7, %r7, 1103515245, 12345;
  shr.u32 %r8, %r7, 20;
  mul.wide.u32 %rd4, %r8, 4;
  add.s64 %rd5, %rd1, %rd4;
  ld.global.u32 %r9, [%rd5];
  and.b32 %r10, %r9, 1;
  setp.eq.u32 %p2, %r10, 0;
  @%p2 bra EVEN;
  cvt.rn.f32.u32 %f2, %r9;
  sqrt.approx.f32 %f3, %f2;
  add.f32 %f1, %f1, %f3;
  bra NEXT;
EVEN:
  { .param .b64 n; st.param.b64 [n], %rd4; call heddle_region_begin, (n); }
  cvt.rn.f64.u32 %d1, %r9;
  add.f64 %d2, %d1, 0d3FF0000000000000;
  cvt.rn.f32.f64 %f4, %d2;
  sub.f32 %f1, %f1, %f4;
  { .param .b64 n; st.param.b64 [n], %rd4; call heddle_region_end, (n); }
NEXT:
  add.u32 %r6, %r6, 1;
  bra LOOP;
DONE:
  mov.b32 %r11, %f1;
  xor.b32 %r11, %r11, %r7;
  mov.u32 %r12, box;
  mad.lo.u32 %r13, %r1, 4, %r12;
  st.shared.u32 [%r13], %r11;
  bar.sync 0;
  xor.b32 %r14, %r1, 37;
  mad.lo.u32 %r15, %r14, 4, %r12;
  ld.shared.u32 %r16, [%r15];
  bar.sync 0;
  shfl.sync.bfly.b32 %r17, %r16, 3, 31, 0xffffffff;
  vote.sync.ballot.b32 %r18, %p2, 0xffffffff;
  add.u32 %r19, %r17, %r11;
  rem.u32 %r20, %r19, 61;
  mul.wide.u32 %rd6, %r20, 4;
  add.s64 %rd7, %rd3, %rd6;
  atom.global.add.u32 %r21, [%rd7], 1;
  popc.b32 %r22, %r18;
  add.u32 %r19, %r19, %r22;
  mad.lo.u32 %r19, %r21, 65537, %r19;
  mul.wide.u32 %rd8, %r4, 4;
  add.s64 %rd9, %rd2, %rd8;
  st.global.u32 [%rd9], %r19;
  ret;
}
)";

constexpr std::uint32_t kBlocks = 14, kThreads = 192, kInputs = 4096, kSums = 64;

/// A region is open while threads are in it; the machine is asked to stop where it begins and ends.
class MarkedPort final : public isa::MemoryPort {
 public:
  explicit MarkedPort(const DeviceMemory& memory) : memory_(memory) {}
  std::function<void()> on_cut;  ///< none: no cut is asked for

  bool accessible(std::uint64_t lowest, std::uint64_t end) const override { return memory_.accessible(lowest, end); }
  std::string nearest(std::uint64_t address) const override { return memory_.nearest(address); }
  void texture(const isa::MicroOp&, isa::WarpState&, std::uint32_t) override {}
  void system_call(const isa::MicroOp& op, isa::WarpState&, std::uint32_t mask) override {
    threads_ += op.system_call == isa::SystemCall::region_begin ? std::popcount(mask) : -std::popcount(mask);
  }
  bool wants_cut() const override { return on_cut && open_ != (threads_ > 0); }
  void cut() override {
    open_ = threads_ > 0;
    on_cut();
  }

 private:
  const DeviceMemory& memory_;
  std::int64_t threads_ = 0;
  bool open_ = false;
};

std::vector<std::string> statistics_lines(Services& services) {
  std::vector<std::string> lines;
  const StatisticsSample sample = services.statistics.total();
  for (const StatisticsSample::Owner& owner : sample.owners()) {
    for (const StatisticDeclaration& statistic : owner.owner->declarations()) {
      std::string text = fmt::format("{}.{}", owner.owner->name(), statistic.name);
      for (std::size_t i = 0; i < statistic.count; ++i) text += fmt::format(" {}", owner.values[statistic.first + i]);
      lines.push_back(text);
    }
  }
  // Statistics are declared in the order of construction, which may differ.
  std::sort(lines.begin(), lines.end());
  return lines;
}

/// All recordings; only a part of the run where files would be large.
RecordingRequest recording_in(const std::string& folder) {
  RecordingRequest request;
  if (folder.empty()) return request;
  request.inspect();
  request.series_every = 50;
  request.vcd = folder + "/machine.vcd";
  request.windows = "100:1500";
  request.pipeline = folder + "/machine.kanata";
  request.timeline = folder + "/machine.json";
  return request;
}

/// Timeline events have no defined order.
std::string sorted_lines(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    if (line.ends_with(',')) line.pop_back();
    lines.push_back(line);
  }
  std::sort(lines.begin(), lines.end());
  return fmt::format("{}", fmt::join(lines, "\n"));
}

void print_traces(TimingMachine& machine, const std::string& folder) {
  machine.finish();
  const RecordedDetails details = machine.details();
  JsonWriter profile, spans;
  write_profile(profile, *details.profile);
  write_spans(spans, *details.spans);
  std::string series;
  for (std::size_t row = 0; row < details.series->rows(); ++row) {
    const std::uint64_t* const values = details.series->row(row);
    series += fmt::format("{} {}\n", details.series->cycle(row),
                          fmt::join(values, values + details.series->columns().size(), " "));
  }
  fmt::print("profile {}\nspans {}\nseries {}\n", sha256(profile.text()), sha256(spans.text()), sha256(series));
  for (const char* file : {"machine.vcd", "machine.kanata", "machine.json"}) {
    std::string text = read_file(folder + "/" + file);
    if (std::string_view(file) == "machine.json") text = sorted_lines(text);
    fmt::print("{} {} bytes {}\n", file, text.size(), sha256(text));
  }
}

int main(int argc, char** argv) {
  CommandLine app("Prints what must not change between machines that are built or watched differently.");
  MachineRequest request;
  BuildOptions options;
  std::uint64_t clock_factor = 1;
  Cycle settle_every = 0;
  bool no_gating = false, cuts = false;
  std::string traces;
  app.add_option("--machine", request.machine, "preset");
  app.add_option("--set", request.settings, "path=value, any number").repeated();
  app.add_flag("--reverse", options.reverse_construction, "construct modules in the opposite order");
  app.add_option("--permute", options.permute_calls, "seed of the order of calls in every cycle");
  app.add_flag("--no-gating", no_gating, "call every module in every cycle");
  app.add_option("--clock-factor", clock_factor, "multiplies the frequency of every clock");
  app.add_flag("--cuts", cuts, "stop at the ends of regions and print what was counted up to there");
  app.add_option("--settle-every", settle_every, "bring statistics up to date at the end of every so many cycles");
  app.add_option("--traces", traces, "folder to which everything is recorded, whose digests are printed");
  if (!app.parse(argc, argv)) return 0;
  options.gating = !no_gating;

  MachineParameters parameters;
  Configuration configuration(parameters);
  load_machine(parameters, configuration, request);
  ClockParameters& clocks = parameters.gpu.clocks;
  for (std::uint64_t* clock : {&clocks.core, &clocks.interconnect, &clocks.l2, &clocks.memory}) *clock *= clock_factor;

  DeviceMemory memory({DeviceMemory::kDefaultBase, 1 << 24, 1 << 20});
  MarkedPort port(memory);
  const DeviceLimits limits = limits_of(parameters, configuration.name());
  Services services;
  TimingMachine machine(parameters, limits, memory, port, services, options, recording_in(traces));

  if (cuts) {
    port.on_cut = [&] {
      machine.settle();
      const std::string counted = fmt::format("{}", fmt::join(statistics_lines(services), "\n"));
      fmt::print("cut {} {}\n", machine.gpu().core_clock().now(), sha256(counted));
    };
  }
  if (settle_every != 0) {
    machine.gpu().core_clock().on_every_cycle([&](Cycle now) {
      if (now % settle_every == 0) machine.settle();
    });
  }
  const std::uint64_t in = memory.allocate(4 * kInputs, AllocationKind::device);
  const std::uint64_t out = memory.allocate(4 * kBlocks * kThreads, AllocationKind::device);
  const std::uint64_t sums = memory.allocate(4 * kSums, AllocationKind::device);
  auto* words = reinterpret_cast<std::uint32_t*>(in);
  for (std::uint32_t i = 0; i < kInputs; ++i) words[i] = i * 2654435761u >> 7;
  std::memset(reinterpret_cast<void*>(sums), 0, 4 * kSums);

  const auto kernel = isa::Module::parse(kKernels, "kernels.ptx")->lower("mix", tb::NoSymbols());
  for (std::uint64_t launch = 1; launch <= 2; ++launch) {
    LaunchRequest call;
    call.kernel = kernel;
    call.grid = {kBlocks, 1, 1};
    call.block = {kThreads, 1, 1};
    call.id = launch;
    const std::uint64_t arguments[] = {in, out, sums};
    call.parameters.resize(sizeof arguments);
    std::memcpy(call.parameters.data(), arguments, sizeof arguments);
    const LaunchReport report = machine.launch(call);
    fmt::print("launch {} cycles {} warp_instructions {} thread_instructions {}\n", launch, report.cycles,
               report.warp_instructions, report.thread_instructions);
  }
  const std::string bytes(reinterpret_cast<const char*>(out), 4 * kBlocks * kThreads);
  const std::string counts(reinterpret_cast<const char*>(sums), 4 * kSums);
  fmt::print("results {}\n", sha256(bytes + counts));
  machine.settle();
  if (!traces.empty()) print_traces(machine, traces);
  for (const std::string& line : statistics_lines(services)) fmt::print("{}\n", line);
  return 0;
}

}  // namespace
}  // namespace heddle::gpu

int main(int argc, char** argv) {
  try {
    return heddle::gpu::main(argc, argv);
  } catch (const heddle::Error& error) {
    fmt::print(stderr, "{}\n", error.what());
    return static_cast<int>(error.code());
  }
}
