#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tools/check_release.py: which differences between versions it finds, and that this repository has none."""
import pathlib
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tools"))
import check_release  # noqa: E402


class CheckRelease(unittest.TestCase):
    def found(self, cited="1.2.3", changes="## 1.2.3\n", tag=None):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            (root / "CMakeLists.txt").write_text("project(heddle VERSION 1.2.3 LANGUAGES CXX)\n")
            (root / "CITATION.cff").write_text(f"version: {cited}\n")
            (root / "CHANGELOG.md").write_text(changes)
            return check_release.differences(root, tag)

    def test_accepts_a_version_that_is_the_same_everywhere(self):
        self.assertEqual(self.found(tag="v1.2.3"), [])

    def test_finds_another_version_in_the_citation(self):
        self.assertEqual(self.found(cited="1.2.2"), ["CITATION.cff states 1.2.2, CMakeLists.txt 1.2.3"])

    def test_finds_another_tag(self):
        self.assertIn("the tag is v1.2.4", self.found(tag="v1.2.4")[0])

    def test_wants_a_section_of_the_changelog(self):
        self.assertEqual(self.found(changes="## 1.2.30\n"), ["CHANGELOG.md has no section for 1.2.3"])

    def test_an_unreleased_section_does_not_do_for_a_tag(self):
        self.assertEqual(self.found(changes="## Unreleased (1.2.3)\n"), [])
        self.assertEqual(self.found(changes="## Unreleased (1.2.3)\n", tag="v1.2.3"), ["CHANGELOG.md has 1.2.3 only as unreleased"])

    def test_this_repository_agrees_with_itself(self):
        self.assertEqual(check_release.differences(ROOT), [])


if __name__ == "__main__":
    unittest.main()
