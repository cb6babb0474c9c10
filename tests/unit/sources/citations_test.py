# SPDX-License-Identifier: Apache-2.0
"""Every citation of a source in the repository names a page and a section of docs/sources that exist."""
import pathlib
import subprocess
import sys
import unittest

import citations

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
PAGES = ROOT / "docs" / "sources"


def findings(path, text, sections):
    """What is wrong with the citations of a file; `sections` gives those of each page."""
    cited = citations.citations(text)
    if path.startswith("studies/targets/"):
        cited += citations.target_citations(text, pathlib.PurePath(path).stem + ".md")
    for page, names in cited:
        if page not in sections:
            yield f"{path}: there is no docs/sources/{page}"
        else:
            yield from (f"{path}: docs/sources/{page} has no section '{name}'" for name in names if name not in sections[page])
    for field in citations.source_fields(text):
        name = citations.FILE.match(field)[0]
        if not (ROOT / name).is_file():
            yield f"{path}: the source '{field}' names no file"
        elif any(not names for _, names in citations.citations(field)):
            yield f"{path}: the source '{field}' names no section"


class Reading(unittest.TestCase):
    """The forms of a citation."""

    def expect(self, text, *sections, page="x.md"):
        self.assertEqual(citations.citations(text), [(page, list(sections))])

    def test_lists_and_ranges(self):
        self.expect("see docs/sources/x.md 2.5.4", "2.5.4")
        self.expect("docs/sources/x.md, 2.5.3, 3.1 and 3.2, and others.", "2.5.3", "3.1", "3.2")
        self.expect("docs/sources/x.md 2.10 to 2.13.", "2.10", "2.11", "2.12", "2.13")
        self.expect("docs/sources/x.md, 5 to 7.", "5", "6", "7")

    def test_named_sections(self):
        self.expect('"docs/sources/x.md 4, table 2, SBI"', "4", "table 2")
        self.expect("docs/sources/x.md, appendix A and 6.2.", "appendix a", "6.2")
        self.expect("docs/sources/x.md 2.1 (rule 5), 2.5.5 and 9 (decision 10).", "2.1", "2.5.5", "9", "decision 10")
        self.expect("docs/sources/x.md, 1 (M3).", "1", "m3")
        self.expect("docs/sources/x.md, 2.8b.", "2.8b")

    def test_text_behind(self):
        self.expect("docs/sources/x.md 4: 3 cycles assumed", "4")
        self.expect("docs/sources/x.md, 4 (330 ns, 10 GB/s).", "4")
        self.expect("docs/sources/x.md: accumulate")

    def test_broken_lines(self):
        self.expect("// docs/sources/x.md, 2.13 and\n// decision 16.", "2.13", "decision 16")
        self.expect('  "docs/sources/x.md, "\n    "2.3"', "2.3")

    def test_links(self):
        self.expect("[large warps](../sources/x.md) 2.3 and 2.4.", "2.3", "2.4")
        self.expect("[large warps](sources/x.md), 2.13", "2.13")

    def test_targets(self):
        self.assertEqual(citations.target_citations('[{"where": "4.2.4; page 1.1 (L7), 2.5.3"}, {"where": "4.1"}]', "x.md"),
                         [("x.md", ["1.1", "l7", "2.5.3"])])

    def test_headings(self):
        self.assertEqual(citations.headings("# 1 Page\n## 2 A\n### 2.8b B\n#### Decision Q31\n### Table 2\n## Appendix A C\n## Words\n"),
                         {"2", "2.8b", "decision q31", "table 2", "appendix a"})


class Findings(unittest.TestCase):
    """What is reported."""

    def expect(self, text, *found, path="a.cpp"):
        self.assertEqual([line.split(": ", 1)[1] for line in findings(path, text, {"decisions.md": {"1", "2.3"}})], list(found))

    def test_pages_and_sections(self):
        self.expect("docs/sources/decisions.md 2.3")
        self.expect("docs/sources/decisions.md 2.4", "docs/sources/decisions.md has no section '2.4'")
        self.expect("docs/sources/nobody.md 1", "there is no docs/sources/nobody.md")

    def test_targets(self):
        self.expect('[{"where": "page 2.3, 7"}]', "docs/sources/decisions.md has no section '7'", path="studies/targets/decisions.json")

    def test_sources(self):
        self.expect('HEDDLE_REGISTER(A, B, "b", "a sentence",\n  "docs/sources/decisions.md 1");')
        self.expect('HEDDLE_REGISTER(A, B, "b", "a sentence", "Rixner et al., ISCA 2000");')
        self.expect('HEDDLE_REGISTER(A, B, "b", "a sentence", "docs/gone.md");', "the source 'docs/gone.md' names no file")
        self.expect('HEDDLE_REGISTER(A, B, "b", "a sentence", "docs/sources/decisions.md");',
                    "the source 'docs/sources/decisions.md' names no section")
        self.expect('{"value": 1, "source": "spec/decisions.md 1"}', "the source 'spec/decisions.md 1' names no file")


class Repository(unittest.TestCase):
    def test_every_citation_resolves(self):
        listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True)
        if listed.returncode != 0:
            self.skipTest("this is not a git repository")
        sections = {page.name: citations.headings(page.read_text()) for page in PAGES.glob("*.md")}
        found, count = [], 0
        for name in listed.stdout.split("\0"):
            path = ROOT / name
            if HERE in path.parents or not path.is_file():
                continue
            text = path.read_bytes().decode(errors="replace")
            count += len(citations.citations(text))
            found += findings(name, text, sections)
        self.assertGreater(count, 400)
        self.assertEqual(found, [], "\n" + "\n".join(found))


if __name__ == "__main__":
    sys.exit(unittest.main())
