# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Errors in a regular expression, in the words of Go's `regexp` package."""

from __future__ import annotations

INVALID_CLASS_RANGE = "invalid character class range"
INVALID_ESCAPE = "invalid escape sequence"
INVALID_NAMED_CAPTURE = "invalid named capture"
INVALID_PERL_SYNTAX = "invalid or unsupported Perl syntax"
INVALID_REPEAT_OPERATOR = "invalid nested repetition operator"
INVALID_REPEAT_COUNT = "invalid repeat count"
INVALID_UTF8 = "invalid UTF-8"
MISSING_BRACKET = "missing closing ]"
MISSING_PAREN = "missing closing )"
MISSING_REPEAT_ARGUMENT = "missing argument to repetition operator"
TRAILING_BACKSLASH = "trailing backslash at end of expression"
UNEXPECTED_PAREN = "unexpected )"
NESTS_TOO_DEEPLY = "expression nests too deeply"
TOO_LARGE = "expression too large"


class RegexpError(Exception):
    """A regular expression that cannot be used; its text is Go's ("error parsing regexp: missing closing ]: `[a`").

    `code` is the kind of error, one of the constants of this file; `expression` the part of the pattern at fault.
    """

    def __init__(self, code: str, expression: str) -> None:
        super().__init__(f"error parsing regexp: {code}: `{expression}`")
        self.code = code
        self.expression = expression
