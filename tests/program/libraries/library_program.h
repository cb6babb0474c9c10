// SPDX-License-Identifier: Apache-2.0
// Programs that check and report their own results. Compiled by the tests that run them.
#pragma once

#include "../runtime/run_program.h"

namespace heddle::test {

class LibraryProgram : public RunProgram {
 protected:
  /// Program: its name, and arguments. On these machines, because the libraries' kernels need more registers than some
  /// machines have.
  void expect_all_right(const std::string& program, std::initializer_list<const char*> machines) {
    const Result built = shell(HEDDLE_BUILD " tests/programs/libraries/" + program.substr(0, program.find(' ')));
    ASSERT_EQ(built.status, 0) << built.out << built.err;
    for (const char* machine : machines) {
      const Result result = run(program, machine);
      EXPECT_EQ(result.status, 0) << machine << '\n' << result.out << result.err;
      EXPECT_EQ(result.out, "all right\n") << machine;
    }
  }
};

}  // namespace heddle::test
