# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The files of a state as lists of words, and files with other words in the same format."""

from __future__ import annotations

import pathlib

from ccm.engine.state.lines import lines_of
from ccm.engine.state.stored_files import CheckedLines


def words_in(path):
    """Return the words of each line of a file."""
    return list(CheckedLines(pathlib.Path(path).read_bytes()).words())


def write_words(path, records, mode=0o600):
    """Write a file with these words in its lines."""
    path = pathlib.Path(path)
    path.write_bytes(b"".join(lines_of(records, 0)))
    path.chmod(mode)


def replace_words(path, change):
    """Write a file again, with what `change` returns for the words of each line."""
    write_words(path, [change(words) for words in words_in(path)])


def journal_of(identity, *records):
    """Return the words of a journal of a manifest with these records."""
    return [["journal", "0123456789abcdef", identity], *records]
