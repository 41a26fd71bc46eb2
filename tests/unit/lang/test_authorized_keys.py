# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Lines of authorized_keys are read as sshd reads them, and the others stay as they are."""

from __future__ import annotations

import pytest
from ccm.lang.authorized_keys import KnownLines, Ownership, key_bytes, parsed, with_lines
from hypothesis import given
from hypothesis import strategies as st


@pytest.mark.parametrize(
    ("line", "parts"),
    [
        ("ssh-rsa AAAA", ("", "ssh-rsa", "AAAA", "")),
        (" \tssh-rsa\t AAAA \ta b\tc \r", ("", "ssh-rsa", "AAAA", "a b\tc")),
        ("no-pty ssh-rsa AAAA a", ("no-pty", "ssh-rsa", "AAAA", "a")),
        ('command="a \\" b",no-pty  ssh-rsa AAAA a', ('command="a \\" b",no-pty', "ssh-rsa", "AAAA", "a")),
        ('from="x y" ssh-ed25519 AAAA ssh-rsa AAAA', ('from="x y"', "ssh-ed25519", "AAAA", "ssh-rsa AAAA")),
        ("", None),
        ("  \t", None),
        ("# ssh-rsa AAAA a", None),
        ("#", None),
        ("ssh-rsa", None),
        ("ssh-x AAAA a", None),
        ("no-pty ssh-x AAAA a", None),
        ("no-pty", None),
        ('command="a ssh-rsa AAAA a', None),
        ("no-pty no-pty ssh-rsa AAAA a", None),
        ("ssh-rsa-cert-v01@openssh.com AAAA a", None),
    ],
)
def test_lines(line, parts):
    found = parsed(line)
    assert (None if found is None else (found.options, found.type, found.key, found.comment)) == parts


LINES = [
    b"ssh-rsa AAAA a",
    b"ssh-rsa AAAA b",
    b"no-pty ssh-rsa BBBB a",
    b"ssh-rsa CCCC ab",
    b"",
    b"# ssh-rsa AAAA a",
    b'x="ssh-rsa AAAA a',
    b"\xff\0",
]
OWN = LINES[:3]
A = Ownership("a", ["AAAA"])


@given(
    st.lists(st.tuples(st.sampled_from(LINES), st.sampled_from([b"\n", b"\r\n"]))),
    st.booleans(),
    st.sampled_from([[], ["ssh-rsa AAAA a"], ["ssh-rsa AAAA b", "no-pty ssh-rsa BBBB a"]]),
)
def test_all_other_lines_stay(lines, is_cut, wanted):
    content = b"".join(line + end for line, end in lines)
    content = content.rstrip(b"\r\n") if is_cut else content
    others = [line for line in content.split(b"\n") if line.rstrip(b"\r") not in OWN]
    places = A.places(content)
    assert [content[begin:end].rstrip(b"\r") for begin, end in places] == [
        line.rstrip(b"\r") for line in content.split(b"\n") if line.rstrip(b"\r") in OWN
    ]
    known = KnownLines(content)
    assert A.places(content, known) == places
    after = with_lines(content, places, wanted)
    if content.endswith(b"\n") and after.startswith(content):
        known.add(after, len(content))
        assert A.places(after, known) == A.places(after)
    left = [line for line in after.split(b"\n") if line.rstrip(b"\r") not in OWN]
    # What follows the last end of a line counts as an empty line, which comes and goes with it.
    assert [line for line in left if line] == [line for line in others if line]
    assert len(A.places(after)) == len(wanted)
    if places and len(places) == len(wanted) == 1:
        assert after.count(b"\n") == content.count(b"\n")
    if len(wanted) < 2:
        assert with_lines(after, A.places(after), wanted) == after


@pytest.mark.parametrize(
    "key", ["", "A", "AAA", "AAAA=", "AAAA====", "AB==", "AAB=", "A===", "AA=A", "AA-A", "AAAA\n", "====", "äAAA"]
)
def test_keys_that_sshd_cannot_decode(key):
    """As b64_pton of OpenSSH: the bits that no byte has must be zero, and the padding must be there."""
    assert key_bytes(key) is None


def test_keys_that_sshd_can_decode():
    assert [key_bytes(key) for key in ("AA==", "AAA=", "AAAA", "+/+/")] == [b"\0", b"\0\0", b"\0\0\0", b"\xfb\xff\xbf"]
