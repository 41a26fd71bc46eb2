# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""What templates of any language are made of: text, actions and blocks; with something broken in them; and noise."""

from hypothesis import strategies as st


def form(template, *parts):
    """Texts of a form, its `{}` filled with texts of the parts in their order."""
    return st.builds(template.format, *parts)


def templates(left, right, text, values, blocks, broken):
    """Templates with actions between the delimiters `left` and `right`: text, and `values` in actions.

    `blocks` is a function that puts them in blocks: it gets what a block's body may hold, and what may follow
    as its else. `broken` are pieces that are wrong in this language.
    """

    def nested(inner):
        body = st.lists(inner, max_size=3).map("".join)
        return blocks(body, st.just("") | body.map(f"{left} else {right}".__add__))

    opening = st.sampled_from([f"{left} ", left, f"{left}- "])
    closing = st.sampled_from([f" {right}", right, f" -{right}"])
    action = form("{}{}{}", opening, values, closing)
    sound = st.lists(st.recursive(st.one_of(text, action, action), nested, max_leaves=5), min_size=1, max_size=4).map(
        "".join
    )
    inside = [f"{left} {word}" for word in (f"end {right}", f"else {right}", f"1e999 {right}", ".a.b.c")]
    pieces = st.sampled_from([left, right, *inside, "(", ")", "|", '"', ".", *broken])
    damaged = st.builds(_with, sound, st.integers(0, 200), pieces)
    words = st.sampled_from([f"{left} ", f" {right}", "range ", "if ", " "])
    noise = st.lists(st.one_of(pieces, values, words), max_size=8).map("".join)
    return st.one_of(sound, sound, sound, sound, damaged, noise)


def _with(text, at, piece):
    at %= len(text) + 1
    return text[:at] + piece + text[at:]
