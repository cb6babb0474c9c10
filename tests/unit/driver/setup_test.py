#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""./heddle setup: which packages it installs on distributions that offer others."""
import re
import unittest

from clone import Clone


class Setup(Clone):
    def distribution(self, installed=(), offered=()):
        """Stand-ins for apt: everything is installed but the clang of the model's needs; `offered` can be installed."""
        self.stand_in("dpkg-query", f"""case ${{!#}} in
          {"|".join(installed) or "-"}) echo installed ;;
          clang*|yosys|chromium) exit 1 ;;
          *) echo installed ;;
        esac""")
        self.stand_in("apt-cache", f"""shift
        for name; do
          candidate='(none)'
          for offer in {" ".join(offered)}; do if [ $offer = $name ]; then candidate=1.0; fi; done
          printf '%s:\\n  Installed: (none)\\n  Candidate: %s\\n  Version table:\\n' $name "$candidate"
        done""")
        self.stand_in("apt-get", f"echo \"$@\" >>'{self.folder}/apt'")
        self.stand_in("id", "echo 0")
        self.stand_in("find", "echo some_Packages")  # lists of packages are there

    def installs(self):
        log = self.folder / "apt"
        found = re.search("^install .*recommends (.*)$", log.read_text(), re.M) if log.exists() else None
        return found.group(1).split() if found else []

    def test_installs_the_first_name_that_is_offered(self):
        self.distribution(offered=["clang-17", "clang-19"])
        self.assertEqual(self.heddle("setup", "run").returncode, 0)
        self.assertEqual(self.installs(), ["clang-19"])

    def test_prefers_clang_14(self):
        self.distribution(offered=["clang-19", "clang-14"])
        self.assertEqual(self.heddle("setup", "run").returncode, 0)
        self.assertEqual(self.installs(), ["clang-14"])

    def test_the_first_offered_is_installed_even_beside_a_later_name(self):
        self.distribution(installed=["clang-19"], offered=["clang-14"])
        self.assertEqual(self.heddle("setup", "run").returncode, 0)
        self.assertEqual(self.installs(), ["clang-14"])

    def test_what_is_installed_needs_no_offer(self):
        self.distribution(installed=["clang-18"])
        done = self.heddle("setup", "run")
        self.assertEqual((done.returncode, self.installs()), (0, []), done.stderr)

    def test_without_any_name_nothing_can_be_built(self):
        self.distribution(offered=["clang-20"])
        done = self.heddle("setup", "run")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("clang-14|clang-19", done.stderr)
        self.assertEqual(self.installs(), [])

    def test_tests_do_without_what_is_not_offered_and_setup_says_so(self):
        self.distribution(installed=["clang-14"], offered=["yosys"])
        done = self.heddle("setup", "run", "test")
        self.assertEqual(done.returncode, 0)
        self.assertIn("does not offer clang-format-14 clang-tidy-14 chromium", done.stderr)
        self.assertEqual(self.installs(), ["yosys"])


if __name__ == "__main__":
    unittest.main()
