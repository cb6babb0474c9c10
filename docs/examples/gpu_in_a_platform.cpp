// SPDX-License-Identifier: Apache-2.0
// A GPU of Heddle's in a virtual platform: a processor model that knows only TLM-2.0 loads a kernel, fills buffers,
// rings the doorbell, sleeps until the interrupt and checks what came back. Ends with 0 when it is right.
#include <tlm_utils/simple_initiator_socket.h>

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <systemc>
#include <vector>

#include "gpu/host/host_registers.h"
#include "gpu/host/hosted_gpu.h"

namespace {

namespace host = heddle::gpu::host;  // offsets of registers

constexpr std::uint32_t kCount = 1000;
constexpr const char* kProgram = R"(
.version 6.4
.target sm_70
.address_size 64
.visible .entry saxpy(.param .u64 x, .param .u64 y, .param .f32 a, .param .u32 count)
{
  .reg .pred %p<2>;
  .reg .b32 %r<6>;
  .reg .f32 %f<4>;
  .reg .b64 %rd<6>;
  ld.param.u64 %rd1, [x];
  ld.param.u64 %rd2, [y];
  ld.param.f32 %f1, [a];
  ld.param.u32 %r1, [count];
  mov.u32 %r2, %ctaid.x;
  mov.u32 %r3, %ntid.x;
  mov.u32 %r4, %tid.x;
  mad.lo.s32 %r5, %r2, %r3, %r4;
  setp.ge.u32 %p1, %r5, %r1;
  @%p1 bra DONE;
  mul.wide.u32 %rd3, %r5, 4;
  add.s64 %rd4, %rd1, %rd3;
  add.s64 %rd5, %rd2, %rd3;
  ld.global.f32 %f2, [%rd4];
  ld.global.f32 %f3, [%rd5];
  fma.rn.f32 %f3, %f1, %f2, %f3;
  st.global.f32 [%rd5], %f3;
DONE:
  ret;
}
)";

/// The kernel's parameters as PTX lays them out: each at a multiple of its size.
struct Parameters {
  std::uint64_t x, y;
  float a;
  std::uint32_t count;
};

class Processor final : public sc_core::sc_module {
 public:
  SC_HAS_PROCESS(Processor);
  explicit Processor(sc_core::sc_module_name name)
      : sc_module(name), registers("registers"), memory("memory"), interrupt("interrupt") {
    SC_THREAD(run);
  }

  tlm_utils::simple_initiator_socket<Processor> registers, memory;
  sc_core::sc_in<bool> interrupt;
  bool passed = false;

 private:
  void run() {
    if (get<std::uint32_t>(host::kIdentification) != host::kIdentificationValue) return;
    // 1. The program, anywhere in device memory, and its kernel.
    const auto base = get<std::uint64_t>(host::kMemoryBase);
    put_text(base, kProgram);
    put<std::uint32_t>(host::kLoadModule, 1);
    if (!succeeded("loading the program")) return;
    put_text(base, "saxpy");
    put<std::uint32_t>(host::kFindKernel, 1);
    if (!succeeded("finding the kernel")) return;

    // 2. Buffers and parameters. The window counts from 0, kernels count from kMemoryBase.
    constexpr std::uint64_t kX = 0x10000, kY = 0x20000, kParameters = 0x30000;
    std::vector<float> x(kCount), y(kCount);
    for (std::uint32_t i = 0; i < kCount; ++i) {
      x[i] = static_cast<float>(i);
      y[i] = 1.0f;
    }
    write_memory(kX, x.data(), 4 * kCount);
    write_memory(kY, y.data(), 4 * kCount);
    const Parameters parameters{base + kX, base + kY, 2.0f, kCount};
    write_memory(kParameters, &parameters, sizeof parameters);

    // 3. The launch.
    put<std::uint32_t>(host::kGridX, (kCount + 255) / 256);
    put<std::uint32_t>(host::kBlockX, 256);
    put<std::uint64_t>(host::kParametersAddress, base + kParameters);
    put<std::uint32_t>(host::kInterruptEnable, host::kLaunchDone | host::kLaunchFailed);
    put<std::uint32_t>(host::kDoorbell, 1);
    wait(interrupt.posedge_event());
    put<std::uint32_t>(host::kInterruptClear, host::kLaunchDone | host::kLaunchFailed);
    if (!succeeded("the launch")) return;

    // 4. What it wrote.
    read_memory(kY, y.data(), 4 * kCount);
    passed = true;
    for (std::uint32_t i = 0; i < kCount; ++i) passed = passed && y[i] == 2.0f * static_cast<float>(i) + 1.0f;
    std::printf("%u elements, %s, after %llu cycles at %s\n", kCount, passed ? "right" : "wrong",
                static_cast<unsigned long long>(get<std::uint64_t>(host::kCycles)),
                sc_core::sc_time_stamp().to_string().c_str());
  }

  template <typename Socket>
  void access(Socket& socket, tlm::tlm_command command, std::uint64_t address, void* bytes, std::size_t count) {
    tlm::tlm_generic_payload payload;
    payload.set_command(command);
    payload.set_address(address);
    payload.set_data_ptr(static_cast<unsigned char*>(bytes));
    payload.set_data_length(static_cast<unsigned>(count));
    payload.set_streaming_width(static_cast<unsigned>(count));
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    socket->b_transport(payload, delay);
    if (!payload.is_response_ok()) SC_REPORT_FATAL(name(), payload.get_response_string().c_str());
    if (delay != sc_core::SC_ZERO_TIME) wait(delay);
  }
  template <typename T>
  T get(std::uint64_t address) {
    T value{};
    access(registers, tlm::TLM_READ_COMMAND, address, &value, sizeof value);
    return value;
  }
  template <typename T>
  void put(std::uint64_t address, T value) {
    access(registers, tlm::TLM_WRITE_COMMAND, address, &value, sizeof value);
  }
  void read_memory(std::uint64_t offset, void* to, std::size_t count) {
    access(memory, tlm::TLM_READ_COMMAND, offset, to, count);
  }
  void write_memory(std::uint64_t offset, const void* from, std::size_t count) {
    access(memory, tlm::TLM_WRITE_COMMAND, offset, const_cast<void*>(from), count);
  }
  void put_text(std::uint64_t base, const std::string& text) {
    write_memory(0, text.data(), text.size());
    put<std::uint64_t>(host::kTextAddress, base);
    put<std::uint32_t>(host::kTextBytes, static_cast<std::uint32_t>(text.size()));
  }
  bool succeeded(const char* what) {
    if (get<std::uint32_t>(host::kError) == 0) return true;
    std::string message;
    for (std::uint64_t at = host::kMessage; at < host::kEnd; at += 4) {
      const auto word = get<std::uint32_t>(at);
      message.append(reinterpret_cast<const char*>(&word), 4);
    }
    std::printf("%s: %s\n", what, message.c_str());
    return false;
  }
};

}  // namespace

int main() {
  heddle::gpu::HostedGpu gpu("gpu", {.machine = "small"});
  Processor processor("processor");
  sc_core::sc_signal<bool> interrupt("interrupt");
  processor.registers.bind(gpu.registers);
  processor.memory.bind(gpu.memory);
  processor.interrupt(interrupt);
  gpu.interrupt(interrupt);
  sc_core::sc_start(1, sc_core::SC_MS);
  return processor.passed ? 0 : 1;
}
