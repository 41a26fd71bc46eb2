# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Words of the command line in files: `@FILE` is each of its lines, as in the original."""

from __future__ import annotations

from ..host.errors import errno_of, reason_of
from ..lang.go.quoting import quote
from ..model.errors import CCMError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Sequence

#: The deepest chain of files that name each other.
_DEEPEST = 10
#: In bytes; no system accepts as many on a command line.
_LARGEST = 16 << 20


def expanded(words: Sequence[str], depth: int = 0) -> list[str]:
    """Return the words with each `@FILE` replaced by the lines of the file, which may name files themselves.

    Empty lines and lines that begin with `#` are left out; after `--` words are not replaced. Raises CCMError.
    """
    found: list[str] = []
    for at, word in enumerate(words):
        if word == "--":
            return [*found, *words[at:]]
        if word.startswith("@"):
            found += expanded(_lines(word[1:], depth), depth + 1)
        else:
            found.append(word)
    return found


def _lines(path: str, depth: int) -> list[str]:
    if not path:
        raise CCMError("expected @ file to expand arguments from")
    if depth == _DEEPEST:
        raise CCMError(f"arguments files name each other more than {_DEEPEST} times deep: {path}", value=path)
    try:
        with open(path, "rb") as file:
            text = file.read(_LARGEST + 1)
    except (OSError, ValueError) as error:
        reason = reason_of(errno_of(error))
        raise CCMError(
            f"failed to open arguments file {quote(path)}: open {path}: {reason}",
            value=path,
            advice="a word that begins with @ names a file of arguments: another goes after -- or after FLAG=",
        ) from None
    if len(text) > _LARGEST:
        raise CCMError(
            f"arguments file {quote(path)} is larger than {_LARGEST >> 20} MiB",
            value=path,
            advice="name a file of arguments, one on each line",
        )
    lines = (line[:-1] if line.endswith("\r") else line for line in text.decode("utf-8", "surrogateescape").split("\n"))
    return [line for line in lines if line.strip() and not line.startswith("#")]
