# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""What PyYAML complains about, said so that it helps. Loaded only when a document is broken."""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

#: What the parser says, what we say instead, and whether the beginning of the broken thing is the better place.
_WORDS = (
    (
        "mapping values are not allowed",
        "'key: value' is not allowed here: check the indentation, or quote text that holds ': '",
        False,
    ),
    ("block sequence entries are not allowed", "a list entry '- …' must begin a line of its own", False),
    ("could not find expected ':'", "expected 'key: value' or a list entry '- …'", True),
    ("did not find expected key", "expected a key here: check the indentation and the quotes before", False),
    ("did not find expected '-' indicator", "expected a list entry '- …' here: check the indentation", False),
    ("did not find expected ',' or ']'", "list '[' is not closed, or a ',' is missing in it", True),
    ("did not find expected ',' or '}'", "mapping '{' is not closed, or a ',' is missing in it", True),
    ("did not find expected node content", "a value is missing or '[' or '{' is not closed", False),
    ("found unexpected end of stream", "quoted text does not end", True),
    ("found unknown escape character", "unknown escape in double quotes: double the '\\' or use single quotes", False),
    ("found invalid Unicode character escape", "no such character", False),
    ("did not find expected <document start>", "belongs to nothing above it: check the indentation", False),
    ("found a tab character", "indented with a tab: use spaces", False),
)


def explain(error: Any, text: str) -> tuple[str, int]:
    """Return what is wrong, in our words where we have better ones, and the index of the character in ``text``.

    ``error`` is one of PyYAML's exceptions.
    """
    problem = getattr(error, "problem", None)
    if problem is None:
        return _unreadable(error, text)
    mark = error.problem_mark or error.context_mark
    index = min(mark.index, len(text)) if mark is not None else 0
    if "cannot start any token" in problem:
        return _character(text, index), index
    if "undefined alias" in problem:
        name = re.match(r"\*([^\s,\]}]*)", text[index : index + 200])
        return 'alias "{}" has no anchor before it'.format(name.group(1) if name else ""), index
    for words, message, begin in _WORDS:
        if words in problem:
            if begin and error.context_mark is not None:
                index = min(error.context_mark.index, len(text))
            return message, index
    return problem, index


def _character(text: str, index: int) -> str:
    char = text[index : index + 1]
    if char == "\t":
        begin = max(text.rfind("\n", 0, index), text.rfind("\r", 0, index)) + 1
        if not text[begin:index].strip(" \t"):
            return "indented with a tab: use spaces"
        return "a tab is not allowed here: use spaces"
    return f"'{char}' cannot begin a text: put it in quotes"


def _unreadable(error: Any, text: str) -> tuple[str, int]:
    found = re.search("[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]", text)
    if found is None:
        return "cannot be read: " + str(getattr(error, "reason", error)), 0
    return f"control character U+{ord(found.group()):04X} is not allowed", found.start()
