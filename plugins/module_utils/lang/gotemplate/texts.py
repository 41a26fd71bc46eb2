# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The functions of Go's templates themselves: how each is called, and a sentence. Only documentation reads it."""

from __future__ import annotations

TEXTS = {
    "and": ("and a b ...", "Return the first argument that is empty or false, else the last."),
    "call": ("call function argument ...", "Return the result of a function that is a value."),
    "eq": ("eq a b ...", "Return whether the first argument is equal to one of the others."),
    "ge": ("ge a b", "Return whether a is greater than b, or equal to it."),
    "gt": ("gt a b", "Return whether a is greater than b."),
    "html": ("html value ...", "Return the values as text with the characters that have a meaning in HTML escaped."),
    "index": (
        "index container key ...",
        "Return the element of a list at a place from 0, or of a map by its key; further keys go deeper.",
    ),
    "js": ("js value ...", "Return the values as text with the characters that have a meaning in JavaScript escaped."),
    "le": ("le a b", "Return whether a is less than b, or equal to it."),
    "len": ("len value", "Return the number of elements of a list or a map, or of bytes of a text."),
    "lt": ("lt a b", "Return whether a is less than b."),
    "ne": ("ne a b", "Return whether a is another value than b."),
    "not": ("not value", "Return whether the value is empty or false."),
    "or": ("or a b ...", "Return the first argument that is neither empty nor false, else the last."),
    "print": ("print value ...", "Return the values as text, with spaces between values of which neither is a text."),
    "printf": ("printf format value ...", "Return the text of a format like %s or %05d with the values in it."),
    "println": ("println value ...", "Return the values as text, with spaces between them and an end of the line."),
    "slice": ("slice list from to", "Return the part of a list from one place up to before another."),
    "urlquery": ("urlquery value ...", "Return the values as text for the query of an address."),
}
