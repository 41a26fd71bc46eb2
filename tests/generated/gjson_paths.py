# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""GJSON paths: walks through the document that exist, walks that do not, and noise."""

from ccm.model.errors import TemplateError
from hypothesis import strategies as st

from .world import DOCUMENT, environment

_MODIFIERS = [
    "@this",
    "@reverse",
    "@keys",
    "@values",
    "@ugly",
    "@pretty",
    "@flatten",
    "@join",
    "@valid",
    "@tostr",
    "@nope",
]
_QUERIES = [
    "#(uid>1001)",
    "#(uid>1001)#",
    '#(name=="ann").uid',
    "#.name",
    "#",
    "#(>1)#",
    '#(name%"a*")',
    "#(uid==~true)",
]


@st.composite
def _walk(draw):
    node, steps = DOCUMENT, []
    for _step in range(draw(st.integers(1, 5))):
        if isinstance(node, dict) and node:
            key = draw(st.sampled_from(sorted(node)))
            steps.append(draw(st.sampled_from([key, key, key, key[:2] + "*", "?" * len(key)])) if steps else key)
            node = node[key]
        elif isinstance(node, list) and node:
            steps.append(draw(st.one_of(st.integers(0, len(node)).map(str), st.sampled_from(_QUERIES))))
            node = node[0]
        else:
            break
    path = ".".join(steps)
    if draw(st.integers(0, 3)) == 0:
        path += draw(st.sampled_from(["|", "."])) + draw(st.sampled_from(_MODIFIERS))
    return path


_MULTI = st.lists(_walk(), min_size=1, max_size=3).map(lambda paths: "{" + ",".join(paths) + "}") | st.lists(
    _walk(), min_size=1, max_size=3
).map(lambda paths: "[" + ",".join(paths) + "]")
_NOISE = st.text(st.sampled_from(list("abdfo.#|@*?\\()[]{}!~=<>%\"'0123 é:,")), max_size=30)
_PADDED = st.tuples(_walk(), _NOISE).map("".join)
MADE = st.one_of(_walk(), _walk(), _walk(), _MULTI, _PADDED, _NOISE)


def attempt(path):
    """Whether the path leads to a value; asking twice gives the same, and a default steps in where nothing is."""
    env = environment()
    try:
        value = env.lookup(path)
    except TemplateError as error:
        assert str(error) == f"missing key '{path}' in environment"
        assert env.lookup(path, "instead") == "instead"
        return False
    assert repr(env.lookup(path)) == repr(value)
    assert repr(env.lookup(path, "instead")) == repr(value)
    return True
