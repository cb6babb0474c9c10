# SPDX-License-Identifier: Apache-2.0
"""Refuses, before the work, outputs that cannot be written or would replace something, as heddle's own commands do."""
import pathlib
import sys
import tempfile


class Refused(OSError):
    """An output that cannot be written; its text is the message."""


def check_output(file, force):
    """Checks a file to be written later. force: it may replace another. Devices and pipes are always accepted."""
    file = pathlib.Path(file)
    if file.is_dir():
        raise Refused(f"{file}: cannot be written: it is a folder")
    if file.exists() and not file.is_file():
        return
    if file.exists() and not force:
        raise Refused(f"{file}: exists already; choose another name, or replace it with --force")
    folder = next(folder for folder in file.absolute().parents if folder.exists())
    try:
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise Refused(f"{file}: cannot be written: {error.strerror}") from error


def check_results(folder, names, force):
    """The same for a folder of results and its files."""
    folder = pathlib.Path(folder)
    if folder.exists() and not folder.is_dir():
        raise Refused(f"{folder}: cannot be written: it is a file, and results need a folder")
    for name in names:
        if (folder / name).exists() and not force:
            raise Refused(f"{folder}: holds earlier results ({name}); choose another folder, or replace them with --force")
        check_output(folder / name, force)


def say_written(command, text):
    print(f"heddle {command}: wrote {text}", file=sys.stderr)
