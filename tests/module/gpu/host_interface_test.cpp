// SPDX-License-Identifier: Apache-2.0
// The GPU in a platform: registers, memory window and interrupt, driven by plain TLM-2.0 initiators.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <tlm_utils/simple_initiator_socket.h>

#include <cstring>
#include <functional>
#include <string>
#include <systemc>
#include <vector>

#include "core/config/configuration.h"
#include "core/error.h"
#include "gpu/device_memory.h"
#include "gpu/host/host_registers.h"
#include "gpu/host/hosted_gpu.h"
#include "gpu/kernel_loader.h"
#include "gpu/timing_machine.h"
#include "tb/plain_initiator.h"

namespace heddle::gpu {
namespace {

using testing::HasSubstr;

// out[thread of the grid] = factor x thread of the grid
constexpr const char* kScale = R"(.version 6.4
.target sm_70
.address_size 64
.global .align 4 .u32 offset = 5;
.visible .entry scale(.param .u64 out, .param .u32 factor)
{
  .reg .b32 %r<8>;
  .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [out];
  ld.param.u32 %r1, [factor];
  mov.u32 %r2, %ctaid.x;
  mov.u32 %r3, %ntid.x;
  mov.u32 %r4, %tid.x;
  mad.lo.s32 %r5, %r2, %r3, %r4;
  mul.lo.s32 %r6, %r5, %r1;
  ld.global.u32 %r7, [offset];
  add.s32 %r6, %r6, %r7;
  mul.wide.u32 %rd2, %r5, 4;
  add.s64 %rd3, %rd1, %rd2;
  st.global.u32 [%rd3], %r6;
  ret;
}
.visible .entry astray()
{
  .reg .b32 %r<2>;
  .reg .b64 %rd<2>;
  mov.u64 %rd1, 64;
  ld.global.u32 %r1, [%rd1];
  st.global.u32 [%rd1], %r1;
  ret;
}
.visible .entry stuck()
{
  .reg .pred %p<2>;
  .reg .b32 %r<2>;
  mov.u32 %r1, %tid.x;
  setp.lt.u32 %p1, %r1, 32;
  @%p1 bra OTHER;
  bar.sync 1, 64;
  ret;
OTHER:
  bar.sync 2, 64;
  ret;
}
.visible .entry endless()
{
AGAIN:
  bra AGAIN;
}
)";

constexpr std::uint64_t kText = 0, kParameters = 0x8000, kResult = 0x10000;

// Another reservation for device memory, a multiple of 3 x 2^42 bytes behind the first: so that the same offsets go to
// the same of the six controllers.
constexpr std::uint64_t kElsewhere = 0x2c00'0000'0000;

/// Lets kernels access everything.
class Everything final : public isa::MemoryPort {
 public:
  bool accessible(std::uint64_t, std::uint64_t) const override { return true; }
  std::string nearest(std::uint64_t) const override { return {}; }
  void texture(const isa::MicroOp&, isa::WarpState&, std::uint32_t) override {}
  void system_call(const isa::MicroOp&, isa::WarpState&, std::uint32_t) override {}
};

/// A processor whose program is a function.
class Processor final : public sc_core::sc_module {
 public:
  SC_HAS_PROCESS(Processor);
  explicit Processor(sc_core::sc_module_name name) : sc_module(name), registers("registers"), memory("memory") {
    SC_THREAD(run);
  }
  tlm_utils::simple_initiator_socket<Processor> registers, memory;
  std::function<void()> program;
  bool finished = false;
  sc_core::sc_time ahead;  ///< of simulated time, of the next access; what is left of it afterwards

  template <typename Socket>
  tlm::tlm_response_status access(Socket& socket, tlm::tlm_command command, std::uint64_t address, void* bytes,
                                  std::size_t count) {
    tlm::tlm_generic_payload payload;
    fill(payload, command, address, bytes, count);
    socket->b_transport(payload, ahead);
    return payload.get_response_status();
  }
  static void fill(tlm::tlm_generic_payload& payload, tlm::tlm_command command, std::uint64_t address, void* bytes,
                   std::size_t count) {
    payload.set_command(command);
    payload.set_address(address);
    payload.set_data_ptr(static_cast<unsigned char*>(bytes));
    payload.set_data_length(static_cast<unsigned>(count));
    payload.set_streaming_width(static_cast<unsigned>(count));
  }
  template <typename T = std::uint32_t>
  T get(std::uint64_t address) {
    T value{};
    EXPECT_EQ(access(registers, tlm::TLM_READ_COMMAND, address, &value, sizeof value), tlm::TLM_OK_RESPONSE) << address;
    return value;
  }
  template <typename T>
  tlm::tlm_response_status try_put(std::uint64_t address, T value) {
    return access(registers, tlm::TLM_WRITE_COMMAND, address, &value, sizeof value);
  }
  template <typename T>
  void put(std::uint64_t address, T value) {
    EXPECT_EQ(try_put(address, value), tlm::TLM_OK_RESPONSE) << address;
  }
  template <typename T>
  std::vector<T> read(std::uint64_t offset, std::size_t count) {
    std::vector<T> values(count);
    EXPECT_EQ(access(memory, tlm::TLM_READ_COMMAND, offset, values.data(), count * sizeof(T)), tlm::TLM_OK_RESPONSE);
    return values;
  }
  void write(std::uint64_t offset, const void* from, std::size_t count) {
    EXPECT_EQ(access(memory, tlm::TLM_WRITE_COMMAND, offset, const_cast<void*>(from), count), tlm::TLM_OK_RESPONSE);
  }
  void command(std::uint64_t which, const std::string& text) {
    write(kText, text.data(), text.size());
    put(host::kTextAddress, get<std::uint64_t>(host::kMemoryBase) + kText);
    put(host::kTextBytes, static_cast<std::uint32_t>(text.size()));
    put(which, 1u);
  }
  std::string message() {
    std::string text;
    for (std::uint64_t at = host::kMessage; at < host::kEnd; at += 8) {
      const auto word = get<std::uint64_t>(at);
      text.append(reinterpret_cast<const char*>(&word), 8);
    }
    return text.substr(0, text.find('\0'));
  }

 private:
  void run() {
    if (program) program();
    finished = true;
  }
};

class HostInterfaceTest : public testing::Test {
 protected:
  HostInterfaceTest() {
    processor.registers.bind(gpu.registers);
    processor.memory.bind(gpu.memory);
    gpu.interrupt(line);
  }
  void run(std::function<void()> program) {
    processor.program = std::move(program);
    sc_core::sc_start(20, sc_core::SC_MS);
    EXPECT_TRUE(processor.finished) << "it waits for ever";
  }
  /// Module and kernel; `scale` with its parameters.
  void prepare(const std::string& kernel, std::uint32_t blocks = 4, std::uint32_t threads = 64) {
    processor.command(host::kLoadModule, kScale);
    processor.command(host::kFindKernel, kernel);
    EXPECT_EQ(processor.get(host::kError), 0u) << processor.message();
    const auto base = processor.get<std::uint64_t>(host::kMemoryBase);
    const struct {
      std::uint64_t out;
      std::uint32_t factor;
    } parameters{base + kResult, 3};
    processor.write(kParameters, &parameters, 12);
    processor.put(host::kParametersAddress, base + kParameters);
    processor.put(host::kGridX, blocks);
    processor.put(host::kBlockX, threads);
    processor.put(host::kInterruptEnable, host::kLaunchDone | host::kLaunchFailed);
  }
  void launch() {
    processor.put(host::kDoorbell, 1u);
    wait_for_line();
  }
  void wait_for_line() {
    if (!line.read()) sc_core::wait(line.posedge_event());
  }
  std::vector<std::uint32_t> expected(std::uint32_t count) {
    std::vector<std::uint32_t> values(count);
    for (std::uint32_t i = 0; i < count; ++i) values[i] = 3 * i + 5;
    return values;
  }

  HostedGpu gpu{"device", {.machine = "small"}};
  Processor processor{"processor"};
  sc_core::sc_signal<bool> line{"line"};
};

TEST_F(HostInterfaceTest, ALaunchWritesItsResultsAndRaisesTheInterruptUntilItIsCleared) {
  run([this] {
    prepare("scale");
    EXPECT_EQ(processor.get(host::kParameterBytes), 12u);
    processor.put(host::kDoorbell, 1u);
    EXPECT_EQ(processor.get(host::kStatus), host::kBusy);
    EXPECT_FALSE(line.read());
    wait_for_line();
    EXPECT_EQ(processor.get(host::kStatus), 0u);
    EXPECT_EQ(processor.get(host::kInterruptStatus), host::kLaunchDone);
    EXPECT_EQ(processor.get(host::kError), 0u);
    EXPECT_EQ(processor.read<std::uint32_t>(kResult, 256), expected(256));
    EXPECT_EQ(processor.get<std::uint64_t>(host::kLaunches), 1u);
    EXPECT_EQ(processor.get<std::uint64_t>(host::kThreadInstructions), 256u * 13u);
    const auto cycles = processor.get<std::uint64_t>(host::kCycles);
    EXPECT_GT(cycles, 10u);
    EXPECT_EQ(cycles, gpu.machine().gpu().present());
    processor.put(host::kInterruptClear, host::kLaunchDone);
    sc_core::wait(sc_core::SC_ZERO_TIME);
    sc_core::wait(sc_core::SC_ZERO_TIME);
    EXPECT_FALSE(line.read());
  });
}

TEST_F(HostInterfaceTest, TheLineStaysLowForInterruptsThatAreNotEnabled) {
  run([this] {
    prepare("scale");
    processor.put(host::kInterruptEnable, host::kLaunchFailed);
    processor.put(host::kDoorbell, 1u);
    while ((processor.get(host::kStatus) & host::kBusy) != 0) sc_core::wait(100, sc_core::SC_NS);
    EXPECT_EQ(processor.get(host::kInterruptStatus), host::kLaunchDone);
    EXPECT_FALSE(line.read());
    processor.put(host::kInterruptEnable, host::kLaunchDone);
    wait_for_line();
  });
}

TEST_F(HostInterfaceTest, ALaunchThatBeginsAfterALongPauseCountsItsOwnCyclesOnly) {
  run([this] {
    prepare("scale");
    launch();
    const auto first = processor.get<std::uint64_t>(host::kCycles);
    processor.put(host::kInterruptClear, host::kLaunchDone);
    sc_core::wait(1, sc_core::SC_MS);
    EXPECT_FALSE(line.read());
    launch();
    const auto second = processor.get<std::uint64_t>(host::kCycles);
    EXPECT_GT(second, 10u);
    EXPECT_LT(second, first + 200u);
    EXPECT_EQ(processor.get<std::uint64_t>(host::kLaunches), 2u);
  });
}

TEST_F(HostInterfaceTest, ALaunchTakesTheCyclesThatItTakesForAProgram) {
  // A machine as used by programs, in the same simulation, with the same addresses within its own memory.
  MachineParameters parameters;
  Configuration configuration(parameters);
  load_machine(parameters, configuration, {"small", {}, {}});
  const std::uint64_t usable = parameters.memory_bytes;
  DeviceMemory memory({.base = kElsewhere, .device_bytes = usable + (1 << 20), .host_bytes = 0});
  Everything port;
  Services services;
  TimingMachine machine(parameters, limits_of(parameters, "small"), memory, port, services);
  KernelLoader loader(machine.limits(), kElsewhere + usable, kElsewhere + usable + (1 << 20));
  LaunchRequest request;
  request.kernel = loader.kernel(loader.find_kernel(loader.load(kScale), "scale"));
  request.grid = {4, 1, 1};
  request.block = {64, 1, 1};
  request.id = 1;
  const std::uint64_t out = kElsewhere + kResult;
  const std::uint32_t factor = 3;
  request.parameters.resize(12);
  std::memcpy(request.parameters.data(), &out, 8);
  std::memcpy(request.parameters.data() + 8, &factor, 4);

  std::uint64_t hosted = 0;
  processor.program = [&] {
    prepare("scale");
    launch();
    hosted = processor.get<std::uint64_t>(host::kCycles);
  };
  const LaunchReport report = machine.launch(request);
  sc_core::sc_start(1, sc_core::SC_MS);
  EXPECT_EQ(hosted, report.cycles);
}

TEST_F(HostInterfaceTest, ModulesAndKernelsThatAreWrongAreSaid) {
  run([this] {
    processor.command(host::kLoadModule, std::string(".version 6.4\n.target sm_70\n.nonsense\n"));
    EXPECT_EQ(processor.get(host::kError), static_cast<std::uint32_t>(ExitCode::ptx));
    EXPECT_EQ(processor.get(host::kModule), 0u);
    EXPECT_THAT(processor.message(), HasSubstr("module-1.ptx:3"));
    prepare("scale");
    EXPECT_EQ(processor.message(), "");
    processor.command(host::kFindKernel, "other");
    EXPECT_EQ(processor.get(host::kError), static_cast<std::uint32_t>(ExitCode::ptx));
    EXPECT_EQ(processor.get(host::kKernel), 0u);
    EXPECT_THAT(processor.message(), HasSubstr("it has scale, astray, stuck, endless"));
    processor.put(host::kTextAddress, std::uint64_t{16});
    processor.put(host::kFindKernel, 1u);
    EXPECT_EQ(processor.get(host::kError), static_cast<std::uint32_t>(ExitCode::launch));
    EXPECT_THAT(processor.message(), HasSubstr("does not lie in device memory"));
    EXPECT_FALSE(line.read());
  });
}

TEST_F(HostInterfaceTest, AVariableIsFoundByNameAndWrittenThroughTheWindow) {
  run([this] {
    prepare("scale", 1, 32);
    processor.command(host::kFindVariable, "offset");
    ASSERT_EQ(processor.get<std::uint64_t>(host::kVariableBytes), 4u);
    const auto offset =
        processor.get<std::uint64_t>(host::kVariableAddress) - processor.get<std::uint64_t>(host::kMemoryBase);
    EXPECT_EQ(processor.read<std::uint32_t>(offset, 1)[0], 5u);
    const std::uint32_t value = 1000;
    processor.write(offset, &value, 4);
    launch();
    EXPECT_EQ(processor.read<std::uint32_t>(kResult, 2), (std::vector<std::uint32_t>{1000, 1003}));
  });
}

TEST_F(HostInterfaceTest, ALaunchThatCannotBeMadeFailsAtOnce) {
  run([this] {
    const auto refused = [this](const char* why) {
      const sc_core::sc_time before = sc_core::sc_time_stamp();
      launch();
      EXPECT_EQ(sc_core::sc_time_stamp(), before);
      EXPECT_EQ(processor.get(host::kInterruptStatus), host::kLaunchFailed);
      EXPECT_EQ(processor.get(host::kError), static_cast<std::uint32_t>(ExitCode::launch));
      EXPECT_EQ(processor.get(host::kStatus), 0u);
      EXPECT_THAT(processor.message(), HasSubstr(why));
      processor.put(host::kInterruptClear, host::kLaunchFailed);
      sc_core::wait(1, sc_core::SC_NS);
    };
    processor.put(host::kInterruptEnable, host::kLaunchFailed);
    refused("0 is not a kernel handle");
    prepare("scale");
    processor.put(host::kGridY, 0u);
    refused("extents must be 1 to");
    processor.put(host::kGridY, 1u);
    processor.put(host::kBlockX, 1024u);
    processor.put(host::kBlockY, 1024u);
    refused("threads per block");
    processor.put(host::kBlockX, 32u);
    processor.put(host::kBlockY, 1u);
    processor.put(host::kSharedBytes, 1u << 30);
    refused("shared memory");
    processor.put(host::kSharedBytes, 0u);
    processor.put(host::kParametersAddress, std::uint64_t{0});
    refused("its parameters, 12 bytes at 0x0, do not lie in device memory");
  });
}

TEST_F(HostInterfaceTest, AFaultEndsTheLaunchAndThePlatformGoesOn) {
  run([this] {
    prepare("astray", 1, 1);
    launch();
    EXPECT_EQ(processor.get(host::kInterruptStatus), host::kLaunchFailed);
    EXPECT_EQ(processor.get(host::kError), static_cast<std::uint32_t>(ExitCode::memory_fault));
    EXPECT_EQ(processor.get(host::kStatus), host::kUnusable);
    EXPECT_THAT(processor.message(), HasSubstr("kernel astray"));
    EXPECT_THAT(processor.message(), HasSubstr("device memory is 0x200000000000 to"));
    processor.put(host::kInterruptClear, host::kLaunchFailed);
    const std::uint64_t busy = gpu.machine().gpu().core_clock().busy_cycles();
    sc_core::wait(1, sc_core::SC_MS);
    EXPECT_EQ(gpu.machine().gpu().core_clock().busy_cycles(), busy) << "a machine that is unusable does nothing";
    launch();
    EXPECT_EQ(processor.get(host::kError), static_cast<std::uint32_t>(ExitCode::launch));
    EXPECT_THAT(processor.message(), HasSubstr("accepts no further launch"));
  });
}

TEST_F(HostInterfaceTest, ALimitOfCyclesEndsALaunchThatNeverWould) {
  run([this] {
    prepare("endless", 1, 32);
    processor.put(host::kCycleLimit, std::uint64_t{5000});
    launch();
    EXPECT_EQ(processor.get(host::kInterruptStatus), host::kLaunchFailed);
    EXPECT_EQ(processor.get(host::kError), static_cast<std::uint32_t>(ExitCode::limit));
    EXPECT_EQ(processor.get<std::uint64_t>(host::kCycles), 5000u);
  });
}

TEST_F(HostInterfaceTest, AKernelThatIsStuckIsFoundAlsoAfterOthers) {
  run([this] {
    prepare("scale");
    launch();
    processor.put(host::kInterruptClear, host::kLaunchDone);
    sc_core::wait(1, sc_core::SC_NS);
    prepare("stuck", 1, 64);
    launch();
    EXPECT_EQ(processor.get(host::kError), static_cast<std::uint32_t>(ExitCode::no_progress));
    EXPECT_THAT(processor.message(), HasSubstr("kernel 'stuck' is stuck"));
  });
}

TEST_F(HostInterfaceTest, AnAccessThatIsMalformedIsAnsweredSoAndChangesNothing) {
  run([this] {
    std::uint64_t value = 7;
    const auto refused = [&](tlm::tlm_command command, std::uint64_t address, std::size_t count) {
      return processor.access(processor.registers, command, address, &value, count);
    };
    using tlm::TLM_READ_COMMAND, tlm::TLM_WRITE_COMMAND;
    EXPECT_EQ(refused(TLM_WRITE_COMMAND, host::kGridX + 2, 4), tlm::TLM_ADDRESS_ERROR_RESPONSE);
    EXPECT_EQ(refused(TLM_WRITE_COMMAND, host::kGridY, 8), tlm::TLM_ADDRESS_ERROR_RESPONSE);
    EXPECT_EQ(refused(TLM_READ_COMMAND, host::kEnd, 4), tlm::TLM_ADDRESS_ERROR_RESPONSE);
    EXPECT_EQ(refused(TLM_WRITE_COMMAND, host::kGridX, 2), tlm::TLM_BURST_ERROR_RESPONSE);
    EXPECT_EQ(refused(TLM_WRITE_COMMAND, host::kStatus, 4), tlm::TLM_COMMAND_ERROR_RESPONSE);
    EXPECT_EQ(refused(TLM_READ_COMMAND, host::kDoorbell, 4), tlm::TLM_COMMAND_ERROR_RESPONSE);
    EXPECT_EQ(value, 7u);
    tlm::tlm_generic_payload payload;
    sc_core::sc_time delay;
    unsigned char enables[1] = {TLM_BYTE_ENABLED};
    Processor::fill(payload, TLM_WRITE_COMMAND, host::kGridX, &value, 4);
    payload.set_byte_enable_ptr(enables);
    payload.set_byte_enable_length(1);
    processor.registers->b_transport(payload, delay);
    EXPECT_EQ(payload.get_response_status(), tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE);
    Processor::fill(payload, TLM_WRITE_COMMAND, host::kGridX, &value, 8);
    payload.set_byte_enable_ptr(nullptr);
    payload.set_streaming_width(4);
    payload.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
    processor.registers->b_transport(payload, delay);
    EXPECT_EQ(payload.get_response_status(), tlm::TLM_BURST_ERROR_RESPONSE);
    for (const std::uint64_t extent : {host::kGridX, host::kGridY, host::kGridZ}) EXPECT_EQ(processor.get(extent), 1u);
  });
}

TEST_F(HostInterfaceTest, ADoorbellWhileALaunchIsUnderWayIsRefusedAndTheLaunchGoesOn) {
  run([this] {
    prepare("scale");
    processor.put(host::kDoorbell, 1u);
    processor.put(host::kGridX, 1u);  // for the next launch
    EXPECT_EQ(processor.try_put(host::kDoorbell, 1u), tlm::TLM_GENERIC_ERROR_RESPONSE);
    EXPECT_EQ(processor.try_put(host::kLoadModule, 1u), tlm::TLM_GENERIC_ERROR_RESPONSE);
    EXPECT_EQ(processor.try_put(host::kReset, 1u), tlm::TLM_GENERIC_ERROR_RESPONSE);
    wait_for_line();
    EXPECT_EQ(processor.get<std::uint64_t>(host::kLaunches), 1u);
    EXPECT_EQ(processor.read<std::uint32_t>(kResult, 256), expected(256));
  });
}

TEST_F(HostInterfaceTest, ACommandTakesPlaceAtTheTimeOfAnInitiatorThatIsAhead) {
  run([this] {
    prepare("scale");
    processor.ahead = sc_core::sc_time(300, sc_core::SC_NS);
    processor.put(host::kGridY, 1u);
    EXPECT_EQ(sc_core::sc_time_stamp(), sc_core::SC_ZERO_TIME);
    processor.put(host::kDoorbell, 1u);
    EXPECT_EQ(sc_core::sc_time_stamp(), sc_core::sc_time(300, sc_core::SC_NS));
    EXPECT_EQ(processor.ahead, sc_core::SC_ZERO_TIME);
    wait_for_line();
    EXPECT_GT(sc_core::sc_time_stamp(), sc_core::sc_time(300, sc_core::SC_NS));
    EXPECT_EQ(processor.read<std::uint32_t>(kResult, 256), expected(256));
  });
}

TEST_F(HostInterfaceTest, RegistersArePeekedAtByDebugTransportButNotWritten) {
  run([this] {
    prepare("scale");
    processor.put(host::kDoorbell, 1u);
    std::uint32_t value = 0;
    tlm::tlm_generic_payload payload;
    Processor::fill(payload, tlm::TLM_READ_COMMAND, host::kStatus, &value, 4);
    EXPECT_EQ(processor.registers->transport_dbg(payload), 4u);
    EXPECT_EQ(value, host::kBusy);
    value = 99;
    Processor::fill(payload, tlm::TLM_WRITE_COMMAND, host::kGridX, &value, 4);
    EXPECT_EQ(processor.registers->transport_dbg(payload), 0u);
    EXPECT_EQ(processor.get(host::kGridX), 4u);
    wait_for_line();
  });
}

TEST_F(HostInterfaceTest, MemoryIsReachedByDebugTransportDirectlyAndWithByteEnables) {
  run([this] {
    const std::uint64_t bytes = processor.get<std::uint64_t>(host::kMemoryBytes);
    std::uint32_t value = 0x44332211;
    tlm::tlm_generic_payload payload;
    Processor::fill(payload, tlm::TLM_WRITE_COMMAND, bytes - 4, &value, 4);
    EXPECT_EQ(processor.memory->transport_dbg(payload), 4u);
    EXPECT_EQ(processor.read<std::uint32_t>(bytes - 4, 1)[0], 0x44332211u);

    unsigned char enables[2] = {TLM_BYTE_DISABLED, TLM_BYTE_ENABLED};
    value = 0xaabbccdd;
    Processor::fill(payload, tlm::TLM_WRITE_COMMAND, bytes - 4, &value, 4);
    payload.set_byte_enable_ptr(enables);
    payload.set_byte_enable_length(2);
    sc_core::sc_time delay;
    processor.memory->b_transport(payload, delay);
    EXPECT_EQ(payload.get_response_status(), tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(processor.read<std::uint32_t>(bytes - 4, 1)[0], 0xaa33cc11u);

    tlm::tlm_generic_payload asking;
    Processor::fill(asking, tlm::TLM_READ_COMMAND, 0, &value, 4);
    tlm::tlm_dmi dmi;
    ASSERT_TRUE(processor.memory->get_direct_mem_ptr(asking, dmi));
    EXPECT_TRUE(dmi.is_read_write_allowed());
    EXPECT_EQ(dmi.get_dmi_ptr()[bytes - 1], 0xaa);

    EXPECT_EQ(processor.access(processor.memory, tlm::TLM_READ_COMMAND, dmi.get_end_address() - 2, &value, 4),
              tlm::TLM_ADDRESS_ERROR_RESPONSE);
    EXPECT_EQ(processor.access(processor.memory, tlm::TLM_WRITE_COMMAND, ~std::uint64_t{0}, &value, 4),
              tlm::TLM_ADDRESS_ERROR_RESPONSE);
  });
}

TEST_F(HostInterfaceTest, ResetForgetsModulesAndKeepsMemory) {
  run([this] {
    prepare("scale");
    launch();
    processor.put(host::kReset, 1u);
    EXPECT_EQ(processor.get(host::kModule), 0u);
    EXPECT_EQ(processor.read<std::uint32_t>(kResult, 256), expected(256));
    prepare("scale");
    EXPECT_EQ(processor.get(host::kModule), 1u);
  });
}

TEST(HostInterfaceByPhases, ReachesRegistersAndMemoryToo) {
  HostedGpu gpu("gpu", {.machine = "small"});
  tb::PlainInitiator registers("registers"), memory("memory");
  sc_core::sc_signal<bool> line("line");
  registers.socket.bind(gpu.registers);
  memory.socket.bind(gpu.memory);
  gpu.interrupt(line);
  const auto identification = registers.read(host::kIdentification, 4), wrong = registers.read(host::kDoorbell, 4);
  memory.write(4096, {1, 2, 3, 4});
  const auto back = memory.read(4096, 4);
  sc_core::sc_start(1, sc_core::SC_US);
  EXPECT_EQ(registers[identification].bytes, (std::vector<unsigned char>{'H', 'E', 'D', 'L'}));
  EXPECT_EQ(registers[wrong].status, tlm::TLM_COMMAND_ERROR_RESPONSE);
  EXPECT_EQ(memory[back].bytes, (std::vector<unsigned char>{1, 2, 3, 4}));
}

TEST(TwoHostedGpus, OfOnePlatformRunSideBySide) {
  HostedGpu first("first", {.machine = "small"}), second("second", {.machine = "small"}, kElsewhere);
  Processor one("one"), two("two");
  sc_core::sc_signal<bool> lines[2];
  one.registers.bind(first.registers);
  one.memory.bind(first.memory);
  two.registers.bind(second.registers);
  two.memory.bind(second.memory);
  first.interrupt(lines[0]);
  second.interrupt(lines[1]);
  std::uint64_t cycles[2] = {};
  const auto program = [&](Processor& processor, unsigned number) {
    processor.command(host::kLoadModule, kScale);
    processor.command(host::kFindKernel, "scale");
    const auto base = processor.get<std::uint64_t>(host::kMemoryBase);
    const struct {
      std::uint64_t out;
      std::uint32_t factor;
    } parameters{base + kResult, 3};
    processor.write(kParameters, &parameters, 12);
    processor.put(host::kParametersAddress, base + kParameters);
    processor.put(host::kGridX, 8u);
    processor.put(host::kBlockX, 64u);
    processor.put(host::kInterruptEnable, host::kLaunchDone);
    processor.put(host::kDoorbell, 1u);
    sc_core::wait(lines[number].posedge_event());
    EXPECT_EQ(processor.read<std::uint32_t>(kResult, 512).back(), 511 * 3 + 5u);
    cycles[number] = processor.get<std::uint64_t>(host::kCycles);
  };
  one.program = [&] { program(one, 0); };
  two.program = [&] { program(two, 1); };
  sc_core::sc_start(1, sc_core::SC_MS);
  EXPECT_TRUE(one.finished && two.finished);
  EXPECT_GT(cycles[0], 0u);
  EXPECT_EQ(cycles[0], cycles[1]);
}

}  // namespace
}  // namespace heddle::gpu
