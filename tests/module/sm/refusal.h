// SPDX-License-Identifier: Apache-2.0
// Settings with which a machine is refused, as a parameter of tests.
#pragma once

#include <gtest/gtest.h>

#include <ostream>
#include <string>
#include <vector>

#include "core/error.h"

namespace heddle {

struct Refusal {
  const char* name;
  std::vector<std::string> settings;
  const char* words;  ///< in the message
};
inline void PrintTo(const Refusal& refusal, std::ostream* out) { *out << refusal.name; }

/// `load` builds the machine.
template <typename Load>
void expect_refused(const Refusal& refusal, Load&& load) {
  try {
    load(refusal.settings);
    FAIL() << "not refused";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::configuration);
    EXPECT_NE(std::string(error.what()).find(refusal.words), std::string::npos) << error.what();
  }
}

}  // namespace heddle
