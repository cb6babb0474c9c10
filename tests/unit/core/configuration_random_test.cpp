// SPDX-License-Identifier: Apache-2.0
// Any machine description or override is either loaded or refused with a message.
#include <gtest/gtest.h>

#include <random>
#include <string>

#include "core/config/configuration.h"
#include "core/error.h"
#include "example_machine.h"  // its mechanisms are registered in configuration_test.cpp

namespace heddle {
namespace {

const char* const kDocument = R"({"name": "m", "description": "a machine", "seed": 3,
  "gpu": {"clock": 1.5e2, "offsets": [-8, 0, 8], "sm_classes": [
    {"count": {"value": 2, "published": "two", "source": "spec 4", "chosen": true}, "sm": {"warp_size": 64, "bypass": true,
      "latency": {"special": 77}, "l1": {"sets": 64, "replacement": "random", "capacity": null}}}, {"name": "b\u00e9"}]},
  "sm": {"order": "greedy", "greedy": {"patience": 9}, "vetoes": ["limit"], "limit": {"warps": 2}}})";
const char* const kOverrides[] = {
    "sm.order=greedy",       "gpu.sm_classes.0.count=3", "gpu.sm_classes[*].sm.warp_size=8",
    "sm.vetoes=[\"limit\"]", "gpu.offsets=[1,-1]",       "seed=1e3"};

/// Loads `document` and `override`; true when both were accepted.
bool load(const std::string& document, const std::string& override) {
  example::Machine machine;
  Configuration configuration{machine};
  configuration.alias("sm", "gpu.sm_classes.*.sm");
  try {
    configuration.load_text(document, "random.json");
    configuration.set(override);
    configuration.lock();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::configuration) << error.what();
    EXPECT_STRNE(error.what(), "");
    return false;
  }
  // Accepted values are within their bounds and can be written and read again.
  for (const auto& sms : machine.gpu.sm_classes) {
    EXPECT_TRUE(sms.sm.l1.ways >= 1 && sms.sm.l1.ways <= 64);
    EXPECT_TRUE(sms.sm.warp_size >= 4 && sms.sm.warp_size <= 256);
  }
  example::Machine other;
  Configuration again{other};
  again.load_text(configuration.resolved(), "resolved.json");
  EXPECT_EQ(again.resolved(), configuration.resolved());
  return true;
}

std::string mutated(std::string text, std::mt19937& random) {
  static const std::string kPieces[] = {"{",       "}",  "[",    "]",     ",",
                                        ":",       "\"", "null", "-1",    "1e99",
                                        "\\u0000", "*",  "\xff", "value", "99999999999999999999"};
  for (unsigned changes = random() % 4 + 1; changes > 0; --changes) {
    const std::size_t at = random() % (text.size() + 1);
    switch (random() % 4) {
      case 0:
        text.insert(at, kPieces[random() % std::size(kPieces)]);
        break;
      case 1:
        text.erase(at, random() % 8);
        break;
      case 2:
        if (at < text.size()) text[at] = static_cast<char>(random());
        break;
      default:
        text.insert(at, text.substr(random() % text.size(), random() % 40));
        break;
    }
    if (text.empty()) text = "0";
  }
  return text;
}

TEST(ConfigurationRandom, DamagedDescriptionsAreLoadedOrRefused) {
  ASSERT_TRUE(load(kDocument, kOverrides[0]));
  std::mt19937 random(1);
  unsigned accepted = 0;
  for (int i = 0; i < 4000; ++i) accepted += load(mutated(kDocument, random), "seed=1") ? 1 : 0;
  // Some inputs are accepted and some refused.
  EXPECT_GT(accepted, 50u);
  EXPECT_LT(accepted, 3000u);
}

TEST(ConfigurationRandom, DamagedOverridesAreTakenOrRefused) {
  std::mt19937 random(2);
  unsigned accepted = 0;
  for (const char* override : kOverrides) EXPECT_TRUE(load(kDocument, override)) << override;
  for (int i = 0; i < 4000; ++i) {
    accepted += load(kDocument, mutated(kOverrides[random() % std::size(kOverrides)], random)) ? 1 : 0;
  }
  EXPECT_GT(accepted, 50u);
  EXPECT_LT(accepted, 3000u);
}

}  // namespace
}  // namespace heddle
