# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Lines of authorized_keys, read as sshd reads them: options, type, key and comment (behaviour.md 25).

A line is text of UTF-8 in which other bytes are surrogates, so that it can be written back unchanged.
"""

from __future__ import annotations

import binascii

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Collection, Iterator, Sequence, Tuple

    Place = Tuple[int, int]

#: Types of keys, each with how many fields a key has after the name of its type.
KEY_TYPES = {
    "ssh-rsa": 2,
    "ssh-ed25519": 1,
    "ecdsa-sha2-nistp256": 2,
    "ecdsa-sha2-nistp384": 2,
    "ecdsa-sha2-nistp521": 2,
    "sk-ssh-ed25519@openssh.com": 2,
    "sk-ecdsa-sha2-nistp256@openssh.com": 3,
    "ssh-dss": 4,
}
#: Options of sshd that have a value, and options that have none; those in `NEGATED` may have `no-` before them.
VALUED = ("command", "environment", "expiry-time", "from", "permitlisten", "permitopen", "principals", "tunnel")
NEGATED = (
    "agent-forwarding",
    "port-forwarding",
    "pty",
    "touch-required",
    "user-rc",
    "verify-required",
    "X11-forwarding",
)
PLAIN = ("cert-authority", "restrict", *NEGATED)
_ED25519_BYTES = 32
_DIGITS = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
_BLANKS = " \t"
_ENDS = "\r\n"


class KeyLine:
    """The parts of a line with a key. `options` are as they are written, "" for none."""

    __slots__ = ("comment", "key", "options", "type")

    def __init__(self, options: str, type: str, key: str, comment: str) -> None:
        self.options = options
        self.type = type
        self.key = key
        self.comment = comment

    def __str__(self) -> str:
        return " ".join(part for part in (self.options, self.type, self.key, self.comment) if part)


def parsed(line: str) -> KeyLine | None:
    """Return the parts of a line, None for an empty line, a comment, and any text without a key."""
    line = line.strip(_BLANKS + _ENDS)
    if not line or line[0] == "#":
        return None
    options, rest = "", line
    if _first_word(line)[0] not in KEY_TYPES:
        end = _end_of_options(line)
        if end < 0:
            return None
        options, rest = line[:end], line[end:].lstrip(_BLANKS)
    type, rest = _first_word(rest)
    if type not in KEY_TYPES:
        return None
    key, comment = _first_word(rest)
    return KeyLine(options, type, key, comment) if key else None


def option_fault(options: str) -> str:
    """Return why sshd ignores a line with these options, separated by commas; "" when it does not.

    Names are compared without regard to case, as sshd does.
    """
    plain = {name.lower() for name in (*PLAIN, *(f"no-{name}" for name in NEGATED))}
    for option in _divided(options):
        name, equals, value = option.partition("=")
        if name.lower() in VALUED:
            inner = value[1:-1].replace('\\"', "")
            if len(value) < 2 or value[0] != '"' or value[-1] != '"' or '"' in inner or inner.endswith("\\"):
                return f"{name} needs a value in double quotes"
        elif equals and name.lower() in plain:
            return f"{name} has no value"
        elif name.lower() not in plain:
            return f"{name or 'an empty text'} is no option of sshd"
    return ""


def _divided(options: str) -> list[str]:
    """Return the options between the commas that are not in quotes."""
    found, is_quoted, begin, at = [], False, 0, 0
    while at < len(options):
        if options.startswith('\\"', at):
            at += 1
        elif options[at] == '"':
            is_quoted = not is_quoted
        elif options[at] == "," and not is_quoted:
            found.append(options[begin:at])
            begin = at + 1
        at += 1
    return [*found, options[begin:]]


def key_bytes(key: str) -> bytes | None:
    """Return the bytes of a key in base64, None when it is none: sshd takes one text only for the same bytes."""
    digits = key.rstrip("=")
    if len(key) % 4 or len(key) - len(digits) > 2 or not _DIGITS.issuperset(digits):
        return None
    blob = binascii.a2b_base64(key)
    return blob if blob and binascii.b2a_base64(blob, newline=False).decode() == key else None


def type_in(blob: bytes) -> str:
    """Return the name of the type that the bytes of a key begin with, "" when they begin with none."""
    fields = _fields(blob)
    name = fields[0] if fields else b""
    return name.decode("ascii") if name.isascii() and name.replace(b"\0", b"").strip() == name else ""


def is_whole(blob: bytes) -> bool:
    """Return whether the bytes of a key of a known type have all its fields, and nothing else."""
    fields = _fields(blob)
    type = type_in(blob)
    if fields is None or len(fields) != KEY_TYPES[type] + 1:
        return False
    return "ed25519" not in type or len(fields[1]) == _ED25519_BYTES


class Ownership:
    """Which lines belong to a resource: those with its `name` as comment, and those with one of its `keys`."""

    def __init__(self, name: str, keys: Collection[str]) -> None:
        self._name = name
        self._keys = {key for key in keys if key}

    def has(self, line: KeyLine) -> bool:
        """Return whether a line belongs to the resource."""
        return line.comment == self._name or line.key in self._keys

    def places(self, content: bytes, known: KnownLines | None = None) -> list[Place]:
        """Return where the resource's lines begin and end in the content of a file, without the ends of lines.

        With the `known` lines of this content it is not searched.
        """
        if known is not None:
            return known.places(self._name, self._keys)
        candidates = {place for text in (self._name, *self._keys) for place in _lines_with(content, _encoded(text))}
        found = []
        for begin, end in sorted(candidates):
            line = parsed(decoded(content[begin:end]))
            if line is not None and self.has(line):
                found.append((begin, end))
        return found


class KnownLines:
    """Where the keys of a content are, by comment and by key: one search for many resources."""

    def __init__(self, content: bytes) -> None:
        self._by_comment: dict[str, list[Place]] = {}
        self._by_key: dict[str, list[Place]] = {}
        self.add(content, 0)

    def add(self, content: bytes, begin: int) -> None:
        """Add the lines from `begin` on, where a line begins, to the end of the content."""
        while begin < len(content):
            end = content.find(b"\n", begin)
            end = len(content) if end < 0 else end
            line = parsed(decoded(content[begin:end]))
            if line is not None:
                self._by_comment.setdefault(line.comment, []).append((begin, end))
                self._by_key.setdefault(line.key, []).append((begin, end))
            begin = end + 1

    def places(self, comment: str, keys: Collection[str]) -> list[Place]:
        """Return where the lines with this comment or one of these keys begin and end, in their order."""
        found = set(self._by_comment.get(comment, ()))
        for key in keys:
            found.update(self._by_key.get(key, ()))
        return sorted(found)


def decoded(line: bytes) -> str:
    """Return a line as text, without a carriage return at its end."""
    return line.decode("utf-8", "surrogateescape").rstrip(_ENDS)


def with_lines(content: bytes, places: Sequence[Place], wanted: Sequence[str]) -> bytes:
    """Return the content of a file with the `wanted` lines in the first of these places, and without the others.

    Without places they are added at the end. All else stays as it is, byte for byte; only a last line without an end
    gets one before a line is added.
    """
    if not places:
        if not wanted:
            return content
        lead = b"" if not content or content.endswith(b"\n") else b"\n"
        return content + lead + b"".join(_encoded(line) + b"\n" for line in wanted)
    pieces, at = [], 0
    for number, (begin, end) in enumerate(places):
        pieces.append(content[at:begin])
        if wanted and number == 0:
            ending = b"\r\n" if content[begin:end].endswith(b"\r") else b"\n"
            pieces.append(ending.join(map(_encoded, wanted)))
            at = end - 1 if ending == b"\r\n" else end
        else:
            at = min(end + 1, len(content))
    return b"".join([*pieces, content[at:]])


def _lines_with(content: bytes, sought: bytes) -> Iterator[tuple[int, int]]:
    at = content.find(sought)
    while at >= 0:
        end = content.find(b"\n", at)
        end = len(content) if end < 0 else end
        yield content.rfind(b"\n", 0, at) + 1, end
        at = content.find(sought, end)


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


def _first_word(text: str) -> tuple[str, str]:
    """Return the first word and the rest, without the blanks between them."""
    for at, sign in enumerate(text):
        if sign in _BLANKS:
            return text[:at], text[at:].strip(_BLANKS)
    return text, ""


def _end_of_options(line: str) -> int:
    """Return where the options end that a line begins with, -1 when a quote is not closed or nothing comes after."""
    is_quoted, at = False, 0
    while at < len(line):
        if line.startswith('\\"', at):
            at += 1
        elif line[at] == '"':
            is_quoted = not is_quoted
        elif line[at] in _BLANKS and not is_quoted:
            return at
        at += 1
    return -1


def _fields(blob: bytes) -> list[bytes] | None:
    """Return the fields of a key, each of which has its length before it; None when the last one is not whole."""
    found, at = [], 0
    while at < len(blob):
        length = int.from_bytes(blob[at : at + 4], "big")
        at += 4 + length
        if at > len(blob) or length < 1:
            return None
        found.append(blob[at - length : at])
    return found
