# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Whether a text is a template, in each of the languages; nothing is rendered."""

from __future__ import annotations

from .type import GO, JINJA2

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable


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
