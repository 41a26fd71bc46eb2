# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Lines that may hold a secret, and errors in texts of YAML or JSON without these lines (decisions.md Q38)."""

from __future__ import annotations

import re

from ..lang.yaml import decode, split_lines
from .names import SECRET_ENDINGS, is_secret, without_users
from .replacement import REDACTED
from .texts import without_text_secrets

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import AbstractSet

    from ..lang.yaml import YAMLError

_KEYS = re.compile(r"(?<![\w.-])([\w.-]+)[\"']?\s*:")
# Each line with a secret has one of these; searching for them first takes a tenth of the time.
_STEMS = ("author", "pass", "pwd", "secret", "token", "key", "cred", ":/")
_BEGINS_WITH_KEY = re.compile(r"[\s\[{,-]*[\"']?\w[\w.-]*[\"']?\s*:(?:[\s\"'\[{]|$)")


def shown_fault(error: YAMLError, text: str | bytes, names: AbstractSet[str] = frozenset()) -> tuple[str, str]:
    """Return the message and the excerpt of an error, without possible secrets; `names` are keys of secrets too."""
    message, shown = error.message, error.excerpt
    if error.line and _may_be_secret(split_lines(decode(text))[: error.line], names):
        lead, quote, rest = message.partition('"')
        message, shown = f"{lead}{quote}{REDACTED}{quote}{rest.rpartition(quote)[2]}" if quote else message, ""
    return message, shown


def holds_secret(line: str) -> bool:
    """Return whether a line of a file seems to hold a secret that decisions.md Q38 hides."""
    folded = line.casefold()
    for stem in _STEMS:
        if stem in folded:
            break
    else:
        return False
    names = "|".join(("authorization", *SECRET_ENDINGS)).replace("_", "[_-]?")
    # One name of each word is found: searching from each to the end of the word would take quadratic time.
    value = re.compile(rf"(?i)[\"']?\s*[:=]\s*(?!{REDACTED})\S")
    for found in re.finditer(rf"(?i)(?:{names})[\w-]*", line):
        if value.match(line, found.end()):
            return True
    return without_users(without_text_secrets(line)) != line


def _may_be_secret(lines: list[str], names: AbstractSet[str]) -> bool:
    """Return whether the last of the lines may hold a secret.

    It may when a key of secrets is in it or in a line above that it is indented below; when it begins with no key and
    one of secrets is the last before it, however it is indented; and in a private key.
    """
    if holds_secret("".join(lines[-1:])) or _is_in_private_key(lines):
        return True
    depth, is_text = None, True
    for line in reversed(lines):
        if not line.strip():
            continue
        own = _depth(line)
        is_above = depth is None or own < depth
        if (is_above or is_text) and any(key in names or is_secret(key) for key in _KEYS.findall(line)):
            return True
        if is_above:
            depth = own
        is_text = is_text and _BEGINS_WITH_KEY.match(line) is None
    return False


def _is_in_private_key(lines: list[str]) -> bool:
    for line in reversed(lines):
        if "-----BEGIN " in line or "-----END " in line:
            return "PRIVATE KEY" in line and "-----END " not in line
    return False


def _depth(line: str) -> tuple[int, bool]:
    """Return the indentation of a line; entries of a list may be indented as far as their key."""
    text = line.lstrip(" ")
    return len(line) - len(text), text.startswith("-")
