# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The functions of every Jet template: how each is called, and a sentence. Only documentation reads it."""

from __future__ import annotations

TEXTS = {
    "lower": ("lower(text)", "Return the text in lower case."),
    "upper": ("upper(text)", "Return the text in upper case."),
    "hasPrefix": ("hasPrefix(text, prefix)", "Return whether the text begins with the prefix."),
    "hasSuffix": ("hasSuffix(text, suffix)", "Return whether the text ends with the suffix."),
    "repeat": ("repeat(text, count)", "Return the text so many times in succession."),
    "replace": (
        "replace(text, old, new, most)",
        "Return the text with the old part replaced by the new one at most so many times; -1 for all.",
    ),
    "split": ("split(text, separator)", "Return the parts of the text between the separators."),
    "trimSpace": ("trimSpace(text)", "Return the text without spaces at both ends."),
    "html": ("html(text)", "Return the text with the characters that have a meaning in HTML escaped."),
    "url": ("url(text)", "Return the text for the query of an address."),
    "safeHtml": ("value | safeHtml", "Write the value with the characters that have a meaning in HTML escaped."),
    "safeJs": ("value | safeJs", "Write the value with the characters that have a meaning in JavaScript escaped."),
    "raw": ("value | raw", "Write the value as it is."),
    "unsafe": ("value | unsafe", "Write the value as it is, as raw does."),
    "writeJson": ("writeJson(value)", "Write the value as JSON."),
    "json": ("json(value)", "Return the value as JSON, in bytes; nothing for a value that has none."),
    "map": ("map(key, value, ...)", "Return a map of these keys and values."),
    "slice": ("slice(value, ...)", "Return a list of these values."),
    "array": ("array(value, ...)", "Return a list of these values, as slice does."),
    "isset": ("isset(value, ...)", "Return whether all of these values exist."),
    "len": ("len(value)", "Return the number of elements of a list or a map, or of bytes of a text."),
    "includeIfExists": (
        "includeIfExists(path, context)",
        "Render another template in this place if it exists, and return whether it does.",
    ),
    "exec": ("exec(path, context)", "Run another template without its output, and return its value."),
    "ints": ("ints(from, to)", "Return the integers from the first up to before the last, for range."),
    "dump": ("dump(depth)", "Return the variables and blocks that the template knows, to look for mistakes."),
}
