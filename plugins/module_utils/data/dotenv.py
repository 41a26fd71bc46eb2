# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Environment variables in a `.env` file."""

from __future__ import annotations

from ..model.errors import DataError

#: A `.env` file bigger than this (bytes) is refused: it is another kind of file with this name.
MAX_SIZE = 4 << 20


def parse_dotenv(text: str) -> dict[str, str]:
    """Return the assignments of a `.env` file; the last one of a name wins.

    `KEY=value`, optionally with `export ` before it. Lines that begin with `#`, and lines without `=` or without a
    value, are ignored. One pair of matching quotes (single or double) around the value is removed; nothing in the value
    is expanded. Source: behaviour.md 11.5, corrected by decision Q7.
    """
    found: dict[str, str] = {}
    for line in text.split("\n"):
        line = line.rstrip("\r").lstrip()
        if line.startswith("export "):
            line = line[len("export ") :].lstrip()
        # A key is at least one character long, as in the original.
        equals = line.find("=", 1)
        if line.startswith("#") or equals < 0:
            continue
        value = line[equals + 1 :]
        if value:
            found[line[:equals]] = _unquoted(value)
    return found


def _unquoted(value: str) -> str:
    quote = value[0]
    whole = value.rstrip()
    if quote in "\"'" and len(whole) > 1 and whole.endswith(quote):
        return whole[1:-1]
    # The original removes opening double quotes that are not closed.
    return (value.lstrip('"') or value) if quote == '"' else value


def read_dotenv(path: str) -> dict[str, str]:
    """Return the assignments in a `.env` file. Raises DataError when it cannot be read. Source: behaviour.md 11.5."""
    try:
        with open(path, "rb") as stream:
            content = stream.read(MAX_SIZE + 1)
    except OSError as error:
        raise DataError(f"cannot read {path}: {error.strerror}", value=path) from None
    if len(content) > MAX_SIZE:
        raise DataError(f"cannot read {path}: it is larger than {MAX_SIZE} bytes", value=path)
    return parse_dotenv(content.decode("utf-8", "surrogateescape"))
