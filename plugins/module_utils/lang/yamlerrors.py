# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""What PyYAML complains about, said so that it helps. Loaded only when a document is broken."""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable, Iterable

    #: Returns PyYAML's tokens of a text, as ``yaml.tokens_of``.
    TokensOf = Callable[[str], Iterable[Any]]

_NO_KEY = "expected a key here: check the indentation and the quotes before"
_NO_ENTRY = "expected a list entry '- …' here: check the indentation"
_NO_VALUE = "a value is missing or '[' or '{' is not closed"
_NO_BLOCK = "the text after '|' or '>' begins on the next line: put text that begins with them in quotes"
_DIRECTIVE = "'%' at the beginning of a line begins a directive, and '---' has to follow: put text in quotes"
_MISTAKEN_DIRECTIVE = re.compile(r"%(?!(?:YAML|TAG)[ \t][^\r\n]*[\r\n]+---\s)")
_EXPRESSION = "text that begins with '{{' must be in quotes: without them, '{' begins a mapping"
#: A line up to an expression that begins a value without quotes: after a key or a dash, or in a list or mapping.
_BARE_EXPRESSION = re.compile(r"([^'\"#]*?(?:^\s*|[-:]\s+|[\[{](?:[^'\"]*,)?\s*))\{\{")
_ODD_NAME = "expected alphabetic or numeric character"
_TAB = "indented with a tab: use spaces"
#: What the parser says (after when it says so), what we say instead, and whether the beginning of the broken thing is
#: the better place.
_WORDS = (
    (
        "mapping values are not allowed",
        "'key: value' is not allowed here: check the indentation, or quote text that holds ': '",
        False,
    ),
    ("sequence entries are not allowed", "a list entry '- …' must begin a line of its own", False),
    ("could not find expected ':'", "expected 'key: value' or a list entry '- …'", True),
    ("did not find expected key", _NO_KEY, False),
    ("block mapping: expected <block end>", _NO_KEY, False),
    ("did not find expected '-' indicator", _NO_ENTRY, False),
    ("block collection: expected <block end>", _NO_ENTRY, False),
    ("expected ',' or ']'", "list '[' is not closed, or a ',' is missing in it", True),
    ("expected ',' or '}'", "mapping '{' is not closed, or a ',' is missing in it", True),
    ("did not find expected node content", _NO_VALUE, False),
    ("expected the node content", _NO_VALUE, False),
    ("found unexpected end of stream", "quoted text does not end", True),
    ("found unknown escape character", "unknown escape in double quotes: double the '\\' or use single quotes", False),
    ("<document start>", "belongs to nothing above it: check the indentation", False),
    ("found a tab character", _TAB, False),
    (
        _ODD_NAME,
        "a name has to follow '&' or '*', without '[', ']', '{', '}' and ','",
        False,
    ),
    ("block scalar: did not find expected comment", _NO_BLOCK, False),
    ("block scalar: expected a comment", _NO_BLOCK, False),
    ("block scalar: expected chomping", _NO_BLOCK, False),
)


def explain_later(first: Any, second: Any, text: str, tokens_of: TokensOf) -> tuple[str, int]:
    """Return what `explain` says of the later of two errors that PyYAML raised for one text; the first may be None.

    What libyaml says of the name of an anchor does not count: the loader in Python reads more names.
    """
    message, index = explain(second, text, tokens_of)
    if first is None or _ODD_NAME in (getattr(first, "problem", None) or ""):
        return message, index
    first_message, first_index = explain(first, text, tokens_of)
    if index == first_index or _end(second, index) <= _end(first, first_index):
        return first_message, first_index
    return message, index


def _end(error: Any, index: int) -> int:
    mark = getattr(error, "problem_mark", None)
    return index if mark is None else int(mark.index)


def explain(error: Any, text: str, tokens_of: TokensOf) -> tuple[str, int]:
    """Return the message, in our words where we have better ones, and the index of the character in ``text``.

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
        name = re.match(r"\*([^ \t\r\n,\[\]{}]*)", text[index : index + 200])
        return 'alias "{}" has no anchor before it'.format(name.group(1) if name else ""), index
    directive = _directive(error, text, index)
    if directive is not None:
        return _DIRECTIVE, directive
    expression = bare_expression(text, index)
    if expression is not None:
        return expression
    quoted = _open_quote(text, index, tokens_of)
    if quoted is not None:
        return quoted
    said = f"{error.context}: {problem}"
    for words, message, begin in _WORDS:
        if words in said:
            if begin and error.context_mark is not None:
                index = min(error.context_mark.index, len(text))
            return _TAB if _is_indenting_tab(text, index) else message, index
    return problem, index


def bare_expression(text: str, index: int) -> tuple[str, int] | None:
    """Return a message when a value without quotes begins with an expression before ``index``, and where it begins."""
    begin = text.rfind("\n", 0, index) + 1
    # No more of a long line: the pattern takes quadratic time.
    found = _BARE_EXPRESSION.match(text[begin : min(index, begin + 500) + 2])
    return (_EXPRESSION, begin + found.end(1)) if found else None


def _open_quote(text: str, index: int, tokens_of: TokensOf) -> tuple[str, int] | None:
    """Return a message when quoted text of several lines ends in the line of ``index``, and the index of its beginning.

    That is the case when a quote is not closed: the next one, which should open a text, closes it.
    """
    line = text.count("\n", 0, index)
    for token in tokens_of(text):
        start, end = token.start_mark, token.end_mark
        if end.index > index:
            break
        if getattr(token, "style", None) in ("'", '"') and start.line < end.line == line:
            return f"this quoted text ends in line {line + 1}, where other text follows: close the quote", start.index
    return None


def _directive(error: Any, text: str, index: int) -> int | None:
    """Return where the directive begins that an error is about; None for directives of YAML and all other errors."""
    if "directive" in (error.context or "") and error.context_mark is not None:
        index = error.context_mark.index
    elif "<document start>" in error.problem:
        end = len(text[:index].rstrip())
        index = text.rfind("\n", 0, end) + 1
        while text.startswith("%", text.rfind("\n", 0, max(index - 1, 0)) + 1) and index:
            index = text.rfind("\n", 0, index - 1) + 1
    elif "<directive>" not in error.problem:
        return None
    return index if _MISTAKEN_DIRECTIVE.match(text, index) else None


def _is_indenting_tab(text: str, index: int) -> bool:
    begin = max(text.rfind("\n", 0, index), text.rfind("\r", 0, index)) + 1
    return text.startswith("\t", index) and not text[begin:index].strip(" \t")


def _character(text: str, index: int) -> str:
    char = text[index : index + 1]
    if char == "\t":
        return _TAB if _is_indenting_tab(text, index) else "a tab is not allowed here: use spaces"
    if char == "%":
        return "'%' cannot begin a text on a line that is not indented: put it in quotes"
    return f"'{char}' cannot begin a text: put it in quotes"


def _unreadable(error: Any, text: str) -> tuple[str, int]:
    found = re.search("[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]", text)
    if found is None:
        return "cannot be read: " + str(getattr(error, "reason", error)), 0
    return f"control character U+{ord(found.group()):04X} is not allowed", found.start()
