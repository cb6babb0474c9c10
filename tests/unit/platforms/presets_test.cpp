// SPDX-License-Identifier: Apache-2.0
// Requirements on every preset.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "common/machine_description.h"
#include "core/json.h"
#include "gpu/gpu_parameters.h"
#include "gpu/machine_selection.h"
#include "gpu/occupancy.h"

namespace heddle {
namespace {

std::vector<std::filesystem::path> folder() { return {HEDDLE_PRESET_FOLDER}; }

class Presets : public ::testing::TestWithParam<std::string> {
 protected:
  std::unique_ptr<LoadedMachine> load() {
    auto loaded = std::make_unique<LoadedMachine>();
    loaded->configuration.search(folder());
    for (const auto& [shorthand, target] : gpu::parameter_aliases()) loaded->configuration.alias(shorthand, target);
    loaded->configuration.load_machine(GetParam());
    return loaded;
  }
};

TEST_P(Presets, LoadAndFitTogether) {
  const auto machine = load();
  EXPECT_NO_THROW(machine->configuration.lock());
  EXPECT_EQ(machine->configuration.name(), GetParam());
  EXPECT_FALSE(machine->configuration.description().empty());
}

/// Every value states its source, or that it was chosen.
void expect_origins(const JsonNode& node, const std::string& path) {
  if (node.kind == JsonNode::Kind::object && node.find("value") == nullptr) {
    for (const auto& [key, member] : node.members) expect_origins(member, path + "." + key);
    return;
  }
  if (node.kind == JsonNode::Kind::array) {
    for (const auto& element : node.elements) expect_origins(element, path + ".*");
    return;
  }
  const bool named = node.kind == JsonNode::Kind::object;
  const JsonNode* chosen = named ? node.find("chosen") : nullptr;
  EXPECT_TRUE(named && (node.find("source") != nullptr || (chosen != nullptr && chosen->boolean)))
      << path << " has neither a source nor \"chosen\": true";
}

TEST_P(Presets, SayWhereEveryValueComesFrom) {
  const auto presets = list_presets(folder());
  const auto found = std::find_if(presets.begin(), presets.end(), [](const auto& p) { return p.name == GetParam(); });
  ASSERT_NE(found, presets.end());
  for (const auto& [key, node] : read_json(found->file).members) {
    if (key != "description" && key != "extends" && key != "name") expect_origins(node, key);
  }
}

TEST_P(Presets, StateTheMemorySideInAFormTheMachineCanBuild) {
  const auto presets = list_presets(folder());
  const auto found = std::find_if(presets.begin(), presets.end(), [](const auto& p) { return p.name == GetParam(); });
  ASSERT_NE(found, presets.end());
  const JsonNode file = read_json(found->file);
  if (file.find("extends") == nullptr) {
    for (const char* key : {"caches", "memory", "memory_bytes"}) EXPECT_NE(file.find(key), nullptr) << key;
  }
  const auto machine = load();
  const memory::MemorySystemParameters& memory = machine->parameters.memory;
  EXPECT_NO_THROW(memory::AddressMap(memory.map, memory.controller.dram.geometry, "memory.map"));
  for (const gpu::SmClass& sms : machine->parameters.gpu.sm_classes) {
    EXPECT_TRUE(memory.has_crossbar || sms.count == 1) << "several SMs need a crossbar";
  }
}

TEST_P(Presets, ResolveToADescriptionThatGivesTheSameMachine) {
  const auto machine = load();
  const std::string text = machine->configuration.resolved();
  LoadedMachine again;
  again.configuration.load_text(text, "resolved.json");
  EXPECT_EQ(again.configuration.resolved(), text);
}

/// Memory properties in cudaGetDeviceProperties: bytes of L2, and the bandwidth given by clock and width.
struct Shown {
  std::uint64_t l2_bytes;
  std::uint32_t bus_bits;
  double gigabytes_per_second;
};

TEST_P(Presets, ShowProgramsTheirOwnMemory) {
  const std::map<std::string, Shown> published = {
      {"gtx480", {768 * 1024, 384, 177.408}},
      {"small", {768 * 1024, 384, 177.408}},
      {"quadro-fx5800", {1024 * 1024, 256, 51.2}},
      {"gtx285", {4096 * 1024, 1024, 204.8}},
      {"tesla-16x8", {0, 384, 76.8}},
      {"large-warp-core", {0, 128, 32}},
      {"barrel-core", {0, 128, 32}},
      {"database-core", {1024 * 1024, 128, 32}},
      {"interweaving-sm", {0, 40, 10}},
      {"vws-ws4", {128 * 1024, 128, 32}},
  };
  const auto found = published.find(GetParam());
  if (found == published.end()) GTEST_SKIP() << "no figures for it";
  const auto machine = load();
  const gpu::DeviceLimits limits = gpu::limits_of(machine->parameters, GetParam());
  EXPECT_EQ(limits.l2_bytes, found->second.l2_bytes);
  EXPECT_EQ(limits.memory_bus_bits, found->second.bus_bits);
  EXPECT_NEAR(2.0 * static_cast<double>(limits.memory_hertz) * limits.memory_bus_bits / 8e9,
              found->second.gigabytes_per_second, 1e-6);
}

TEST_P(Presets, GiveProgramsTheOccupancyThatTheDispatcherHandsOut) {
  const auto machine = load();
  const gpu::DeviceLimits limits = gpu::limits_of(machine->parameters, GetParam());
  const sm::SmParameters& sm = machine->parameters.gpu.sm_classes.front().sm;
  const unsigned granule = traits_of(sm.grouping, sm::grouping_shape(sm)).granule;
  for (const unsigned threads : {1u, 4u, 31u, 33u, 64u, 100u, 128u, 192u, 256u, 500u}) {
    for (const unsigned registers : {1u, 8u, 13u, 32u}) {
      isa::Kernel kernel;
      kernel.registers = registers;
      const sm::SmResources empty(sm.residency);
      const unsigned fit = empty.capacity(sm::BlockNeed::of(kernel, threads, 1000, granule, sm.residency));
      EXPECT_EQ(gpu::occupancy(limits, {threads, registers, 1000}).blocks_per_sm, fit)
          << threads << " threads, " << registers << " registers";
    }
  }
}

std::vector<std::string> names() {
  std::vector<std::string> result;
  for (const auto& preset : list_presets(folder())) result.push_back(preset.name);
  return result;
}

INSTANTIATE_TEST_SUITE_P(All, Presets, ::testing::ValuesIn(names()), [](const auto& parameter) {
  std::string name = parameter.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

TEST(PresetFolder, HoldsThePublishedMachines) {
  const auto found = names();
  for (const char* name :
       {"gtx480", "quadro-fx5800", "gtx285", "tesla-16x8", "large-warp-core", "interweaving-sm",
        "interweaving-baseline", "interweaving-warps", "interweaving-both", "vws-ws4", "vws-i", "small", "barrel-core",
        "database-core", "ccws", "ccws-power", "swl", "daws-detected", "daws-profiled"}) {
    EXPECT_NE(std::find(found.begin(), found.end(), name), found.end()) << name;
  }
}

}  // namespace
}  // namespace heddle
