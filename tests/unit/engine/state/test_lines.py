# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The lines of the files of a state: each has its place and a checksum, and a file has its version."""

from __future__ import annotations

from zlib import crc32

import pytest
from ccm.engine.state.lines import LaterVersion, first_words, line_of, lines_of, version_of, words_of
from ccm.engine.state.stored_files import CheckedLines
from hypothesis import given
from hypothesis import strategies as st

# Names of files may be any bytes, which are lone surrogates in texts.
TEXTS = st.text(st.characters(exclude_categories=()))
RECORDS = st.lists(st.lists(TEXTS, min_size=1, max_size=4), min_size=1, max_size=6)
#: Four lines of a file.
LINES = list(lines_of([["one", "first"], ["two"], ["three", "a\tb\\n"], ["four", ""]], 0))
WORDS = [["one", "first"], ["two"], ["three", "a\tb\\n"], ["four", ""]]


def found(text):
    """Return the words of the lines that can be used, the number of others, and whether some are missing."""
    checked = CheckedLines(text)
    return list(checked.words()), checked.unreadable, checked.are_missing


def test_a_line_has_the_version_a_checksum_and_its_place():
    body = "0\tkind\ta word"
    assert line_of(["kind", "a word"], 0) == f"ccm-state\t3\t{crc32(body.encode(), 3):08x}\t{body}\n".encode()
    body = "120\tkind\ttab\\tline\\n\\\\"
    assert line_of(["kind", "tab\tline\n\\"], 120) == f"3\t{crc32(body.encode(), 3):08x}\t{body}\n".encode()


@given(RECORDS)
def test_what_is_written_is_read(records):
    text = b"".join(lines_of(records, 0))
    assert found(text) == (records, 0, False)
    assert text.count(b"\n") == len(records)
    assert first_words(text, "/s") == records[0]


@given(RECORDS, RECORDS)
def test_lines_are_added_after_an_empty_line(first, second):
    text = b"".join(lines_of(first, 0))
    assert found(text + b"\n" + b"".join(lines_of(second, len(text) + 1))) == (first + second, 0, False)


@given(RECORDS, st.data())
def test_a_byte_that_changed_leaves_out_its_line_only(records, data):
    """A line end that changed joins two lines, and a new one cuts one in two."""
    lines = list(lines_of(records, 0))
    text = b"".join(lines)
    at = data.draw(st.integers(0, len(text) - 1))
    flipped = bytearray(text)
    flipped[at] ^= data.draw(st.integers(1, 255))
    try:
        words, unreadable, are_missing = found(bytes(flipped))
    except LaterVersion:
        return
    assert unreadable or are_missing or words == records
    assert len(words) >= len(records) - 2
    assert all(each in records for each in words)


@given(RECORDS, st.data())
def test_a_file_that_was_cut_off_has_the_lines_before(records, data):
    text = b"".join(lines_of(records, 0))
    end = data.draw(st.integers(0, len(text)))
    words, unreadable, are_missing = found(text[:end])
    assert words == records[: len(words)]
    assert not are_missing
    whole = text[:end].count(b"\n")
    assert len(words) in (whole, whole + 1)
    assert unreadable == (text[:end].rpartition(b"\n")[2] != b"" and len(words) == whole)


@pytest.mark.parametrize("missing", [0, 1, 2])
def test_a_line_that_is_missing_is_noticed(missing):
    text = b"".join(line for at, line in enumerate(LINES) if at != missing)
    assert found(text) == ([each for at, each in enumerate(WORDS) if at != missing], 0, True)


def test_two_lines_in_a_row_that_are_missing_are_noticed():
    assert found(LINES[0] + LINES[3]) == ([WORDS[0], WORDS[3]], 0, True)


@pytest.mark.parametrize("order", [[0, 2, 1, 3], [0, 3, 2, 1], [0, 1, 3, 2]])
def test_lines_in_another_order_are_sorted(order):
    assert found(b"".join(LINES[at] for at in order)) == (WORDS, 0, False)


@pytest.mark.parametrize("twice", range(1, 4))
@pytest.mark.parametrize("place", range(1, 5))
def test_a_line_that_is_there_twice_counts_once(twice, place):
    lines = [*LINES[:place], LINES[twice], *LINES[place:]]
    assert found(b"".join(lines)) == (WORDS, 0, False)


def test_the_first_line_is_read_at_the_beginning_only():
    assert found(LINES[0] + b"".join(LINES)) == (WORDS, 1, False)
    assert found(b"".join(LINES[at] for at in (1, 0, 2, 3))) == (WORDS[1:], 1, True)


def test_a_line_of_another_file_is_not_in_its_place():
    other = list(lines_of([["somewhat longer"], ["other"]], 0))
    words, unreadable, are_missing = found(LINES[0] + other[1])
    assert (words, unreadable, are_missing) == ([WORDS[0], ["other"]], 0, True)


def test_only_the_first_place_has_the_version():
    text = b"".join(LINES)
    assert found(text.replace(b"ccm-state\t", b"", 1))[0] != []
    marked = LINES[0] + b"ccm-state\t" + LINES[1]
    assert found(marked) == ([WORDS[0]], 1, False)


@given(st.binary(max_size=60))
def test_no_content_is_too_strange(text):
    words, unreadable, are_missing = found(text)
    assert (words, are_missing) == ([], False)
    assert unreadable == sum(bool(line) for line in text.split(b"\n"))


@pytest.mark.parametrize(
    ("text", "version"),
    [
        (b"".join(LINES), 3),
        (LINES[1], 3),
        (b"what\n" + LINES[1], 3),
        (b"ccm-state\t1\tab\t0\nend\n", 1),
        (b"ccm-state\t2\tab\t0\nend\n", 2),
        (b"ccm-state\t3\t", 3),
        (b"", 0),
        (b"\n", 0),
        (b"ccm-state", 0),
        (b"ccm-state\t", 0),
        (b"ccm-state\tx\tab\t0\n", 0),
        ("ccm-state\t\u00b2\tab\n".encode(), 0),
        (b"ccm-state\t1234567890\t", 0),
        (b"owe\t1\texec#a\tfile#b\tnow\n", 0),
    ],
)
def test_the_version_of_a_file(text, version):
    assert version_of(text, "/s") == version
    if version != 3:
        assert first_words(text, "/s") == []


@pytest.mark.parametrize("version", [4, 12, 999_999_999])
def test_a_later_version_is_refused(version):
    text = b"ccm-state\t%d\t1234\tmore\n%d\t5678\twhatever\n" % (version, version)
    for call in (version_of, first_words):
        with pytest.raises(LaterVersion) as caught:
            call(text, "/s")
        message = f"/s was written by a later version of ccm (format {version}, this one knows 3)"
        assert caught.value.message == message


def test_the_first_words_of_a_damaged_first_line():
    assert first_words(LINES[0].replace(b"first", b"sirft") + LINES[1], "/s") == []
    assert first_words(LINES[0][:-1], "/s") == WORDS[0]


@given(st.lists(st.text(st.sampled_from("a\\\t\n\r")), min_size=1))
def test_words_have_no_ends_of_lines_and_words(words):
    (line,) = lines_of([words], 7)
    assert line.count(b"\n") == 1
    assert line.count(b"\t") == 2 + len(words)
    assert words_of(line[:-1].decode().split("\t", 3)[3]) == words
