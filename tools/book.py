#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Builds the book with mkdocs: docs/ and the generated reference pages as HTML.

usage: book.py --heddle PROGRAM --output FOLDER

Writes the book to FOLDER (open FOLDER/index.html) and its sources to FOLDER-pages, replacing both. Exits with 1 and one
line per finding if a link or anchor is broken, a page is missing from mkdocs.yml, or a page would load something from the
network.
"""
import argparse
import html.parser
import os
import pathlib
import re
import shutil
import subprocess
import sys
import urllib.parse

ROOT = pathlib.Path(__file__).resolve().parent.parent
REFERENCES = ["commands", "compiler", "parameters", "statistics", "variables"]
LINK = re.compile(r"\]\(([^)#\s]+)([^)]*)\)")


def gather(heddle, pages):
    """Collects docs/, the reference pages, and copies of linked files from elsewhere in the repository."""
    shutil.copytree(ROOT / "docs", pages)
    (pages / "reference").mkdir()
    for name in REFERENCES:
        text = subprocess.run([heddle, "reference", name], check=True, capture_output=True, text=True).stdout
        (pages / "reference" / f"{name}.md").write_text(text)
    for page in sorted((ROOT / "docs").rglob("*.md")):
        copy = pages / page.relative_to(ROOT / "docs")

        def inside(match):
            target = (page.parent / match[1]).resolve()
            if "://" in match[1] or (ROOT / "docs") in target.parents or not target.is_file():
                return match[0]
            kept = pages / "repository" / target.relative_to(ROOT)
            kept.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(target, kept)
            return f"]({os.path.relpath(kept, copy.parent)}{match[2]})"

        copy.write_text(LINK.sub(inside, page.read_text()))


def mend_theme(book):
    """Debian's package contains jQuery under a different name than its theme requests."""
    asked = set(re.findall(r'src="(js/jquery[^"]*)"', (book / "index.html").read_text()))
    there = sorted((book / "js").glob("jquery*.js"))
    for name in asked:
        if there and not (book / name).exists():
            shutil.copy(there[0], book / name)


class Page(html.parser.HTMLParser):
    """A built page: its anchors (`ids`), link targets (`links`), and resources that a browser loads (`loaded`)."""

    def __init__(self, path):
        super().__init__()
        self.ids, self.links, self.loaded = set(), [], []
        self.feed(path.read_text())

    def handle_starttag(self, tag, attributes):
        named = dict(attributes)
        self.ids.update(named[key] for key in ("id", "name") if named.get(key))
        if tag == "a" and named.get("href"):
            self.links.append(named["href"])
        elif tag == "link" and named.get("href") and named.get("rel") != "canonical":
            self.loaded.append(named["href"])
        elif tag in ("script", "img", "iframe", "source") and named.get("src"):
            self.loaded.append(named["src"])


def findings(book):
    """One line per broken link and per resource loaded from the network."""
    pages = {path: Page(path) for path in sorted(book.rglob("*.html")) if path.name != "404.html"}
    for path, page in pages.items():
        where = path.relative_to(book)
        for address in page.loaded:
            if urllib.parse.urlsplit(address).netloc:
                yield f"{where} loads {address}"
        for address in page.links + page.loaded:
            parts = urllib.parse.urlsplit(address)
            if parts.scheme or parts.netloc:
                continue
            target = (path.parent / urllib.parse.unquote(parts.path)).resolve() if parts.path else path
            if not target.exists():
                yield f"{where} links to {address}, which does not exist"
            elif parts.fragment and target in pages and parts.fragment not in pages[target].ids:
                yield f"{where} links to {address}, but that page has no such heading"
    for style in sorted(book.rglob("*.css")):
        for address in re.findall(r"(?:url\(|@import\s)['\"\s]*((?:https?:)?//[^'\")]+)", style.read_text()):
            yield f"{style.relative_to(book)} loads {address}"


def not_in_navigation(pages):
    listed = set(re.findall(r"[\w/-]+\.md", (ROOT / "mkdocs.yml").read_text()))
    present = {str(page.relative_to(pages)) for page in pages.rglob("*.md") if page.relative_to(pages).parts[0] != "repository"}
    return [f"{name} is not in the navigation of mkdocs.yml" for name in sorted(present - listed)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--heddle", required=True, help="the built program, for the reference pages")
    parser.add_argument("--output", required=True, type=pathlib.Path)
    options = parser.parse_args()
    book = options.output.resolve()
    pages = book.with_name(book.name + "-pages")
    for folder in (book, pages):
        shutil.rmtree(folder, ignore_errors=True)
    pages.parent.mkdir(parents=True, exist_ok=True)
    gather(options.heddle, pages)
    built = subprocess.run(["mkdocs", "build", "--strict", "--config-file", ROOT / "mkdocs.yml", "--site-dir", book],
                           env={**os.environ, "HEDDLE_BOOK_PAGES": str(pages)}, capture_output=True, text=True)
    if built.returncode != 0:
        print(built.stdout + built.stderr, file=sys.stderr)
        return 1
    mend_theme(book)
    found = not_in_navigation(pages) + list(findings(book))
    for finding in found:
        print(f"book: {finding}", file=sys.stderr)
    if found:
        return 1
    print(f"the book is in {book}/index.html")
    return 0


if __name__ == "__main__":
    sys.exit(main())
