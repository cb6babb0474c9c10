// SPDX-License-Identifier: Apache-2.0
#include "core/config/configuration.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <regex>

#include "core/error.h"
#include "core/json.h"
#include "example_machine.h"

namespace heddle::example {
HEDDLE_REGISTER(Policy, Greedy, "greedy", "the last one first", "example, 2");
HEDDLE_REGISTER(Policy, Loose, "loose", "round robin", "example, 2");
HEDDLE_REGISTER(Veto, Limit, "limit", "at most so many warps", "example, 3");
HEDDLE_REGISTER(Veto, Nothing, "nothing", "holds nobody", "example, 3");
}  // namespace heddle::example

namespace heddle {
namespace {

using example::Machine;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

class ConfigurationTest : public ::testing::Test {
 protected:
  void SetUp() override { configuration.alias("sm", "gpu.sm_classes.*.sm"); }
  /// The message of the error that `action` throws.
  template <typename Action>
  std::string message(Action action, ExitCode code = ExitCode::configuration) {
    try {
      action();
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), code);
      return error.what();
    }
    ADD_FAILURE() << "nothing was thrown";
    return {};
  }
  std::string load_message(const std::string& json) {
    return message([&] { configuration.load_text(json, "m.json"); });
  }
  std::string set_message(const std::string& assignment) {
    return message([&] { configuration.set(assignment); });
  }
  example::Sm& sm(std::size_t i = 0) { return machine.gpu.sm_classes.at(i).sm; }

  Machine machine;
  Configuration configuration{machine};
};

TEST_F(ConfigurationTest, ANameThatIsTakenEndsTheProcessWithBothPlaces) {
  using example::Greedy, example::Policy;
  const auto again = [] { HEDDLE_REGISTER(Policy, Greedy, "loose", "as another", "example, 2"); };
  EXPECT_EXIT(again(), ::testing::ExitedWithCode(100),
              "heddle: error: two mechanisms of one kind are registered as 'loose', at .*configuration_test.cpp:[0-9]+ "
              "and at .*configuration_test.cpp:[0-9]+: rename one of them");
}

TEST_F(ConfigurationTest, LoadsEveryKindOfParameter) {
  configuration.load_text(R"({
    "seed": 18446744073709551615,
    "gpu": {"clock": 1.5, "offsets": [-8, 0, 8], "sm_classes": [
      {"count": 2, "name": "wide", "sm": {
        "warp_size": 64, "bypass": true, "latency": {"special": 77},
        "l1": {"sets": 64, "replacement": "random", "capacity": 7},
        "order": "greedy", "greedy": {"patience": 9},
        "vetoes": ["limit", "nothing"], "limit": {"warps": 2}}}]}})",
                          "m.json");
  EXPECT_EQ(machine.seed, 18446744073709551615u);
  EXPECT_EQ(machine.gpu.clock_mhz, 1.5);
  EXPECT_THAT(machine.gpu.offsets, ElementsAre(-8, 0, 8));
  ASSERT_EQ(machine.gpu.sm_classes.size(), 1u);
  EXPECT_EQ(machine.gpu.sm_classes[0].count, 2u);
  EXPECT_EQ(machine.gpu.sm_classes[0].name, "wide");
  EXPECT_EQ(sm().warp_size, 64u);
  EXPECT_TRUE(sm().bypass);
  EXPECT_THAT(sm().latency, ElementsAre(10, 18, 77));
  EXPECT_EQ(sm().l1.sets, 64u);
  EXPECT_EQ(sm().l1.replacement, example::Replacement::random);
  EXPECT_EQ(sm().l1.capacity, 7u);
  EXPECT_EQ(make(sm().order, 100)->answer(), 109);
  const auto vetoes = make(sm().vetoes);
  ASSERT_EQ(vetoes.size(), 2u);
  EXPECT_EQ(vetoes[0]->name(), "limit 2");
  EXPECT_EQ(vetoes[1]->name(), "nothing");
}

TEST_F(ConfigurationTest, AMechanismWithoutParametersIsMadeFromItsArguments) {
  EXPECT_EQ(make(sm().order, 5)->answer(), 5);
}

TEST_F(ConfigurationTest, ACopyOfAConfigurationHasItsOwnMechanismParameters) {
  configuration.set("sm.order=greedy");
  configuration.set("sm.greedy.patience=9");
  example::Sm copy = sm();
  configuration.set("sm.greedy.patience=1");
  EXPECT_EQ(make(copy.order, 0)->answer(), 9);
  EXPECT_EQ(make(sm().order, 0)->answer(), 1);
}

TEST_F(ConfigurationTest, ShorthandSetsEveryClass) {
  configuration.load_text(R"({"gpu": {"sm_classes": [{"name": "a"}, {"name": "b"}]}, "sm": {"warp_size": 8}})",
                          "m.json");
  configuration.set("sm.l1.ways=2");
  ASSERT_EQ(machine.gpu.sm_classes.size(), 2u);
  for (std::size_t i : {0, 1}) {
    EXPECT_EQ(sm(i).warp_size, 8u);
    EXPECT_EQ(sm(i).l1.ways, 2u);
  }
}

TEST_F(ConfigurationTest, AnOverrideNamesOneElementOfAListByIndex) {
  configuration.load_text(R"({"gpu": {"sm_classes": [{"name": "a"}, {"name": "b"}]}})", "m.json");
  configuration.set("gpu.sm_classes.1.sm.warp_size=4");
  configuration.set("gpu.sm_classes[0].count=7");
  EXPECT_EQ(sm(0).warp_size, 32u);
  EXPECT_EQ(sm(1).warp_size, 4u);
  EXPECT_EQ(machine.gpu.sm_classes[0].count, 7u);
  EXPECT_EQ(machine.gpu.sm_classes[1].count, 1u);
  EXPECT_THAT(set_message("gpu.sm_classes.2.count=1"), HasSubstr("the list has 2 elements: write 0 .. 1 or *"));
}

TEST_F(ConfigurationTest, AListReplacesTheOneItExtendsAndItsNewElementsStartFromTheFirst) {
  configuration.load_text(R"({"sm": {"warp_size": 128}})", "base.json");
  configuration.load_text(R"({"gpu": {"sm_classes": [{"count": 3}, {"sm": {"bypass": true}}]}})", "derived.json");
  ASSERT_EQ(machine.gpu.sm_classes.size(), 2u);
  EXPECT_EQ(sm(1).warp_size, 128u);
  EXPECT_TRUE(sm(1).bypass);
  EXPECT_FALSE(sm(0).bypass);
}

TEST_F(ConfigurationTest, OverridesTakeBareWordsNumbersListsAndNull) {
  configuration.set("sm.order=greedy");
  EXPECT_EQ(sm().order.name(), "greedy");
  configuration.set("sm.vetoes=limit");
  EXPECT_THAT(sm().vetoes.names(), ElementsAre("limit"));
  configuration.set(R"(sm.vetoes=["nothing","limit"])");
  EXPECT_THAT(sm().vetoes.names(), ElementsAre("nothing", "limit"));
  configuration.set("sm.l1.capacity=3");
  EXPECT_EQ(sm().l1.capacity, 3u);
  configuration.set("sm.l1.capacity=null");
  EXPECT_FALSE(sm().l1.capacity);
  configuration.set("gpu.sm_classes.0.name=123");
  EXPECT_EQ(machine.gpu.sm_classes[0].name, "123");
  configuration.set("gpu.clock=1e3");
  EXPECT_EQ(machine.gpu.clock_mhz, 1000);
  configuration.set("gpu.offsets=[1]");
  EXPECT_THAT(machine.gpu.offsets, ElementsAre(1));
}

TEST_F(ConfigurationTest, AWrongKeyIsNamedWithItsPathLineAndNearestSpelling) {
  const auto text = load_message("{\n  \"sm\": {\n    \"l1\": {\"sest\": 4}\n  }\n}");
  EXPECT_THAT(text, HasSubstr("m.json:3: sm.l1.sest is not a parameter; did you mean 'sm.l1.sets'?"));
  EXPECT_THAT(text, HasSubstr("legal here: capacity, replacement, sets, ways"));
  EXPECT_THAT(set_message("sm.warpsize=4"), HasSubstr("did you mean 'sm.warp_size'?"));
  EXPECT_THAT(set_message("order=greedy"), HasSubstr("order is not a parameter; did you mean 'sm.order'?"));
  EXPECT_THAT(set_message("sm.loose.patience=1"), HasSubstr("sm.loose is not a parameter"));
}

TEST_F(ConfigurationTest, AWrongValueIsNamedWithWhatIsLegal) {
  EXPECT_THAT(load_message("{\"sm\": {\n\"warp_size\": 48\n}}"),
              HasSubstr("m.json:2: sm.warp_size is 48; legal: a power of two, 4 .. 256 threads"));
  EXPECT_THAT(set_message("sm.latency.float=1001"), HasSubstr("sm.latency.float is 1001; legal: 1 .. 1000 cycles"));
  EXPECT_THAT(set_message("sm.l1.ways=0"), HasSubstr("legal: 1 .. 64 ways"));
  EXPECT_THAT(set_message("sm.l1.ways=2.5"), HasSubstr("is 2.5, not a whole number"));
  EXPECT_THAT(set_message("sm.l1.ways=four"), HasSubstr("is \"four\"; legal: 1 .. 64 ways"));
  EXPECT_THAT(set_message("sm.bypass=1"), HasSubstr("is 1; legal: true, false"));
  EXPECT_THAT(set_message("sm.l1.sets=null"), HasSubstr("cannot be null"));
  EXPECT_THAT(set_message("sm.l1.replacement=lur"),
              HasSubstr("cannot be 'lur'; did you mean 'lru'? legal: lru, random"));
  EXPECT_THAT(set_message("sm.order=greddy"),
              HasSubstr("sm.order cannot be 'greddy'; did you mean 'greedy'? legal: greedy, loose"));
  EXPECT_THAT(set_message("sm.vetoes=[\"limit\",3]"), HasSubstr("sm.vetoes is 3; legal: limit, nothing"));
  EXPECT_THAT(set_message("seed=-1"), HasSubstr("seed is -1, which does not fit"));
  EXPECT_THAT(set_message("seed=99999999999999999999"), HasSubstr("which does not fit"));
  EXPECT_THAT(set_message("sm.l1=3"), HasSubstr("sm.l1 is a group of keys, not 3"));
  EXPECT_THAT(set_message("gpu.offsets=3"), HasSubstr("gpu.offsets is a list, not 3"));
  EXPECT_THAT(set_message("gpu.offsets=[9]"), HasSubstr("gpu.offsets.0 is 9; legal: -8 .. 8 bytes"));
  EXPECT_THAT(set_message("sm.warp_size"), HasSubstr("write --set path=value"));
  EXPECT_EQ(sm().warp_size, 32u);
  EXPECT_EQ(sm().order.name(), "loose");
}

TEST_F(ConfigurationTest, ASizeInBytesMayHaveAUnit) {
  configuration.set("sm.shared_bytes=48KB");
  EXPECT_EQ(sm().shared_bytes, 49152u);
  configuration.set("sm.shared_bytes=1 MiB");
  EXPECT_EQ(sm().shared_bytes, 1u << 20);
  configuration.load_text(R"({"sm": {"shared_bytes": {"value": "32 KB", "published": "32 KB"}}})", "m.json");
  EXPECT_EQ(sm().shared_bytes, 32768u);
  EXPECT_THAT(configuration.resolved(), HasSubstr(R"("shared_bytes": {"value": 32768, "published": "32 KB"})"));
  EXPECT_THAT(set_message("sm.shared_bytes=48XB"),
              HasSubstr("legal: 0 .. 1048576 bytes; written 49152 or 48KB, where 1 KB is 1024 bytes"));
  EXPECT_THAT(set_message("sm.shared_bytes=2MB"), HasSubstr("sm.shared_bytes is 2097152; legal: 0 .. 1048576 bytes"));
  // Only what counts bytes takes such a unit.
  EXPECT_THAT(set_message("sm.warp_size=1KB"), HasSubstr("legal: a power of two, 4 .. 256 threads"));
}

TEST_F(ConfigurationTest, AnUnknownKeyThatIsNotNearAnotherLeadsToASearch) {
  EXPECT_THAT(set_message("gpu.cache.size=48KB"),
              HasSubstr("gpu.cache is not a parameter; `heddle explain cache size` finds keys by words; legal here: "));
  EXPECT_THAT(set_message("l1.sets=4"), HasSubstr("did you mean 'sm.l1'?"));
}

TEST_F(ConfigurationTest, BoundsAreInclusiveOnBothSides) {
  configuration.set("sm.l1.ways=1");
  configuration.set("sm.l1.ways=64");
  EXPECT_EQ(sm().l1.ways, 64u);
  set_message("sm.l1.ways=65");
  configuration.set("sm.warp_size=4");
  configuration.set("sm.warp_size=256");
  set_message("sm.warp_size=2");
  set_message("sm.warp_size=512");
}

TEST_F(ConfigurationTest, MalformedJsonIsNamedWithFileAndLine) {
  EXPECT_THAT(load_message("{\n\"seed\": 1,\n  }"), HasSubstr("m.json:3:3: malformed JSON: "));
  const std::string comma = load_message("{\"seed\": 0,75\n}");
  EXPECT_THAT(comma, HasSubstr("m.json:1:13: malformed JSON: "));
  EXPECT_THAT(comma, HasSubstr("a decimal has a point: 0.7, not 0,7"));
  EXPECT_THAT(load_message("{\"seed\": 0, 75}"), Not(HasSubstr("a decimal has a point")));
  EXPECT_THAT(load_message(""), HasSubstr("m.json:1:1: malformed JSON"));
  EXPECT_THAT(load_message("[1]"), HasSubstr("m.json:1: a machine description must be an object"));
  EXPECT_THAT(load_message("{\"seed\": 1,\n \"gpu\": {},\n \"seed\": 2}"),
              HasSubstr("m.json:3: key 'seed' occurs twice"));
  EXPECT_THAT(load_message(std::string(200, '[')), HasSubstr("nested deeper than 100"));
}

TEST_F(ConfigurationTest, ValuesThatDoNotFitTogetherFailWhenLoadingEnds) {
  configuration.set("sm.l1.sets=128");
  configuration.set("sm.l1.ways=64");
  EXPECT_EQ(message([&] { configuration.lock(); }), "sm.l1.sets: times ways is at most 4096 lines; make one smaller");
  configuration.set("sm.l1.ways=32");
  EXPECT_NO_THROW(configuration.lock());
}

TEST_F(ConfigurationTest, NothingChangesAfterTheLock) {
  configuration.lock();
  EXPECT_TRUE(configuration.locked());
  message([&] { configuration.set("seed=2"); }, ExitCode::internal);
  message([&] { configuration.load_text("{}", "m.json"); }, ExitCode::internal);
  EXPECT_EQ(machine.seed, 1u);
}

TEST_F(ConfigurationTest, PublishedTextAndSourceStayWithTheValueUntilItIsOverridden) {
  configuration.load_text(R"({"name": "paper", "sm": {
    "latency": {"float": {"value": 231, "published": "330 ns", "source": "a paper, 4"}},
    "order": {"value": "greedy", "chosen": true}}})",
                          "paper.json");
  EXPECT_EQ(sm().latency[1], 231u);
  const auto origin = configuration.origin("gpu.sm_classes.0.sm.latency.float");
  EXPECT_EQ(origin.published, "330 ns");
  EXPECT_EQ(origin.source, "a paper, 4");
  EXPECT_EQ(origin.set_by, "machine paper");
  EXPECT_TRUE(configuration.origin("gpu.sm_classes.0.sm.order").chosen);
  EXPECT_THAT(configuration.resolved(),
              HasSubstr(R"("float": {"value": 231, "published": "330 ns", "source": "a paper, 4"})"));
  configuration.set("sm.latency.float=12");
  EXPECT_EQ(configuration.origin("gpu.sm_classes.0.sm.latency.float").published, "");
  EXPECT_EQ(configuration.origin("gpu.sm_classes.0.sm.latency.float").set_by, "command line");
  EXPECT_THAT(load_message(R"({"seed": {"value": 1, "publish": "x"}})"), HasSubstr("seed has 'publish'"));
  EXPECT_THAT(load_message(R"({"seed": {"published": "x"}})"), HasSubstr("seed has no \"value\""));
}

TEST_F(ConfigurationTest, TheResolvedConfigurationGivesTheSameMachineAgain) {
  configuration.load_text(R"({"name": "m", "description": "a machine", "seed": 7, "gpu": {"clock": 733.5,
    "offsets": {"value": [3, -3], "source": "a paper, 4"}, "sm_classes": [
    {"name": "a", "sm": {"order": "greedy", "greedy": {"patience": 5}, "latency": {"integer": {"value": 4, "published": "4 cycles"}}}},
    {"name": "b", "sm": {"vetoes": ["limit"], "limit": {"warps": 2}, "l1": {"capacity": 5}}}]}})",
                          "m.json");
  const std::string text = configuration.resolved();
  Machine other;
  Configuration again{other};
  again.alias("sm", "gpu.sm_classes.*.sm");
  again.load_text(text, "resolved.json");
  EXPECT_EQ(again.resolved(), text);
  EXPECT_EQ(again.name(), "m");
  EXPECT_EQ(again.description(), "a machine");
  EXPECT_EQ(other.gpu.sm_classes[0].sm.order.settings<example::Greedy::Parameters>("greedy").patience, 5u);
  EXPECT_EQ(other.gpu.sm_classes[1].sm.vetoes.settings<example::Limit::Parameters>("limit").warps, 2u);
  EXPECT_EQ(other.gpu.sm_classes[1].sm.l1.capacity, 5u);
  EXPECT_THAT(other.gpu.offsets, ElementsAre(3, -3));
}

TEST_F(ConfigurationTest, ValuesAreFoundByFullPath) {
  EXPECT_EQ(configuration.value("gpu.sm_classes.0.sm.warp_size"), "32");
  EXPECT_EQ(configuration.value("gpu.sm_classes.0.sm.order"), "\"loose\"");
  EXPECT_EQ(configuration.value("gpu.sm_classes.0.sm.vetoes"), "[]");
  EXPECT_EQ(configuration.value("gpu.sm_classes.0.sm.l1.capacity"), "null");
  EXPECT_EQ(configuration.value("gpu.offsets.1"), "2");
  message([&] { configuration.value("gpu.offsets.2"); });
}

class PresetFolder : public ConfigurationTest {
 protected:
  void SetUp() override {
    ConfigurationTest::SetUp();
    folder = std::filesystem::path(::testing::TempDir()) / ("presets-" + std::to_string(::getpid()));
    std::filesystem::create_directories(folder);
    configuration.search({folder});
  }
  void TearDown() override { std::filesystem::remove_all(folder); }
  void write(const std::string& name, const std::string& text) { std::ofstream(folder / name) << text; }
  std::filesystem::path folder;
};

TEST_F(PresetFolder, APresetExtendsAnother) {
  write("base.json", R"({"description": "the base", "seed": 3, "sm": {"warp_size": 16}})");
  write("derived.json", R"({"extends": "base", "sm": {"bypass": true}})");
  configuration.load_machine("derived");
  EXPECT_EQ(machine.seed, 3u);
  EXPECT_EQ(sm().warp_size, 16u);
  EXPECT_TRUE(sm().bypass);
  EXPECT_EQ(configuration.name(), "derived");
  EXPECT_EQ(configuration.origin("seed").set_by, "machine base");
}

TEST_F(PresetFolder, AFileExtendsAFileBesideIt) {
  write("base.json", R"({"seed": 3})");
  write("derived.json", R"({"extends": "./base.json"})");
  configuration.search({});
  configuration.load_machine((folder / "derived.json").string());
  EXPECT_EQ(machine.seed, 3u);
}

TEST_F(PresetFolder, AnUnknownMachineIsNamedWithTheNearestOne) {
  write("gtx480.json", R"({"description": "Fermi"})");
  EXPECT_EQ(message([&] { configuration.load_machine("gtx408"); }),
            "there is no machine 'gtx408'; did you mean 'gtx480'? known: gtx480; to name a file, use a path with '/' "
            "or '.json'");
  EXPECT_THAT(message([&] { configuration.load_machine("./no.json"); }, ExitCode::io),
              HasSubstr("no such machine description"));
}

TEST_F(PresetFolder, ACircleOfExtensionsIsRefused) {
  write("lost.json", "{\n  \"extends\": \"bas\"}");
  EXPECT_THAT(message([&] { configuration.load_machine("lost"); }),
              HasSubstr("lost.json:2: extends: there is no machine 'bas'"));
  write("a.json", R"({"extends": "b"})");
  write("b.json", R"({"extends": "a"})");
  EXPECT_THAT(message([&] { configuration.load_machine("a"); }), HasSubstr("extends itself"));
}

TEST_F(PresetFolder, PresetsAreListedByNameAndTheFirstFolderWins) {
  const auto second = folder / "second";
  std::filesystem::create_directories(second);
  write("b.json", R"({"description": "mine"})");
  write("second/b.json", R"({"description": "theirs"})");
  write("second/a.json", R"({"description": "other"})");
  const auto presets = list_presets({folder, second, folder / "absent"});
  ASSERT_EQ(presets.size(), 2u);
  EXPECT_EQ(presets[0].name, "a");
  EXPECT_EQ(presets[1].name, "b");
  EXPECT_EQ(presets[1].description, "mine");
}

TEST(ParameterList, HasOneEntryALeafAndMechanismParametersBesideTheirKey) {
  Machine machine;
  std::map<std::string, ParameterEntry> entries;
  for (auto& entry : list_parameters(machine)) entries[entry.path] = entry;
  const auto& order = entries.at("gpu.sm_classes.*.sm.order");
  EXPECT_EQ(order.legal, "greedy, loose");
  EXPECT_EQ(order.default_value, "\"loose\"");
  ASSERT_EQ(order.choices.size(), 2u);
  EXPECT_EQ(order.choices[0].sentence, "the last one first");
  const auto& patience = entries.at("gpu.sm_classes.*.sm.greedy.patience");
  EXPECT_EQ(patience.mechanism, "greedy");
  EXPECT_EQ(patience.unit, "cycles");
  EXPECT_EQ(patience.legal, "1 .. 9");
  EXPECT_EQ(entries.at("gpu.sm_classes.*.sm.l1.ways").source, "example, 4");
  EXPECT_EQ(entries.at("gpu.sm_classes.*.sm.latency.special").default_value, "40");
  EXPECT_EQ(entries.at("gpu.sm_classes.*.sm.l1.capacity").legal, "1 .. 64, null");
  EXPECT_EQ(entries.at("gpu.offsets.*").type, "whole number");
  for (const auto& [path, entry] : entries) EXPECT_FALSE(entry.sentence.empty()) << path;
}

TEST(ParameterSchema, DescribesEveryKeyAndRefersShorthandsToTheirTarget) {
  Machine machine;
  const auto schema = nlohmann::json::parse(parameter_schema(GroupReference(machine), {{"sm", "gpu.sm_classes.*.sm"}}));
  const auto& ref = schema["properties"]["sm"]["$ref"];
  const nlohmann::json::json_pointer pointer(ref.get<std::string>().substr(1));
  ASSERT_TRUE(schema.contains(pointer));
  const auto& sm = schema[pointer];
  EXPECT_EQ(sm["additionalProperties"], false);
  EXPECT_EQ(sm["properties"]["warp_size"]["anyOf"][0]["enum"], (nlohmann::json{4, 8, 16, 32, 64, 128, 256}));
  EXPECT_EQ(sm["properties"]["warp_size"]["anyOf"][1]["properties"]["value"]["type"], "integer");
  EXPECT_EQ(sm["properties"]["warp_size"]["default"], 32);
  EXPECT_EQ(sm["properties"]["order"]["anyOf"][0]["enum"], (nlohmann::json{"greedy", "loose"}));
  EXPECT_EQ(sm["properties"]["greedy"]["properties"]["patience"]["anyOf"][0]["maximum"], 9);
  EXPECT_EQ(sm["properties"]["vetoes"]["anyOf"][0]["items"]["enum"], (nlohmann::json{"limit", "nothing"}));
  EXPECT_EQ(
      schema["properties"]["gpu"]["properties"]["offsets"]["anyOf"][0]["items"]["anyOf"][0]["anyOf"][0]["minimum"], -8);
  const auto& bytes = sm["properties"]["shared_bytes"];
  EXPECT_EQ(bytes["anyOf"][0]["anyOf"][0]["maximum"], 1 << 20);
  EXPECT_TRUE(std::regex_search("48 KB", std::regex(bytes["anyOf"][0]["anyOf"][1]["pattern"].get<std::string>())));
  EXPECT_THAT(bytes["description"].get<std::string>(), HasSubstr("\"48KB\", where 1 KB is 1024 bytes"));
}

struct Clash {
  unsigned greedy = 1;
  Mechanism<example::Policy> order{"loose"};
  void describe(ParameterVisitor& v) {
    v("greedy", greedy, "a key that is also a mechanism's name");
    v("greedy", greedy, "and twice");
    v("order", order, "who issues next");
  }
};

struct TwoKeys {
  Mechanism<example::Policy> order{"loose"}, fill_order{"greedy"};
  void describe(ParameterVisitor& v) {
    v("order", order, "who issues next");
    v("fill_order", fill_order, "who fills what is left");
  }
};

TEST(ConfigurationDeclarations, TwoKeysOfOneInterfaceShareTheMechanismsParameters) {
  TwoKeys keys;
  Configuration configuration{keys};
  configuration.set("order=greedy");
  configuration.set("greedy.patience=8");
  EXPECT_EQ(make(keys.order, 0)->answer(), 8);
  EXPECT_EQ(make(keys.fill_order, 0)->answer(), 8);
  const auto resolved = configuration.resolved();
  TwoKeys other;
  Configuration again{other};
  again.load_text(resolved, "resolved.json");
  EXPECT_EQ(again.resolved(), resolved);
  EXPECT_EQ(list_parameters(keys).size(), 3u);
  EXPECT_NO_THROW(parse_json(parameter_schema(GroupReference(keys), {}), "schema"));
}

TEST(ConfigurationDeclarations, AKeyDeclaredTwiceIsRefused) {
  Clash clash;
  EXPECT_THROW(Configuration{clash}, Error);
}

}  // namespace
}  // namespace heddle
