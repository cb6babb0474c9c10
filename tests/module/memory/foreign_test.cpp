// SPDX-License-Identifier: Apache-2.0
// Our modules between plain TLM-2.0 ones: any initiator above, any memory below, the same data by every access method.
#include <gmock/gmock.h>

#include "memory/cache/cache.h"
#include "memory/dram/memory_controller.h"
#include "memory/host_storage.h"
#include "memory/memory_system.h"
#include "memory/network/crossbar.h"
#include "tb/plain_initiator.h"
#include "tb/plain_memory.h"
#include "tests/module/memory/bench.h"

namespace heddle::memory {
namespace {

using sc_core::SC_NS;
using sc_core::sc_time;
using tb::PlainInitiator;
using tb::PlainMemory;
using Style = PlainMemory::Style;

CacheParameters write_through() {
  CacheParameters p;
  p.lookup_latency = 3;
  return p;
}

CacheParameters write_back() {
  CacheParameters p;
  p.tags.sets = 4;
  p.tags.ways = 2;
  p.global_store = p.local_store = WritePolicy::write_back;
  p.allocate_on_store = true;
  return p;
}

std::uint64_t draw(std::uint64_t& state, std::uint64_t below) {
  state = state * 6364136223846793005ULL + 1442695040888963407ULL;
  return (state >> 33) % below;
}

/// A random series of reads and writes, each after the one before it, checked against a plain array.
class Series {
 public:
  explicit Series(PlainInitiator& initiator, std::vector<unsigned char>& expected)
      : initiator_(initiator), expected_(expected) {}

  void queue(unsigned count, std::uint64_t seed, unsigned longest) {
    std::uint64_t state = seed;
    for (unsigned i = 0; i < count; ++i) {
      PlainInitiator::Access access;
      access.write = draw(state, 2) == 0;
      const auto length = 1 + draw(state, longest);
      access.address = draw(state, expected_.size() - length);
      access.bytes.resize(length);
      for (auto& byte : access.bytes) byte = static_cast<unsigned char>(draw(state, 256));
      if (access.write && draw(state, 3) == 0) {
        access.enables.resize(1 + draw(state, 4));
        for (auto& enable : access.enables) {
          enable = draw(state, 2) == 0 ? TLM_BYTE_ENABLED : TLM_BYTE_DISABLED;
        }
      }
      if (draw(state, 5) == 0) access.streaming_width = static_cast<unsigned>(1 + draw(state, length));
      if (access.write) {
        apply(access);
        results_.emplace_back();
      } else {
        results_.push_back(wanted(access));
      }
      initiator_.queue(access);
    }
  }
  void check() const {
    ASSERT_EQ(initiator_.done(), results_.size());
    for (std::size_t i = 0; i < results_.size(); ++i) {
      ASSERT_EQ(initiator_[i].status, tlm::TLM_OK_RESPONSE) << i;
      if (!initiator_[i].write) {
        ASSERT_EQ(initiator_[i].bytes, results_[i]) << "read " << i << " at " << initiator_[i].address;
      }
    }
  }

 private:
  void apply(const PlainInitiator::Access& access) {
    const std::size_t width = access.streaming_width != 0 ? access.streaming_width : access.bytes.size();
    for (std::size_t i = 0; i < access.bytes.size(); ++i) {
      if (!access.enables.empty() && access.enables[i % access.enables.size()] != TLM_BYTE_ENABLED) continue;
      expected_[access.address + i % width] = access.bytes[i];
    }
  }
  std::vector<unsigned char> wanted(const PlainInitiator::Access& access) const {
    const std::size_t width = access.streaming_width != 0 ? access.streaming_width : access.bytes.size();
    std::vector<unsigned char> bytes(access.bytes.size());
    for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = expected_[access.address + i % width];
    return bytes;
  }
  PlainInitiator& initiator_;
  std::vector<unsigned char>& expected_;
  std::vector<std::vector<unsigned char>> results_;
};

constexpr std::size_t kBytes = 8192;

/// Plain initiator, one of our caches, plain memory of one style.
class Sandwich : public ::testing::TestWithParam<std::tuple<Style, bool, bool>> {};

TEST_P(Sandwich, BytesAreRightThroughACacheWhateverTheMemoryBelow) {
  const auto [style, back, refuses] = GetParam();
  Bench bench;
  Checked checked;
  PlainInitiator initiator("initiator");
  Cache cache("cache", bench.clock, back ? write_back() : write_through(), bench.group("cache"), bench.services);
  PlainMemory memory("memory", kBytes, style, sc_time(17, SC_NS));
  memory.refuses_byte_enables = refuses;
  memory.grants_dmi = style == Style::four_phases;
  checked.connect(initiator.socket, cache.in());
  checked.connect(cache.out(), memory.socket);
  initiator.most_under_way = 1;  // each access sees the previous ones
  for (std::size_t i = 0; i < kBytes; ++i) memory.bytes()[i] = static_cast<unsigned char>(i * 7);
  std::vector<unsigned char> expected = memory.bytes();
  Series series(initiator, expected);
  series.queue(400, 1, 300);
  bench.run_to(400000);
  series.check();
  EXPECT_EQ(memory.bytes(), expected);
  EXPECT_EQ(memory.refused() > 0, refuses) << "the memory was not asked to take byte enables";
  EXPECT_EQ(cache.busy(), 0u);
  const auto& c = cache.counts();
  EXPECT_EQ(c.requests.value(), 400u);
  EXPECT_EQ(c.replies.value(), 400u);
  EXPECT_EQ(c.requests_below.value(), c.replies_below.value());
  checked.expect_silence();
}

std::string sandwich_name(const ::testing::TestParamInfo<Sandwich::ParamType>& info) {
  static const char* const kStyles[] = {"Completes", "EarlyResponse", "AcceptsAtOnce", "FourPhases", "SkipsEndReq"};
  return std::string(kStyles[static_cast<int>(std::get<0>(info.param))]) +
         (std::get<1>(info.param) ? "WriteBack" : "WriteThrough") + (std::get<2>(info.param) ? "NoByteEnables" : "");
}

INSTANTIATE_TEST_SUITE_P(Memories, Sandwich,
                         ::testing::Combine(::testing::Values(Style::completes, Style::early_response,
                                                              Style::accepts_at_once, Style::four_phases,
                                                              Style::skips_end_req),
                                            ::testing::Bool(), ::testing::Bool()),
                         sandwich_name);

TEST(Foreign, ManyAccessesUnderWayAtOnceKeepTheProtocol) {
  for (const Style style : {Style::early_response}) {
    Bench bench;
    Checked checked;
    PlainInitiator initiator("initiator");
    Cache cache("cache", bench.clock, write_through(), bench.group("cache"), bench.services);
    PlainMemory memory("memory", kBytes, style, sc_time(17, SC_NS));
    checked.connect(initiator.socket, cache.in());
    checked.connect(cache.out(), memory.socket);
    initiator.defers_end_resp = true;
    initiator.response_handling = sc_time(3, SC_NS);
    initiator.annotated = sc_time(2500, sc_core::SC_PS);
    for (std::size_t i = 0; i < kBytes; ++i) memory.bytes()[i] = static_cast<unsigned char>(i * 7);
    for (unsigned i = 0; i < 200; ++i) initiator.read((i * 97) % 8000, 64);
    bench.run_to(20000);
    ASSERT_EQ(initiator.done(), 200u);
    for (std::size_t i = 0; i < 200; ++i) {
      for (std::size_t k = 0; k < 64; ++k) {
        ASSERT_EQ(initiator[i].bytes[k], static_cast<unsigned char>(((i * 97) % 8000 + k) * 7));
      }
    }
    checked.expect_silence();
  }
}

TEST(Foreign, AnAnnotatedDelayIsTheTimeTheRequestArrives) {
  Bench bench;
  PlainInitiator initiator("initiator");
  Cache cache("cache", bench.clock, write_through(), bench.group("cache"), bench.services);
  PlainMemory memory("memory", kBytes, Style::accepts_at_once, sc_time(10, SC_NS));
  initiator.socket.bind(cache.in());
  cache.out().bind(memory.socket);
  initiator.annotated = sc_time(20, SC_NS);
  initiator.read(0, 64);
  bench.run_to(200);
  // Arrival at 20; look-up 3 later; memory 10; the line is visible in the cycle after it came.
  EXPECT_EQ(initiator[0].end, sc_time(20 + 3 + 10 + 1, SC_NS));
}

TEST(Foreign, AnUnmappedAddressIsAnErrorByEveryWay) {
  Bench bench;
  PlainInitiator initiator("initiator");
  Cache cache("cache", bench.clock, write_through(), bench.group("cache"), bench.services);
  PlainMemory memory("memory", kBytes, Style::accepts_at_once, sc_time(10, SC_NS));
  initiator.socket.bind(cache.in());
  cache.out().bind(memory.socket);
  initiator.read(kBytes + 4096, 4);
  initiator.write(kBytes + 4096, {1, 2});
  bench.run_to(200);
  EXPECT_EQ(initiator[0].status, tlm::TLM_ADDRESS_ERROR_RESPONSE);
  EXPECT_EQ(initiator[1].status, tlm::TLM_ADDRESS_ERROR_RESPONSE);
  PlainInitiator::Access access{false, kBytes + 4096, {0}, {}};
  initiator.blocking(access);
  EXPECT_EQ(access.status, tlm::TLM_ADDRESS_ERROR_RESPONSE);
}

/// Captures SystemC reports during its lifetime.
class Reports {
 public:
  Reports() {
    told().clear();
    sc_core::sc_report_handler::set_handler([](const sc_core::sc_report& report, const sc_core::sc_actions& actions) {
      if (report.get_severity() == sc_core::SC_WARNING) {
        told().emplace_back(report.get_msg());
      } else {
        sc_core::sc_report_handler::default_handler(report, actions);
      }
    });
  }
  ~Reports() { sc_core::sc_report_handler::set_handler(nullptr); }
  Reports(const Reports&) = delete;
  Reports& operator=(const Reports&) = delete;
  static std::vector<std::string>& told() {
    static std::vector<std::string> all;
    return all;
  }
};

TEST(Foreign, AMemoryWithoutDebugTransportIsNamedAsTheCauseOfAddressErrors) {
  const Reports reports;
  Bench bench;
  PlainInitiator initiator("initiator");
  Cache cache("cache", bench.clock, write_through(), bench.group("cache"), bench.services);
  PlainMemory memory("memory", kBytes, Style::accepts_at_once, sc_time(10, SC_NS), PlainMemory::Debug::none);
  initiator.socket.bind(cache.in());
  cache.out().bind(memory.socket);
  initiator.read(64, 4);
  initiator.read(1024, 4);
  bench.run_to(200);
  EXPECT_EQ(initiator[0].status, tlm::TLM_ADDRESS_ERROR_RESPONSE);
  ASSERT_EQ(Reports::told().size(), 1u);
  EXPECT_THAT(Reports::told()[0], ::testing::AllOf(::testing::HasSubstr("cache: an access to 4 bytes at 0x40"),
                                                   ::testing::HasSubstr("register transport_dbg")));
}

TEST(Foreign, AnUnmappedAddressBesideMappedOnesIsNoReasonForAWarning) {
  const Reports reports;
  Bench bench;
  PlainInitiator initiator("initiator");
  Cache cache("cache", bench.clock, write_through(), bench.group("cache"), bench.services);
  PlainMemory memory("memory", kBytes, Style::accepts_at_once, sc_time(10, SC_NS));
  initiator.socket.bind(cache.in());
  cache.out().bind(memory.socket);
  initiator.most_under_way = 1;
  initiator.read(64, 4);
  initiator.read(kBytes + 4096, 4);
  bench.run_to(400);
  EXPECT_EQ(initiator[1].status, tlm::TLM_ADDRESS_ERROR_RESPONSE);
  EXPECT_TRUE(Reports::told().empty());
}

TEST(Foreign, BytesThatCannotBeReadAreNotOverwritten) {
  const Reports reports;
  Bench bench;
  PlainInitiator initiator("initiator");
  Cache cache("cache", bench.clock, write_through(), bench.group("cache"), bench.services);
  PlainMemory memory("memory", kBytes, Style::accepts_at_once, sc_time(10, SC_NS), PlainMemory::Debug::none);
  memory.refuses_byte_enables = true;
  memory.grants_dmi = false;
  std::fill(memory.bytes().begin(), memory.bytes().end(), 7);
  initiator.socket.bind(cache.in());
  cache.out().bind(memory.socket);
  initiator.write(64, {1, 2});
  initiator.write(128, {1, 2});
  bench.run_to(400);
  EXPECT_LT(initiator[0].status, 0);
  EXPECT_LT(initiator[1].status, 0);
  for (const unsigned char byte : memory.bytes()) ASSERT_EQ(byte, 7);
  EXPECT_EQ(Reports::told().size(), 1u);
}

TEST(Foreign, AControllerWithoutAStorageSaysSo) {
  const Reports reports;
  Bench bench;
  PlainInitiator initiator("initiator");
  MemoryController controller("mc", bench.clock, {}, bench.group("mc"), bench.services);
  initiator.socket.bind(controller.in());
  initiator.read(0, 4);
  bench.run_to(2000);
  EXPECT_EQ(initiator[0].status, tlm::TLM_ADDRESS_ERROR_RESPONSE);
  ASSERT_EQ(Reports::told().size(), 1u);
  EXPECT_THAT(Reports::told()[0], ::testing::HasSubstr("mc.storage"));
}

/// A plain initiator on the whole memory side, with the bytes in host memory.
class Whole : public ::testing::Test {
 protected:
  void build(unsigned initiators) {
    for (std::size_t i = 0; i < bytes_.size(); ++i) bytes_[i] = static_cast<unsigned char>(i * 13);
    storage_ = std::make_unique<HostStorage>("storage", kBase, bytes_.size(), bytes_.data());
    memory_ = std::make_unique<MemorySystem>("memory", MemoryClocks{bench_.clock, bench_.clock, bench_.clock},
                                             MemorySystemParameters{}, initiators, bench_.services);
    memory_->bind_storage(storage_->socket);
    for (unsigned i = 0; i < initiators; ++i) {
      initiators_.push_back(std::make_unique<PlainInitiator>(("initiator" + std::to_string(i)).c_str()));
      checked_.connect(initiators_.back()->socket, memory_->in(i));
    }
  }
  static constexpr std::uint64_t kBase = 0x10000000;
  Bench bench_;
  Checked checked_;
  std::vector<unsigned char> bytes_ = std::vector<unsigned char>(65536);
  std::unique_ptr<HostStorage> storage_;
  std::unique_ptr<MemorySystem> memory_;
  std::vector<std::unique_ptr<PlainInitiator>> initiators_;
};

TEST_F(Whole, TimedAndUntimedAccessGiveTheSameBytes) {
  build(2);
  PlainInitiator& at = *initiators_[0];
  PlainInitiator& lt = *initiators_[1];
  at.write(kBase + 100, {1, 2, 3, 4});
  bench_.run_to(2000);
  PlainInitiator::Access read{false, kBase + 98, std::vector<unsigned char>(8), {}};
  EXPECT_GT(lt.blocking(read), sc_core::SC_ZERO_TIME);
  EXPECT_EQ(read.bytes, (std::vector<unsigned char>{
                            static_cast<unsigned char>(98 * 13), static_cast<unsigned char>(99 * 13), 1, 2, 3, 4,
                            static_cast<unsigned char>(104 * 13), static_cast<unsigned char>(105 * 13)}));
  PlainInitiator::Access write{true, kBase + 4096, {9, 8, 7}, {}};
  lt.blocking(write);
  const auto back = at.read(kBase + 4096, 3);
  bench_.run_to(4000);
  EXPECT_EQ(at[back].bytes, (std::vector<unsigned char>{9, 8, 7}));
  EXPECT_EQ(bytes_[4096], 9);
  checked_.expect_silence();
}

TEST_F(Whole, DebugAccessSpansSlicesAndControllers) {
  build(1);
  bench_.run_to(1);
  tlm::tlm_generic_payload payload;
  std::vector<unsigned char> read(5000);
  payload.set_command(tlm::TLM_READ_COMMAND);
  payload.set_address(kBase + 77);
  payload.set_data_ptr(read.data());
  payload.set_data_length(5000);
  payload.set_streaming_width(5000);
  EXPECT_EQ(initiators_[0]->socket->transport_dbg(payload), 5000u);
  for (std::size_t i = 0; i < read.size(); ++i) ASSERT_EQ(read[i], static_cast<unsigned char>((77 + i) * 13));
}

TEST_F(Whole, DirectAccessCoversTheStorageThatAllControllersShare) {
  build(1);
  bench_.run_to(1);
  tlm::tlm_generic_payload payload;
  payload.set_command(tlm::TLM_READ_COMMAND);
  payload.set_address(kBase + 300);
  tlm::tlm_dmi dmi;
  ASSERT_TRUE(initiators_[0]->socket->get_direct_mem_ptr(payload, dmi));
  EXPECT_EQ(dmi.get_start_address(), kBase);
  EXPECT_EQ(dmi.get_end_address(), kBase + bytes_.size() - 1);
  EXPECT_EQ(dmi.get_dmi_ptr(), bytes_.data());
}

TEST_F(Whole, ATimedRequestOverTwoSlicesIsABurstError) {
  build(1);
  initiators_[0]->read(kBase + 250, 64);
  const auto after = initiators_[0]->read(kBase, 64);
  bench_.run_to(2000);
  EXPECT_EQ((*initiators_[0])[0].status, tlm::TLM_BURST_ERROR_RESPONSE);
  EXPECT_EQ((*initiators_[0])[after].status, tlm::TLM_OK_RESPONSE);
  checked_.expect_silence();
}

TEST(Foreign, DirectAccessEndsWithTheBlockWhereMemoriesAreApart) {
  Bench bench;
  AddressMapParameters map;
  map.controllers = 2;
  PlainInitiator initiator("initiator");
  Crossbar crossbar(InterconnectSite{"crossbar",
                                     bench.clock,
                                     bench.clock,
                                     {},
                                     bench.group("crossbar"),
                                     bench.services,
                                     {1, 2, std::make_shared<const AddressMap>(map, ChannelGeometry{}, "map")}});
  PlainMemory even("even", kBytes, Style::accepts_at_once, sc_time(10, SC_NS));
  PlainMemory odd("odd", kBytes, Style::four_phases, sc_time(10, SC_NS));
  initiator.socket.bind(crossbar.in(0));
  crossbar.out(0).bind(even.socket);
  crossbar.out(1).bind(odd.socket);
  initiator.write(256 + 16, {42});
  const auto read = initiator.read(256 + 16, 1);
  bench.run_to(500);
  EXPECT_EQ(initiator[read].bytes[0], 42);
  EXPECT_EQ(odd.bytes()[256 + 16], 42);
  EXPECT_EQ(even.bytes()[256 + 16], 0);
  tlm::tlm_generic_payload payload;
  payload.set_command(tlm::TLM_READ_COMMAND);
  payload.set_address(256 + 16);
  tlm::tlm_dmi dmi;
  ASSERT_TRUE(initiator.socket->get_direct_mem_ptr(payload, dmi));
  EXPECT_EQ(dmi.get_start_address(), 256u);
  EXPECT_EQ(dmi.get_end_address(), 511u);
  EXPECT_EQ(dmi.get_dmi_ptr(), odd.bytes().data() + 256);
}

TEST(Foreign, AControllerAloneServesAPlainInitiator) {
  Bench bench;
  Checked checked;
  std::vector<unsigned char> bytes(kBytes, 5);
  PlainInitiator initiator("initiator");
  HostStorage storage("storage", 0, kBytes, bytes.data());
  MemoryController controller("mc", bench.clock, {}, bench.group("mc"), bench.services);
  checked.connect(initiator.socket, controller.in());
  controller.storage().bind(storage.socket);
  std::vector<unsigned char> expected = bytes;
  initiator.most_under_way = 1;
  Series series(initiator, expected);
  series.queue(300, 3, 600);
  bench.run_to(100000);
  series.check();
  EXPECT_EQ(bytes, expected);
  EXPECT_EQ(controller.busy(), 0u);
  checked.expect_silence();
}

TEST(Foreign, DebugReadsBeyondWhatMayBeTouchedGiveWhatAFunctionProduces) {
  Bench bench;
  std::vector<unsigned char> bytes(kBytes, 5);
  PlainInitiator initiator("initiator");
  HostStorage storage(
      "storage", 0, kBytes, bytes.data(), [](std::uint64_t, std::uint64_t end) { return end <= 512; },
      [](std::uint64_t address, std::uint64_t count, void* to) {
        if (address < 1024) return false;
        std::memset(to, static_cast<int>(address / 256), count);
        return true;
      });
  initiator.socket.bind(storage.socket);
  bench.run_to(1);
  std::array<unsigned char, 8> data{};
  tlm::tlm_generic_payload payload;
  payload.set_data_ptr(data.data());
  payload.set_data_length(8);
  const auto debug = [&](tlm::tlm_command command, std::uint64_t address) {
    payload.set_command(command);
    payload.set_address(address);
    return initiator.socket->transport_dbg(payload);
  };
  EXPECT_EQ(debug(tlm::TLM_READ_COMMAND, 504), 8u);
  EXPECT_EQ(data[7], 5);
  EXPECT_EQ(debug(tlm::TLM_READ_COMMAND, 512), 0u);
  EXPECT_EQ(debug(tlm::TLM_READ_COMMAND, 1792), 8u);
  EXPECT_EQ(data[7], 7);
  EXPECT_EQ(debug(tlm::TLM_READ_COMMAND, 1536), 8u);
  EXPECT_EQ(data[0], 6);
  EXPECT_EQ(debug(tlm::TLM_WRITE_COMMAND, 1536), 0u);
}

}  // namespace
}  // namespace heddle::memory
