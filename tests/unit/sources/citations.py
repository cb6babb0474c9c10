# SPDX-License-Identifier: Apache-2.0
"""Citations of the pages in docs/sources, and the sections that the pages have.

A citation is the path of a page, followed by sections: `docs/sources/x.md 2.5.3, 3.1 and 3.2`, `.../x.md, 2.10 to 2.14`,
`.../x.md 4, table 2`, `.../x.md, 1 (M3)`, `.../x.md appendix A`, `.../x.md, decision 10`. In Markdown the path may be the
target of a link. It may be broken by the line ends of comments and between string literals.
"""
import json
import re

PAGE = re.compile(r"\bsources/(\w[\w-]*\.md)(?:#[\w-]+)?[`)\]]*[:,]?\s*")
SECTION = re.compile(r"(?:table \d+|appendix [A-Z]|decision [A-Z]?\d+|[A-Z]\d+|\d+(?:\.\d+)*[a-z]?)(?![\w-])", re.IGNORECASE)
SEPARATOR = re.compile(r"(, and |, | and | to )")
ASIDE = re.compile(r" ?\(([^()]*)\)")
NAMED = re.compile(r"\b(?:table \d+|decision [A-Z]?\d+|[A-Z]\d+)\b")  # sections that can be recognised inside an aside
HEADING = re.compile(r"^#{2,6} (.*)$", re.MULTILINE)
REGISTER = re.compile(r"\bHEDDLE_REGISTER(?:_ABSENT)?\((.*?)\);", re.DOTALL)
STRING = re.compile(r'"((?:[^"\\]|\\.)*)"')
FILE = re.compile(r"[\w./-]+\.md\b")


def flat(text):
    """The text without line ends, comment leaders, and joints of string literals."""
    text = re.sub(r'"\s*\n\s*"', "", text)
    return re.sub(r"\s*\n[ \t]*(?:///?<?|#|\*|--)?[ \t]*", " ", text)


def expand(first, last):
    """The sections of `first to last`, which differ in their last number."""
    stem, begin, end = first.rpartition(".")[0], first.rpartition(".")[2], last.rpartition(".")[2]
    if last.rpartition(".")[0] != stem or not (begin.isdigit() and end.isdigit()):
        return [last]
    return [f"{stem}.{number}" if stem else str(number) for number in range(int(begin) + 1, int(end) + 1)]


def sections_at(text, at=0):
    """Sections listed in `text` from `at`, in lower case."""
    found, joint = [], ""
    while match := SECTION.match(text, at):
        section = match[0].lower()
        found += expand(found[-1], section) if joint == " to " else [section]
        at = match.end()
        if aside := ASIDE.match(text, at):
            found += [named[0].lower() for named in NAMED.finditer(aside[1])]
            at = aside.end()
        separator = SEPARATOR.match(text, at)
        if not separator:
            break
        joint, at = separator[0], separator.end()
    return found


def citations(text):
    """(page, sections) of each citation."""
    text = flat(text)
    return [(match[1], sections_at(text, match.end())) for match in PAGE.finditer(text)]


def target_citations(text, page):
    """The same for a file of study targets: `where` names sections of the page with the file's name."""
    found = []
    for target in json.loads(text):
        where = re.sub(r"^(\S+) of the page", r"page \1", target["where"])
        if match := re.search(r"\bpage ", where):
            found.append((page, sections_at(where, match.end())))
    return found


def source_fields(text):
    """Sources of mechanisms (HEDDLE_REGISTER) and of values (presets) that name a file."""
    fields = re.findall(r'"source": "([^"]*)"', text)
    for registration in REGISTER.finditer(text):
        fields += STRING.findall(flat(registration[1]))
    return [field for field in fields if FILE.match(field)]


def headings(text):
    """The sections of a page, in lower case."""
    return {match[0].lower() for heading in HEADING.findall(text) if (match := SECTION.match(heading))}
