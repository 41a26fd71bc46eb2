# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Whether a text is a template, in each of the languages; nothing is rendered."""

from __future__ import annotations

from .type import GO, JINJA2

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable

    from ...lang.gotemplate.function import Function

#: The functions that Go templates of scaffolds may call in addition to Sprig's.
_FUNCTIONS = ("lookup", "readFile", "file", "jet", "registrations", "kvGet", "write", "render")


class _Known:
    """Names of functions: parsing only checks whether they exist."""

    def __init__(self) -> None:
        from ...lang.gotemplate.sprig.catalogue import NAMES

        self._names = {*NAMES, *_FUNCTIONS}

    def __contains__(self, name: object) -> bool:
        return name in self._names

    def __getitem__(self, name: str) -> Function:
        raise KeyError(name)


def template_parser(language: str, left: str, right: str) -> Callable[[str, str], str]:
    """Return a function that takes a text and its name and returns its error, "" when it is a template."""
    if language == GO:
        return _go(left, right)
    if language == JINJA2:
        from .jinja import jinja_parser

        return jinja_parser(left, right)
    from ...lang.jet.template import jet_parser

    return jet_parser(left, right)


def _go(left: str, right: str) -> Callable[[str, str], str]:
    from ...lang.gotemplate.errors import TemplateFault
    from ...lang.gotemplate.template import parse

    known = _Known()

    def fault(text: str, name: str) -> str:
        try:
            parse(text, name, known, left, right)
        except TemplateFault as error:
            return str(error)
        return ""

    return fault
