# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Strings with expressions in them, in string mode and in typed mode."""

from ccm.data.templates import resolve_string, resolve_typed
from ccm.lang.go.fmt import sprint
from ccm.lang.templatescan import has_expression
from ccm.model.errors import TemplateError
from hypothesis import strategies as st

from .expressions import SOUND
from .world import environment

_PLAIN = st.text(st.characters(codec="utf-8"), max_size=10)
_MARKED = st.one_of(
    SOUND.map(lambda expression: f"{{{{ {expression} }}}}"), SOUND.map(lambda expression: f"${{ {expression} }}")
)
_BROKEN = st.sampled_from(
    ["{{", "}}", "${", "}", "${{", "{{ 'a }}", "{{ }}", "${}", '{{ "}}" }}', "{{ nope }}", "$", "{"]
)
_PIECE = st.one_of(_PLAIN, _MARKED, _MARKED, _BROKEN) | _PLAIN
MADE = st.one_of(
    st.lists(st.one_of(_PLAIN, _MARKED), max_size=4).map("".join), st.lists(_PIECE, max_size=5).map("".join), _MARKED
)


def attempt(text):
    """Whether the template has a value; what has no expression stays as it is, both modes agree in print."""
    env = environment()
    try:
        value = resolve_string(text, env)
    except TemplateError as error:
        assert str(error)
        return False
    assert isinstance(value, str)
    if not has_expression(text):
        assert value == text
    typed = resolve_typed(text, env)
    assert typed == value or sprint(typed) == value.strip() or sprint(typed) == value or text != text.strip()
    return True
