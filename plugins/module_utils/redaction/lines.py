# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Lines of files with secrets hidden (decisions.md Q38) and without control characters of terminals."""

from __future__ import annotations

import re

from ..lang.controls import escaped, shortened
from ..lang.go.quoting import printable
from .names import without_users
from .replacement import REDACTED
from .texts import without_text_secrets

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable, Iterable, Iterator

#: A shorter text may occur anywhere by chance.
_SHORTEST_SECRET = 4
# sudo has the word NOPASSWD, and a command after it.
_SURE = r"(?:password|(?<!no)passwd|passphrase|secret|token|api[_-]?key|private[_-]?key)"
_NAMES = rf"(?:{_SURE}|authorization|credential)[\w-]{{0,60}}"
#: Words that have other meanings too: they must be whole words, and are no secrets before a path.
_SHORT = r"(?<![A-Za-z$])(?<!by_)(?<!proxy_)(?:pass|pwd)"
_VALUE = r"(?:\"[^\"]*\"|'[^']*'|[^\s\"']\S*)"
_NO_SECRET = r"(?![\"']?(?:(?:\d{1,3}|yes|no|on|off|true|false|none|null|required|optional)\b|[:={(/]|https?://|\$\())"
#: Patterns in a line with their replacements: `NAME: x` and `NAME=x` to their end, the user of a URL, `NAME x` alone in
#: a line or after a user's name, `--NAME x`, `<NAME>x<`.
_HIDDEN = tuple(
    (re.compile("(?i)" + pattern), replacement)
    for pattern, replacement in (
        (rf"({_NAMES}[\"']?\s*(?:=>|[:=])\s*)\S.*", rf"\g<1>{REDACTED}"),
        (rf"({_SHORT}[\"']?\s*(?:=>|[:=])\s*){_NO_SECRET}\S.*", rf"\g<1>{REDACTED}"),
        (rf"^(\s*(?:(?:export|set)\s+)?[\w.-]*{_SURE}\s+){_NO_SECRET}{_VALUE}(?=\s*;?\s*$)", rf"\g<1>{REDACTED}"),
        (rf"\b(login\s+\S+\s+password\s+){_VALUE}", rf"\g<1>{REDACTED}"),
        (rf"(?<![\w-])(--?[\w-]*{_SURE}\s+)(?![-\\]){_VALUE}", rf"\g<1>{REDACTED}"),
        (rf"(<[\w:.-]*(?:{_NAMES}|{_SHORT})(?:\s[^<>]*)?>)[^<]*[^<\s][^<]*", rf"\g<1>{REDACTED}"),
    )
)
#: A key of YAML whose value is the deeper lines that follow.
_BLOCK = re.compile(
    rf"(?i)^(\s*(?:-\s+)*)[\"']?[\w.-]*(?:{_NAMES}|{_SHORT})[\"']?\s*:(?:\s+![^\s|>]*)?\s+[|>][-+\d]*\s*(?:#.*)?$"
)
_KEY = re.compile(r"(-----BEGIN [A-Z0-9 ]*PRIVATE KEY[A-Z ]*-----)(.*)")
_KEY_ENDS = "-----END "
_COOKIE = re.compile(r"(?i)^((?:set-)?cookie:\s*)\S.*")
#: How much longer than its beginning the text is that is examined: a long one may be a file of many megabytes.
_EXAMINED = 20


class Hiding:
    """Hides, line by line, the given secrets, the values for names of secrets, and private keys."""

    def __init__(self, secrets: Iterable[str]) -> None:
        parts = {line.strip() for secret in secrets for line in secret.split("\n")}
        self._secrets = sorted((part for part in parts if len(part) >= _SHORTEST_SECRET), key=len, reverse=True)

    def lines(self, text: str) -> list[str]:
        """Return the lines of a text with secrets hidden, without control characters."""
        return [visible(line) for line in self.hidden(text)]

    def hidden(self, text: str) -> list[str]:
        """Return the lines of a text with secrets hidden, and with its control characters."""
        return list(self._shown(split(text)))

    def _shown(self, lines: list[str]) -> Iterator[str]:
        in_key, block = False, -1
        for line in lines:
            if in_key:
                secret, end, rest = line.partition(_KEY_ENDS)
                in_key = not end
                yield (REDACTED if secret.strip() or in_key else secret) + end + self._line(rest)
            elif block >= 0 and (_indentation(line) > block or not line.strip()):
                yield REDACTED if line.strip() else line
            else:
                begin, key = _BLOCK.match(line), _KEY.search(line)
                block = len(begin.group(1)) if begin else -1
                in_key = key is not None and _KEY_ENDS not in key.group(2)
                yield self._line(_KEY.sub(_without_key, line))

    def _line(self, line: str) -> str:
        for secret in self._secrets:
            line = line.replace(secret, REDACTED)
        line = without_users(line)
        for pattern, replacement in _HIDDEN:
            line = pattern.sub(replacement, line)
        return line


def beginning(
    text: str, most: int, shown: Callable[[str], str] = escaped, secrets: Iterable[str] = (), end: str = ""
) -> str:
    """Return the beginning of what a command printed or a file has, without secrets (decisions.md Q114).

    It has at most `most` characters once each is as `shown` writes it; `end` is put behind a text that is cut.
    """
    lines = [_COOKIE.sub(rf"\1{REDACTED}", line) for line in Hiding(secrets).hidden(text[: most * _EXAMINED])]
    whole = without_text_secrets("\n".join(lines) + "\n" * text.endswith("\n"))
    if len(text) <= most * _EXAMINED and shortened(whole, most, shown) == whole:
        return whole
    return shortened(whole, most - len(end), shown) + end


def split(text: str) -> list[str]:
    """Return the lines of a text, which end only at `\\n`; `\\r` belongs to its line."""
    lines = text.split("\n")
    return lines if lines[-1] else lines[:-1]


def visible(text: str) -> str:
    """Return a text with control and invisible characters as Go's %q writes them; tabs stay."""
    return printable(text, keep="\t")


def _indentation(line: str) -> int:
    return len(line) - len(line.lstrip())


def _without_key(found: re.Match[str]) -> str:
    """Return the rest of a line after the begin of a private key: all of it is the key's, up to its end."""
    begin, rest = found.groups()
    secret, end, after = rest.partition(_KEY_ENDS)
    return begin + (REDACTED if secret.strip() else "") + end + after
