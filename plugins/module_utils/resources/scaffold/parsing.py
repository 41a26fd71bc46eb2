# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Whether a text is a template, and whether the original can read it; nothing is rendered."""

from __future__ import annotations

from .type import GO, JET, JINJA2

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable

    from ...model.facets import PortableTemplates


def template_parser(language: str, left: str, right: str) -> Callable[[str, str], str]:
    """Return a function that takes a text and its name and returns its error, "" when it is a template."""
    if language == GO:
        from .go_parser import go_parser

        return go_parser(left, right)
    if language == JINJA2:
        from .jinja import jinja_parser

        return jinja_parser(left, right)
    from ...data.jet import FUNCTION_NAMES
    from ...lang.jet.template import jet_parser

    return jet_parser(left, right, (*FUNCTION_NAMES, "write", "render"))


def differences_in(language: str, left: str, right: str) -> PortableTemplates | None:
    """Return a function that says what the original cannot read in a template, None for a language that it lacks."""
    if language == GO:
        from .go_differences import note_go_differences

        return lambda text, note: note_go_differences(text, left, right, note)
    if language == JET:
        from ...data.jet_differences import note_jet_differences

        return lambda text, note: note_jet_differences(text, left, right, note, is_scaffold=True)
    return None
