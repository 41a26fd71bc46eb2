# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Regular expressions of RE2. Functions with ``must`` in their name differ in the words of their failure only."""

from __future__ import annotations

from ...go.kinds import StringList
from ...go.quoting import quote
from ...go.regexp.errors import RegexpError
from ...go.regexp.program import Regexp, compile_regexp, quote_meta
from ..function import CallError, Function
from .nil import NilStringList

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable


def _must(pattern: str) -> Regexp:
    try:
        return compile_regexp(pattern)
    except RegexpError as error:
        raise CallError(str(error)) from None


def _compiled(pattern: str) -> Regexp:
    try:
        return compile_regexp(pattern)
    except RegexpError as error:
        shown = f"`{pattern}`" if _fits_backquotes(pattern) else quote(pattern)
        raise CallError(f"regexp: Compile({shown}): {error}") from None


def _fits_backquotes(text: str) -> bool:
    return all(
        char == "\t" or (char >= " " and char not in "`\x7f\ufeff" and not "\ud800" <= char <= "\udfff")
        for char in text
    )


def _matches(pattern: str, text: str) -> bool:
    try:
        return compile_regexp(pattern).search(text)
    except RegexpError:
        return False


def _find(compiled: Callable[[str], Regexp]) -> Function:
    def find(pattern: str, text: str) -> str:
        match = compiled(pattern).find(text)
        return text[match[0][0] : match[0][1]] if match else ""

    return Function(find, "string", "string")


def _find_all(compiled: Callable[[str], Regexp]) -> Function:
    def find_all(pattern: str, text: str, count: int) -> StringList:
        matches = compiled(pattern).find_all(text, count)
        return StringList(text[match[0][0] : match[0][1]] for match in matches) if matches else NilStringList()

    return Function(find_all, "string", "string", "int")


def _replace(compiled: Callable[[str], Regexp], literal: bool) -> Function:
    def replace(pattern: str, text: str, replacement: str) -> str:
        return compiled(pattern).replace_all(text, replacement, literal)

    return Function(replace, "string", "string", "string")


def _split(compiled: Callable[[str], Regexp]) -> Function:
    def split(pattern: str, text: str, count: int) -> StringList:
        regexp = compiled(pattern)
        return StringList(regexp.split(text, count)) if count else NilStringList()

    return Function(split, "string", "string", "int")


FUNCTIONS = {
    "regexMatch": Function(_matches, "string", "string"),
    "mustRegexMatch": Function(lambda pattern, text: _must(pattern).search(text), "string", "string"),
    "regexFind": _find(_compiled),
    "mustRegexFind": _find(_must),
    "regexFindAll": _find_all(_compiled),
    "mustRegexFindAll": _find_all(_must),
    "regexReplaceAll": _replace(_compiled, False),
    "mustRegexReplaceAll": _replace(_must, False),
    "regexReplaceAllLiteral": _replace(_compiled, True),
    "mustRegexReplaceAllLiteral": _replace(_must, True),
    "regexSplit": _split(_compiled),
    "mustRegexSplit": _split(_must),
    "regexQuoteMeta": Function(quote_meta, "string"),
}
