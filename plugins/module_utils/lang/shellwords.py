# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Splits a command into words as a POSIX shell would, without any expansion (behaviour.md 6.1)."""

from __future__ import annotations


class ShellWordsError(Exception):
    """A quote or escape without its end; the message is CCM's own."""


def split(text: str) -> list[str]:
    """Return the words of ``text``; blanks, tabs and newlines separate, quotes and backslashes work as in ``/bin/sh``.

    There are no comments, globs, variables or operators. Raises ShellWordsError: ``Unterminated single-quoted
    string``, ``Unterminated double-quoted string``, ``Unterminated backslash-escape``.
    """
    if "'" in text or '"' in text or "\\" in text:
        from .shellquotes import split_quoted

        try:
            return split_quoted(text)
        except ValueError as error:
            raise ShellWordsError(str(error)) from None
    return [word for word in text.replace("\t", " ").replace("\n", " ").split(" ") if word]
