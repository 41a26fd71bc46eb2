# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The values of `Environ` and `environ.`: the process environment, overridden by a `.env` file."""

from __future__ import annotations

import os

from ..model.errors import DataError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..model.log import Log

ENVIRON_NAME = ".env"
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


def read_environ(
    read_env: bool = True,
    directory: str = ".",
    log: Log | None = None,
) -> dict[str, str]:
    """Return the environment of expressions: the variables of this process, overridden by `.env` of `directory`.

    Variables of the process that are empty are left out, as in the original. `log` gets a line when a file is read.
    Raises DataError when the file exists and cannot be read. Source: behaviour.md 11.5.
    """
    environ = {name: value for name, value in os.environ.items() if value}
    path = os.path.join(directory, ENVIRON_NAME)
    if not read_env or not os.path.isfile(path):
        return environ
    path = os.path.abspath(path)
    if log is not None:
        log.info("Reading environment variables from .env file", file=path)
    environ.update(parse_dotenv(_read(path)))
    return environ


def _read(path: str) -> str:
    try:
        with open(path, "rb") as stream:
            content = stream.read(MAX_SIZE + 1)
    except OSError as error:
        raise DataError(f"cannot read {path}: {error.strerror}", value=path) from None
    if len(content) > MAX_SIZE:
        raise DataError(f"cannot read {path}: it is larger than {MAX_SIZE} bytes", value=path)
    return content.decode("utf-8", "surrogateescape")
