# SPDX-License-Identifier: Apache-2.0
"""Commands and files of a page of the book.

A block of code, fenced or indented, holds commands if it is marked `sh`, or if it has no language and begins with a
command. A comment on its own line before a block marks special cases:

  <!-- not run: REASON -->   a test cannot run its commands
  <!-- exits N -->           each of its commands exits with status N
  <!-- file: NAME -->        it is the content of this file
"""
import dataclasses
import re

COMMANDS = {"heddle", "./heddle", "cat", "cd", "cmake", "cpack", "g++", "git", "grep", "gtkwave", "jq", "konata", "ls", "make",
            "snakemake", "sudo", "vcd2fst", "verilator", "xdg-open", "yosys", "zcat", "node", "python3"}
MARK = re.compile(r"\s*<!-- (not run|exits|file):? (.*?) -->$")
FENCE = re.compile(r"\s*```(\w*)\s*$")


@dataclasses.dataclass
class Block:
    line: int            # of the page, counted from 1: its first line of code
    text: str
    not_run: str = ""    # why
    status: int = 0      # that each command ends with
    file: str = ""       # its content goes there


def is_command(line):
    words = line.split()
    while words and re.fullmatch(r"[A-Z_]+=\S*", words[0]):
        words.pop(0)
    return bool(words) and (words[0] in COMMANDS or re.fullmatch(r"\./[a-z_]+", words[0]) is not None)


def raw_blocks(lines):
    """Yields (first line, language or None if indented, text) for each block, in order."""
    number = 0
    while number < len(lines):
        fence = FENCE.match(lines[number])
        if fence:
            first = number = number + 1
            while number < len(lines) and not FENCE.match(lines[number]):
                number += 1
            yield first + 1, fence[1], "\n".join(lines[first:number])
        elif lines[number].startswith("    ") and (number == 0 or not lines[number - 1].strip()):
            first = number
            while number < len(lines) and (lines[number].startswith("    ") or not lines[number].strip()):
                number += 1
            yield first + 1, None, "\n".join(line.strip() for line in lines[first:number]).strip()
            continue
        number += 1


def blocks(text):
    """The blocks of commands and of files, in order."""
    lines = text.split("\n")
    found = []
    for first, language, code in raw_blocks(lines):
        block = Block(first, code)
        above = first - 2 - (1 if language is not None else 0)
        while above >= 0 and not lines[above].strip():
            above -= 1
        mark = MARK.match(lines[above]) if above >= 0 else None
        if mark and mark[1] == "file":
            block.file = mark[2]
        elif mark and mark[1] == "exits":
            block.status = int(mark[2])
        elif mark:
            block.not_run = mark[2]
        is_shell = language == "sh" or (not language and code and is_command(code.split("\n")[0]))
        if block.file or is_shell:
            found.append(block)
    return found


def commands(block):
    """Yields (line of the page, command): a backslash joins lines, `# ...` after two blanks is a comment."""
    joined, line = "", block.line
    for number, text in enumerate(block.text.split("\n"), start=block.line):
        joined, line = (joined + text, line) if joined else (text, number)
        if joined.endswith("\\"):
            joined = joined[:-1]
            continue
        command = re.sub(r"(^|\s)#\s.*$", "", joined).strip()
        if command:
            yield line, command
        joined = ""


def synopsis(command):
    """Why this is the form of a command and not a command itself; empty if it is one."""
    return "says the form of a command" if re.search(r"\[-|\s\.\.\.(\s|$)", command) else ""
